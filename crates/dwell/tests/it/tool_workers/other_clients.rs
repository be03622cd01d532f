//! Clients that only send messages do not notice that a worker runs some of the tools.

use serde_json::json;
use testkit::{Reply, ToolCall};

use super::{answer, has_received, next, script, tool, waiting, worker};
use crate::{
    harness::{last, results, session_with, shown, steps},
    openai::{PATH, assistant, user},
    openai_tools, started,
};

#[tokio::test]
async fn a_worker_answers_calls_of_sessions_that_others_start() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let mut weather = worker(&server, "weather", &[tool("get_weather", "at_most_once")]).await;
    let listed = rest.get("/api/v1/tools").await.ok();
    let listed = listed["data"].as_array().unwrap().iter().find(|tool| tool["name"] == "get_weather").unwrap().clone();
    assert_eq!((&listed["worker"], &listed["effect"]), (&json!("weather"), &json!("at_most_once")));

    script(&model, "c1", "get_weather", "Snow in Oslo.");
    let session = rest.session().await;
    let mut follower = server.socket().await;
    follower.ask("session.resume", json!({ "session_id": session })).await.unwrap();
    let turn_id = rest.send(&session, "How is the weather?").await;
    let call = next(&mut weather, "tool.call").await;
    let told = json!([call["session_id"], call["turn_id"], call["call_id"], call["tool"], call["arguments"]]);
    assert_eq!(told, json!([session, turn_id, "c1", "get_weather", { "city": "Oslo" }]));
    assert_eq!((&call["agent_id"], &call["redelivered"]), (&json!("main"), &json!(false)));
    assert!(!call["key"].as_str().unwrap().is_empty() && call["until"].is_string(), "{call}");
    let turn = rest.get(&format!("/api/v1/turns/{turn_id}")).await.ok();
    assert!(["running", "streaming"].contains(&turn["status"].as_str().unwrap()), "it goes on: {}", turn["status"]);
    assert_eq!(turn["calls_waiting"][0]["served"], true);
    assert_eq!(steps(&turn, "observed_event")[0]["worker"], "weather", "delivered is journaled: {turn}");

    let progress = json!({
        "turn_id": turn_id, "call_id": "c1", "message": "asking sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD",
        "progress": 0.5,
    });
    assert_eq!(weather.ask("tool.progress", progress.clone()).await.unwrap()["shown"], true);
    let seen = next(&mut follower, "tool.progress").await;
    assert_eq!((&seen["call_id"], &seen["progress"]), (&json!("c1"), &json!(0.5)));
    assert!(!seen.to_string().contains("sk-proj-abc"), "secrets are redacted: {seen}");
    let mut wrong = progress.clone();
    wrong["progress"] = json!(2);
    assert_eq!(weather.ask("tool.progress", wrong).await.unwrap_err()["code"], "invalid_request");
    let refused = follower.ask("tool.progress", progress).await.unwrap_err();
    assert!(refused["message"].as_str().unwrap().contains("no such call"), "only the worker's own: {refused}");

    answer(&mut weather, &call, "snow").await;
    let ended = rest.ended(&turn_id).await;
    assert_eq!((&ended["status"], &ended["text"]), (&json!("completed"), &json!("Snow in Oslo.")));
    assert_eq!(results(&last(&model)), [("c1".to_owned(), "snow".to_owned())]);
    assert!(shown(&last(&model)).contains(&"get_weather".to_owned()));
    let seen = follower.until_end_of(&json!(turn_id)).await;
    assert!(seen.iter().all(|message| message["data"]["status"] != "waiting"), "clients see a turn at work");
    assert!(!has_received(&mut weather, "tool.cancel").await, "its own answer cancels nothing");
    assert_eq!(answer(&mut weather, &call, "sun").await["duplicate"], true);

    weather.ask("tool.serve", json!({ "tools": [] })).await.unwrap();
    rest.ended(&rest.send(&session, "Thanks.").await).await;
    assert!(!shown(&last(&model)).contains(&"get_weather".to_owned()), "no longer served, no longer offered");
}

#[tokio::test]
async fn a_client_of_openais_api_sees_the_answer_and_its_own_calls_only() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let mut sensors =
        worker(&server, "sensors", &[tool("get_indoor", "idempotent"), tool("get_weather", "idempotent")]).await;
    script(&model, "c1", "get_indoor", "It is 21 degrees.");
    let asked = json!({ "model": "dwell", "messages": [user("How warm is it?")] });
    let (answered, call) = tokio::join!(rest.post(PATH, asked), async {
        let call = next(&mut sensors, "tool.call").await;
        answer(&mut sensors, &call, "21").await;
        call
    });
    let choice = &answered.ok()["choices"][0];
    assert_eq!(
        (&choice["finish_reason"], &choice["message"]["content"]),
        (&json!("stop"), &json!("It is 21 degrees."))
    );
    assert!(choice["message"]["tool_calls"].is_null() && call["tool"] == "get_indoor");

    // The client's own tool of the same name is the client's; both sides are called in one round.
    let both = [("c2", "get_weather"), ("c3", "get_indoor")];
    model.push(Reply::tool_calls(both.map(|(id, tool)| ToolCall::new(id, tool, json!({ "city": "Oslo" })))));
    let mut messages = vec![
        user("How warm is it?"),
        assistant("It is 21 degrees."),
        user("And how is it outside, compared to inside?"),
    ];
    let body =
        |messages: &[serde_json::Value]| json!({ "messages": messages, "tools": [openai_tools::tool("get_weather")] });
    let choice = rest.post(PATH, body(&messages)).await.ok()["choices"][0].clone();
    assert_eq!(choice["finish_reason"], "tool_calls");
    let calls = choice["message"]["tool_calls"].as_array().unwrap().clone();
    assert_eq!((calls.len(), &calls[0]["function"]["name"]), (1, &json!("get_weather")), "{choice}");
    let call = next(&mut sensors, "tool.call").await;
    assert_eq!((&call["call_id"], &call["tool"]), (&json!("c3"), &json!("get_indoor")));
    messages.push(choice["message"].clone());
    messages.push(json!({ "role": "tool", "tool_call_id": calls[0]["id"], "content": "snow" }));
    model.push(Reply::text("Snow outside, 22 inside."));
    let (answered, _) = tokio::join!(rest.post(PATH, body(&messages)), answer(&mut sensors, &call, "22"));
    assert_eq!(answered.ok()["choices"][0]["message"]["content"], "Snow outside, 22 inside.");
    assert_eq!(results(&last(&model)).len(), 3, "c1 of the earlier turn, c2 and c3");
    assert_eq!(model.violations(), Vec::<String>::new());
}

#[tokio::test]
async fn another_owner_and_a_forbidden_session_have_nothing_of_it() {
    let (model, program, server) = started().await;
    let ada = crate::owners::add(&program, "ada").await;
    let mut other = server.socket_as(&ada).await;
    let served = json!({ "tools": [tool("get_weather", "idempotent")], "worker": "ada" });
    other.ask("tool.serve", served).await.unwrap();
    let rest = server.rest();
    let session = rest.session().await;
    rest.ended(&rest.send(&session, "Hello.").await).await;
    assert!(!shown(&last(&model)).contains(&"get_weather".to_owned()), "another owner's tools are not offered");

    let mut weather = worker(&server, "weather", &[tool("get_weather", "idempotent")]).await;
    let strict = session_with(&rest, json!({ "policy": { "deny": ["get_*"] } })).await;
    script(&model, "c1", "get_weather", "I cannot.");
    let ended = rest.ended(&rest.send(&strict, "How is the weather?").await).await;
    assert_eq!(ended["text"], "I cannot.");
    assert!(!shown(&last(&model)).contains(&"get_weather".to_owned()), "policy denies it");
    let result = &results(&last(&model))[0].1;
    assert!(result.contains("get_weather"), "and a call of it is refused: {result}");
    assert!(!has_received(&mut weather, "tool.call").await);

    script(&model, "c2", "get_weather", "Snow.");
    let turn_id = rest.send(&session, "How is the weather?").await;
    let call = next(&mut weather, "tool.call").await;
    assert!(!has_received(&mut other, "tool.call").await, "a worker gets the calls of its own owner");
    let stolen = json!({ "turn_id": turn_id, "results": [{ "call_id": "c2", "content": "sun" }] });
    assert_eq!(other.ask("tool.answer", stolen).await.unwrap_err()["code"], "not_found");
    assert_eq!(waiting(&rest, &turn_id).await["calls_waiting"][0]["call_id"], "c2");
    answer(&mut weather, &call, "snow").await;
    assert_eq!(rest.ended(&turn_id).await["text"], "Snow.");
}
