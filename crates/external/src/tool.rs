//! A tool of a server, as the registry knows it.

use std::sync::Arc;

use async_trait::async_trait;
use protocol::Effect;
use serde_json::{Map, Value};
use tools::{AnyTool, Context, Declaration, Failure, Found, Output};

use crate::{
    answer,
    call::{self, Asked, Trouble},
    link::Link,
    schema::Schema,
};

/// A tool of a server.
pub(crate) struct Foreign {
    pub(crate) declaration: Declaration,
    /// Its name there.
    pub(crate) theirs: String,
    pub(crate) input: Schema,
    pub(crate) shown_input: Value,
    pub(crate) output: Option<Schema>,
    pub(crate) shown_output: Option<Value>,
    pub(crate) link: Arc<Link>,
}

#[async_trait]
impl AnyTool for Foreign {
    fn declaration(&self) -> Declaration {
        self.declaration.clone()
    }

    fn input_schema(&self) -> Value {
        self.shown_input.clone()
    }

    fn output_schema(&self) -> Option<Value> {
        self.shown_output.clone()
    }

    fn scope(&self, arguments: &Value) -> Result<Option<String>, Failure> {
        self.valid(arguments.clone()).map(|_| None)
    }

    fn away(&self) -> Option<String> {
        self.link.away_because()
    }

    async fn call(&self, arguments: Value, context: &Context) -> Result<Output, Failure> {
        let arguments = self.valid(arguments)?;
        // With the same key it happens once, if the server minds it.
        let key = (self.declaration.effect == Effect::Idempotent).then_some(context.key.as_str());
        let asked = Asked { tool: &self.theirs, arguments, key, progress: &context.progress };
        let result = call::send(&self.link, asked).await.map_err(|trouble| self.failure(trouble))?;
        let value = answer::value(&self.link, result, self.output.as_ref())
            .map_err(|told| Failure::Failed(format!("`{}`: {told}", self.declaration.name)))?;
        Ok(Output { value, origin: self.declaration.origin, artifacts: Vec::new(), sources: Vec::new() })
    }

    async fn look_up(&self, _: Value, _: &Context) -> Result<Found<Output>, Failure> {
        Ok(Found::Unknown)
    }
}

impl Foreign {
    /// The arguments, if they fit. A model that has nothing to say often says nothing at all.
    fn valid(&self, arguments: Value) -> Result<Map<String, Value>, Failure> {
        let arguments = if arguments.is_null() { Value::Object(Map::new()) } else { arguments };
        let unfit = |problem: &str| Failure::Invalid(format!("the arguments do not fit: {problem}"));
        self.input.validate(&arguments).map_err(|problem| unfit(&problem))?;
        match arguments {
            Value::Object(fields) => Ok(fields),
            _ => Err(unfit("they have to be a JSON object")),
        }
    }

    /// Whether it may have happened is only news where a second time would matter.
    fn failure(&self, trouble: Trouble) -> Failure {
        let (name, server) = (&self.declaration.name, self.link.server());
        match trouble {
            Trouble::NotDone(told) => Failure::Failed(format!("`{name}` of the external server `{server}`: {told}")),
            Trouble::Unclear(told) if self.declaration.effect == Effect::Pure => {
                Failure::Failed(format!("`{name}` of the external server `{server}`: {told}"))
            }
            Trouble::Unclear(told) => Failure::Unknown(format!(
                "`{name}` of the external server `{server}`: {told}. It may have been done all the same: look before \
                 trying again"
            )),
        }
    }
}
