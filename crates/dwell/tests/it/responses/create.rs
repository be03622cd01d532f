//! Responses as a whole: their form, their sessions, and what is refused.

use reqwest::Method;
use serde_json::{Value, json};
use testkit::Reply;

use super::{PATH, id, respond, send, text, user};
use crate::{
    harness::{last, system},
    openai::turns,
    started,
};

#[tokio::test]
async fn a_response_has_the_form_that_clients_read() {
    let (model, _program, server) = started().await;
    model.push(Reply::text("Good morning.").usage(11, 6));
    let body = json!({
        "model": "dwell", "input": "hello", "instructions": "Be brief.", "temperature": 0.2, "max_output_tokens": 50,
        "reasoning": { "summary": "auto" }, "text": { "verbosity": "low" }, "truncation": "auto",
        "service_tier": "auto", "include": [], "metadata": { "trip": "7" },
    });
    let answered = send(&server, PATH, Some(body)).await;
    let headers = answered.headers().clone();
    assert_eq!(headers["x-dwell-ignored"], "reasoning.summary,service_tier,text.verbosity,truncation");
    assert!(headers["x-request-id"].to_str().unwrap().starts_with("req_"));
    let response: Value = answered.json().await.unwrap();
    let turn_id = headers["x-dwell-turn"].to_str().unwrap();
    assert_eq!(response["id"], format!("resp_{turn_id}"));
    for (name, value) in [
        ("object", json!("response")),
        ("status", json!("completed")),
        ("model", json!("dwell")),
        ("error", json!(null)),
        ("incomplete_details", json!(null)),
        ("instructions", json!("Be brief.")),
        ("temperature", json!(0.2)),
        ("max_output_tokens", json!(50)),
        ("metadata", json!({ "trip": "7" })),
        ("parallel_tool_calls", json!(true)),
        ("tool_choice", json!("auto")),
        ("tools", json!([])),
        ("text", json!({ "format": { "type": "text" } })),
        ("reasoning", json!({ "effort": null, "summary": null })),
        ("store", json!(true)),
    ] {
        assert_eq!(response[name], value, "{name}");
    }
    let part = json!({ "type": "output_text", "text": "Good morning.", "annotations": [], "logprobs": [] });
    let item = json!({
        "type": "message", "id": format!("msg_{turn_id}_0"), "status": "completed", "role": "assistant",
        "content": [part],
    });
    assert_eq!(response["output"], json!([item]));
    let usage = json!({
        "input_tokens": 11, "input_tokens_details": { "cached_tokens": 0, "cache_write_tokens": 0 },
        "output_tokens": 6, "output_tokens_details": { "reasoning_tokens": 0 }, "total_tokens": 17,
    });
    assert_eq!(response["usage"], usage);
    assert!(system(&last(&model)).contains("Be brief."));
    let sent = last(&model);
    assert_eq!((&sent.raw()["temperature"], &sent.raw()["max_tokens"]), (&json!(0.2), &json!(50)));
}

#[tokio::test]
async fn what_ends_an_answer_early_is_said() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    for (finish, reason) in [("length", "max_output_tokens"), ("content_filter", "content_filter")] {
        model.respond_with(move |_| Reply::text("And then").finishing(finish));
        let response = respond(&rest, json!({ "input": "Tell me.", "store": false, "max_output_tokens": 5 })).await;
        assert_eq!(
            (&response["status"], &response["incomplete_details"]["reason"]),
            (&json!("incomplete"), &json!(reason))
        );
        assert_eq!(response["output"][0]["status"], "incomplete");
    }
}

#[tokio::test]
async fn responses_follow_each_other_in_one_session_and_fork_where_they_part() {
    let (model, program, server) = started().await;
    let rest = server.rest();
    let first = respond(&rest, json!({ "input": "one", "instructions": "Answer like a pirate." })).await;
    let after = |previous: &Value, input: &str| json!({ "input": input, "previous_response_id": id(previous) });
    let second = respond(&rest, after(&first, "two")).await;
    assert_eq!(second["previous_response_id"], first["id"]);
    assert_eq!(turns(&server).await, [2]);
    let said: Vec<String> = last(&model).said();
    assert_eq!(said.iter().filter(|text| ["one", "You said: one", "two"].contains(&text.as_str())).count(), 3);
    assert!(system(&last(&model)).contains("pirate"), "instructions stay until they are changed");

    server.stop().await;
    let server = program.start().await;
    let rest = server.rest();
    respond(&rest, after(&second, "three")).await;
    assert_eq!(turns(&server).await, [3], "also after a restart");
    let other = respond(&rest, after(&first, "or rather")).await;
    assert_eq!(text(&other), "You said: or rather");
    assert_eq!(turns(&server).await, [2, 3], "another continuation is a fork");
    assert!(last(&model).said().iter().all(|text| text != "two" && text != "three"));

    let unknown = rest.post(PATH, after(&json!({ "id": "resp_01ARZ3NDEKTSV4RRFFQ69G5FAV" }), "x")).await;
    assert_eq!((unknown.status, &unknown.body["error"]["code"]), (404, &json!("not_found")));
    assert!(unknown.body["error"]["message"].as_str().unwrap().contains("resp_01ARZ3NDEKTSV4RRFFQ69G5FAV"));

    model.push(Reply::status(401));
    assert_eq!(rest.post(PATH, after(&other, "again")).await.status, 502);
    respond(&rest, after(&other, "again")).await;
    assert_eq!(turns(&server).await, [4, 3], "a turn that failed does not fork the conversation");
}

#[tokio::test]
async fn a_conversation_sent_as_a_list_is_recognised_and_its_items_can_be_referred_to() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let first = respond(&rest, json!({ "input": [user("one")] })).await;
    let reasoning = json!({ "type": "reasoning", "id": "rs_1", "summary": [] });
    let list = json!([user("one"), reasoning, first["output"][0], user("two")]);
    let second = respond(&rest, json!({ "input": list })).await;
    assert_eq!(turns(&server).await, [2]);
    let reference = |response: &Value| json!({ "type": "item_reference", "id": response["output"][0]["id"] });
    let list = json!([user("one"), reference(&first), user("two"), { "id": second["output"][0]["id"] }, user("three")]);
    respond(&rest, json!({ "input": list })).await;
    assert_eq!(turns(&server).await, [3], "references stand for their items");
    let missing = json!([{ "type": "item_reference", "id": "msg_01ARZ3NDEKTSV4RRFFQ69G5FAV_0" }, user("x")]);
    assert_eq!(rest.post(PATH, json!({ "input": missing })).await.status, 404);

    let picture = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
    let parts =
        json!([{ "type": "input_text", "text": "What is it?" }, { "type": "input_image", "image_url": picture }]);
    let seen = respond(&rest, json!({ "input": [{ "role": "user", "content": parts }] })).await;
    assert!(last(&model).raw().to_string().contains("image_url"), "images reach the model");
    let items = rest.get(&format!("{PATH}/{}/input_items", id(&seen))).await.ok();
    assert_eq!(items["data"][0]["content"][0]["text"], "What is it?");
    assert_eq!(items["data"][0]["content"][1]["type"], "input_image");
}

#[tokio::test]
async fn a_session_can_be_named_or_be_temporary() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    for named in [
        json!({ "conversation": "kitchen" }),
        json!({ "conversation": { "id": "kitchen" } }),
        json!({ "metadata": { "session": "kitchen" }, "user": "ada" }),
        json!({ "user": "ada" }),
    ] {
        let mut body = json!({ "input": "hello" });
        body.as_object_mut().unwrap().extend(named.as_object().unwrap().clone());
        respond(&rest, body).await;
    }
    let body = Some(json!({ "input": "hello" }));
    rest.call(Method::POST, PATH, body, &[("x-dwell-session", "kitchen")]).await.ok();
    let sessions = rest.get("/api/v1/sessions").await.ok();
    let keys: Vec<(&Value, &Value)> =
        sessions["data"].as_array().unwrap().iter().map(|one| (&one["key"], &one["stats"]["turns"])).collect();
    assert_eq!(keys, [(&json!("kitchen"), &json!(4)), (&json!("user:ada"), &json!(1))]);

    let list =
        json!([user("My cat is called Mimi."), { "role": "assistant", "content": "A fine name." }, user("Who?")]);
    let gone = respond(&rest, json!({ "input": list, "store": false, "instructions": "Be kind." })).await;
    assert_eq!((&gone["store"], text(&gone)), (&json!(false), "You said: Who?".to_owned()));
    let told = system(&last(&model));
    assert!(told.contains("Mimi") && told.contains("Be kind."), "{told}");
    assert_eq!(turns(&server).await.len(), 2, "no session is left");
    assert_eq!(rest.get(&format!("{PATH}/{}", id(&gone))).await.status, 404);
}

#[tokio::test]
async fn the_same_request_under_its_key_is_answered_once() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let first = respond(&rest, json!({ "input": "one" })).await;
    let body = json!({ "input": "two", "previous_response_id": id(&first) });
    let mut ids = Vec::new();
    for _ in 0..2 {
        let again = rest.call(Method::POST, PATH, Some(body.clone()), &[("idempotency-key", "k1")]).await.ok();
        ids.push(again["id"].clone());
    }
    assert_eq!((&ids[0], model.requests().len(), turns(&server).await), (&ids[1], 2, vec![2]));
}

#[tokio::test]
async fn mistakes_are_named_in_the_form_that_clients_read() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    for (param, body) in [
        ("input", json!({ "model": "dwell" })),
        ("input", json!({ "input": [{ "type": "computer_call" }] })),
        ("tools", json!({ "input": "x", "tools": [{ "type": "file_search", "vector_store_ids": [] }] })),
        ("tool_choice", json!({ "input": "x", "tool_choice": "any" })),
        ("prompt", json!({ "input": "x", "prompt": { "id": "p" } })),
        ("background", json!({ "input": "x", "background": true, "store": false })),
        ("text.format", json!({ "input": "x", "text": { "format": { "type": "grammar" } } })),
        ("reasoning_effort", json!({ "input": "x", "reasoning": { "effort": "enormous" } })),
        ("max_output_tokens", json!({ "input": "x", "max_output_tokens": 0 })),
    ] {
        let wrong = rest.post(PATH, body.clone()).await;
        let error = &wrong.body["error"];
        assert_eq!(
            (wrong.status, &error["type"], &error["param"]),
            (400, &json!("invalid_request_error"), &json!(param)),
            "{body} {error}"
        );
    }
    let unknown = rest.post(PATH, json!({ "model": "anthropic/x", "input": "hello" })).await;
    assert_eq!((unknown.status, &unknown.body["error"]["code"]), (404, &json!("model_not_found")));
    let stranger = server.rest_as(Some("wrong")).post(PATH, json!({ "input": "x" })).await;
    assert_eq!((stranger.status, &stranger.body["error"]["code"]), (401, &json!("unauthorized")));
    assert_eq!(turns(&server).await, Vec::<u64>::new(), "nothing of it was taken up");

    model.push(Reply::status(401));
    let failed = send(&server, PATH, Some(json!({ "input": "hello" }))).await;
    assert_eq!((failed.status().as_u16(), &failed.headers()["x-should-retry"]), (502, &"false".parse().unwrap()));
    assert!(failed.headers().contains_key("x-request-id"), "errors have an id too");
    let completion = json!({ "messages": [user("hi")], "presence_penalty": 0.5, "seed": 1, "store": false });
    let answered = send(&server, crate::openai::PATH, Some(completion)).await;
    assert_eq!(answered.headers()["x-dwell-ignored"], "presence_penalty,store", "chat completions say it too");
}
