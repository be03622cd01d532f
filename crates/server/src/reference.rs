//! The wire reference: the messages of the WebSocket, made from the same types that are on the
//! wire. Events have a page of their own, which is made from the OpenAPI description.

use std::fmt::Write;

use protocol::{ClientBody, NoticeBody, ServerAnswer};
use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::Value;

const INTRODUCTION: &str = include_str!("reference.md");

/// The wire reference as Markdown.
pub fn wire_reference() -> String {
    let mut text = INTRODUCTION.trim_end().to_owned();
    text.push_str("\n\n## Messages from the client\n");
    push_variants::<ClientBody>(&mut text);
    text.push_str("\n## Notices (not numbered)\n");
    push_variants::<NoticeBody>(&mut text);
    text.push_str("\n## Answers\n");
    push_variants::<ServerAnswer>(&mut text);
    text
}

/// One section per variant of a tagged enum: its name, its meaning, its fields.
fn push_variants<T: JsonSchema>(text: &mut String) {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    for variant in schema["oneOf"].as_array().into_iter().flatten() {
        let properties = &variant["properties"];
        let name = properties["type"]["const"].as_str().unwrap_or("?");
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(text, "\n### `{name}`\n");
        let _ = writeln!(text, "{}\n", one_line(&variant["description"]));
        push_fields(text, if properties["data"].is_null() { variant } else { &properties["data"] });
    }
}

fn push_fields(text: &mut String, data: &Value) {
    let Some(properties) = data["properties"].as_object().filter(|properties| !properties.is_empty()) else {
        text.push_str("No data.\n");
        return;
    };
    let required: Vec<&str> = data["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    text.push_str("| field | type | meaning |\n|---|---|---|\n");
    for (name, field) in properties {
        let mark = if required.contains(&name.as_str()) { "" } else { "?" };
        let _ = writeln!(text, "| `{name}`{mark} | {} | {} |", kind(field), one_line(&field["description"]));
    }
}

/// A field's type in few words.
fn kind(field: &Value) -> String {
    if let Some(value) = field["const"].as_str() {
        return format!("`{value}`");
    }
    if let Some(values) = field["enum"].as_array() {
        return values
            .iter()
            .map(|value| format!("`{}`", value.as_str().unwrap_or("null")))
            .collect::<Vec<_>>()
            .join(", ");
    }
    for choice in ["anyOf", "oneOf"] {
        if let Some(choices) = field[choice].as_array() {
            let kinds = choices.iter().map(kind).filter(|kind| kind != "null");
            return kinds.collect::<Vec<_>>().join(" or ");
        }
    }
    if let Some(parts) = field["properties"].as_object() {
        let parts = parts.iter().map(|(name, part)| format!("`{name}`: {}", kind(part)));
        return format!("object of {}", parts.collect::<Vec<_>>().join(", "));
    }
    match &field["type"] {
        Value::String(name) if name == "array" => format!("array of {}", kind(&field["items"])),
        Value::String(name) => name.clone(),
        Value::Array(names) => {
            names.iter().filter_map(Value::as_str).filter(|name| *name != "null").collect::<Vec<_>>().join(" or ")
        }
        _ => "any".to_owned(),
    }
}

fn one_line(description: &Value) -> String {
    description.as_str().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}
