//! The settings that a provider does not support. What is not refused here is sent, and the
//! provider may still refuse it.

use protocol::{ModelSettings, ReasoningEffort};

use super::families::{
    ThinkingMode, anthropic_thinking, gemini_thinks, is_openai, openai_effort, openai_only_talks, openai_reasons,
};
use crate::{ModelSetting, Provider, ProviderKind, UnsupportedSetting};

/// The most stop texts that OpenAI accepts.
const OPENAI_STOPS_MAX: usize = 4;
/// The most stop texts that Gemini accepts.
const GEMINI_STOPS_MAX: usize = 5;
/// The least `top_p` while Anthropic's models think.
const ANTHROPIC_TOP_P_MIN: f64 = 0.95;

/// The settings that a model of a provider does not support.
pub(super) fn unsupported(provider: &Provider, model: &str, settings: &ModelSettings) -> Vec<UnsupportedSetting> {
    let mut found = Vec::new();
    match provider.kind {
        ProviderKind::OpenAi | ProviderKind::Azure { .. } if is_openai(provider) => openai(model, settings, &mut found),
        ProviderKind::Anthropic => anthropic(model, settings, &mut found),
        ProviderKind::Gemini => gemini(model, settings, &mut found),
        ProviderKind::OpenAi | ProviderKind::Azure { .. } | ProviderKind::Ollama => {}
    }
    found
}

fn openai(model: &str, settings: &ModelSettings, found: &mut Vec<UnsupportedSetting>) {
    let mut refuse = |setting, why: &str| found.push(UnsupportedSetting::new(setting, why));
    if openai_reasons(model) {
        // With reasoning switched off they accept sampling settings like any other.
        let reasons = settings.reasoning_effort != Some(ReasoningEffort::None)
            || openai_effort(model, ReasoningEffort::None) != "none";
        let why = "cannot be set for OpenAI's reasoning models; leave it out, or ask a model that does not reason";
        if reasons && settings.temperature.is_some_and(|value| value != 1.0) {
            refuse(ModelSetting::Temperature, why);
        }
        if reasons && settings.top_p.is_some_and(|value| value != 1.0) {
            refuse(ModelSetting::TopP, why);
        }
        if settings.stop.as_ref().is_some_and(|stops| !stops.is_empty()) {
            refuse(ModelSetting::Stop, why);
        }
    }
    // Other models do not reason anyway, so `none` is supported.
    if openai_only_talks(model) && settings.reasoning_effort.is_some_and(|effort| effort != ReasoningEffort::None) {
        let why = "cannot be set for a model that does not reason; leave it out, or ask a reasoning model";
        refuse(ModelSetting::ReasoningEffort, why);
    }
    if settings.stop.as_ref().is_some_and(|stops| stops.len() > OPENAI_STOPS_MAX) {
        refuse(ModelSetting::Stop, "takes at most 4 texts here; leave the others out");
    }
}

fn anthropic(model: &str, settings: &ModelSettings, found: &mut Vec<UnsupportedSetting>) {
    let mut refuse = |setting, why: &str| found.push(UnsupportedSetting::new(setting, why));
    if settings.seed.is_some() {
        refuse(ModelSetting::Seed, "is not supported by Anthropic; leave it out");
    }
    let thinks = settings.reasoning_effort.is_some_and(|effort| effort != ReasoningEffort::None);
    if thinks && anthropic_thinking(model) == ThinkingMode::Never {
        refuse(
            ModelSetting::ReasoningEffort,
            "cannot be set for a model that does not reason; leave it out, or ask a newer one",
        );
    }
    match settings.temperature {
        Some(value) if value > 1.0 => {
            refuse(ModelSetting::Temperature, "goes from 0 to 1 at Anthropic; choose a lower one")
        }
        Some(value) if thinks && value != 1.0 => {
            refuse(
                ModelSetting::Temperature,
                "cannot be set together with `reasoning_effort` at Anthropic; leave one out",
            );
        }
        _ => {}
    }
    match settings.top_p {
        Some(value) if thinks && value < ANTHROPIC_TOP_P_MIN => {
            refuse(ModelSetting::TopP, "is at least 0.95 together with `reasoning_effort` at Anthropic; leave one out");
        }
        // A `top_p` of 1 leaves no token out.
        Some(value) if value < 1.0 && settings.temperature.is_some() => {
            refuse(ModelSetting::TopP, "cannot be set together with `temperature` at Anthropic; leave one out");
        }
        _ => {}
    }
}

fn gemini(model: &str, settings: &ModelSettings, found: &mut Vec<UnsupportedSetting>) {
    let mut refuse = |setting, why: &str| found.push(UnsupportedSetting::new(setting, why));
    if settings.seed.is_some_and(|seed| !(0..=i64::from(i32::MAX)).contains(&seed)) {
        refuse(ModelSetting::Seed, "goes from 0 to 2147483647 at Gemini; choose one of these");
    }
    if settings.stop.as_ref().is_some_and(|stops| stops.len() > GEMINI_STOPS_MAX) {
        refuse(ModelSetting::Stop, "takes at most 5 texts at Gemini; leave the others out");
    }
    let thinks = settings.reasoning_effort.is_some_and(|effort| effort != ReasoningEffort::None);
    if thinks && model.starts_with("gemini-") && !gemini_thinks(model) {
        refuse(
            ModelSetting::ReasoningEffort,
            "cannot be set for a model that does not reason; leave it out, or ask a newer one",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(provider: &str, kind: ProviderKind, model: &str, settings: serde_json::Value) -> Vec<&'static str> {
        let settings: ModelSettings = serde_json::from_value(settings).unwrap();
        let found = unsupported(&Provider::new(provider, kind, model), model, &settings);
        found.iter().map(|unsupported| unsupported.setting.as_str()).collect()
    }

    #[test]
    fn what_a_provider_cannot_is_refused_by_name_and_nothing_else() {
        use serde_json::json;
        let all = json!({
            "temperature": 0.5, "top_p": 0.5, "max_output_tokens": 100, "stop": ["END"], "seed": 7,
            "reasoning_effort": "high", "parallel_tool_calls": false,
        });
        let openai = |model: &str, settings| names("openai", ProviderKind::OpenAi, model, settings);
        assert_eq!(openai("o3", all.clone()), ["temperature", "top_p", "stop"]);
        assert_eq!(openai("gpt-4o", all.clone()), ["reasoning_effort"]);
        assert_eq!(openai("some-local-model", all.clone()), [""; 0]);
        assert_eq!(openai("gpt-5.1", json!({ "temperature": 0.2, "reasoning_effort": "none" })), [""; 0]);
        assert_eq!(openai("gpt-4o", json!({ "stop": ["a", "b", "c", "d", "e"] })), ["stop"]);
        assert_eq!(names("vllm", ProviderKind::OpenAi, "o3", all.clone()), [""; 0]);
        let anthropic = |model: &str, settings| names("anthropic", ProviderKind::Anthropic, model, settings);
        assert_eq!(anthropic("claude-sonnet-4-5", all.clone()), ["seed", "temperature", "top_p"]);
        assert_eq!(anthropic("claude-3-5-haiku-latest", json!({ "reasoning_effort": "low" })), ["reasoning_effort"]);
        assert_eq!(anthropic("claude-sonnet-4-5", json!({ "temperature": 1.5 })), ["temperature"]);
        assert_eq!(anthropic("claude-sonnet-4-5", json!({ "temperature": 0.5, "stop": ["END"] })), [""; 0]);
        let gemini = |model: &str, settings| names("gemini", ProviderKind::Gemini, model, settings);
        assert_eq!(gemini("gemini-2.5-flash", all.clone()), [""; 0]);
        assert_eq!(gemini("gemini-2.0-flash", all.clone()), ["reasoning_effort"]);
        assert_eq!(gemini("gemini-2.5-flash", json!({ "seed": 5_000_000_000_i64 })), ["seed"]);
        assert_eq!(names("ollama", ProviderKind::Ollama, "qwen3", all), [""; 0]);
    }
}
