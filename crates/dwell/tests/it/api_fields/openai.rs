//! The fields of OpenAI's chat completions.

use serde_json::{Value, json};
use testkit::{ModelServer, Reply, RunningServer, ToolCall};

use super::{ApiTable, Effect, FieldSample, IMAGE, honoured, idle, merged, send};
use crate::{harness::last, harness::results, openai_tools::tool};

pub(super) const PATH: &str = "/v1/chat/completions";

/// The parameters of `chat.completions.create` in version 3.51 of OpenAI's SDK for Python.
const FIELDS: [&str; 37] = [
    "audio",
    "frequency_penalty",
    "function_call",
    "functions",
    "logit_bias",
    "logprobs",
    "max_completion_tokens",
    "max_tokens",
    "messages",
    "metadata",
    "modalities",
    "model",
    "moderation",
    "n",
    "parallel_tool_calls",
    "prediction",
    "presence_penalty",
    "prompt_cache_key",
    "prompt_cache_options",
    "prompt_cache_retention",
    "reasoning_effort",
    "response_format",
    "safety_identifier",
    "seed",
    "service_tier",
    "stop",
    "store",
    "stream",
    "stream_options",
    "temperature",
    "tool_choice",
    "tools",
    "top_logprobs",
    "top_p",
    "user",
    "verbosity",
    "web_search_options",
];

pub(super) fn completions() -> ApiTable {
    let mut samples = honoured_samples();
    samples.extend(message_samples());
    samples.extend(tool_samples());
    samples.extend(idle_samples());
    ApiTable {
        heading: "OpenAI: chat completions",
        path: PATH,
        plain: json!({ "model": "dwell", "messages": [user("Why is the sky blue?")] }),
        fields: &FIELDS,
        samples,
        message: "/error/message",
    }
}

fn user(content: &str) -> Value {
    json!({ "role": "user", "content": content })
}

fn honoured_samples() -> Vec<FieldSample> {
    let settings = [
        ("temperature", json!(0.3), "/temperature", json!(0.3)),
        ("top_p", json!(0.9), "/top_p", json!(0.9)),
        ("max_completion_tokens", json!(64), "/max_tokens", json!(64)),
        ("max_tokens", json!(65), "/max_tokens", json!(65)),
        ("stop", json!("END"), "/stop", json!(["END"])),
        ("seed", json!(7), "/seed", json!(7)),
    ];
    let settings = settings
        .into_iter()
        .map(|(field, value, place, sent)| honoured(field, json!({ field: value }), Effect::Upstream(place, sent)));
    let schema = json!({ "type": "object", "properties": { "city": { "type": "string" } }, "required": ["city"] });
    let format = json!({ "type": "json_schema", "json_schema": { "name": "city", "schema": schema } });
    let effort = json!({ "model": "openai/o3", "reasoning_effort": "low" });
    settings
        .chain([
            honoured("model", json!({ "model": "openai/gpt-4.1" }), Effect::Upstream("/model", json!("gpt-4.1"))),
            honoured("reasoning_effort", effort, Effect::Upstream("/reasoning_effort", json!("low"))),
            honoured(
                "response_format",
                json!({ "response_format": format }),
                Effect::Upstream("/response_format/json_schema/schema/properties/city/type", json!("string")),
            )
            .answered(Reply::text("{\"city\": \"Oslo\"}")),
            honoured("stream", json!({ "stream": true }), Effect::Body("data: [DONE]")),
            honoured(
                "stream_options.include_usage",
                json!({ "stream": true, "stream_options": { "include_usage": true } }),
                Effect::Body("\"total_tokens\":"),
            ),
            honoured("user", json!({ "user": "ada" }), Effect::Session("user:ada")),
            honoured(
                "metadata",
                json!({ "metadata": { "session": "kitchen" }, "user": "ada" }),
                Effect::Session("kitchen"),
            ),
        ])
        .collect()
}

fn message_samples() -> Vec<FieldSample> {
    let with = |field: &str, value: Value| {
        let mut message = user("hello");
        message[field] = value;
        json!({ "messages": [message] })
    };
    let image = json!({ "type": "image_url", "image_url": { "url": format!("data:image/png;base64,{IMAGE}") } });
    let mut detailed = image.clone();
    detailed["image_url"]["detail"] = json!("low");
    let parts = |image: Value| json!([{ "type": "text", "text": "What is this?" }, image]);
    let set = |field: &'static str, set: Value| FieldSample { set, ..idle(field, Value::Null) };
    let brief = json!({ "role": "developer", "content": "Answer like a pirate." });
    vec![
        honoured("messages", json!({ "messages": [user("Where is the sea?")] }), Effect::Told("Where is the sea?")),
        honoured("messages.role", json!({ "messages": [brief, user("hello")] }), Effect::Told("like a pirate")),
        honoured("messages.content", json!({ "messages": [user_parts(parts(image))] }), Effect::Told(IMAGE)),
        set("messages.content.image_url.detail", json!({ "messages": [user_parts(parts(detailed))] })),
        set("messages.name", with("name", json!("Ada"))),
        set("messages.audio", with("audio", json!({ "id": "audio_1" }))),
        set("messages.refusal", with("refusal", json!("I will not."))),
        set("messages.function_call", with("function_call", json!({ "name": "f", "arguments": "{}" }))),
    ]
}

fn user_parts(parts: Value) -> Value {
    json!({ "role": "user", "content": parts })
}

fn tool_samples() -> Vec<FieldSample> {
    let calls = || {
        let call = |id: &str| ToolCall::new(id, "get_weather", json!({ "city": "Oslo" }));
        Reply::tool_calls([call("c1"), call("c2")])
    };
    let mut strict = tool("get_weather");
    strict["function"]["strict"] = json!(true);
    let named = json!({ "type": "function", "function": { "name": "get_weather" } });
    let (tools, called) = (json!([tool("get_weather")]), "/choices/0/message/tool_calls/1");
    vec![
        honoured("tools", json!({ "tools": tools }), Effect::Answer("/choices/0/finish_reason", json!("tool_calls")))
            .answered(calls()),
        FieldSample { set: json!({ "tools": [strict] }), ..idle("tools.function.strict", Value::Null) },
        honoured(
            "tool_choice",
            json!({ "tools": tools, "tool_choice": named }),
            Effect::Upstream("/tool_choice/function/name", json!("get_weather")),
        )
        .answered(calls()),
        honoured(
            "parallel_tool_calls",
            json!({ "tools": tools, "parallel_tool_calls": false }),
            Effect::Answer(called, Value::Null),
        )
        .answered(calls()),
        // Tried by `results_have_their_place`.
        honoured("messages.tool_calls", json!({}), Effect::Told("sky")),
        honoured("messages.tool_call_id", json!({}), Effect::Told("sky")),
    ]
}

fn idle_samples() -> Vec<FieldSample> {
    let options = json!({ "stream": true, "stream_options": { "include_obfuscation": false } });
    vec![
        FieldSample { set: options, ..idle("stream_options.include_obfuscation", Value::Null) },
        idle("n", json!(2)),
        idle("logprobs", json!(true)),
        idle("top_logprobs", json!(3)),
        idle("logit_bias", json!({ "50256": -100 })),
        idle("modalities", json!(["text", "audio"])),
        idle("functions", json!([{ "name": "f", "parameters": {} }])),
        idle("function_call", json!("auto")),
        idle("audio", json!({ "voice": "alloy", "format": "mp3" })),
        idle("frequency_penalty", json!(0.5)),
        idle("presence_penalty", json!(0.5)),
        idle("prediction", json!({ "type": "content", "content": "Because" })),
        idle("web_search_options", json!({ "search_context_size": "low" })),
        idle("verbosity", json!("low")),
        idle("moderation", json!({ "model": "omni" })),
        idle("store", json!(false)),
        idle("service_tier", json!("auto")),
        idle("safety_identifier", json!("user-1")),
        idle("prompt_cache_key", json!("key")),
        idle("prompt_cache_options", json!({ "mode": "x" })),
        idle("prompt_cache_retention", json!("24h")),
    ]
}

/// `messages.tool_calls` and `messages.tool_call_id` belong to two requests: the results reach the
/// calls that they name, whatever their order.
pub(super) async fn results_have_their_place(model: &ModelServer, server: &RunningServer) -> Option<String> {
    let call = |id: &str, city: &str| ToolCall::new(id, "get_weather", json!({ "city": city }));
    model.push(Reply::tool_calls([call("c1", "Oslo"), call("c2", "Rome")]));
    let plain = json!({ "tools": [tool("get_weather")], "messages": [user("How is the weather?")] });
    let asked = send(server, PATH, &plain).await.body["choices"][0]["message"].clone();
    let result = |call: usize, content: &str| json!({ "role": "tool", "tool_call_id": asked["tool_calls"][call]["id"], "content": content });
    let messages = json!([user("How is the weather?"), asked, result(1, "sun"), result(0, "snow")]);
    let got = send(server, PATH, &merged(&plain, &json!({ "messages": messages }))).await;
    let told = results(&last(model));
    let expected = [("c1".to_owned(), "snow".to_owned()), ("c2".to_owned(), "sun".to_owned())];
    (got.status != 200 || told != expected).then(|| format!("{PATH} tool_call_id: {told:?} {}", got.text))
}
