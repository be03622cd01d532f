//! The fields of Ollama's `chat` and `generate`.

use serde_json::{Value, json};
use testkit::{ModelServer, Reply, RunningServer, ToolCall};

use super::{ApiTable, Effect, FieldSample, IMAGE, honoured, idle, merged, send};
use crate::{harness::last, harness::results, openai_tools::tool};

/// The fields of the requests in version 0.6 of Ollama's library for Python.
const CHAT: [&str; 10] =
    ["format", "keep_alive", "logprobs", "messages", "model", "options", "stream", "think", "tools", "top_logprobs"];
const GENERATE: [&str; 18] = [
    "context",
    "format",
    "height",
    "images",
    "keep_alive",
    "logprobs",
    "model",
    "options",
    "prompt",
    "raw",
    "steps",
    "stream",
    "suffix",
    "system",
    "template",
    "think",
    "top_logprobs",
    "width",
];

pub(super) fn chat() -> ApiTable {
    let mut samples = common();
    samples.extend(options());
    samples.extend(of_chat());
    ApiTable {
        heading: "Ollama: chat",
        path: "/api/chat",
        plain: json!({ "model": "dwell", "messages": [user("Why is the sky blue?")], "stream": false }),
        fields: &CHAT,
        samples,
        message: "/error",
    }
}

pub(super) fn generate() -> ApiTable {
    let mut samples = common();
    samples.extend(options().into_iter().filter(|sample| {
        // The others are in the table of `chat`.
        ["options.temperature", "options.num_ctx"].contains(&sample.field)
    }));
    samples.extend([
        honoured("prompt", json!({ "prompt": "Where is the sea?" }), Effect::Told("Where is the sea?")),
        honoured("system", json!({ "system": "Answer like a pirate." }), Effect::Told("like a pirate")),
        honoured("images", json!({ "images": [IMAGE] }), Effect::Told(IMAGE)),
        idle("template", json!("{{ .Prompt }}")),
        idle("context", json!([1, 2, 3])),
        idle("width", json!(512)),
        idle("height", json!(512)),
        idle("steps", json!(20)),
        idle("suffix", json!("the end")),
        idle("raw", json!(true)),
    ]);
    ApiTable {
        heading: "Ollama: generate",
        path: "/api/generate",
        plain: json!({ "model": "dwell", "prompt": "Why is the sky blue?", "stream": false }),
        fields: &GENERATE,
        samples,
        message: "/error",
    }
}

fn user(content: &str) -> Value {
    json!({ "role": "user", "content": content })
}

/// The fields that both have.
fn common() -> Vec<FieldSample> {
    let schema = json!({ "type": "object", "properties": { "city": { "type": "string" } }, "required": ["city"] });
    let think = json!({ "model": "openai/o3", "think": true });
    vec![
        honoured("model", json!({ "model": "openai/gpt-4.1" }), Effect::Upstream("/model", json!("gpt-4.1"))),
        honoured("stream", json!({ "stream": true }), Effect::Body("\"done\":false")),
        honoured(
            "format",
            json!({ "format": schema }),
            Effect::Upstream("/response_format/json_schema/schema/properties/city/type", json!("string")),
        )
        .answered(Reply::text("{\"city\": \"Oslo\"}")),
        honoured("think", think, Effect::Upstream("/reasoning_effort", json!("medium"))),
        idle("keep_alive", json!("5m")),
        idle("logprobs", json!(true)),
        idle("top_logprobs", json!(3)),
    ]
}

fn options() -> Vec<FieldSample> {
    let settings = [
        ("options.temperature", json!({ "temperature": 0.3 }), "/temperature", json!(0.3)),
        ("options.top_p", json!({ "top_p": 0.9 }), "/top_p", json!(0.9)),
        ("options.num_predict", json!({ "num_predict": 64 }), "/max_tokens", json!(64)),
        ("options.stop", json!({ "stop": ["END"] }), "/stop", json!(["END"])),
        ("options.seed", json!({ "seed": 7 }), "/seed", json!(7)),
    ];
    let settings = settings.into_iter().map(|(field, options, place, sent)| {
        honoured(field, json!({ "options": options }), Effect::Upstream(place, sent))
    });
    let ignored = [
        "options.num_ctx",
        "options.top_k",
        "options.min_p",
        "options.typical_p",
        "options.tfs_z",
        "options.repeat_last_n",
        "options.repeat_penalty",
        "options.presence_penalty",
        "options.frequency_penalty",
        "options.mirostat",
        "options.num_gpu",
    ];
    let ignored = ignored.into_iter().map(|field| {
        let name = field.trim_start_matches("options.");
        FieldSample { set: json!({ "options": { name: 1 } }), ..idle(field, Value::Null) }
    });
    settings.chain(ignored).collect()
}

fn of_chat() -> Vec<FieldSample> {
    let with = |field: &str, value: Value| {
        let mut message = user("hello");
        message[field] = value;
        json!({ "messages": [message] })
    };
    let call = Reply::tool_calls([ToolCall::new("c1", "get_weather", json!({ "city": "Oslo" }))]);
    let (tools, called) = (json!([tool("get_weather")]), "/message/tool_calls/0/function/name");
    vec![
        honoured("messages", json!({ "messages": [user("Where is the sea?")] }), Effect::Told("Where is the sea?")),
        honoured("messages.images", with("images", json!([IMAGE])), Effect::Told(IMAGE)),
        // Tried by `results_have_their_place`.
        honoured("messages.tool_name", json!({}), Effect::Told("sky")),
        FieldSample { set: with("thinking", json!("Hm.")), ..idle("messages.thinking", Value::Null) },
        honoured("tools", json!({ "tools": tools }), Effect::Answer(called, json!("get_weather"))).answered(call),
    ]
}

/// `messages.tool_name` belongs to two requests: a result without an id reaches the tool's call.
pub(super) async fn results_have_their_place(model: &ModelServer, server: &RunningServer) -> Option<String> {
    let call = |id: &str, tool: &str| ToolCall::new(id, tool, json!({ "city": "Oslo" }));
    model.push(Reply::tool_calls([call("c1", "get_weather"), call("c2", "get_time")]));
    let messages = json!([user("How is the weather, and what time is it?")]);
    let plain = json!({
        "model": "dwell", "messages": messages, "stream": false, "tools": [tool("get_weather"), tool("get_time")],
    });
    let asked = send(server, "/api/chat", &plain).await.body["message"].clone();
    let result = |tool: &str, content: &str| json!({ "role": "tool", "tool_name": tool, "content": content });
    let messages = json!([messages[0], asked, result("get_time", "noon"), result("get_weather", "snow")]);
    let got = send(server, "/api/chat", &merged(&plain, &json!({ "messages": messages }))).await;
    let told = results(&last(model));
    let expected = [("c1".to_owned(), "snow".to_owned()), ("c2".to_owned(), "noon".to_owned())];
    (got.status != 200 || told != expected).then(|| format!("/api/chat tool_name: {told:?} {}", got.text))
}
