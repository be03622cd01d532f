//! What a provider cannot be asked, by the name of the setting. What is not refused here is sent, and the provider may still
//! refuse it.

use protocol::{ModelSettings, ReasoningEffort};

use super::families::{
    Thinking, anthropic_thinking, gemini_thinks, is_openai, openai_effort, openai_only_talks, openai_reasons,
};
use crate::{Kind, Provider, Setting, Unsupported};

/// The most stop texts that OpenAI takes.
const OPENAI_STOPS_MAX: usize = 4;
/// The most stop texts that Gemini takes.
const GEMINI_STOPS_MAX: usize = 5;
/// How near `top_p` has to be to 1 while Anthropic's models think.
const ANTHROPIC_TOP_P_MIN: f64 = 0.95;

/// What of the settings a model of a provider cannot do.
pub(super) fn unsupported(provider: &Provider, model: &str, settings: &ModelSettings) -> Vec<Unsupported> {
    let mut found = Vec::new();
    match provider.kind {
        Kind::OpenAi | Kind::Azure { .. } if is_openai(provider) => openai(model, settings, &mut found),
        Kind::Anthropic => anthropic(model, settings, &mut found),
        Kind::Gemini => gemini(model, settings, &mut found),
        Kind::OpenAi | Kind::Azure { .. } | Kind::Ollama => {}
    }
    found
}

fn openai(model: &str, settings: &ModelSettings, found: &mut Vec<Unsupported>) {
    let mut refuse = |setting, why: &str| found.push(Unsupported::new(setting, why));
    if openai_reasons(model) {
        // Those that can leave reasoning out choose their words like any other then.
        let reasons = settings.reasoning_effort != Some(ReasoningEffort::None)
            || openai_effort(model, ReasoningEffort::None) != "none";
        let why = "cannot be set for OpenAI's reasoning models; leave it out, or ask a model that does not reason";
        if reasons && settings.temperature.is_some_and(|value| value != 1.0) {
            refuse(Setting::Temperature, why);
        }
        if reasons && settings.top_p.is_some_and(|value| value != 1.0) {
            refuse(Setting::TopP, why);
        }
        if settings.stop.as_ref().is_some_and(|stops| !stops.is_empty()) {
            refuse(Setting::Stop, why);
        }
    }
    // Not to reason at all is what the others do anyway.
    if openai_only_talks(model) && settings.reasoning_effort.is_some_and(|effort| effort != ReasoningEffort::None) {
        let why = "cannot be set for a model that does not reason; leave it out, or ask a reasoning model";
        refuse(Setting::ReasoningEffort, why);
    }
    if settings.stop.as_ref().is_some_and(|stops| stops.len() > OPENAI_STOPS_MAX) {
        refuse(Setting::Stop, "takes at most 4 texts here; leave the others out");
    }
}

fn anthropic(model: &str, settings: &ModelSettings, found: &mut Vec<Unsupported>) {
    let mut refuse = |setting, why: &str| found.push(Unsupported::new(setting, why));
    if settings.seed.is_some() {
        refuse(Setting::Seed, "is not known to Anthropic; leave it out");
    }
    let thinks = settings.reasoning_effort.is_some_and(|effort| effort != ReasoningEffort::None);
    if thinks && anthropic_thinking(model) == Thinking::Never {
        refuse(
            Setting::ReasoningEffort,
            "cannot be set for a model that does not reason; leave it out, or ask a newer one",
        );
    }
    match settings.temperature {
        Some(value) if value > 1.0 => refuse(Setting::Temperature, "goes from 0 to 1 at Anthropic; choose a lower one"),
        Some(value) if thinks && value != 1.0 => {
            refuse(Setting::Temperature, "cannot be set together with `reasoning_effort` at Anthropic; leave one out");
        }
        _ => {}
    }
    match settings.top_p {
        Some(value) if thinks && value < ANTHROPIC_TOP_P_MIN => {
            refuse(Setting::TopP, "is at least 0.95 together with `reasoning_effort` at Anthropic; leave one out");
        }
        // All words together have the probability 1: that leaves none out.
        Some(value) if value < 1.0 && settings.temperature.is_some() => {
            refuse(Setting::TopP, "cannot be set together with `temperature` at Anthropic; leave one out");
        }
        _ => {}
    }
}

fn gemini(model: &str, settings: &ModelSettings, found: &mut Vec<Unsupported>) {
    let mut refuse = |setting, why: &str| found.push(Unsupported::new(setting, why));
    if settings.seed.is_some_and(|seed| !(0..=i64::from(i32::MAX)).contains(&seed)) {
        refuse(Setting::Seed, "goes from 0 to 2147483647 at Gemini; choose one of these");
    }
    if settings.stop.as_ref().is_some_and(|stops| stops.len() > GEMINI_STOPS_MAX) {
        refuse(Setting::Stop, "takes at most 5 texts at Gemini; leave the others out");
    }
    let thinks = settings.reasoning_effort.is_some_and(|effort| effort != ReasoningEffort::None);
    if thinks && model.starts_with("gemini-") && !gemini_thinks(model) {
        refuse(
            Setting::ReasoningEffort,
            "cannot be set for a model that does not reason; leave it out, or ask a newer one",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(provider: &str, kind: Kind, model: &str, settings: serde_json::Value) -> Vec<&'static str> {
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
        let openai = |model: &str, settings| names("openai", Kind::OpenAi, model, settings);
        assert_eq!(openai("o3", all.clone()), ["temperature", "top_p", "stop"]);
        assert_eq!(openai("gpt-4o", all.clone()), ["reasoning_effort"]);
        assert_eq!(openai("some-local-model", all.clone()), [""; 0]);
        assert_eq!(openai("gpt-5.1", json!({ "temperature": 0.2, "reasoning_effort": "none" })), [""; 0]);
        assert_eq!(openai("gpt-4o", json!({ "stop": ["a", "b", "c", "d", "e"] })), ["stop"]);
        assert_eq!(names("vllm", Kind::OpenAi, "o3", all.clone()), [""; 0]);
        let anthropic = |model: &str, settings| names("anthropic", Kind::Anthropic, model, settings);
        assert_eq!(anthropic("claude-sonnet-4-5", all.clone()), ["seed", "temperature", "top_p"]);
        assert_eq!(anthropic("claude-3-5-haiku-latest", json!({ "reasoning_effort": "low" })), ["reasoning_effort"]);
        assert_eq!(anthropic("claude-sonnet-4-5", json!({ "temperature": 1.5 })), ["temperature"]);
        assert_eq!(anthropic("claude-sonnet-4-5", json!({ "temperature": 0.5, "stop": ["END"] })), [""; 0]);
        let gemini = |model: &str, settings| names("gemini", Kind::Gemini, model, settings);
        assert_eq!(gemini("gemini-2.5-flash", all.clone()), [""; 0]);
        assert_eq!(gemini("gemini-2.0-flash", all.clone()), ["reasoning_effort"]);
        assert_eq!(gemini("gemini-2.5-flash", json!({ "seed": 5_000_000_000_i64 })), ["seed"]);
        assert_eq!(names("ollama", Kind::Ollama, "qwen3", all), [""; 0]);
    }
}
