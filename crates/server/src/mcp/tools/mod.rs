//! The tools that are Dwell's own on this wire: sessions, turns and memory.

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
use super::{Mcp, continuation::answer, declared::without_own_formats, trouble::Trouble};

/// What a tool does to what there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Touch {
    /// Nothing.
    Looks,
    /// It adds something; doing it twice adds twice, unless it has a key.
    Adds,
    /// It ends something.
    Ends,
}

/// A tool as it is declared.
struct Own {
    name: &'static str,
    description: &'static str,
    touch: Touch,
    input: fn() -> JsonObject,
    output: fn() -> JsonObject,
}

impl Own {
    fn new<I: JsonSchema, O: JsonSchema>(name: &'static str, touch: Touch, description: &'static str) -> Self {
        Self { name, description, touch, input: taken::<I>, output: given::<O> }
    }

    fn tool(&self) -> Tool {
        let mut tool = Tool::new(self.name, self.description, (self.input)());
        tool.output_schema = Some((self.output)().into());
        tool.annotations = Some(
            ToolAnnotations::new()
                .read_only(self.touch == Touch::Looks)
                .destructive(self.touch == Touch::Ends)
                .idempotent(self.touch != Touch::Adds)
                .open_world(matches!(self.name, "send_message" | "ask" | "retry" | "resume")),
        );
        tool
    }
}

fn all() -> impl Iterator<Item = Own> {
    sessions::tools().into_iter().chain(turns::tools()).chain(memory::tools())
}

/// How they are declared: they never change, and their schemas take a while to make.
static DECLARED: LazyLock<Vec<Tool>> = LazyLock::new(|| all().map(|own| own.tool()).collect());

/// How they are declared.
pub(super) fn declared() -> impl Iterator<Item = &'static Tool> {
    DECLARED.iter()
}

/// One of ours, by its name.
pub(super) fn own(name: &str) -> Option<&'static Tool> {
    declared().find(|tool| tool.name == name)
}

/// Calls one of them.
pub(super) async fn call(
    mcp: &Mcp,
    request: CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, Trouble> {
    let arguments = Value::Object(request.arguments.clone().unwrap_or_default());
    let name = request.name.as_ref();
    match name {
        "send_message" | "ask" | "await_continuation" | "resume" | "retry" | "cancel" => {
            turns::call(mcp, &request, arguments, context).await
        }
        "start_session" | "get_session" | "end_session" | "delete_session" | "list_sessions" => {
            sessions::call(mcp, name, arguments, context).await
        }
        _ => memory::call(mcp, name, arguments, context).await,
    }
}

/// Reads arguments; the error says what is wrong with them.
fn read<T: DeserializeOwned>(arguments: Value) -> Result<T, Trouble> {
    serde_json::from_value(arguments).map_err(|error| {
        let message = format!("the arguments do not fit: {error}");
        Problem::new(Code::InvalidRequest, message, "Look at the tool's input schema.").into()
    })
}

/// Data as an answer.
fn done<T: Serialize>(value: &T) -> Result<CallToolResponse, Trouble> {
    Ok(answer(value).into())
}

/// What a tool takes.
fn taken<T: JsonSchema>() -> JsonObject {
    schema::<T>(SchemaSettings::draft2020_12())
}

/// What a tool gives: what may be left out of an answer is not required of it, and some clients hold us to that.
fn given<T: JsonSchema>() -> JsonObject {
    schema::<T>(SchemaSettings::draft2020_12().for_serialize())
}

/// A schema without references, which not every client follows.
fn schema<T: JsonSchema>(settings: SchemaSettings) -> JsonObject {
    let settings = settings.with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut value = SchemaGenerator::new(settings).into_root_schema_for::<T>().to_value();
    without_own_formats(&mut value);
    match value.as_object_mut() {
        Some(object) => {
            object.remove("title");
            std::mem::take(object)
        }
        None => JsonObject::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_tools_are_those_that_clients_rely_on() {
        let names: BTreeSet<&str> = all().map(|own| own.name).collect();
        let expected = [
            "start_session",
            "send_message",
            "await_continuation",
            "cancel",
            "get_session",
            "end_session",
            "delete_session",
            "ask",
            "resume",
            "retry",
            "list_sessions",
            "create_vault",
            "list_vaults",
            "create_memory",
            "list_memories",
            "add_entry",
            "list_entries",
            "get_entry",
            "put_context",
            "get_context",
            "search_memories",
            "await_consistency",
        ];
        assert_eq!(names, BTreeSet::from(expected));
        assert_eq!(names.len(), all().count(), "each has a name of its own");
    }

    #[test]
    fn every_tool_says_what_it_takes_and_gives() {
        for own in all() {
            let (input, output) = ((own.input)(), (own.output)());
            assert_eq!(input["type"], "object", "{}", own.name);
            assert_eq!(output["type"], "object", "{}", own.name);
            let written = serde_json::to_string(&(&input, &output)).unwrap_or_default();
            assert!(!written.contains("\"$ref\""), "{}: {written}", own.name);
            assert!(own.description.len() > 20, "{}", own.name);
        }
    }
}
