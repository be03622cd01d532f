//! Client tools over OpenAI's API: the turn waits while the client runs them, also across a restart
//! of the server, and continues with their results, once.

use reqwest::Method;
use serde_json::{Value, json};
use testkit::{ModelServer, Reply, RestClient, RunningServer, ToolCall};

use crate::{
    harness::{harness, last, results, shown, steps},
    openai::{PATH, assistant, pieces, turns, user},
    started,
};

/// A tool that the client runs.
pub(crate) fn tool(name: &str) -> Value {
    let parameters = json!({ "type": "object", "properties": { "city": { "type": "string" } } });
    json!({ "type": "function", "function": { "name": name, "description": "Of the client.", "parameters": parameters } })
}

fn body(messages: &[Value]) -> Value {
    json!({ "model": "dwell", "messages": messages, "tools": [tool("get_weather"), tool("get_time")] })
}

fn weather(id: &str, city: &str) -> ToolCall {
    ToolCall::new(id, "get_weather", json!({ "city": city }))
}

fn result(call: &Value, content: &str) -> Value {
    json!({ "role": "tool", "tool_call_id": call["id"], "content": content })
}

/// The one choice of an answer.
async fn choice(rest: &RestClient, body: Value) -> Value {
    rest.post(PATH, body).await.ok()["choices"][0].clone()
}

/// A conversation whose last answer asks for the weather, and its tool calls.
async fn asking(model: &ModelServer, rest: &RestClient) -> (Vec<Value>, Vec<Value>) {
    model.push(Reply::text("Let me see.").then_tool_calls([weather("c1", "Oslo"), weather("c2", "Rome")]));
    let mut messages = vec![user("How is the weather?")];
    let asked = choice(rest, body(&messages)).await;
    assert_eq!(asked["finish_reason"], "tool_calls");
    messages.push(asked["message"].clone());
    let calls = asked["message"]["tool_calls"].as_array().unwrap().clone();
    (messages, calls)
}

fn answered(messages: &[Value], calls: &[Value], contents: &[&str]) -> Vec<Value> {
    let results = calls.iter().zip(contents).map(|(call, content)| result(call, content));
    messages.iter().cloned().chain(results).collect()
}

async fn only_turn(server: &RunningServer) -> Value {
    let rest = server.rest();
    let session = rest.get("/api/v1/sessions").await.ok()["data"][0]["session_id"].as_str().unwrap().to_owned();
    rest.get(&format!("/api/v1/sessions/{session}/turns")).await.ok()["data"][0].clone()
}

#[tokio::test]
async fn a_whole_round_trip_is_one_turn() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let (messages, calls) = asking(&model, &rest).await;
    assert_eq!(messages[1]["content"], "Let me see.");
    assert_eq!((calls.len(), &calls[0]["type"]), (2, &json!("function")));
    assert_eq!(calls[0]["function"], json!({ "name": "get_weather", "arguments": "{\"city\":\"Oslo\"}" }));
    assert_ne!(calls[0]["id"], calls[1]["id"]);
    let offered = shown(&last(&model));
    assert!(offered.contains(&"get_weather".to_owned()) && offered.contains(&"calculator".to_owned()), "{offered:?}");

    model.push(Reply::text("Snow in Oslo, sun in Rome.").usage(20, 7));
    let messages = answered(&messages, &calls, &["snow", "sun"]);
    let answer = rest.post(PATH, body(&messages)).await.ok();
    assert_eq!(answer["choices"][0]["message"]["content"], "Snow in Oslo, sun in Rome.", "only what is new");
    assert_eq!(answer["choices"][0]["finish_reason"], "stop");
    let usage = json!({
        "prompt_tokens": 20, "completion_tokens": 7, "total_tokens": 27, "prompt_tokens_details": { "cached_tokens": 0 },
    });
    assert_eq!(answer["usage"], usage);
    let told = results(&last(&model));
    assert_eq!(told, [("c1".to_owned(), "snow".to_owned()), ("c2".to_owned(), "sun".to_owned())]);
    let turn = only_turn(&server).await;
    assert_eq!(
        (&turn["status"], &turn["text"]),
        (&json!("completed"), &json!("Let me see.\n\nSnow in Oslo, sun in Rome."))
    );
    assert!(steps(&turn, "tool_result").iter().all(|step| step["origin"] == "untrusted"));

    let more = [messages.as_slice(), &[assistant("Snow in Oslo, sun in Rome."), user("Thanks.")]].concat();
    choice(&rest, body(&more)).await;
    assert_eq!(turns(&server).await, [2], "and the conversation goes on in the same session");
    assert_eq!(model.violations(), Vec::<String>::new());
}

#[tokio::test]
async fn in_pieces_each_call_is_one() {
    let (model, _program, server) = started().await;
    model.push(Reply::text("Let me see.").then_tool_calls([weather("c1", "Oslo"), weather("c2", "Rome")]));
    let mut messages = vec![user("How is the weather?")];
    let mut streamed = body(&messages);
    streamed["stream"] = json!(true);
    streamed["stream_options"] = json!({ "include_usage": true });
    let told = pieces(&server, streamed.clone()).await;
    assert_eq!(told.last().unwrap(), "[DONE]");
    let parsed: Vec<Value> = told[..told.len() - 1].iter().map(|piece| serde_json::from_str(piece).unwrap()).collect();
    assert_eq!(parsed[0]["choices"][0]["delta"], json!({ "role": "assistant", "content": "" }));
    let [.., first, second, end, usage] = parsed.as_slice() else { panic!("{told:?}") };
    let calls: Vec<Value> =
        [first, second].map(|piece| piece["choices"][0]["delta"]["tool_calls"].clone()).into_iter().collect();
    for (index, (call, city)) in calls.iter().zip(["Oslo", "Rome"]).enumerate() {
        assert_eq!((call.as_array().unwrap().len(), &call[0]["index"]), (1, &json!(index)));
        assert_eq!(call[0]["function"]["arguments"], json!({ "city": city }).to_string());
    }
    assert_eq!((&end["choices"][0]["delta"], &end["choices"][0]["finish_reason"]), (&json!({}), &json!("tool_calls")));
    assert!(usage["usage"]["total_tokens"].as_u64().unwrap() > 0);

    messages.push(json!({ "role": "assistant", "content": "Let me see.", "tool_calls": [calls[0][0], calls[1][0]] }));
    messages.push(result(&calls[0][0], "snow"));
    messages.push(result(&calls[1][0], "sun"));
    model.push(Reply::text("Snow and sun."));
    streamed["messages"] = json!(messages);
    let told = pieces(&server, streamed).await;
    let parsed: Vec<Value> = told[..told.len() - 1].iter().map(|piece| serde_json::from_str(piece).unwrap()).collect();
    assert_ne!(parsed[0]["id"], first["id"], "clients tell their messages apart by it");
    let words: String = parsed.iter().filter_map(|piece| piece["choices"][0]["delta"]["content"].as_str()).collect();
    assert_eq!(words, "Snow and sun.");
    assert_eq!(turns(&server).await, [1]);
}

#[tokio::test]
async fn a_turn_that_waits_for_its_client_outlives_the_program() {
    let (model, program, server) = started().await;
    let (messages, calls) = asking(&model, &server.rest()).await;
    server.kill().await;
    let server = program.start().await;
    let turn = only_turn(&server).await;
    assert_eq!((&turn["status"], &turn["reason"]), (&json!("waiting"), &json!("client_tools")));
    let waiting: Vec<&Value> = turn["calls_waiting"].as_array().unwrap().iter().map(|call| &call["call_id"]).collect();
    assert_eq!(waiting, ["c1", "c2"]);
    assert_eq!(model.requests().len(), 1, "the model is not asked again");

    model.push(Reply::text("Snow and sun."));
    let answer = choice(&server.rest(), body(&answered(&messages, &calls, &["snow", "sun"]))).await;
    assert_eq!(answer["message"]["content"], "Snow and sun.");
    assert_eq!(only_turn(&server).await["text"], "Let me see.\n\nSnow and sun.");
}

#[tokio::test]
async fn results_that_are_sent_again_join_and_nothing_runs_twice() {
    let (model, program, server) = started().await;
    let (messages, calls) = asking(&model, &server.rest()).await;
    let messages = answered(&messages, &calls, &["snow", "sun"]);
    model.push(Reply::text("Snow and sun."));
    let (one, other) = (server.rest(), server.rest());
    let (first, second) = tokio::join!(choice(&one, body(&messages)), choice(&other, body(&messages)));
    assert_eq!(
        (&first["message"]["content"], &second["message"]["content"]),
        (&json!("Snow and sun."), &first["message"]["content"])
    );
    server.stop().await;
    let server = program.start().await;
    let third = choice(&server.rest(), body(&messages)).await;
    assert_eq!(third["message"]["content"], "Snow and sun.", "also after the turn has ended, and a restart");
    assert_eq!((model.requests().len(), turns(&server).await), (2, vec![1]));
    let turn = only_turn(&server).await;
    assert_eq!(steps(&turn, "tool_result").len(), 2);
}

#[tokio::test]
async fn something_else_said_instead_ends_the_turn_that_waits() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let (mut messages, _) = asking(&model, &rest).await;
    messages.push(user("Never mind. Say hello."));
    let answer = choice(&rest, body(&messages)).await;
    assert_eq!(answer["message"]["content"], "You said: Never mind. Say hello.");
    assert_eq!(turns(&server).await, [2], "in the same session");
    let turn = only_turn(&server).await;
    assert_eq!((&turn["status"], turn["calls_waiting"].is_null()), (&json!("cancelled"), true));
    let told = results(&last(&model));
    assert!(told.len() == 2 && told[0].1.contains("handed to the client"), "every call has a result: {told:?}");
    assert_eq!(model.violations(), Vec::<String>::new());

    messages.push(answer["message"].clone());
    messages.push(user("And again."));
    choice(&rest, body(&messages)).await;
    assert_eq!(turns(&server).await, [3], "what came to nothing is recognised too");
}

#[tokio::test]
async fn a_request_that_is_sent_again_is_given_the_same_calls() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    model.push(Reply::tool_calls([weather("c1", "Oslo")]));
    let mut named = body(&[user("How is the weather?")]);
    named["user"] = json!("ada");
    let (first, again) = (choice(&rest, named.clone()).await, choice(&rest, named.clone()).await);
    assert_eq!((&first, first["message"]["content"].is_null()), (&again, true));
    assert_eq!(model.requests().len(), 1);
    let calls = first["message"]["tool_calls"].as_array().unwrap();
    named["messages"] = json!(answered(&[user("How is the weather?"), first["message"].clone()], calls, &["snow"]));
    model.push(Reply::text("Snow."));
    assert_eq!(choice(&rest, named).await["message"]["content"], "Snow.");
}

#[tokio::test]
async fn tools_of_both_sides_can_be_called_at_once() {
    let harness = harness().await;
    let rest = harness.server.rest();
    let own = ToolCall::new("c2", "calculator", json!({ "expression": "6*7" }));
    harness.model.push(Reply::tool_calls([weather("c1", "Oslo"), own, weather("c3", "Rome")]));
    let asked = choice(&rest, body(&[user("How is the weather, and what is 6 times 7?")])).await;
    let calls = asked["message"]["tool_calls"].as_array().unwrap().clone();
    assert_eq!(calls.len(), 2, "only the client's are handed out: {asked}");
    let messages = [user("How is the weather, and what is 6 times 7?"), asked["message"].clone()];
    harness.model.push(Reply::tool_calls([ToolCall::new("c4", "book_table", json!({ "note": "inside" }))]));
    let answer = choice(&rest, body(&answered(&messages, &calls, &["snow", "sun"]))).await;
    let told = results(&last(&harness.model));
    let ids: Vec<&str> = told.iter().map(|(id, _)| id.as_str()).collect();
    assert!(ids == ["c1", "c2", "c3"] && told[1].1.contains("42") && told[2].1 == "sun", "{told:?}");
    // The results of client tools are untrusted, so actions that follow from them need approval.
    let question = answer["message"]["content"].as_str().unwrap();
    assert!(question.contains("book_table") && question.contains("dwell approvals answer"), "{question}");
    assert_eq!(harness.tool_server.effects("book_table"), 0);
}

#[tokio::test]
async fn what_is_said_beside_the_results_goes_into_the_turn() {
    let (model, _program, server) = started().await;
    let (messages, calls) = asking(&model, &server.rest()).await;
    let mut messages = answered(&messages, &calls, &["snow", "sun"]);
    messages.push(user("In one word, please."));
    model.push(Reply::text("Mixed."));
    let answer = choice(&server.rest(), body(&messages)).await;
    assert_eq!(answer["message"]["content"], "Mixed.");
    let told = last(&model);
    assert_eq!(told.messages().last().unwrap()["role"], "user");
    assert!(told.last_user().starts_with("In one word, please."), "{:?}", told.messages());
    assert_eq!(turns(&server).await, [1]);
}

#[tokio::test]
async fn what_does_not_fit_is_refused_and_named() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let (messages, calls) = asking(&model, &rest).await;
    let refused = async |messages: &[Value]| {
        let answer = rest.post(PATH, body(messages)).await;
        (answer.status, answer.body["error"]["message"].as_str().unwrap_or_default().to_owned())
    };
    let (status, why) = refused(&answered(&messages, &calls[..1], &["snow"])).await;
    assert!(status == 400 && why.contains(calls[1]["id"].as_str().unwrap()), "{why}");
    let strange = [messages.as_slice(), &[result(&json!({ "id": "call_abc" }), "x")]].concat();
    let (status, why) = refused(&strange).await;
    assert!(status == 400 && why.contains("call_abc"), "{why}");
    let nobodys = json!({ "id": "call_01ARZ3NDEKTSV4RRFFQ69G5FAV_0" });
    let (status, _) = refused(&[messages.as_slice(), &[result(&nobodys, "x")]].concat()).await;
    assert_eq!(status, 404, "an unknown turn, or another owner's");
    let beyond = json!({ "id": format!("{}9", calls[0]["id"].as_str().unwrap()) });
    assert_eq!(refused(&[messages.as_slice(), &[result(&beyond, "x")]].concat()).await.0, 400);
    let (status, why) = refused(&[user("hi"), assistant("ho"), result(&calls[0], "x")]).await;
    assert!(status == 400 && why.contains("does not belong to a call"), "{why}");
    let mut elsewhere = body(&answered(&messages, &calls, &["snow", "sun"]));
    elsewhere["user"] = json!("ada");
    rest.post(PATH, json!({ "user": "ada", "messages": [user("hello")] })).await.ok();
    assert_eq!(rest.post(PATH, elsewhere).await.status, 400, "calls of another session");
    assert_eq!(turns(&server).await.iter().sum::<u64>(), 2, "nothing of it was taken up");

    let turn_id = calls[0]["id"].as_str().unwrap().trim_start_matches("call_").trim_end_matches("_0").to_owned();
    rest.post(&format!("/api/v1/turns/{turn_id}/cancel"), json!({})).await.ok();
    let (status, why) = refused(&answered(&messages, &calls, &["snow", "sun"])).await;
    assert!(status == 409 && why.contains("has ended"), "{why}");
}

#[tokio::test]
async fn a_client_that_does_not_come_again_is_not_waited_for_for_ever() {
    let model = ModelServer::start().await;
    let program = crate::program().with_model(&model).with("DWELL_TOOLS_CLIENT_MS", "300");
    let server = program.start().await;
    let (messages, calls) = asking(&model, &server.rest()).await;
    let turn_id = only_turn(&server).await["turn_id"].as_str().unwrap().to_owned();
    let mut frames = server.frames(only_turn(&server).await["session_id"].as_str().unwrap(), 0).await;
    loop {
        let frame = frames.next().await.unwrap();
        if frame.data["type"] == "turn.status" && frame.data["data"]["status"] == "expired" {
            break;
        }
    }
    let turn = server.rest().ended(&turn_id).await;
    assert!(turn["reason"].as_str().unwrap().contains("did not send the results"), "{turn}");
    let late = server.rest().post(PATH, body(&answered(&messages, &calls, &["snow", "sun"]))).await;
    assert_eq!(late.status, 409, "{}", late.body);
}

#[tokio::test]
async fn a_choice_is_passed_on_and_holds_for_its_request() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let mut asked = body(&[user("How is the weather?")]);
    asked["tool_choice"] = json!("required");
    asked["parallel_tool_calls"] = json!(false);
    model.push(Reply::tool_calls([weather("c1", "Oslo"), weather("c2", "Rome")]));
    let first = choice(&rest, asked.clone()).await;
    let calls = first["message"]["tool_calls"].as_array().unwrap().clone();
    assert_eq!(calls.len(), 1, "one at a time");
    assert_eq!(last(&model).raw()["tool_choice"], "required");
    assert_eq!(shown(&last(&model)), ["get_weather", "get_time"], "a call of the client's tools is wanted");

    let messages = answered(&[user("How is the weather?"), first["message"].clone()], &calls, &["snow"]);
    asked["messages"] = json!(messages);
    asked["tool_choice"] = json!({ "type": "function", "function": { "name": "get_time" } });
    model.push(Reply::tool_calls([ToolCall::new("c3", "get_time", json!({}))]));
    let second = choice(&rest, asked.clone()).await;
    assert_eq!(last(&model).raw()["tool_choice"]["function"]["name"], "get_time");
    let calls = second["message"]["tool_calls"].as_array().unwrap().clone();

    asked["messages"] =
        json!(answered(&[messages.as_slice(), &[second["message"].clone()]].concat(), &calls, &["noon"]));
    asked["tool_choice"] = json!("none");
    model.push(Reply::text("Snow at noon."));
    let third = choice(&rest, asked).await;
    assert_eq!(third["message"]["content"], "Snow at noon.");
    let offered = shown(&last(&model));
    assert!(last(&model).raw()["tool_choice"].is_null() && !offered.contains(&"get_time".to_owned()), "{offered:?}");
    assert_eq!(turns(&server).await, [1]);
}

#[tokio::test]
async fn names_that_policy_goes_by_are_not_taken_and_others_are_the_clients() {
    let harness = harness().await;
    let rest = harness.server.rest();
    let offering = |name: &str| json!({ "messages": [user("What is 6 times 7?")], "tools": [tool(name)] });
    let refused = rest.post(PATH, offering("book_table")).await;
    assert!(refused.status == 400 && refused.body["error"]["message"].as_str().unwrap().contains("book_table"));
    harness.model.push(Reply::tool_calls([ToolCall::new("c1", "calculator", json!({ "city": "Oslo" }))]));
    let asked = choice(&rest, offering("calculator")).await;
    assert_eq!(asked["message"]["tool_calls"][0]["function"]["arguments"], "{\"city\":\"Oslo\"}");
    assert_eq!(shown(&last(&harness.model)).iter().filter(|name| *name == "calculator").count(), 1);
}

#[tokio::test]
async fn a_client_that_calls_many_times_has_its_budgets_anew_each_time() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let mut messages = vec![user("Look at twenty cities.")];
    for round in 0..20 {
        model.push(Reply::tool_calls([weather(&format!("c{round}"), "Oslo")]));
        let asked = choice(&rest, body(&messages)).await;
        let calls = asked["message"]["tool_calls"].as_array().unwrap().clone();
        messages.push(asked["message"].clone());
        messages.push(result(&calls[0], "snow"));
    }
    model.push(Reply::text("Snow everywhere."));
    assert_eq!(choice(&rest, body(&messages)).await["message"]["content"], "Snow everywhere.");
    assert_eq!((turns(&server).await, model.requests().len()), (vec![1], 21));
}

#[tokio::test]
async fn without_any_model_a_clients_tools_are_not_called() {
    let program = crate::program();
    let server = program.start().await;
    let rest = server.rest();
    let answer =
        choice(&rest, json!({ "messages": [user("What is 6 times 7?")], "tools": [tool("calculator")] })).await;
    assert!(answer["message"]["content"].as_str().unwrap().contains("42"), "{answer}");
    let mut forced = body(&[user("What is 6 times 7?")]);
    forced["tool_choice"] = json!("required");
    let refused = rest.post(PATH, forced).await;
    assert!(refused.status == 400 && refused.body["error"]["message"].as_str().unwrap().contains("offline"));
}

#[tokio::test]
async fn over_the_websocket_and_rest_clients_bring_tools_too() {
    let (model, _program, server) = started().await;
    let mut socket = server.socket().await;
    let tool = json!({ "name": "get_weather", "input_schema": { "type": "object" } });
    model.push(Reply::tool_calls([weather("c1", "Oslo"), weather("c2", "Rome")]));
    let sent = json!({ "conversation_id": "c", "message": "How is the weather?", "tools": [tool] });
    let accepted = socket.ask("chat.send", sent).await.unwrap();
    let told = socket.until(|message| message["data"]["status"] == "waiting").await;
    assert_eq!(told.last().unwrap()["data"]["reason"], "client_tools");
    let turn_id = accepted["turn_id"].as_str().unwrap().to_owned();
    let turn = socket.ask("turn.get", json!({ "turn_id": turn_id })).await.unwrap();
    assert_eq!(turn["calls_waiting"][1]["arguments"], json!({ "city": "Rome" }));

    model.push(Reply::text("Snow, and no idea."));
    let one = json!({ "turn_id": turn_id, "results": [{ "call_id": "c1", "content": "snow" }] });
    let first = socket.ask("tool.answer", one.clone()).await.unwrap();
    assert_eq!((&first["calls_waiting"], &first["duplicate"]), (&json!(["c2"]), &json!(false)));
    assert_eq!(socket.ask("tool.answer", one).await.unwrap()["duplicate"], true);
    let unknown = json!({ "turn_id": turn_id, "results": [{ "call_id": "c9", "content": "?" }] });
    assert_eq!(socket.ask("tool.answer", unknown).await.unwrap_err()["code"], "invalid_request");

    let path = format!("/api/v1/turns/{turn_id}/tool-results");
    let rest = server.rest();
    let other = json!({ "results": [{ "call_id": "c2", "content": "out of order", "is_error": true }] });
    assert_eq!(rest.post(&path, other.clone()).await.ok()["calls_waiting"], json!([]));
    socket.until_end_of(&json!(turn_id)).await;
    let ended = rest.ended(&turn_id).await;
    assert_eq!((&ended["text"], &ended["stats"]["errors"]), (&json!("Snow, and no idea."), &json!(1)));
    assert_eq!(rest.post(&path, other).await.ok()["duplicate"], true);
    let nobodys = rest.post("/api/v1/turns/01ARZ3NDEKTSV4RRFFQ69G5FAV/tool-results", json!({ "results": [] })).await;
    assert_eq!(nobodys.code(404), "not_found");
}

#[tokio::test]
async fn one_model_can_be_asked_for_by_its_name() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let all = rest.get("/v1/models").await.ok();
    let name = all["data"][1]["id"].as_str().unwrap();
    assert_eq!(rest.get("/v1/models/dwell").await.ok()["object"], "model");
    assert_eq!(rest.get(&format!("/v1/models/{name}")).await.ok()["id"], name, "slashes and all");
    assert_eq!(rest.get(&format!("/v1/models/{}", name.replace('/', "%2F"))).await.ok()["id"], name);
    let unknown = rest.get("/v1/models/gpt-9").await;
    assert_eq!((unknown.status, &unknown.body["error"]["code"]), (404, &json!("model_not_found")));
}

#[tokio::test]
async fn what_one_client_is_told_another_knows() {
    let (model, program, server) = started().await;
    let told = json!({ "user": "ada", "messages": [user("My boiler is serviced by Hartmann.")] });
    server.rest().post(PATH, told).await.ok();
    let waited = json!({ "timeout_ms": 20_000 });
    server.rest().post("/api/v1/memories/await_consistency", waited).await;
    server.stop().await;

    let server = program.start().await;
    let asked = Some(json!({ "messages": [user("Who services my boiler?")] }));
    server.rest().call(Method::POST, PATH, asked, &[("x-dwell-session", "another")]).await.ok();
    let request = last(&model);
    let told: Vec<String> = request.messages().iter().map(|message| message["content"].to_string()).collect();
    assert!(told.iter().any(|content| content.contains("Hartmann")), "{told:?}");
}
