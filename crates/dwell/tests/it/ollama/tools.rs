//! Client tools over Ollama's API, which has no call ids.

use serde_json::{Value, json};
use testkit::{Reply, ToolCall};

use super::{address, chat, post, sessions};
use crate::{
    harness::{last, results, shown},
    openai_tools::tool,
    started,
};

fn asked(messages: Value) -> Value {
    let mut body = chat(messages);
    body["tools"] = json!([tool("get_weather"), tool("get_time")]);
    body
}

/// The tool calls in the lines of an answer, one call a line.
fn calls(lines: &[Value]) -> Vec<Value> {
    lines
        .iter()
        .filter_map(|line| line["message"]["tool_calls"].as_array())
        .map(|calls| {
            assert_eq!(calls.len(), 1);
            // Older clients send back only the function.
            json!({ "function": calls[0]["function"] })
        })
        .collect()
}

#[tokio::test]
async fn a_round_trip_goes_by_what_was_said_also_after_a_kill() {
    let (model, program, server) = started().await;
    let url = format!("{}/api/chat", address(&program).await);
    model.push(Reply::tool_calls([
        ToolCall::new("c1", "get_weather", json!({ "city": "Oslo" })),
        ToolCall::new("c2", "get_time", json!({})),
    ]));
    let first = json!({ "role": "user", "content": "How is the weather?" });
    let (_, lines) = post(&url, asked(json!([first]))).await;
    let calls = calls(&lines);
    assert_eq!(calls[0]["function"], json!({ "name": "get_weather", "arguments": { "city": "Oslo" } }));
    assert_eq!((calls.len(), &lines.last().unwrap()["done"]), (2, &json!(true)));
    assert!(shown(&last(&model)).contains(&"get_time".to_owned()));
    server.kill().await;

    let server = program.start().await;
    let url = format!("{}/api/chat", address(&program).await);
    model.push(Reply::text("Snow at noon."));
    let messages = json!([
        first, { "role": "assistant", "content": "", "tool_calls": calls },
        { "role": "tool", "tool_name": "get_time", "content": "noon" },
        { "role": "tool", "tool_name": "get_weather", "content": "snow" },
    ]);
    let (status, lines) = post(&url, asked(messages.clone())).await;
    let words: String = lines.iter().filter_map(|line| line["message"]["content"].as_str()).collect();
    assert_eq!((status, words.as_str()), (200, "Snow at noon."));
    let told = results(&last(&model));
    assert_eq!(told, [("c1".to_owned(), "snow".to_owned()), ("c2".to_owned(), "noon".to_owned())]);

    let (_, again) = post(&url, asked(messages.clone())).await;
    let words: String = again.iter().filter_map(|line| line["message"]["content"].as_str()).collect();
    assert_eq!((words.as_str(), model.requests().len()), ("Snow at noon.", 2), "sent again, it joins");
    let mut more = messages.as_array().unwrap().clone();
    more.push(json!({ "role": "assistant", "content": "Snow at noon." }));
    more.push(json!({ "role": "user", "content": "Thanks." }));
    post(&url, asked(json!(more))).await;
    assert_eq!(sessions(&server).await, 1, "it is one session");
}

#[tokio::test]
async fn whole_answers_carry_all_calls_and_newer_clients_their_names() {
    let (model, program, _server) = started().await;
    let url = format!("{}/api/chat", address(&program).await);
    let call = |id: &str, city: &str| ToolCall::new(id, "get_weather", json!({ "city": city }));
    model.push(Reply::text("Let me see.").then_tool_calls([call("c1", "Oslo"), call("c2", "Rome")]));
    let first = json!({ "role": "user", "content": "How is the weather?" });
    let mut body = asked(json!([first]));
    body["stream"] = json!(false);
    let (_, lines) = post(&url, body.clone()).await;
    let message = &lines[0]["message"];
    assert_eq!((&message["content"], message["tool_calls"].as_array().unwrap().len()), (&json!("Let me see."), 2));

    model.push(Reply::text("Snow and sun."));
    let result = |at: usize, content: &str| json!({ "role": "tool", "tool_call_id": message["tool_calls"][at]["id"], "content": content });
    body["messages"] = json!([first, message, result(1, "sun"), result(0, "snow")]);
    let (_, lines) = post(&url, body).await;
    assert_eq!(lines[0]["message"]["content"], "Snow and sun.");
    assert_eq!(results(&last(&model))[0], ("c1".to_owned(), "snow".to_owned()));
}

#[tokio::test]
async fn what_cannot_be_honoured_is_refused() {
    let (model, program, _server) = started().await;
    let url = format!("{}/api/chat", address(&program).await);
    let hello = json!([{ "role": "user", "content": "hello" }]);
    for (name, value) in
        [("format", json!("yaml")), ("options", json!({ "stop": 7 })), ("tools", json!([{ "type": "x" }]))]
    {
        let mut body = chat(hello.clone());
        body[name] = value;
        let (status, lines) = post(&url, body).await;
        assert!(status == 400 && lines[0]["error"].is_string(), "{name}: {lines:?}");
    }
    let called = json!([{ "function": { "name": "get_weather", "arguments": {} } }]);
    let lost = json!([
        { "role": "user", "content": "hello" }, { "role": "assistant", "content": "", "tool_calls": called },
        { "role": "tool", "content": "snow" },
    ]);
    let (status, lines) = post(&url, asked(lost)).await;
    assert!(status == 400 && lines[0]["error"].as_str().unwrap().contains("no turn in this conversation"), "{lines:?}");
    assert!(model.requests().is_empty());
}

#[tokio::test]
async fn the_key_answers_calls_of_this_door_only() {
    let (model, program, server) = started().await;
    model.push(Reply::tool_calls([ToolCall::new("c1", "get_weather", json!({ "city": "Oslo" }))]));
    let first = json!({ "role": "user", "content": "How is the weather?" });
    let named = json!({ "user": "ada", "messages": [first], "tools": [tool("get_weather")] });
    let asked = server.rest().post("/v1/chat/completions", named).await.ok()["choices"][0]["message"].clone();
    let result = json!({ "role": "tool", "tool_call_id": asked["tool_calls"][0]["id"], "content": "snow" });
    let url = format!("{}/api/chat", address(&program).await);
    let mut told = asked.clone();
    told["content"] = json!("");
    let (status, lines) = post(&url, chat(json!([first, told, result]))).await;
    assert!(status == 404 && lines[0]["error"].is_string(), "{lines:?}");
    assert_eq!(model.requests().len(), 1);
}
