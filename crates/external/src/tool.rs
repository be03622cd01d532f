//! A tool of an external server, for the registry.

use std::sync::Arc;

use async_trait::async_trait;
use ports::ToolFailure;
use protocol::Effect;
use serde_json::{Map, Value};
use tools::{AnyTool, CallContext, CallLookup, Declaration, Output, ToolKind};

use crate::{
    answer,
    call::{self, CallError, ToolCallRequest},
    link::ServerLink,
    schema::Schema,
};

/// A tool of an external server.
pub(crate) struct ExternalTool {
    pub(crate) declaration: Declaration,
    /// Its name on the server.
    pub(crate) remote_name: String,
    pub(crate) input: Schema,
    pub(crate) shown_input: Value,
    pub(crate) output: Option<Schema>,
    pub(crate) shown_output: Option<Value>,
    pub(crate) link: Arc<ServerLink>,
}

#[async_trait]
impl AnyTool for ExternalTool {
    fn declaration(&self) -> Declaration {
        self.declaration.clone()
    }

    fn input_schema(&self) -> Value {
        self.shown_input.clone()
    }

    fn output_schema(&self) -> Option<Value> {
        self.shown_output.clone()
    }

    fn scope(&self, arguments: &Value) -> Result<Option<String>, ToolFailure> {
        self.valid(arguments.clone()).map(|_| None)
    }

    fn away(&self) -> Option<String> {
        self.link.away_because()
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Mcp
    }

    async fn call(&self, arguments: Value, context: &CallContext) -> Result<Output, ToolFailure> {
        let arguments = self.valid(arguments)?;
        // With the same key the call is executed once, if the server supports it.
        let key = (self.declaration.effect == Effect::Idempotent).then_some(context.key.as_str());
        let asked = ToolCallRequest { tool: &self.remote_name, arguments, key, progress: &context.progress };
        let result = call::send(&self.link, asked).await.map_err(|trouble| self.failure(trouble))?;
        let value = answer::value(&self.link, result, self.output.as_ref())
            .map_err(|told| ToolFailure::Failed(format!("`{}`: {told}", self.declaration.name)))?;
        Ok(Output { value, origin: self.declaration.origin, artifacts: Vec::new(), sources: Vec::new() })
    }

    async fn look_up(&self, _: Value, _: &CallContext) -> Result<CallLookup<Output>, ToolFailure> {
        Ok(CallLookup::Unknown)
    }
}

impl ExternalTool {
    /// The arguments, if they fit the schema. Models often send `null` instead of an empty object.
    fn valid(&self, arguments: Value) -> Result<Map<String, Value>, ToolFailure> {
        let arguments = if arguments.is_null() { Value::Object(Map::new()) } else { arguments };
        let unfit = |problem: &str| ToolFailure::Invalid(format!("the arguments do not fit: {problem}"));
        self.input.validate(&arguments).map_err(|problem| unfit(&problem))?;
        match arguments {
            Value::Object(fields) => Ok(fields),
            _ => Err(unfit("they have to be a JSON object")),
        }
    }

    /// The failure of a call. An unclear outcome only matters if a second run would have an effect.
    fn failure(&self, trouble: CallError) -> ToolFailure {
        let (name, server) = (&self.declaration.name, self.link.server());
        match trouble {
            CallError::NotDone(told) => {
                ToolFailure::Failed(format!("`{name}` of the external server `{server}`: {told}"))
            }
            CallError::Unclear(told) if self.declaration.effect == Effect::Pure => {
                ToolFailure::Failed(format!("`{name}` of the external server `{server}`: {told}"))
            }
            CallError::Unclear(told) => ToolFailure::Unknown(format!(
                "`{name}` of the external server `{server}`: {told}. It may have been done all the same: look before \
                 trying again"
            )),
        }
    }
}
