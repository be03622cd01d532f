//! What requests in the formats of other APIs may contain, beyond what their types say: fields that
//! are refused unless they have the value that changes nothing, and the ranges of settings.

use serde_json::{Map, Value, json};

/// Adds these limits to the schemas, by the names of their types.
pub(crate) fn limit(schemas: &mut Map<String, Value>) {
    for (name, limits) in [("Completion", completion()), ("Chat", chat()), ("GenerateRequest", generate())] {
        let Some(properties) = schemas.get_mut(name).and_then(|schema| schema["properties"].as_object_mut()) else {
            continue;
        };
        let Value::Object(limits) = limits else { continue };
        for (field, limits) in limits {
            if let (Some(Value::Object(field)), Value::Object(limits)) = (properties.get_mut(&field), limits) {
                field.extend(limits);
            }
        }
    }
    if let Some(tool) = schemas.get_mut("Tool") {
        tool["properties"]["type"]["enum"] = json!(["function", null]);
        tool["properties"]["function"] = json!({ "$ref": "#/components/schemas/Function" });
        tool["required"] = json!(["function"]);
    }
    // Parts of other kinds are read, to be refused by name.
    if let Some(parts) = schemas.get_mut("Part").and_then(|part| part["oneOf"].as_array_mut()) {
        parts.retain(|part| part["properties"]["type"]["const"] != "other");
    }
    if let Some(role) = schemas.get_mut("Message").map(|message| &mut message["properties"]["role"]) {
        role["enum"] = json!(["system", "developer", "user", "assistant", "tool"]);
    }
}

/// A text or a list of texts.
fn stop() -> Value {
    let text = json!({ "type": "string", "maxLength": 256 });
    json!({ "anyOf": [text, { "type": "array", "items": text, "maxItems": 16 }, { "type": "null" }] })
}

fn completion() -> Value {
    let forms = ["text", "json_object", "json_schema"];
    json!({
        "temperature": { "minimum": 0, "maximum": 2 },
        "top_p": { "exclusiveMinimum": 0, "maximum": 1 },
        "max_tokens": { "minimum": 1 },
        "max_completion_tokens": { "minimum": 1 },
        "stop": stop(),
        "reasoning_effort": { "enum": ["none", "minimal", "low", "medium", "high", null] },
        "n": { "enum": [1, null] },
        "logprobs": { "enum": [false, null] },
        "top_logprobs": { "enum": [0, null] },
        "logit_bias": { "maxProperties": 0 },
        "modalities": { "items": { "type": "string", "const": "text" } },
        "functions": { "type": "null" },
        "function_call": { "type": "null" },
        "response_format": {
            "type": ["object", "null"], "properties": { "type": { "enum": forms } }, "required": ["type"],
        },
        "tool_choice": { "anyOf": [
            { "enum": ["auto", "none", "required", null] },
            {
                "type": "object",
                "properties": {
                    "type": { "const": "function" },
                    "function": {
                        "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"],
                    },
                },
                "required": ["type", "function"],
            },
        ] },
        "messages": { "minItems": 1 },
    })
}

/// What both endpoints of Ollama's API take.
fn ollama() -> Value {
    json!({
        "think": { "enum": [true, false, "low", "medium", "high", null] },
        "format": { "anyOf": [{ "enum": ["", "json", null] }, { "type": "object" }] },
        "options": { "properties": {
            "temperature": { "type": ["number", "null"], "minimum": 0, "maximum": 2 },
            "top_p": { "type": ["number", "null"], "exclusiveMinimum": 0, "maximum": 1 },
            "num_predict": { "anyOf": [
                { "type": "integer", "minimum": 1, "maximum": i64::MAX },
                { "type": "integer", "minimum": i64::MIN, "maximum": -1 },
                { "type": "null" },
            ] },
            "seed": { "type": ["integer", "null"], "minimum": i64::MIN, "maximum": i64::MAX },
            "stop": stop(),
        } },
    })
}

fn chat() -> Value {
    let mut limits = ollama();
    limits["logprobs"] = json!({ "enum": [false, null] });
    limits
}

fn generate() -> Value {
    let mut limits = ollama();
    limits["suffix"] = json!({ "maxLength": 0 });
    limits["raw"] = json!({ "enum": [false, null] });
    limits
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A renamed field would leave its limit behind.
    #[test]
    fn every_limit_belongs_to_a_field() {
        let described = crate::openapi();
        let schemas = &described["components"]["schemas"];
        for (name, limits) in [("Completion", completion()), ("Chat", chat()), ("GenerateRequest", generate())] {
            for field in limits.as_object().unwrap().keys() {
                assert!(schemas[name]["properties"][field].is_object(), "{name} has no field {field}");
            }
        }
        assert_eq!(schemas["Completion"]["properties"]["temperature"]["maximum"], 2);
        assert_eq!(schemas["Tool"]["required"], json!(["function"]));
        assert_eq!(schemas["Part"]["oneOf"].as_array().map(Vec::len), Some(2), "{}", schemas["Part"]);
        assert!(schemas["Message"]["properties"]["role"]["enum"].is_array());
    }
}
