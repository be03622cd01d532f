//! What requests in the formats of other APIs may contain, beyond what their types say: fields that
//! are refused unless they have the value that changes nothing, and the ranges of settings.

use serde_json::{Map, Value, json};

/// Adds these limits to the schemas, by the names of their types.
pub(crate) fn limit(schemas: &mut Map<String, Value>) {
    for (name, limits) in limits() {
        let properties = schemas.get_mut(name).and_then(|schema| schema["properties"].as_object_mut());
        // A renamed type or field would leave its limits behind.
        debug_assert!(properties.is_some(), "there is no type {name} with fields");
        let (Some(properties), Value::Object(limits)) = (properties, limits) else { continue };
        for (field, limits) in limits {
            let limited = properties.get_mut(&field).and_then(Value::as_object_mut);
            debug_assert!(limited.is_some(), "{name} has no field {field}");
            if let (Some(limited), Value::Object(limits)) = (limited, limits) {
                limited.extend(limits);
            }
        }
    }
    for (name, field) in [("CreateResponse", "input"), ("OutputFormat", "schema")] {
        if let Some(schema) = schemas.get_mut(name) {
            match schema["required"].as_array_mut() {
                Some(required) => required.push(json!(field)),
                None => schema["required"] = json!([field]),
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

/// The limits of each type.
fn limits() -> [(&'static str, Value); 10] {
    [
        ("Completion", completion()),
        ("Chat", chat()),
        ("GenerateRequest", generate()),
        ("CreateResponse", response()),
        ("MessagesRequest", messages()),
        ("AnthropicToolChoice", json!({ "type": { "enum": ["auto", "any", "tool", "none"] } })),
        ("ThinkingConfig", json!({ "type": { "enum": ["enabled", "adaptive", "between_tools", "disabled"] } })),
        ("OutputFormat", json!({ "type": { "const": "json_schema" }, "schema": { "type": "object" } })),
        ("EmbeddingsRequest", embeddings()),
        ("EmbedRequest", embed()),
    ]
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
    limits["top_logprobs"] = json!({ "enum": [0, null] });
    limits
}

fn response() -> Value {
    json!({
        "temperature": { "minimum": 0, "maximum": 2 },
        "top_p": { "exclusiveMinimum": 0, "maximum": 1 },
        "max_output_tokens": { "minimum": 1 },
        "top_logprobs": { "enum": [0, null] },
        "input": { "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "object" } }] },
        "prompt": { "type": "null" },
        "max_tool_calls": { "type": "null" },
        "moderation": { "type": "null" },
        "reasoning": { "properties": {
            "effort": { "enum": ["none", "minimal", "low", "medium", "high", null] },
        } },
    })
}

fn messages() -> Value {
    json!({
        "temperature": { "minimum": 0, "maximum": 2 },
        "top_p": { "exclusiveMinimum": 0, "maximum": 1 },
        "max_tokens": { "minimum": 1 },
        "stop_sequences": { "maxItems": 16, "items": { "type": "string", "maxLength": 256 } },
    })
}

/// What is embedded.
fn texts(least: u64) -> Value {
    let text = json!({ "type": "string", "minLength": least });
    json!({ "anyOf": [text, { "type": "array", "items": text, "minItems": least, "maxItems": 2048 }] })
}

fn embeddings() -> Value {
    json!({
        "input": texts(1),
        "encoding_format": { "enum": ["float", "base64", null] },
        "dimensions": { "minimum": 1 },
    })
}

fn embed() -> Value {
    let mut input = texts(0);
    if let Some(forms) = input["anyOf"].as_array_mut() {
        forms.push(json!({ "type": "null" }));
    }
    json!({ "input": input, "dimensions": { "minimum": 1 } })
}

fn generate() -> Value {
    let mut limits = ollama();
    limits["logprobs"] = json!({ "enum": [false, null] });
    limits["top_logprobs"] = json!({ "enum": [0, null] });
    limits["suffix"] = json!({ "maxLength": 0 });
    limits["raw"] = json!({ "enum": [false, null] });
    limits
}
