//! The settings of model calls: the fields of each API, and what is refused before anything is
//! sent.

use model::{Message, Prompt, Provider, ProviderKind, ToolRequirement};
use protocol::ModelSettings;
use serde_json::{Value, json};

use crate::{
    exchanges::only,
    prompts::{by_name, prompt, tools, user},
    server::{ResponseEnding, ScriptedResponse, Server},
};

/// The request that a provider gets for a prompt, or the error.
async fn sent(name: &str, kind: ProviderKind, model: &str, prompt: Prompt) -> Result<Value, String> {
    let response = ScriptedResponse {
        status: "HTTP/1.1 500 Internal Server Error".to_owned(),
        headers: Vec::new(),
        body: String::new(),
        ending: ResponseEnding::Clean,
    };
    let server = Server::start(response).await;
    let base = match kind {
        ProviderKind::OpenAi | ProviderKind::Anthropic => server.url("/v1"),
        ProviderKind::Gemini => server.url("/v1beta"),
        ProviderKind::Azure { .. } | ProviderKind::Ollama => server.url(""),
    };
    let model = only(Provider::new(name, kind, model).at(base).with_key("sk-secret-key"));
    let error = model.stream(prompt).await.map(|_| ()).unwrap_err();
    server.heard().pop().map(|heard| heard.body).ok_or_else(|| error.to_string())
}

fn tuned(settings: Value) -> Prompt {
    let settings: ModelSettings = serde_json::from_value(settings).unwrap();
    let output_tokens_max = settings.max_output_tokens;
    Prompt { tools: tools(), settings, output_tokens_max, ..prompt(vec![user("hello")]) }
}

/// The fields of a body that are named, by pointers.
fn picked(body: &Value, names: &[&str]) -> Value {
    names.iter().map(|name| body.pointer(name).cloned().unwrap_or_default()).collect()
}

/// A provider, its API, a model, the settings, the fields to check, and their values.
type Row<'a> = (&'a str, ProviderKind, &'a str, &'a Value, &'a [&'a str], Value);

const AZURE: ProviderKind = ProviderKind::Azure { api_version: String::new() };

#[tokio::test]
async fn settings_reach_every_wire_in_its_own_fields() {
    let plain = json!({
        "temperature": 0.2, "max_output_tokens": 100, "stop": ["END"], "parallel_tool_calls": false,
    });
    let all = json!({
        "temperature": 0.2, "top_p": 0.9, "max_output_tokens": 100, "stop": ["END"], "seed": 7,
        "parallel_tool_calls": false,
    });
    let effort = |effort: &str| json!({ "reasoning_effort": effort });
    let openai = ["/temperature", "/top_p", "/max_tokens", "/stop", "/seed", "/parallel_tool_calls"];
    let generation = ["temperature", "topP", "maxOutputTokens", "stopSequences", "seed"];
    let generation: Vec<String> = generation.iter().map(|name| format!("/generationConfig/{name}")).collect();
    let generation: Vec<&str> = generation.iter().map(String::as_str).collect();
    let options = ["temperature", "top_p", "num_predict", "stop", "seed"].map(|name| format!("/options/{name}"));
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let rows: [Row<'_>; 18] = [
        ("openai", ProviderKind::OpenAi, "gpt-4o", &all, &openai, json!([0.2, 0.9, 100, ["END"], 7, false])),
        ("vllm", ProviderKind::OpenAi, "some", &all, &openai, json!([0.2, 0.9, 100, ["END"], 7, false])),
        ("azure", AZURE, "mine", &plain, &["/max_completion_tokens", "/temperature"], json!([100, 0.2])),
        ("openai", ProviderKind::OpenAi, "o3", &effort("minimal"), &["/reasoning_effort"], json!(["low"])),
        ("openai", ProviderKind::OpenAi, "gpt-5", &effort("none"), &["/reasoning_effort"], json!(["minimal"])),
        ("vllm", ProviderKind::OpenAi, "some", &effort("high"), &["/reasoning_effort"], json!(["high"])),
        (
            "vllm",
            ProviderKind::OpenAi,
            "some",
            &effort("none"),
            &["/chat_template_kwargs"],
            json!([{ "enable_thinking": false }]),
        ),
        ("openrouter", ProviderKind::OpenAi, "x/y", &effort("low"), &["/reasoning/effort"], json!(["low"])),
        (
            "anthropic",
            ProviderKind::Anthropic,
            "claude-sonnet-4-5",
            &plain,
            &["/temperature", "/max_tokens", "/stop_sequences", "/tool_choice", "/thinking"],
            json!([0.2, 100, ["END"], { "type": "auto", "disable_parallel_tool_use": true }, null]),
        ),
        (
            "anthropic",
            ProviderKind::Anthropic,
            "claude-sonnet-4-5",
            &effort("medium"),
            &["/thinking"],
            json!([{ "type": "enabled", "budget_tokens": 8192 }]),
        ),
        (
            "anthropic",
            ProviderKind::Anthropic,
            "claude-sonnet-4-5",
            &json!({ "reasoning_effort": "high", "max_output_tokens": 4096 }),
            &["/thinking/budget_tokens", "/max_tokens"],
            json!([2048, 4096]),
        ),
        (
            "anthropic",
            ProviderKind::Anthropic,
            "claude-opus-4-6",
            &effort("high"),
            &["/output_config/effort"],
            json!(["high"]),
        ),
        ("gemini", ProviderKind::Gemini, "gemini-2.5-flash", &all, &generation, json!([0.2, 0.9, 100, ["END"], 7])),
        (
            "gemini",
            ProviderKind::Gemini,
            "gemini-2.5-flash",
            &effort("none"),
            &["/generationConfig/thinkingConfig"],
            json!([{ "thinkingBudget": 0 }]),
        ),
        (
            "gemini",
            ProviderKind::Gemini,
            "gemini-3-pro-preview",
            &effort("low"),
            &["/generationConfig/thinkingConfig/thinkingLevel"],
            json!(["LOW"]),
        ),
        ("ollama", ProviderKind::Ollama, "qwen3", &all, &options, json!([0.2, 0.9, 100, ["END"], 7])),
        ("ollama", ProviderKind::Ollama, "qwen3", &effort("high"), &["/think"], json!([true])),
        ("ollama", ProviderKind::Ollama, "gpt-oss:20b", &effort("high"), &["/think"], json!(["high"])),
    ];
    for (provider, kind, model, settings, names, expected) in rows {
        let body = sent(provider, kind, model, tuned(settings.clone())).await.unwrap();
        assert_eq!(picked(&body, names), expected, "{provider}/{model} {settings} in {body}");
    }
}

#[tokio::test]
async fn what_is_not_set_is_not_sent() {
    for (provider, kind) in
        [("openai", ProviderKind::OpenAi), ("ollama", ProviderKind::Ollama), ("gemini", ProviderKind::Gemini)]
    {
        let body = sent(provider, kind, "gpt-4o", tuned(json!({}))).await.unwrap().to_string();
        for name in ["temperature", "top_p", "stop\"", "seed", "parallel_tool_calls", "reasoning", "num_predict"] {
            assert!(!body.contains(name), "{provider}: {name} in {body}");
        }
    }
}

#[tokio::test]
async fn what_a_provider_cannot_is_refused_before_anything_is_sent() {
    for (provider, kind, model, settings, expected) in [
        (
            "anthropic",
            ProviderKind::Anthropic,
            "claude-sonnet-4-5",
            json!({ "seed": 7 }),
            "`seed` is not supported by Anthropic",
        ),
        ("openai", ProviderKind::OpenAi, "o3", json!({ "temperature": 0.2 }), "`temperature` cannot be set"),
        (
            "gemini",
            ProviderKind::Gemini,
            "gemini-2.0-flash",
            json!({ "reasoning_effort": "low" }),
            "`reasoning_effort` cannot",
        ),
    ] {
        let error = sent(provider, kind, model, tuned(settings)).await.unwrap_err();
        assert!(error.starts_with(&format!("{provider}/{model}: {expected}")), "{error}");
    }
}

#[tokio::test]
async fn anthropic_is_asked_to_think_only_where_it_can() {
    let effort: ModelSettings = serde_json::from_value(json!({ "reasoning_effort": "low" })).unwrap();
    let with = |prompt: Prompt| Prompt { settings: effort.clone(), ..prompt };
    let thinks = async |prompt: Prompt| {
        let body = sent("anthropic", ProviderKind::Anthropic, "claude-sonnet-4-5", with(prompt)).await.unwrap();
        body.get("thinking").is_some()
    };
    assert!(thinks(by_name("tools")).await);
    assert!(!thinks(by_name("forced")).await, "who must call a tool may not think first");
    assert!(thinks(by_name("signed")).await, "its thoughts go back with the call");
    let mut unsigned = by_name("results");
    unsigned.messages.truncate(4);
    assert!(!thinks(unsigned).await, "calls without thoughts are of another model");
    let chosen = Prompt { choice: ToolRequirement::Some, ..by_name("tools") };
    assert!(!thinks(chosen).await);
}

#[tokio::test]
async fn anthropics_cache_ends_before_the_newest_words_and_after_the_newest_results() {
    let body =
        async |prompt: Prompt| sent("anthropic", ProviderKind::Anthropic, "claude-sonnet-4-5", prompt).await.unwrap();
    let marked = |body: &Value| -> Vec<usize> {
        let messages = body["messages"].as_array().unwrap().iter().enumerate();
        let is_marked = |message: &Value| message.to_string().contains("cache_control");
        messages.filter(|(_, message)| is_marked(message)).map(|(place, _)| place).collect()
    };
    let said = |text: &str| Message::Assistant { text: text.to_owned(), calls: Vec::new() };
    let talk = prompt(vec![user("one"), said("1"), user("two"), said("2"), user("three")]);
    assert_eq!(marked(&body(talk).await), [3], "the last that the next turn tells again");
    assert_eq!(marked(&body(by_name("reasoned")).await), [3, 6], "and the last of a turn that goes on");
    assert_eq!(marked(&body(by_name("plain")).await), [0; 0]);
    let all = body(by_name("reasoned")).await.to_string();
    assert_eq!(all.matches("cache_control").count(), 4, "four are taken: {all}");
}
