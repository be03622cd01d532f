//! The settings of a request of OpenAI's API.

use protocol::{ModelSettings, ReasoningEffort, ResponseSchema};
use serde_json::{Map, Value, json};

use super::super::families::{is_openai, openai_effort, openai_reasons};
use crate::{Prompt, Provider, ProviderKind, ToolRequirement};

/// The fields of the request for the settings.
pub(super) fn of(provider: &Provider, model: &str, prompt: &Prompt) -> Map<String, Value> {
    let ModelSettings { temperature, top_p, stop, seed, reasoning_effort, parallel_tool_calls, .. } = &prompt.settings;
    let mut fields = Map::new();
    let mut set = |name: &str, value: Option<Value>| fields.extend(value.map(|value| (name.to_owned(), value)));
    set("tool_choice", must_call(&prompt.choice));
    set(output_field(provider, model), prompt.output_tokens_max.map(|max| json!(max)));
    set("temperature", temperature.map(|value| json!(value)));
    set("top_p", top_p.map(|value| json!(value)));
    set("stop", stop.as_ref().filter(|stops| !stops.is_empty()).map(|stops| json!(stops)));
    set("seed", seed.map(|seed| json!(seed)));
    set("response_format", prompt.response_schema.as_ref().map(response_format));
    // Without tools this is refused.
    set("parallel_tool_calls", parallel_tool_calls.filter(|_| !prompt.tools.is_empty()).map(|value| json!(value)));
    if let Some((field, value)) = reasoning_effort.and_then(|effort| openai_reasoning(provider, model, effort)) {
        set(field, Some(value));
    }
    fields
}

/// The field for the schema of the answer.
fn response_format(schema: &ResponseSchema) -> Value {
    if schema.is_any_object() {
        return json!({ "type": "json_object" });
    }
    let schema = schema.to_value();
    let strict = is_strict(&schema);
    json!({ "type": "json_schema", "json_schema": { "name": "answer", "schema": schema, "strict": strict } })
}

/// Whether OpenAI enforces the schema: every object must name all its properties as required and
/// allow no others. It refuses other schemas if they are called strict.
fn is_strict(schema: &Value) -> bool {
    match schema {
        Value::Array(items) => items.iter().all(is_strict),
        Value::Object(fields) => {
            let is_closed = || {
                let properties = fields.get("properties").and_then(Value::as_object);
                let required = fields.get("required").and_then(Value::as_array);
                let is_required = |name: &String| {
                    required.is_some_and(|names| names.iter().any(|known| known.as_str() == Some(name)))
                };
                fields.get("additionalProperties") == Some(&json!(false))
                    && properties.is_some_and(|properties| properties.keys().all(is_required))
            };
            let is_object_schema = fields.get("type").and_then(Value::as_str) == Some("object");
            (!is_object_schema || is_closed()) && fields.values().all(is_strict)
        }
        _ => true,
    }
}

/// The field that forces a tool call.
fn must_call(choice: &ToolRequirement) -> Option<Value> {
    match choice {
        ToolRequirement::Free => None,
        ToolRequirement::Some => Some(json!("required")),
        ToolRequirement::Tool(name) => Some(json!({ "type": "function", "function": { "name": name } })),
    }
}

/// The field for the reasoning effort, which differs between servers.
fn openai_reasoning(provider: &Provider, model: &str, effort: ReasoningEffort) -> Option<(&'static str, Value)> {
    if is_openai(provider) && openai_reasons(model) {
        return Some(("reasoning_effort", json!(openai_effort(model, effort))));
    }
    if provider.name == "openrouter" {
        return Some(("reasoning", json!({ "effort": effort.as_str() })));
    }
    match effort {
        ReasoningEffort::None if is_openai(provider) && provider.base_url.contains("//api.openai.com") => None,
        // vLLM, SGLang and llama.cpp's server pass this to the model's template; others ignore it.
        ReasoningEffort::None => Some(("chat_template_kwargs", json!({ "enable_thinking": false }))),
        ReasoningEffort::Minimal => Some(("reasoning_effort", json!("low"))),
        other => Some(("reasoning_effort", json!(other.as_str()))),
    }
}

/// OpenAI renamed the limit and refuses the old name for newer models; most others know only the
/// old one.
fn output_field(provider: &Provider, model: &str) -> &'static str {
    let renamed = matches!(provider.kind, ProviderKind::Azure { .. })
        || provider.base_url.contains("//api.openai.com")
        || is_openai(provider) && openai_reasons(model);
    if renamed { "max_completion_tokens" } else { "max_tokens" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_closed_schemas_are_strict() {
        let closed = |properties: Value, required: Value| json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false });
        let city = closed(json!({ "city": { "type": "string" } }), json!(["city"]));
        assert!(is_strict(&city));
        assert!(is_strict(&closed(json!({ "at": city }), json!(["at"]))));
        assert!(!is_strict(&closed(json!({ "city": { "type": "string" } }), json!([]))));
        assert!(!is_strict(&closed(json!({ "at": { "type": "object" } }), json!(["at"]))));
        assert!(!is_strict(&json!({ "type": "object", "properties": {}, "required": [] })));
    }
}
