//! The list of tools for clients: Dwell's own MCP tools, and all registered tools that the policy
//! allows.

use protocol::{Effect, Safety, Scope, ToolView};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::Value;

use super::{McpHandler, tools};
use crate::access::scopes;

/// All tools that a token with this scope may call. If a registered tool has the same name as one
/// of Dwell's own, Dwell's own is listed.
pub(super) fn all(mcp: &McpHandler, has: Scope) -> Vec<Tool> {
    let own = tools::declared().filter(|tool| scopes::of_mcp_tool(&tool.name) <= has);
    let registered = mcp.hub.tools().into_iter().filter(|view| view.enabled && tools::own(&view.name).is_none());
    let registered = registered.filter(|view| scopes::of_tool(view.safety) <= has);
    own.cloned().chain(registered.map(registered_tool)).collect()
}

/// The scope that a call of a tool needs, if there is such a tool.
pub(super) fn scope(mcp: &McpHandler, name: &str) -> Option<Scope> {
    match tools::own(name) {
        Some(own) => Some(scopes::of_mcp_tool(&own.name)),
        None => mcp.hub.tool(name).map(|view| scopes::of_tool(view.safety)),
    }
}

/// One tool, by its name.
pub(super) fn one(mcp: &McpHandler, name: &str) -> Option<Tool> {
    tools::own(name).cloned().or_else(|| mcp.hub.tool(name).map(registered_tool))
}

fn registered_tool(view: ToolView) -> Tool {
    let annotations = ToolAnnotations::new()
        .read_only(view.safety == Safety::Observes)
        .destructive(view.safety == Safety::Acts)
        .idempotent(matches!(view.effect, Effect::Pure | Effect::Idempotent))
        .open_world(view.safety == Safety::Acts);
    let mut tool = Tool::new(view.name, view.description, object(view.input_schema));
    // The protocol allows only objects as structured results.
    let output = view.output_schema.map(object).filter(|schema| schema.get("type") == Some(&Value::from("object")));
    tool.output_schema = output.map(Into::into);
    tool.annotations = Some(annotations);
    tool
}

/// Removes schema formats that only Rust knows: clients that validate results warn about each of
/// them.
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
    fn every_own_tool_has_a_scope_by_which_it_can_be_called() {
        for tool in tools::declared() {
            let scope = scopes::of_mcp_tool(&tool.name);
            assert_ne!(scope, Scope::Admin, "{} is not in the table of scopes", tool.name);
            let is_read_only = tool.annotations.as_ref().and_then(|notes| notes.read_only_hint) == Some(true);
            assert_eq!(is_read_only, scope == Scope::Read, "{}", tool.name);
        }
    }

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
