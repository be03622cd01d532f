//! The options and extra fields of requests to Anthropic and Gemini.

use genai::chat::{ChatOptions, ChatResponseFormat, JsonSpec, ReasoningEffort as Effort};
use protocol::{ModelSettings, ReasoningEffort};
use serde_json::{Map, Value, json};

use super::super::{
    families::{ThinkingMode, anthropic_budget, anthropic_thinking, gemini_budget, gemini_takes_level, gemini_thinks},
    reasoning::ReasoningRecord,
};
use crate::{Message, Prompt, Provider, ProviderKind, ToolRequirement, ToolSpec, Traits};

/// Anthropic's cache breakpoint.
pub(super) fn cache_mark() -> Value {
    json!({ "type": "ephemeral" })
}

/// The options of a request.
pub(super) fn options(provider: &Provider, model: &str, traits: Traits, prompt: &Prompt) -> ChatOptions {
    let options = ChatOptions::default().with_capture_usage(true).with_capture_tool_calls(true);
    let mut body = Map::new();
    body.extend(must_call(provider, prompt));
    let options = match provider.kind {
        ProviderKind::Gemini => gemini(options, model, prompt),
        // The other APIs do not go through the library.
        _ => anthropic(options, model, traits, prompt, &mut body),
    };
    if body.is_empty() { options } else { options.with_extra_body(Value::Object(body)) }
}

fn anthropic(
    options: ChatOptions,
    model: &str,
    traits: Traits,
    prompt: &Prompt,
    body: &mut Map<String, Value>,
) -> ChatOptions {
    let settings = &prompt.settings;
    let mut options = tuned(options.with_capture_reasoning_content(true), settings);
    // Newer models refuse both at once.
    options.top_p = options.top_p.filter(|top_p| *top_p < 1.0 || settings.temperature.is_none());
    // Anthropic's API requires a limit.
    let output_max = prompt.output_tokens_max.or(traits.output_tokens_max);
    options.max_tokens = output_max.map(narrow);
    options.reasoning_effort = anthropic_effort(model, prompt, output_max);
    if !prompt.tools.is_empty() {
        body.insert("tools".to_owned(), anthropic_tools(&prompt.tools));
        if settings.parallel_tool_calls == Some(false) {
            let choice = body.entry("tool_choice").or_insert_with(|| json!({ "type": "auto" }));
            choice["disable_parallel_tool_use"] = json!(true);
        }
    }
    options
}

fn anthropic_effort(model: &str, prompt: &Prompt, output_max: Option<u64>) -> Option<Effort> {
    let effort = prompt.settings.reasoning_effort?;
    // A model that is forced to call a tool must not think first; one that did not think before the
    // turn's first call must not begin to.
    if prompt.choice != ToolRequirement::Free || !has_thought(&prompt.messages) {
        return Some(Effort::Zero);
    }
    Some(match (anthropic_thinking(model), effort) {
        (ThinkingMode::Never, _) => return None,
        (_, ReasoningEffort::None) => Effort::Zero,
        (ThinkingMode::ByTokens, _) => {
            anthropic_budget(effort, output_max).map_or(Effort::Zero, |tokens| Effort::Budget(narrow(tokens)))
        }
        (ThinkingMode::ByEffort, ReasoningEffort::Medium) => Effort::Medium,
        (ThinkingMode::ByEffort, ReasoningEffort::High) => Effort::High,
        (ThinkingMode::ByEffort, _) => Effort::Low,
    })
}

/// Whether all calls since the user's last message follow thinking blocks that can be sent back.
fn has_thought(messages: &[Message]) -> bool {
    let since = messages.iter().rposition(|message| matches!(message, Message::User { .. })).unwrap_or(0);
    messages[since..].iter().all(|message| match message {
        Message::Assistant { calls, .. } if !calls.is_empty() => {
            let mut signatures = calls.iter().flat_map(|call| &call.signatures);
            signatures.any(|signature| matches!(ReasoningRecord::read(signature), ReasoningRecord::Thinking(_)))
        }
        _ => true,
    })
}

/// The tools in Anthropic's form; the last one carries a cache breakpoint. The library would write
/// them too, but treats one named `web_search` as Anthropic's own.
fn anthropic_tools(tools: &[ToolSpec]) -> Value {
    let tool =
        |spec: &ToolSpec| json!({ "name": spec.name, "description": spec.description, "input_schema": spec.input });
    let mut tools: Vec<Value> = tools.iter().map(tool).collect();
    if let Some(last) = tools.last_mut() {
        last["cache_control"] = cache_mark();
    }
    Value::Array(tools)
}

fn gemini(options: ChatOptions, model: &str, prompt: &Prompt) -> ChatOptions {
    let settings = &prompt.settings;
    let mut options = tuned(options, settings);
    options.max_tokens = prompt.output_tokens_max.map(narrow);
    options.response_format = prompt
        .response_schema
        .as_ref()
        .map(|schema| ChatResponseFormat::JsonSpec(JsonSpec::new("answer", schema.to_value())));
    options.seed = settings.seed.and_then(|seed| u64::try_from(seed).ok());
    let thinks = gemini_thinks(model);
    options.reasoning_effort = settings.reasoning_effort.filter(|_| thinks).map(|effort| {
        let is_large = model.contains("-pro");
        match effort {
            _ if !gemini_takes_level(model) => Effort::Budget(gemini_budget(model, effort)),
            ReasoningEffort::None | ReasoningEffort::Minimal if !is_large => Effort::Minimal,
            ReasoningEffort::None | ReasoningEffort::Minimal | ReasoningEffort::Low => Effort::Low,
            ReasoningEffort::Medium => Effort::Medium,
            ReasoningEffort::High => Effort::High,
        }
    });
    // A model that does not think refuses to include its thoughts.
    let is_silent = matches!(options.reasoning_effort, Some(Effort::Budget(0)));
    options.with_capture_reasoning_content(thinks && !is_silent)
}

/// Settings that Anthropic and Gemini share.
fn tuned(mut options: ChatOptions, settings: &ModelSettings) -> ChatOptions {
    options.temperature = settings.temperature;
    options.top_p = settings.top_p;
    options.stop_sequences = settings.stop.clone().unwrap_or_default();
    options
}

fn narrow(tokens: u64) -> u32 {
    u32::try_from(tokens).unwrap_or(u32::MAX)
}

/// The field that forces a tool call, in the provider's form.
fn must_call(provider: &Provider, prompt: &Prompt) -> Option<(String, Value)> {
    let name = match &prompt.choice {
        ToolRequirement::Free => return None,
        ToolRequirement::Some => None,
        ToolRequirement::Tool(name) => Some(name),
    };
    let (field, value) = match (&provider.kind, name) {
        (ProviderKind::Gemini, None) => ("toolConfig", json!({ "functionCallingConfig": { "mode": "ANY" } })),
        (ProviderKind::Gemini, Some(name)) => {
            ("toolConfig", json!({ "functionCallingConfig": { "mode": "ANY", "allowedFunctionNames": [name] } }))
        }
        (_, None) => ("tool_choice", json!({ "type": "any" })),
        (_, Some(name)) => ("tool_choice", json!({ "type": "tool", "name": name })),
    };
    Some((field.to_owned(), value))
}
