//! Anthropic's Messages API: its clients work unchanged, and their conversations become sessions.

mod errors;
mod sdk;
mod tools;

use reqwest::{Method, header::HeaderMap};
use serde_json::{Value, json};
use testkit::{Reply, RunningServer};

use crate::{
    harness::{last, system},
    openai::turns,
    started,
};

pub(crate) const PATH: &str = "/v1/messages";
const TOKEN: &str = "test-token-0123456789";

pub(crate) fn user(content: impl Into<Value>) -> Value {
    json!({ "role": "user", "content": content.into() })
}

pub(crate) fn assistant(content: impl Into<Value>) -> Value {
    json!({ "role": "assistant", "content": content.into() })
}

pub(crate) fn body(messages: &[Value]) -> Value {
    json!({ "model": "dwell", "max_tokens": 512, "messages": messages })
}

/// A body with one more field.
pub(crate) fn with(mut body: Value, name: &str, value: Value) -> Value {
    body[name] = value;
    body
}

/// An answer with its headers, as these clients get it: they send the token as a key.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    #[track_caller]
    pub(crate) fn ok(&self) -> Value {
        assert_eq!(self.status, 200, "{}", self.text);
        self.json()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// The events of a stream: each is named twice.
    pub(crate) fn events(&self) -> Vec<Value> {
        let frames = self.text.split("\n\n").filter(|frame| !frame.is_empty());
        frames
            .map(|frame| {
                let (event, data) = frame.split_once('\n').unwrap_or_else(|| panic!("{frame}"));
                let data: Value = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
                assert_eq!(event.strip_prefix("event: "), data["type"].as_str(), "{frame}");
                data
            })
            .collect()
    }
}

pub(crate) async fn call(server: &RunningServer, path: &str, body: &Value, headers: &[(&str, &str)]) -> Answer {
    let request = reqwest::Client::new().post(format!("{}{path}", server.url()));
    let mut request = request.header("x-api-key", TOKEN).header("anthropic-version", "2023-06-01").json(body);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let response = request.send().await.unwrap();
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    Answer { status, headers, text: response.text().await.unwrap() }
}

pub(crate) async fn post(server: &RunningServer, body: &Value) -> Answer {
    call(server, PATH, body, &[]).await
}

#[tokio::test]
async fn a_conversation_is_answered_whole_and_is_one_session() {
    let (model, _program, server) = started().await;
    model.push(Reply::text("Good morning.").usage(11, 6));
    let system_text = json!([{ "type": "text", "text": "Be kind.", "cache_control": { "type": "ephemeral" } }]);
    let first = with(body(&[user("hello")]), "system", system_text.clone());
    let first = with(with(first, "top_k", json!(40)), "temperature", json!(0.2));
    let answer = post(&server, &first).await;
    let message = answer.ok();
    assert!(message["id"].as_str().unwrap().starts_with("msg_"), "{message}");
    assert_eq!(
        (&message["type"], &message["role"], &message["model"]),
        (&json!("message"), &json!("assistant"), &json!("dwell"))
    );
    assert_eq!(message["content"], json!([{ "type": "text", "text": "Good morning." }]));
    assert_eq!((&message["stop_reason"], &message["stop_sequence"]), (&json!("end_turn"), &Value::Null));
    let usage = json!({
        "input_tokens": 11, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 6,
    });
    assert_eq!(message["usage"], usage);
    assert!(answer.header("request-id").unwrap().starts_with("req_"));
    assert_eq!(answer.header("x-dwell-ignored"), Some("top_k"));
    let request = last(&model);
    assert!(system(&request).contains("Be kind."));
    assert_eq!((&request.raw()["max_tokens"], &request.raw()["temperature"]), (&json!(512), &json!(0.2)));

    let more =
        [user("hello"), assistant(message["content"].clone()), user(json!([{ "type": "text", "text": "again" }]))];
    let answer = post(&server, &with(body(&more), "system", system_text)).await;
    assert_eq!(answer.ok()["content"][0]["text"], "You said: again");
    assert_eq!(turns(&server).await, [2], "the conversation is recognised");

    let schema = json!({ "type": "object", "properties": { "city": { "type": "string" } }, "required": ["city"] });
    let config = json!({ "format": { "type": "json_schema", "schema": schema } });
    model.push(Reply::text("{\"city\":\"Oslo\"}"));
    let asked = with(body(&[user("Which city?")]), "output_config", config);
    let asked = with(asked, "metadata", json!({ "user_id": "ada" }));
    let answer = post(&server, &asked).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let turn = server.rest().get(&format!("/api/v1/turns/{}", answer.header("x-dwell-turn").unwrap())).await.ok();
    assert_eq!(turn["request"]["response_schema"], schema, "{turn}");

    // What one user says is one session, also if the name is too long for one.
    let long = json!({ "user_id": "x".repeat(500) });
    for metadata in [json!({ "user_id": "ada" }), long.clone(), long] {
        post(&server, &with(body(&[user("hello")]), "metadata", metadata)).await.ok();
    }
    assert_eq!(turns(&server).await, [2, 2, 2]);
    let named = call(&server, PATH, &body(&[user("hello")]), &[("x-dwell-session", "mine")]).await;
    assert_eq!((named.status, turns(&server).await.len()), (200, 4));
}

#[tokio::test]
async fn a_stream_has_events_for_every_block() {
    let (model, _program, server) = started().await;
    model.push(Reply::reasoning("A greeting, then.").then_text("Good morning.").usage(11, 6));
    let asked = with(body(&[user("hello")]), "stream", json!(true));
    let asked = with(asked, "thinking", json!({ "type": "adaptive" }));
    let answer = post(&server, &asked).await;
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("text/event-stream")));
    let events = answer.events();
    let start = &events[0]["message"];
    assert_eq!(
        (&events[0]["type"], &start["content"], &start["stop_reason"]),
        (&json!("message_start"), &json!([]), &Value::Null)
    );
    assert!(events.iter().any(|event| event["type"] == "ping"));
    let joined = |index: u64, field: &str| -> String {
        events
            .iter()
            .filter(|event| event["index"] == index)
            .filter_map(|event| event["delta"][field].as_str())
            .collect()
    };
    assert_eq!((joined(0, "thinking").as_str(), joined(1, "text").as_str()), ("A greeting, then.", "Good morning."));
    let opened: Vec<&Value> = events
        .iter()
        .filter(|event| event["type"] == "content_block_start")
        .map(|event| &event["content_block"]["type"])
        .collect();
    assert_eq!(opened, [&json!("thinking"), &json!("text")]);
    assert_eq!(events.iter().filter(|event| event["type"] == "content_block_stop").count(), 2);
    let [.., delta, stop] = events.as_slice() else { panic!("too few events") };
    assert_eq!((&delta["type"], &delta["delta"]["stop_reason"]), (&json!("message_delta"), &json!("end_turn")));
    assert_eq!((&delta["usage"]["input_tokens"], &delta["usage"]["output_tokens"]), (&json!(11), &json!(6)));
    assert_eq!(*stop, json!({ "type": "message_stop" }));

    // The same whole, and the blocks of the answer come back as they were given.
    model.push(Reply::reasoning("Again.").then_text("Good evening.").usage(11, 6));
    let asked = with(body(&[user("good evening")]), "thinking", json!({ "type": "adaptive" }));
    let message = post(&server, &asked).await.ok();
    assert_eq!(message["content"][0], json!({ "type": "thinking", "thinking": "Again.", "signature": "" }));
    assert_eq!(message["content"][1]["text"], "Good evening.");
    let more = [user("good evening"), assistant(message["content"].clone()), user("thanks")];
    model.push(Reply::reasoning("Silently.").then_text("Welcome.").finishing("length"));
    let message = post(&server, &body(&more)).await.ok();
    assert_eq!(message["content"], json!([{ "type": "text", "text": "Welcome." }]), "reasoning was not asked for");
    assert_eq!(message["stop_reason"], "max_tokens");
    assert_eq!(turns(&server).await, [2, 1]);

    for stream in [false, true] {
        model.push(Reply::text("").finishing("content_filter"));
        let asked = with(body(&[user("something bad")]), "stream", json!(stream));
        let answer = post(&server, &asked).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let end = if stream {
            let delta = answer.events().into_iter().find(|event| event["type"] == "message_delta");
            delta.unwrap()["delta"].clone()
        } else {
            answer.json()
        };
        assert_eq!(
            (&end["stop_reason"], &end["stop_details"]["type"]),
            (&json!("refusal"), &json!("refusal")),
            "{end}"
        );
    }
}

#[tokio::test]
async fn tokens_are_counted_and_models_listed_in_its_own_form() {
    let (model, _program, server) = started().await;
    let count = async |body: Value| {
        let answer = call(&server, "/v1/messages/count_tokens", &body, &[]).await.ok();
        answer["input_tokens"].as_u64().unwrap()
    };
    let short = json!({ "model": "dwell", "messages": [user("Hello, world!")] });
    let few = count(short.clone()).await;
    assert!((4..10).contains(&few), "four tokens of text and the frame of a message: {few}");
    let longer = with(short.clone(), "system", json!("Be brief and kind."));
    assert!(count(longer.clone()).await > few);
    let tool = json!([{ "name": "get_weather", "description": "The weather.", "input_schema": { "type": "object" } }]);
    let with_tools = count(with(longer.clone(), "tools", tool)).await;
    assert!(with_tools > count(longer).await);
    let blocks = json!([
        { "type": "image", "source": { "type": "url", "url": "https://example.org/a.png" } },
        { "type": "text", "text": "Hello, world!" },
    ]);
    assert!(count(with(short, "messages", json!([user(blocks)]))).await > few + 100, "an image counts too");
    assert_eq!(model.requests().len(), 0, "no model is asked");

    let version = [("anthropic-version", "2023-06-01"), ("x-api-key", TOKEN)];
    let rest = server.rest_as(None);
    let models = rest.call(Method::GET, "/v1/models", None, &version).await.ok();
    let first = &models["data"][0];
    assert_eq!((&first["id"], &first["type"], &models["has_more"]), (&json!("dwell"), &json!("model"), &json!(false)));
    assert!(first["display_name"].is_string() && first["max_input_tokens"].is_u64(), "{first}");
    assert_eq!(
        (&models["first_id"], &models["last_id"]),
        (&first["id"], &models["data"].as_array().unwrap().last().unwrap()["id"])
    );
    let name = models["data"][1]["id"].as_str().unwrap();
    assert_eq!(rest.call(Method::GET, &format!("/v1/models/{name}"), None, &version).await.ok()["id"], name);
    let unknown = rest.call(Method::GET, "/v1/models/claude-9", None, &version).await;
    assert_eq!((unknown.status, &unknown.body["error"]["type"]), (404, &json!("not_found_error")));
    let openai = server.rest().get("/v1/models").await.ok();
    assert_eq!(openai["object"], "list", "without the header it is OpenAI's form");
}
