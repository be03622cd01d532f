//! Tools, calls and results as text, as short as possible.

use serde_json::Value;

use crate::{Call, ToolSpec};

const PROMPT: &str = include_str!("prompt.md");
/// The depth to which objects are spelled out.
const DEPTH_MAX: usize = 2;
/// The most values of an enumeration that are spelled out.
const CHOICES_MAX: usize = 24;

/// How to call tools, and a line for each.
pub(super) fn tools(tools: &[ToolSpec]) -> String {
    let mut text = PROMPT.trim_end().to_owned();
    text.push('\n');
    for tool in tools {
        let description = tool.description.split_whitespace().collect::<Vec<_>>().join(" ");
        text.push_str(&format!("\n- {}({}): {description}", tool.name, arguments(&tool.input, 0)));
    }
    text.push('\n');
    text
}

/// A call as the model writes it.
pub(super) fn call(call: &Call) -> String {
    let name = Value::from(call.tool.as_str());
    format!("```tool_call\n{{\"name\": {name}, \"arguments\": {}}}\n```", call.arguments)
}

/// A result as the model gets it.
pub(super) fn result(tool: &str, text: &str) -> String {
    format!("Result of the tool `{tool}`:\n{text}")
}

fn arguments(schema: &Value, depth: usize) -> String {
    let Some(properties) = schema["properties"].as_object() else { return String::new() };
    let required = schema["required"].as_array();
    let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|one| one == name));
    let argument = |(name, schema): (&String, &Value)| {
        let mark = if is_required(name) { "" } else { "?" };
        format!("{name}{mark}: {}", kind(schema, depth))
    };
    properties.iter().map(argument).collect::<Vec<_>>().join(", ")
}

fn kind(schema: &Value, depth: usize) -> String {
    if let Some(values) = schema["enum"].as_array() {
        return values.iter().take(CHOICES_MAX).map(Value::to_string).collect::<Vec<_>>().join("|");
    }
    if !schema["const"].is_null() {
        return schema["const"].to_string();
    }
    for either in ["anyOf", "oneOf"] {
        if let Some(schemas) = schema[either].as_array() {
            let kinds: Vec<String> =
                schemas.iter().map(|schema| kind(schema, depth)).filter(|kind| kind != "null").collect();
            return kinds.join("|");
        }
    }
    let name = match &schema["type"] {
        Value::String(name) => name.as_str(),
        Value::Array(names) => names.iter().filter_map(Value::as_str).find(|name| *name != "null").unwrap_or("any"),
        _ => "any",
    };
    match name {
        "array" => format!("{}[]", kind(&schema["items"], depth + 1)),
        "object" if depth < DEPTH_MAX && schema["properties"].is_object() => {
            format!("{{{}}}", arguments(schema, depth + 1))
        }
        name => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_tool_is_a_line() {
        let input = json!({
            "type": "object",
            "properties": {
                "text": { "type": "string" },
                "level": { "enum": ["low", "high"] },
                "tags": { "type": ["array", "null"], "items": { "type": "string" } },
                "place": { "type": "object", "properties": { "room": { "type": "string" } }, "required": ["room"] },
                "count": { "anyOf": [{ "type": "integer" }, { "type": "null" }] },
            },
            "required": ["text"],
        });
        let tool = ToolSpec::new("note", "Keeps\n  a note.", input);
        let told = tools(&[tool]);
        let line = told.lines().last().unwrap();
        for part in [
            "- note(",
            "text: string",
            "level?: \"low\"|\"high\"",
            "tags?: string[]",
            "place?: {room: string}",
            "count?: integer",
            "): Keeps a note.",
        ] {
            assert!(line.contains(part), "{part}: {line}");
        }
    }
}
