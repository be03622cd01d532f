//! The settings of a request of OpenAI's API.

use protocol::{ModelSettings, ReasoningEffort};
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
    // Without tools this is refused.
    set("parallel_tool_calls", parallel_tool_calls.filter(|_| !prompt.tools.is_empty()).map(|value| json!(value)));
    if let Some((field, value)) = reasoning_effort.and_then(|effort| openai_reasoning(provider, model, effort)) {
        set(field, Some(value));
    }
    fields
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
