//! Dwell's own MCP tools: sessions, turns and memory.

mod curation;
mod graph;
mod memory;
mod sessions;
mod turns;

use std::sync::LazyLock;

use protocol::{Code, Problem};
use rmcp::{
    RoleServer,
    model::{CallToolRequestParams, CallToolResponse, JsonObject, Tool, ToolAnnotations},
    service::RequestContext,
};
use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

pub(super) use self::{sessions::session, turns::again};
use super::{McpHandler, continuation::answer, error::McpError, tool_list::without_own_formats};

/// The effect of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ToolImpact {
    /// It only reads.
    Looks,
    /// It adds something; calling it twice adds twice, unless there is an idempotency key.
    Adds,
    /// It ends or deletes something.
    Ends,
}

/// The definition of a tool.
struct ToolDefinition {
    name: &'static str,
    description: &'static str,
    touch: ToolImpact,
    input: fn() -> JsonObject,
    output: fn() -> JsonObject,
}

impl ToolDefinition {
    fn new<I: JsonSchema, O: JsonSchema>(name: &'static str, touch: ToolImpact, description: &'static str) -> Self {
        Self { name, description, touch, input: input_schema::<I>, output: output_schema::<O> }
    }

    fn tool(&self) -> Tool {
        let mut tool = Tool::new(self.name, self.description, (self.input)());
        tool.output_schema = Some((self.output)().into());
        tool.annotations = Some(
            ToolAnnotations::new()
                .read_only(self.touch == ToolImpact::Looks)
                .destructive(self.touch == ToolImpact::Ends)
                .idempotent(self.touch != ToolImpact::Adds)
                .open_world(matches!(self.name, "send_message" | "ask" | "retry" | "resume")),
        );
        tool
    }
}

fn all() -> impl Iterator<Item = ToolDefinition> {
    sessions::tools()
        .into_iter()
        .chain(turns::tools())
        .chain(memory::tools())
        .chain(curation::tools())
        .chain(graph::tools())
}

/// The declarations, built once: they never change, and building the schemas takes a while.
static DECLARED: LazyLock<Vec<Tool>> = LazyLock::new(|| all().map(|own| own.tool()).collect());

/// The declarations of all tools.
pub(super) fn declared() -> impl Iterator<Item = &'static Tool> {
    DECLARED.iter()
}

/// One of these tools, by its name.
pub(super) fn own(name: &str) -> Option<&'static Tool> {
    declared().find(|tool| tool.name == name)
}

/// Calls one of these tools.
pub(super) async fn call(
    mcp: &McpHandler,
    request: CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, McpError> {
    let arguments = Value::Object(request.arguments.clone().unwrap_or_default());
    let name = request.name.as_ref();
    match name {
        "send_message" | "ask" | "await_continuation" | "resume" | "retry" | "pause" | "list_background" | "cancel" => {
            turns::call(mcp, &request, arguments, context).await
        }
        "start_session" | "get_session" | "end_session" | "delete_session" | "list_sessions" => {
            sessions::call(mcp, name, arguments, context).await
        }
        "get_profile" | "set_profile" | "correct" | "forget" | "update_vault" | "delete_vault" | "update_memory"
        | "delete_memory" | "control_memory" => curation::call(mcp, name, arguments, context).await,
        "memory_graph" => graph::call(mcp, name, arguments, context).await,
        _ => memory::call(mcp, name, arguments, context).await,
    }
}

/// Reads arguments; the error says what is wrong with them.
fn read<T: DeserializeOwned>(arguments: Value) -> Result<T, McpError> {
    serde_json::from_value(arguments).map_err(|error| {
        let message = format!("invalid arguments: {error}");
        Problem::new(Code::InvalidRequest, message, "See the tool's input schema.").into()
    })
}

/// Data as a tool's result.
fn done<T: Serialize>(value: &T) -> Result<CallToolResponse, McpError> {
    Ok(answer(value).into())
}

/// The input schema of a tool.
fn input_schema<T: JsonSchema>() -> JsonObject {
    schema::<T>(SchemaSettings::draft2020_12())
}

/// The output schema of a tool. Fields that may be absent are not required, since some clients
/// validate results.
fn output_schema<T: JsonSchema>() -> JsonObject {
    schema::<T>(SchemaSettings::draft2020_12().for_serialize())
}

/// Ends a schema that contains itself: a condition within conditions is described once.
fn without_references(value: &mut Value) {
    match value {
        Value::Object(object) => {
            object.remove("$defs");
            if object.remove("$ref").is_some() {
                object.insert("type".to_owned(), Value::from("object"));
                object.entry("description").or_insert_with(|| Value::from("The same again."));
            }
            object.values_mut().for_each(without_references);
        }
        Value::Array(list) => list.iter_mut().for_each(without_references),
        _ => {}
    }
}

/// A schema without references, which not every client follows.
fn schema<T: JsonSchema>(settings: SchemaSettings) -> JsonObject {
    let settings = settings.with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut value = SchemaGenerator::new(settings).into_root_schema_for::<T>().to_value();
    without_own_formats(&mut value);
    without_references(&mut value);
    match value.as_object_mut() {
        Some(object) => {
            object.remove("title");
            std::mem::take(object)
        }
        None => JsonObject::new(),
    }
}
