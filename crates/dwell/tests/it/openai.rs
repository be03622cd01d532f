//! OpenAI's API: its clients work unchanged, and their conversations become sessions.

use reqwest::Method;
use serde_json::{Value, json};
use testkit::{Reply, RestClient, RunningServer};

use crate::{
    harness::{calls, harness_with, last, system},
    program, started,
};

pub(crate) const PATH: &str = "/v1/chat/completions";

pub(crate) fn user(text: &str) -> Value {
    json!({ "role": "user", "content": text })
}

pub(crate) fn assistant(text: &str) -> Value {
    json!({ "role": "assistant", "content": text })
}

/// The answer to a conversation.
async fn complete(rest: &RestClient, messages: &[Value]) -> String {
    let answer = rest.post(PATH, json!({ "model": "dwell", "messages": messages })).await.ok();
    answer["choices"][0]["message"]["content"].as_str().unwrap().to_owned()
}

/// Sessions with their number of turns, newest activity first.
pub(crate) async fn turns(server: &RunningServer) -> Vec<u64> {
    let sessions = server.rest().get("/api/v1/sessions").await.ok();
    sessions["data"].as_array().unwrap().iter().map(|one| one["stats"]["turns"].as_u64().unwrap()).collect()
}

/// The chunks of a streamed answer, as its client reads them.
pub(crate) async fn pieces(server: &RunningServer, body: Value) -> Vec<String> {
    let request = reqwest::Client::new().post(format!("{}{PATH}", server.url())).bearer_auth("test-token-0123456789");
    let response = request.json(&body).send().await.unwrap();
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    assert!(response.headers().contains_key("x-dwell-session"));
    let text = response.text().await.unwrap();
    text.split("\n\n").filter_map(|frame| frame.strip_prefix("data: ")).map(str::to_owned).collect()
}

#[tokio::test]
async fn a_conversation_is_answered_whole() {
    let (model, _program, server) = started().await;
    model.push(Reply::text("Good morning.").usage(11, 6));
    let asked = json!({ "model": "dwell", "messages": [user("hello")], "temperature": 0.2, "max_tokens": 5 });
    let answer = server.rest().post(PATH, asked).await.ok();
    assert_eq!((&answer["object"], &answer["model"]), (&json!("chat.completion"), &json!("dwell")));
    let choice = &answer["choices"][0];
    assert_eq!((&choice["message"]["role"], &choice["finish_reason"]), (&json!("assistant"), &json!("stop")));
    assert_eq!(choice["message"]["content"], "Good morning.");
    let usage = json!({
        "prompt_tokens": 11, "completion_tokens": 6, "total_tokens": 17, "prompt_tokens_details": { "cached_tokens": 0 },
    });
    assert_eq!(answer["usage"], usage);
}

#[tokio::test]
async fn and_in_pieces_the_first_with_the_role_the_last_empty() {
    let (_model, _program, server) = started().await;
    let body = json!({
        "model": "dwell", "messages": [user("hello there")], "stream": true,
        "stream_options": { "include_usage": true },
    });
    let pieces = pieces(&server, body).await;
    assert_eq!(pieces.last().unwrap(), "[DONE]");
    let pieces: Vec<Value> =
        pieces[..pieces.len() - 1].iter().map(|piece| serde_json::from_str(piece).unwrap()).collect();
    assert!(pieces.iter().all(|piece| piece["object"] == "chat.completion.chunk" && piece["id"] == pieces[0]["id"]));
    assert_eq!(pieces[0]["choices"][0]["delta"], json!({ "role": "assistant", "content": "" }));
    let [.., last, usage] = pieces.as_slice() else { panic!("too few pieces") };
    assert_eq!((&last["choices"][0]["delta"], &last["choices"][0]["finish_reason"]), (&json!({}), &json!("stop")));
    assert_eq!((&usage["choices"], usage["usage"]["total_tokens"].is_u64()), (&json!([]), true));
    let words = pieces.iter().filter_map(|piece| piece["choices"][0]["delta"]["content"].as_str());
    assert_eq!(words.collect::<String>(), "You said: hello there");
}

#[tokio::test]
async fn models_are_those_that_are_configured() {
    let (_model, _program, server) = started().await;
    let models = server.rest().get("/v1/models").await.ok();
    let ids: Vec<&str> = models["data"].as_array().unwrap().iter().map(|model| model["id"].as_str().unwrap()).collect();
    assert_eq!((ids[0], ids[1].starts_with("openai/")), ("dwell", true), "{ids:?}");
    let named = json!({ "model": ids[1], "messages": [user("hello")] });
    assert_eq!(server.rest().post(PATH, named).await.ok()["model"], ids[1]);
}

#[tokio::test]
async fn a_conversation_is_recognised_by_what_was_said_also_after_a_restart() {
    let (model, program, server) = started().await;
    let mut messages = vec![user("one")];
    messages.push(assistant(&complete(&server.rest(), &messages).await));
    messages.push(user("two"));
    messages.push(assistant(&complete(&server.rest(), &messages).await));
    server.stop().await;
    let server = program.start().await;
    messages.push(user("three"));
    complete(&server.rest(), &messages).await;
    assert_eq!(turns(&server).await, [3], "it is one session");
    assert_eq!(last(&model).messages().iter().filter(|message| message["role"] == "user").count(), 3);

    complete(&server.rest(), &[user("one")]).await;
    assert_eq!(turns(&server).await, [1, 3], "a new conversation is another session");
}

#[tokio::test]
async fn one_that_goes_on_otherwise_is_a_fork() {
    let (model, _program, server) = started().await;
    let first = [user("one"), assistant("You said: one")];
    complete(&server.rest(), &first[..1]).await;
    complete(&server.rest(), &[first.as_slice(), &[user("two")]].concat()).await;
    complete(&server.rest(), &[first.as_slice(), &[user("or rather")]].concat()).await;
    assert_eq!(turns(&server).await, [2, 2]);
    let told = last(&model);
    assert!(told.messages().iter().all(|message| message["content"] != "two"), "{:?}", told.messages());
}

#[tokio::test]
async fn what_dwell_has_not_heard_is_told_as_what_it_is() {
    let (model, _program, server) = started().await;
    let elsewhere = [user("My cat is called Mimi."), assistant("A fine name.")];
    let answer = complete(&server.rest(), &[elsewhere.as_slice(), &[user("What is she called?")]].concat()).await;
    let told = system(&last(&model));
    assert!(told.contains("no record of it:\nuser: My cat is called Mimi.\nassistant: A fine name."), "{told}");

    let more = [elsewhere.as_slice(), &[user("What is she called?"), assistant(&answer), user("Sure?")]].concat();
    complete(&server.rest(), &more).await;
    assert_eq!(turns(&server).await, [2], "and is part of what it is recognised by");
}

#[tokio::test]
async fn what_the_client_asks_of_every_answer_is_told_to_every_turn() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let wish = |text: &str| json!({ "role": "system", "content": text });
    let answer = complete(&rest, &[wish("Answer like a pirate."), user("one")]).await;
    assert!(system(&last(&model)).contains("Answer like a pirate."));
    complete(&rest, &[wish("Answer like a poet."), user("one"), assistant(&answer), user("two")]).await;
    let told = system(&last(&model));
    assert!(told.contains("Answer like a poet.") && !told.contains("pirate"), "{told}");
    assert_eq!(turns(&server).await, [2], "a system message does not identify the conversation");
}

#[tokio::test]
async fn a_wish_that_only_tells_the_time_anew_is_not_kept_again() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let wish =
        |time: &str, more: &str| json!({ "role": "system", "content": format!("It is {time}. Be brief.{more}") });
    let mut messages = vec![wish("2026-11-15 14:05:09", "")];
    for (time, more) in
        [("2026-11-15 14:05:09", ""), ("2026-11-16 09:00:00", ""), ("2026-11-16 09:01:00", " And kind.")]
    {
        messages[0] = wish(time, more);
        messages.push(user("hello"));
        let answer = complete(&rest, &messages).await;
        messages.push(assistant(&answer));
    }
    let session = rest.get("/api/v1/sessions").await.ok()["data"][0].clone();
    assert_eq!(session["settings"]["preferences"]["instructions"], "It is 2026-11-16 09:01:00. Be brief. And kind.");
    let events = rest.get(&format!("/api/v1/sessions/{}/events", session["session_id"].as_str().unwrap())).await.ok();
    let updates = events["data"].as_array().unwrap().iter().filter(|event| event["type"] == "session.updated");
    assert_eq!(updates.count(), 1, "only changed instructions are stored");
}

#[tokio::test]
async fn a_session_can_be_named() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    for named in [
        json!({ "metadata": { "session_id": "kitchen" } }),
        json!({ "metadata": { "session": "kitchen" }, "user": "ada" }),
        json!({ "user": "ada" }),
        json!({ "user": "ada" }),
    ] {
        let mut body = json!({ "model": "dwell", "messages": [user("hello")] });
        body.as_object_mut().unwrap().extend(named.as_object().unwrap().clone());
        rest.post(PATH, body).await.ok();
    }
    let body = Some(json!({ "messages": [user("hello")] }));
    rest.call(Method::POST, PATH, body.clone(), &[("x-dwell-session", "kitchen")]).await.ok();
    let sessions = rest.get("/api/v1/sessions").await.ok();
    let keys: Vec<(&Value, &Value)> =
        sessions["data"].as_array().unwrap().iter().map(|one| (&one["key"], &one["stats"]["turns"])).collect();
    assert_eq!(keys, [(&json!("kitchen"), &json!(3)), (&json!("user:ada"), &json!(2))]);

    let unknown = [("x-dwell-session", "01ARZ3NDEKTSV4RRFFQ69G5FAV")];
    assert_eq!(rest.call(Method::POST, PATH, body, &unknown).await.status, 404);
}

#[tokio::test]
async fn a_message_sent_again_under_its_key_is_answered_once() {
    let (model, _program, server) = started().await;
    let mut answers = Vec::new();
    for _ in 0..2 {
        let body = Some(json!({ "model": "dwell", "messages": [user("hello")] }));
        let answer = server.rest().call(Method::POST, PATH, body, &[("idempotency-key", "k1")]).await.ok();
        answers.push(answer["id"].clone());
    }
    assert_eq!((&answers[0], model.requests().len()), (&answers[1], 1));
    assert_eq!(turns(&server).await, [1]);
    complete(&server.rest(), &[user("hello"), assistant("You said: hello"), user("more")]).await;
    assert_eq!(turns(&server).await, [2], "and it is recognised like others");
}

#[tokio::test]
async fn a_call_that_needs_an_approval_is_said_and_the_conversation_goes_on_after_it() {
    let harness = harness_with(|_| {}, |program| program.with("DWELL_TOOLS_CONFIRM", "book_table")).await;
    let rest = harness.server.rest();
    harness.model.push(calls("c1", "book_table", "for two"));
    let question = complete(&rest, &[user("Book a table.")]).await;
    assert!(question.contains("book_table") && question.contains("dwell approvals answer"), "{question}");
    let open = rest.get("/api/v1/approvals").await.ok();
    let (id, turn) = (open["data"][0]["approval_id"].as_str().unwrap(), open["data"][0]["turn_id"].as_str().unwrap());
    rest.post(&format!("/api/v1/approvals/{id}"), json!({ "decision": "once" })).await.ok();
    let answer = rest.ended(turn).await["text"].as_str().unwrap().to_owned();
    assert_eq!(harness.tool_server.effects("book_table"), 1);

    complete(&rest, &[user("Book a table."), assistant(&answer), user("Thanks.")]).await;
    assert_eq!(turns(&harness.server).await, [2]);
}

#[tokio::test]
async fn mistakes_have_the_form_that_clients_read() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let wrong = rest.post(PATH, json!({ "model": "dwell" })).await;
    assert_eq!((wrong.status, &wrong.body["error"]["type"]), (400, &json!("invalid_request_error")));
    assert!(wrong.body["error"]["message"].as_str().unwrap().contains("messages"), "{}", wrong.body);
    let stranger = server.rest_as(Some("wrong")).get("/v1/models").await;
    assert_eq!((stranger.status, &stranger.body["error"]["code"]), (401, &json!("unauthorized")));
    let unknown = rest.post(PATH, json!({ "model": "anthropic/x", "messages": [user("hello")] })).await;
    assert_eq!((unknown.status, &unknown.body["error"]["code"]), (404, &json!("model_not_found")));

    let old = rest.post(PATH, json!({ "messages": [user("hello")], "functions": [] })).await;
    assert!(old.status == 400 && old.body["error"]["message"].as_str().unwrap().contains("`tools`"), "{}", old.body);

    model.push(Reply::status(401));
    let failed = rest.post(PATH, json!({ "messages": [user("hello")] })).await;
    let upstream = (502, &json!("upstream_auth"));
    assert_eq!((failed.status, &failed.body["error"]["code"]), upstream, "the key that was refused is Dwell's");
    model.push(Reply::text("one two").cut_after(1));
    let pieces = pieces(&server, json!({ "messages": [user("hello")], "stream": true })).await;
    assert!(pieces.last().unwrap().contains("\"error\""), "{pieces:?}");
}

#[tokio::test]
async fn without_any_model_the_offline_one_answers() {
    let program = program();
    let server = program.start().await;
    assert!(complete(&server.rest(), &[user("What is 6 times 7?")]).await.contains("42"));
    let models = server.rest().get("/v1/models").await.ok();
    assert_eq!(models["data"][1]["id"], "offline");
}
