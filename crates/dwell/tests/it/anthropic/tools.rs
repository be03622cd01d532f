//! Client tools over Anthropic's API: calls are blocks of an answer, results blocks of a message.

use serde_json::{Value, json};
use testkit::{ModelServer, Reply, RunningServer, ToolCall};

use super::{assistant, body, post, user, with};
use crate::{
    harness::{last, results, shown},
    openai::turns,
    started,
};

fn tool(name: &str) -> Value {
    let schema = json!({ "type": "object", "properties": { "city": { "type": "string" } } });
    json!({ "name": name, "description": "Says something about a city.", "input_schema": schema })
}

fn offering(messages: &[Value]) -> Value {
    with(body(messages), "tools", json!([tool("get_weather"), tool("get_time")]))
}

fn weather(id: &str, city: &str) -> ToolCall {
    ToolCall::new(id, "get_weather", json!({ "city": city }))
}

/// The messages up to two calls, and the ids of the calls.
async fn asking(model: &ModelServer, server: &RunningServer) -> (Vec<Value>, Vec<String>) {
    model.push(Reply::text("Let me see.").then_tool_calls([weather("c1", "Oslo"), weather("c2", "Rome")]));
    let question = user("How is the weather?");
    let message = post(server, &offering(std::slice::from_ref(&question))).await.ok();
    assert_eq!(message["stop_reason"], "tool_use", "{message}");
    let blocks = message["content"].as_array().unwrap();
    assert_eq!(blocks[0], json!({ "type": "text", "text": "Let me see." }));
    let calls: Vec<&Value> = blocks.iter().filter(|block| block["type"] == "tool_use").collect();
    assert_eq!(
        (calls.len(), &calls[1]["name"], &calls[1]["input"]),
        (2, &json!("get_weather"), &json!({ "city": "Rome" }))
    );
    let ids: Vec<String> = calls.iter().map(|call| call["id"].as_str().unwrap().to_owned()).collect();
    assert!(ids.iter().all(|id| id.starts_with("toolu_")), "{ids:?}");
    (vec![question, assistant(message["content"].clone())], ids)
}

fn result(id: &str, content: impl Into<Value>) -> Value {
    json!({ "type": "tool_result", "tool_use_id": id, "content": content.into() })
}

#[tokio::test]
async fn a_round_trip_continues_the_same_turn_also_after_a_kill() {
    let (model, program, server) = started().await;
    let (mut messages, ids) = asking(&model, &server).await;
    let missing = [messages.as_slice(), &[user(json!([result(&ids[0], "snow")]))]].concat();
    let refused = post(&server, &offering(&missing)).await;
    assert_eq!(refused.status, 400);
    assert!(refused.text.contains(&ids[1]), "the missing result is named: {}", refused.text);
    server.kill().await;

    let server = program.start().await;
    let mut failed = result(&ids[1], json!([{ "type": "text", "text": "out of order" }]));
    failed["is_error"] = json!(true);
    messages.push(user(json!([result(&ids[0], "snow"), failed])));
    model.push(Reply::text("Snow."));
    let answer = post(&server, &offering(&messages)).await;
    let message = answer.ok();
    assert_eq!((&message["content"][0]["text"], &message["stop_reason"]), (&json!("Snow."), &json!("end_turn")));
    let request = last(&model);
    let told = results(&request);
    assert!(told[0].1 == "snow" && told[1].1.contains("out of order"), "{told:?}");
    assert_eq!(turns(&server).await, [1]);
    let turn = server.rest().get(&format!("/api/v1/turns/{}", answer.header("x-dwell-turn").unwrap())).await.ok();
    assert_eq!(turn["stats"]["errors"], 1, "the failed call counts as failed: {turn}");
    assert_eq!(model.violations(), Vec::<String>::new());

    messages.push(assistant(message["content"].clone()));
    messages.push(user("Thanks."));
    post(&server, &offering(&messages)).await.ok();
    assert_eq!(turns(&server).await, [2], "with its blocks the conversation is recognised");
}

#[tokio::test]
async fn a_streamed_call_comes_as_json_in_pieces() {
    let (model, _program, server) = started().await;
    model.push(Reply::text("Let me see.").then_tool_calls([weather("c1", "Oslo"), weather("c2", "Rome")]));
    let asked = with(offering(&[user("How is the weather there?")]), "stream", json!(true));
    let events = post(&server, &asked).await.events();
    for (index, city) in [(1, "Oslo"), (2, "Rome")] {
        let of: Vec<&Value> = events.iter().filter(|event| event["index"] == index).collect();
        assert_eq!(
            (&of[0]["content_block"]["name"], &of[0]["content_block"]["input"]),
            (&json!("get_weather"), &json!({}))
        );
        let json: String = of.iter().filter_map(|event| event["delta"]["partial_json"].as_str()).collect();
        assert_eq!(serde_json::from_str::<Value>(&json).unwrap(), json!({ "city": city }));
        assert_eq!(of.last().unwrap()["type"], "content_block_stop");
    }
    let delta = events.iter().find(|event| event["type"] == "message_delta").unwrap();
    assert_eq!(delta["delta"]["stop_reason"], "tool_use");

    let (mut messages, ids) = asking(&model, &server).await;
    let beside = json!({ "type": "text", "text": "In one word, please." });
    messages.push(user(json!([result(&ids[0], "snow"), result(&ids[1], "sun"), beside])));
    model.push(Reply::text("Mixed."));
    let answer = post(&server, &with(offering(&messages), "stream", json!(true))).await;
    let text: String = answer.events().iter().filter_map(|event| event["delta"]["text"].as_str()).collect();
    assert_eq!(text, "Mixed.", "{}", answer.text);
    assert!(last(&model).last_user().starts_with("In one word, please."));
}

#[tokio::test]
async fn a_choice_is_passed_on() {
    let (model, _program, server) = started().await;
    let asked = offering(&[user("How is the weather?")]);
    let single = json!({ "type": "any", "disable_parallel_tool_use": true });
    model.push(Reply::tool_calls([weather("c1", "Oslo"), weather("c2", "Rome")]));
    let message = post(&server, &with(asked.clone(), "tool_choice", single)).await.ok();
    assert_eq!(message["content"].as_array().unwrap().len(), 1, "one at a time: {message}");
    assert_eq!(last(&model).raw()["tool_choice"], "required");

    let named = json!({ "type": "tool", "name": "get_time" });
    model.push(Reply::tool_calls([ToolCall::new("c1", "get_time", json!({}))]));
    let asked = with(offering(&[user("What time is it?")]), "tool_choice", named);
    post(&server, &asked).await.ok();
    assert_eq!(last(&model).raw()["tool_choice"]["function"]["name"], "get_time");

    let none = with(offering(&[user("Say hello.")]), "tool_choice", json!({ "type": "none" }));
    post(&server, &none).await.ok();
    assert!(!shown(&last(&model)).contains(&"get_time".to_owned()));
}
