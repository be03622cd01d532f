//! Which models answer to which names.

use std::sync::Arc;

use model::{Error, Models, Provider, ProviderKind};

use crate::exchanges::NoOfflineModel;

fn openai() -> Provider {
    Provider::new("openai", ProviderKind::OpenAi, "gpt-4o-mini").with_key("k")
}

fn openrouter() -> Provider {
    Provider::new("openrouter", ProviderKind::OpenAi, "meta-llama/llama-3")
        .at("https://openrouter.ai/api/v1")
        .with_key("k")
}

fn models(providers: Vec<Provider>, default: Option<&str>, fallbacks: &[&str]) -> Result<Models, Error> {
    let fallbacks = fallbacks.iter().map(|name| (*name).to_owned()).collect();
    Models::new(providers, default.map(str::to_owned), fallbacks, Arc::new(NoOfflineModel))
}

fn names(models: &Models, asked: Option<&str>) -> Vec<String> {
    models.find(asked).unwrap().iter().map(|model| model.name().to_owned()).collect()
}

#[test]
fn the_asked_or_default_one_comes_first_and_then_the_fallbacks_without_repeats() {
    let ollama = Provider::new("ollama", ProviderKind::Ollama, "qwen3:8b");
    let fallbacks = ["openai/gpt-4o", "ollama", "openai/gpt-4o"];
    let models = models(vec![openai(), ollama], Some("gpt-4o-mini"), &fallbacks).unwrap();
    assert_eq!(names(&models, None), ["openai/gpt-4o-mini", "openai/gpt-4o", "ollama/qwen3:8b"]);
    assert_eq!(names(&models, Some("ollama/llama3:70b")), ["ollama/llama3:70b", "openai/gpt-4o", "ollama/qwen3:8b"]);
    assert_eq!(names(&models, Some("openai/gpt-4o")), ["openai/gpt-4o", "ollama/qwen3:8b"]);
    assert_eq!(names(&models, Some("")), names(&models, None));
    assert_eq!(models.name(None), "openai/gpt-4o-mini");
    assert_eq!(models.name(Some("gpt-5")), "openai/gpt-5");
}

#[test]
fn only_a_providers_name_is_a_prefix() {
    let models = models(vec![openrouter()], None, &[]).unwrap();
    assert_eq!(names(&models, None), ["openrouter/meta-llama/llama-3"]);
    assert_eq!(names(&models, Some("mistralai/mistral-large")), ["openrouter/mistralai/mistral-large"]);
    assert_eq!(names(&models, Some("openrouter/openai/gpt-4o")), ["openrouter/openai/gpt-4o"]);
    assert_eq!(names(&models, Some("openrouter/openrouter/auto")), ["openrouter/openrouter/auto"]);
}

#[test]
fn a_name_without_a_provider_goes_to_the_default_models_provider() {
    let models = models(vec![openrouter(), openai()], Some("openai/gpt-4o"), &[]).unwrap();
    assert_eq!(names(&models, Some("gpt-5")), ["openai/gpt-5"]);
}

#[test]
fn a_known_provider_that_is_not_configured_is_said_with_its_variable() {
    let only = models(vec![openai()], None, &[]).unwrap();
    let error = only.find(Some("anthropic/claude-sonnet-4-5")).map(|_| ()).unwrap_err();
    let said = "anthropic: this model provider is not configured: set ANTHROPIC_API_KEY, or ask for another model";
    assert_eq!(error.to_string(), said);
    assert!(!error.is_transient() && !error.falls_back());
    assert_eq!(only.name(Some("anthropic/claude-sonnet-4-5")), "anthropic/claude-sonnet-4-5");
    let routed = models(vec![openrouter()], None, &[]).unwrap();
    let error = routed.find(Some("openai/gpt-4o")).map(|_| ()).unwrap_err();
    assert!(error.to_string().ends_with("set OPENAI_API_KEY, or ask for openrouter/openai/gpt-4o"), "{error}");
    assert!(models(vec![openai()], None, &["gemini/gemini-2.5-flash"]).is_err(), "a fallback that cannot be had");
    assert!(models(vec![openai()], Some("gemini"), &[]).is_err(), "a default that cannot be had");
}

#[test]
fn without_a_provider_the_offline_model_answers() {
    let none = models(Vec::new(), None, &[]).unwrap();
    assert_eq!(names(&none, None), ["offline/nobody"]);
    for unknown in ["gpt-4o", "openai/gpt-4o", "nosuch/x"] {
        assert!(none.find(Some(unknown)).is_err(), "{unknown}: the offline model answers for no other");
    }
    let error = none.find(Some("gpt-4o")).map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("model `gpt-4o` not found; no provider is configured"), "{error}");
    let some = models(vec![openai()], None, &["openai/gpt-5"]).unwrap();
    assert_eq!(names(&some, Some("offline")), ["offline/nobody"]);
    assert_eq!(names(&some, Some("offline/nobody")), ["offline/nobody"]);
    let last = models(vec![openai()], None, &["offline"]).unwrap();
    assert_eq!(names(&last, None), ["openai/gpt-4o-mini", "offline/nobody"]);
}

#[test]
fn a_mistyped_provider_is_refused_with_the_name_that_was_meant() {
    let anthropic = Provider::new("anthropic", ProviderKind::Anthropic, "claude-sonnet-4-5").with_key("k");
    let models = models(vec![openai(), anthropic], None, &[]).unwrap();
    for (typed, meant) in [
        ("antropic/claude-opus-4-5", "anthropic/claude-opus-4-5"),
        ("anthropics/claude-opus-4-5", "anthropic/claude-opus-4-5"),
        ("opnai/gpt-4o", "openai/gpt-4o"),
        ("olama/qwen3", "ollama/qwen3"),
        ("antropic", "anthropic"),
        ("oflline", "offline"),
    ] {
        let error = models.find(Some(typed)).map(|_| ()).unwrap_err();
        let said = format!("model `{typed}` not found; did you mean `{meant}`");
        assert!(error.to_string().starts_with(&said), "{error}");
        assert_eq!(error.code(), "unknown_model");
    }
    assert_eq!(names(&models, Some("llama3")), ["openai/llama3"], "no list is known, so the provider has to say");
    assert!(models.find(Some("openai/")).is_err());
    assert!(models.find(Some("offline/other")).is_err());
}

#[test]
fn a_single_model_answers_to_any_name() {
    let models = Models::of(Arc::new(NoOfflineModel));
    for asked in [None, Some("openai/gpt-4o"), Some("anything")] {
        assert_eq!(names(&models, asked), ["offline/nobody"]);
    }
}

#[test]
fn names_of_providers_are_their_own() {
    assert!(models(vec![openai(), openai()], None, &[]).is_err());
    for name in ["", "offline", "a/b"] {
        assert!(models(vec![Provider::new(name, ProviderKind::OpenAi, "m")], None, &[]).is_err(), "{name:?}");
    }
}
