//! docs/reference/events.md: every kind of event that a session's journal holds.

use serde_json::Value;

use super::{markdown, schema};

const INTRODUCTION: &str = "An event is something that happened in a session. The journal keeps the events of each session in \
order, and clients receive the same events over the WebSocket (`/ws`) and as server-sent events (`/events/{session_id}`).";

pub fn page(openapi: &Value) -> String {
    let schemas = &openapi["components"]["schemas"];
    let event = &schemas["Event"];
    let mut text = markdown::head("Events", "the event types in `crates/protocol`");
    text.push_str(&format!("\n{}\n\n## Fields of every event\n\n", markdown::wrap(INTRODUCTION)));
    let mut common = event.clone();
    common["properties"]["type"] = serde_json::json!({ "type": "string", "description": "The kind, as listed below." });
    common["properties"]["data"] = serde_json::json!({ "description": "What belongs to that kind." });
    if let Some(required) = common["required"].as_array_mut() {
        required.extend(["type".into(), "data".into()]);
    }
    text.push_str(&schema::fields(&common));
    text.push_str("\n## Kinds of events\n");
    for variant in schema::choices(event).into_iter().flatten() {
        let name = variant["properties"]["type"]["const"].as_str().unwrap_or("?");
        text.push_str(&format!("\n### `{name}`\n\n{}\n\n", markdown::wrap(schema::description(variant))));
        text.push_str(&data(&variant["properties"]["data"], schemas));
    }
    text
}

/// The fields of an event's data.
fn data(data: &Value, schemas: &Value) -> String {
    match schema::reference(data) {
        Some(name) => schema::details(&schemas[name]),
        None => schema::details(data),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_kind_is_a_heading_with_its_fields() {
        let openapi = json!({ "components": { "schemas": {
            "Event": {
                "type": "object",
                "properties": { "seq": { "type": "integer", "description": "Its number." } },
                "required": ["seq"],
                "oneOf": [{
                    "description": "The session is over.",
                    "properties": {
                        "type": { "const": "session.ended" },
                        "data": { "$ref": "#/components/schemas/Ended" },
                    },
                }],
            },
            "Ended": { "type": "object", "properties": { "reason": { "type": "string", "description": "Why." } } },
        } } });
        let page = page(&openapi);
        let expected = "### `session.ended`\n\nThe session is over.\n\n| field | type | meaning |\n|---|---|---|\n\
                        | `reason`? | string | Why. |\n";
        assert!(page.ends_with(expected), "{page}");
        assert!(page.contains("| `seq` | integer | Its number. |\n| `type` | string |"), "{page}");
    }
}
