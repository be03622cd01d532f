//! Requests to models: settings by level and by API, the stable prefix of the prompt, the cost
//! budget, and reasoning that is sent back to the provider it came from.

use reqwest::Method;
use serde_json::{Value, json};
use testkit::{ModelServer, Reply, RestClient, ToolCall};

use crate::{
    harness::{last, say, session_with, steps, told},
    program, started,
};

/// The model settings of the newest request.
fn tuning(model: &ModelServer) -> Value {
    let raw = last(model).raw().clone();
    let names = ["temperature", "top_p", "max_tokens", "stop", "seed", "parallel_tool_calls"];
    names.iter().filter(|name| !raw[**name].is_null()).map(|name| ((*name).to_owned(), raw[*name].clone())).collect()
}

/// The detail of the newest plan in a session.
async fn plan(rest: &RestClient, session: &str) -> Value {
    let log = rest.log(session).await;
    let mut plans = log.iter().filter(|event| event["type"] == "turn.stage" && event["data"]["stage"] == "plan");
    plans.next_back().unwrap()["data"]["detail"].clone()
}

#[tokio::test]
async fn the_turn_counts_before_the_agent_the_session_and_the_server() {
    let model = ModelServer::start().await;
    let program = program().with_model(&model);
    let file = program.folder().join("set.toml");
    std::fs::write(&file, "[model.settings]\nseed = 7\ntemperature = 0.1\n").unwrap();
    let server = program.start_with(&["--config", file.to_str().unwrap()]).await;
    let rest = server.rest();
    let settings = json!({
        "model_settings": { "temperature": 0.2, "top_p": 0.9 }, "agent_settings": { "ma*": { "temperature": 0.3 } },
    });
    let session = session_with(&rest, settings).await;
    told(&rest, &session, json!({ "message": "Why is the sky blue?" })).await;
    assert_eq!(tuning(&model), json!({ "temperature": 0.3, "top_p": 0.9, "seed": 7 }));
    let own = json!({ "temperature": 0.4, "stop": ["END"], "max_output_tokens": 64, "parallel_tool_calls": false });
    told(&rest, &session, json!({ "message": "And the sea?", "model_settings": own })).await;
    let expected = json!({
        "temperature": 0.4, "top_p": 0.9, "seed": 7, "stop": ["END"], "max_tokens": 64, "parallel_tool_calls": false,
    });
    assert_eq!(tuning(&model), expected);
    let recorded = &plan(&rest, &session).await["model_settings"];
    assert_eq!((&recorded["temperature"], &recorded["max_output_tokens"]), (&json!(0.4), &json!(64)));
    assert!(recorded.get("reasoning_effort").is_none(), "only what is set: {recorded}");
}

#[tokio::test]
async fn what_a_model_cannot_do_is_refused_by_name_while_the_client_can_correct_it() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let warm = json!({ "temperature": 0.2 });
    let refused = async |path: String, method: Method, body: Value| {
        let answer = rest.call(method, &path, Some(body), &[]).await;
        assert_eq!(answer.code(400), "invalid_request");
        answer.body["message"].as_str().unwrap().to_owned()
    };
    let start = json!({ "model": "openai/o3", "model_settings": warm });
    let message = refused("/api/v1/sessions".to_owned(), Method::POST, start).await;
    assert!(message.contains("openai/o3") && message.contains("`temperature`"), "{message}");

    let session = session_with(&rest, json!({ "model_settings": warm })).await;
    let (one, turns) = (format!("/api/v1/sessions/{session}"), format!("/api/v1/sessions/{session}/turns"));
    refused(one.clone(), Method::PATCH, json!({ "model": "openai/o3" })).await;
    refused(turns.clone(), Method::POST, json!({ "message": "hello", "model": "openai/o3" })).await;
    let effort = json!({ "message": "hello", "model_settings": { "reasoning_effort": "high" } });
    let message = refused(turns.clone(), Method::POST, effort).await;
    assert!(message.contains("`reasoning_effort`"), "{message}");
    let wrong = json!({ "message": "hello", "model_settings": { "temperature": 9 } });
    assert!(refused(turns, Method::POST, wrong).await.contains("`temperature` must be"));
    assert_eq!(model.requests().len(), 0);
}

#[tokio::test]
async fn openais_and_ollamas_clients_set_their_turns() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let messages = json!([{ "role": "user", "content": "Why is the sky blue?" }]);
    let body = json!({
        "model": "dwell", "messages": messages, "temperature": 0.2, "top_p": 0.9, "max_completion_tokens": 64,
        "stop": "END", "seed": 7, "parallel_tool_calls": false,
    });
    rest.post("/v1/chat/completions", body).await.ok();
    let expected = json!({
        "temperature": 0.2, "top_p": 0.9, "max_tokens": 64, "stop": ["END"], "seed": 7, "parallel_tool_calls": false,
    });
    let mut got = tuning(&model);
    got["parallel_tool_calls"] = json!(false);
    assert_eq!(got, expected);
    let options = json!({ "temperature": 0.5, "num_predict": 32, "stop": ["END"], "seed": 9, "num_ctx": 4096 });
    let body = json!({ "model": "dwell", "messages": messages, "stream": false, "options": options, "think": false });
    rest.post("/api/chat", body).await.ok();
    assert_eq!(tuning(&model), json!({ "temperature": 0.5, "max_tokens": 32, "stop": ["END"], "seed": 9 }));

    let body = json!({
        "model": "dwell", "prompt": "Why is the sea blue?", "system": "Be kind.", "stream": false,
        "options": { "temperature": 0.6 },
    });
    let answer = rest.post("/api/generate", body).await.ok();
    assert_eq!(
        (&answer["response"], &answer["done_reason"]),
        (&json!("You said: Why is the sea blue?"), &json!("stop"))
    );
    assert_eq!(tuning(&model), json!({ "temperature": 0.6 }));
    let raw = json!({ "model": "dwell", "prompt": "x", "raw": true });
    assert_eq!(rest.post("/api/generate", raw).await.status, 400);

    for (name, value) in [("temperature", json!(3)), ("reasoning_effort", json!("high")), ("n", json!(2))] {
        let body = json!({ "model": "dwell", "messages": messages, name: value });
        let answer = rest.post("/v1/chat/completions", body).await;
        assert_eq!((answer.status, &answer.body["error"]["param"]), (400, &json!(name)), "{}", answer.body);
    }
}

/// The tools of a request, and its messages before the user's newest one.
fn prefix(raw: &Value) -> (String, String) {
    let messages = raw["messages"].as_array().unwrap();
    let newest = messages.iter().rposition(|message| message["role"] == "user").unwrap();
    let fixed = raw["tools"].to_string();
    let list = messages[..newest].iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
    (fixed, list)
}

#[tokio::test]
async fn a_turn_begins_with_all_that_the_one_before_it_told() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    let more = ["What of the snow?", "Is it cold there?", "What do people eat?", "Thank you."];
    for message in ["Why is the sky blue over Oslo?", "And the sea?"].into_iter().chain(more) {
        told(&rest, &session, json!({ "message": message })).await;
    }
    let requests = model.requests();
    assert_eq!(requests.len(), 6);
    for pair in requests.windows(2) {
        let ((tools, before), (more_tools, after)) = (prefix(pair[0].raw()), prefix(pair[1].raw()));
        assert_eq!(tools, more_tools);
        assert!(after.starts_with(&before), "{after}\ndoes not begin with\n{before}");
        let said = pair[0].last_user();
        assert!(after[before.len()..].contains(said), "and goes on with what was asked then: {said}");
    }
}

#[tokio::test]
async fn a_turn_ends_before_it_costs_more_than_it_may() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let session = session_with(&rest, json!({ "budgets": { "max_cost": 0.000_01 } })).await;
    let turn = told(&rest, &session, json!({ "message": "Why is the sky blue?" })).await;
    assert_eq!((&turn["status"], &turn["reason"]), (&json!("completed"), &json!("cost_budget")), "{turn}");
    assert_eq!(turn["text"], "I had to stop here: the cost budget ran out.");
    assert_eq!(model.requests().len(), 0, "even the question would cost more");

    let enough = session_with(&rest, json!({ "budgets": { "max_cost": 0.5 } })).await;
    let turn = told(&rest, &enough, json!({ "message": "Why is the sky blue?" })).await;
    assert_eq!((&turn["text"], turn.get("reason")), (&json!("You said: Why is the sky blue?"), None), "{turn}");
    assert!(turn["response"].get("notices").is_none(), "{turn}");

    let unknown = json!({ "model": "openai/small-and-unknown", "budgets": { "max_cost": 0.000_01 } });
    let session = session_with(&rest, unknown).await;
    let turn = told(&rest, &session, json!({ "message": "Why is the sky blue?" })).await;
    assert_eq!(turn["text"], "You said: Why is the sky blue?");
    let notice = turn["response"]["notices"][0].as_str().unwrap();
    assert!(notice.contains("the cost budget does not limit `openai/small-and-unknown`"), "{notice}");
    let answer = rest.post("/api/v1/sessions", json!({ "budgets": { "max_cost": -1 } })).await;
    assert_eq!(answer.code(400), "invalid_request");
}

#[tokio::test]
async fn reasoning_goes_back_within_its_turn_and_is_no_part_of_the_answer() {
    let (model, program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    let call = ToolCall::new("call_1", "calculator", json!({ "expression": "6*7" }));
    model.push(Reply::reasoning("Let me calculate.").then_tool_calls([call]));
    model.push(Reply::text("<think>So it is</think> 42."));
    let turn = told(&rest, &session, json!({ "message": "What is six times seven, and why?" })).await;
    assert_eq!((&turn["text"], &turn["response"]["message"]), (&json!("42."), &json!("42.")), "{turn}");
    assert_eq!(turn["response"]["reasoning_summary"], "Let me calculate.So it is");
    let back: Vec<Value> = last(&model).messages().to_vec();
    let called = back.iter().find(|message| message["tool_calls"].is_array()).unwrap();
    assert_eq!(called["reasoning_content"], "Let me calculate.");
    assert_eq!(steps(&turn, "plan").len(), 1);
    server.kill().await;
    let server = program.start().await;
    told(&server.rest(), &session, json!({ "message": "And seven times eight, tell me?" })).await;
    let later = last(&model).raw().to_string();
    assert!(!later.contains("reasoning_content") && !later.contains("So it is"), "{later}");
}

#[tokio::test]
async fn one_call_at_a_time_is_kept_to_also_where_a_model_makes_two() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let session = session_with(&rest, json!({ "model_settings": { "parallel_tool_calls": false } })).await;
    let call = |id: &str, sum: &str| ToolCall::new(id, "calculator", json!({ "expression": sum }));
    model.push(Reply::tool_calls([call("call_1", "1+1"), call("call_2", "2+2")]));
    model.push(Reply::text("Two."));
    let accepted = say(&rest, &session, json!({ "message": "What are these sums, please?" })).await.ok();
    let turn = rest.ended(accepted["turn_id"].as_str().unwrap()).await;
    assert_eq!(steps(&turn, "tool_call").len(), 1, "{turn}");
}
