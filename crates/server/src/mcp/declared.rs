//! The tools as a client is told of them: Dwell's own, and everything that is registered and may run.

use protocol::{Effect, Safety, ToolView};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::Value;

use super::{Mcp, tools};

/// All tools. Where a registered one has the name of one of ours, ours is meant.
pub(super) fn all(mcp: &Mcp) -> Vec<Tool> {
    let registered = mcp.hub.tools().into_iter().filter(|view| view.enabled && tools::own(&view.name).is_none());
    tools::declared().cloned().chain(registered.map(registered_tool)).collect()
}

/// One of them.
pub(super) fn one(mcp: &Mcp, name: &str) -> Option<Tool> {
    tools::own(name).cloned().or_else(|| mcp.hub.tool(name).map(registered_tool))
}

fn registered_tool(view: ToolView) -> Tool {
    let annotations = ToolAnnotations::new()
        .read_only(view.safety == Safety::Observes)
        .destructive(view.safety == Safety::Acts)
        .idempotent(matches!(view.effect, Effect::Pure | Effect::Idempotent))
        .open_world(view.safety == Safety::Acts);
    let mut tool = Tool::new(view.name, view.description, object(view.input_schema));
    // The protocol knows answers that are objects only.
    let output = view.output_schema.map(object).filter(|schema| schema.get("type") == Some(&Value::from("object")));
    tool.output_schema = output.map(Into::into);
    tool.annotations = Some(annotations);
    tool
}

/// Takes out the formats that only Rust knows: clients that check answers remark on each of them.
pub(super) fn without_own_formats(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            fields.retain(|name, value| !(name == "format" && value.as_str().is_some_and(|it| it.starts_with("uint"))));
            fields.values_mut().for_each(without_own_formats);
        }
        Value::Array(items) => items.iter_mut().for_each(without_own_formats),
        _ => {}
    }
}

fn object(mut schema: Value) -> JsonObject {
    without_own_formats(&mut schema);
    match schema {
        Value::Object(mut schema) => {
            schema.entry("type").or_insert_with(|| Value::from("object"));
            schema
        }
        _ => JsonObject::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_formats_that_clients_know_are_declared() {
        let mut schema = json!({
            "properties": {
                "count": { "type": "integer", "format": "uint64", "minimum": 0 },
                "when": { "type": "string", "format": "date-time" },
                "format": { "type": "string" },
            },
            "items": [{ "format": "uint" }],
        });
        without_own_formats(&mut schema);
        let left = json!({
            "properties": {
                "count": { "type": "integer", "minimum": 0 },
                "when": { "type": "string", "format": "date-time" },
                "format": { "type": "string" },
            },
            "items": [{}],
        });
        assert_eq!(schema, left);
    }
}
