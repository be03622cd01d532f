//! Sessions: settings, versions, reset, end, fork, export and lists.

use reqwest::Method;
use serde_json::json;
use testkit::Reply;

use crate::started;

#[tokio::test]
async fn settings_change_unless_another_client_was_faster() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    let path = format!("/api/v1/sessions/{session}");
    let update = |body| rest.call(Method::PATCH, &path, Some(body), &[]);
    let view = update(json!({ "version": 1, "model": "m1", "preferences": { "tone": "dry" } })).await.ok();
    assert_eq!((&view["version"], &view["settings"]["model"]), (&json!(2), &json!("m1")));
    let stale = update(json!({ "version": 1, "model": "m2" })).await;
    assert_eq!(stale.code(409), "version_conflict");
    let view = update(json!({ "version": 2, "preferences": { "tone": null } })).await.ok();
    assert_eq!((&view["settings"]["model"], &view["settings"].get("preferences")), (&json!("m1"), &None));

    let mut socket = server.socket().await;
    let late = json!({ "session_id": session, "message": "x", "version": 2 });
    assert_eq!(socket.ask("chat.send", late).await.unwrap_err()["code"], "version_conflict");
}

#[tokio::test]
async fn an_ended_session_says_so() {
    let (model, _program, server) = started().await;
    let mut socket = server.socket().await;
    let session = socket.ask("session.start", json!({})).await.unwrap()["session_id"].clone();
    model.push(Reply::hang());
    let open = socket.ask("chat.send", json!({ "session_id": session, "message": "open" })).await.unwrap();
    let ended = socket.ask("session.end", json!({ "session_id": session, "reason": "done" })).await.unwrap();
    assert_eq!((&ended["status"], &ended["open_turns"]), (&json!("ended"), &json!([])));
    let messages = socket.until(|message| message["type"] == "session.ended").await;
    assert!(messages.iter().any(|m| m["turn_id"] == open["turn_id"] && m["data"]["status"] == "cancelled"));
    let refused = socket.ask("chat.send", json!({ "session_id": session, "message": "more" })).await.unwrap_err();
    assert_eq!(refused["code"], "session_ended");
    let twice = socket.ask("session.end", json!({ "session_id": session })).await.unwrap();
    assert_eq!(twice["version"], ended["version"], "ending twice changes nothing");
}

#[tokio::test]
async fn reset_starts_the_conversation_over() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    let turn = rest.send(&session, "remember 42").await;
    rest.ended(&turn).await;
    rest.post(&format!("/api/v1/sessions/{session}/reset"), json!({})).await.ok();
    let turn = rest.send(&session, "what was it?").await;
    rest.ended(&turn).await;
    let last = model.requests().pop().unwrap();
    assert_eq!(last.messages().len(), 2, "instructions and question only: {:?}", last.messages());
}

#[tokio::test]
async fn a_fork_shares_the_past_and_goes_its_own_way() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    let mut turns = Vec::new();
    for message in ["one", "two", "three"] {
        let turn = rest.send(&session, message).await;
        rest.ended(&turn).await;
        turns.push(turn);
    }
    let path = format!("/api/v1/sessions/{session}/fork");
    let fork = rest.post(&path, json!({ "turn_id": turns[1], "key": "what-if" })).await.ok();
    assert_eq!(fork["forked_from"], json!({ "session_id": session, "turn_id": turns[1] }));
    assert_eq!(fork["stats"]["turns"], 2);
    let id = fork["session_id"].as_str().unwrap();
    let turn = rest.send(id, "another three").await;
    rest.ended(&turn).await;
    assert_eq!(
        model.requests().pop().unwrap().said(),
        ["one", "You said: one", "two", "You said: two", "another three"]
    );
    assert_eq!(rest.log(id).await.len(), rest.get(&format!("/api/v1/sessions/{id}")).await.ok()["last_seq"]);
    assert_eq!(rest.get(&format!("/api/v1/turns/{}", turns[1])).await.ok()["session_id"], json!(session));
    assert_eq!(rest.post(&path, json!({ "turn_id": turns[1], "key": "what-if" })).await.code(409), "name_conflict");
    assert_eq!(rest.post(&path, json!({ "turn_id": turn })).await.code(400), "invalid_request");
}

#[tokio::test]
async fn lists_go_on_where_they_stopped() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let mut ids = Vec::new();
    for _ in 0..7 {
        ids.push(rest.session().await);
    }
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = rest.get(&format!("/api/v1/sessions?limit=3{cursor}")).await.ok();
        seen.extend(
            page["data"].as_array().unwrap().iter().map(|view| view["session_id"].as_str().unwrap().to_owned()),
        );
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    ids.reverse();
    assert_eq!(seen, ids, "newest first, each once");
    assert_eq!(rest.get("/api/v1/sessions?cursor=nonsense").await.code(400), "invalid_request");

    for n in 0..5 {
        let turn = rest.send(&ids[0], &format!("m{n}")).await;
        rest.ended(&turn).await;
    }
    let first = rest.get(&format!("/api/v1/sessions/{}/turns?limit=2", ids[0])).await.ok();
    let next = first["next_cursor"].as_str().unwrap();
    let second = rest.get(&format!("/api/v1/sessions/{}/turns?limit=3&cursor={next}", ids[0])).await.ok();
    let messages: Vec<_> =
        second["data"].as_array().unwrap().iter().map(|turn| turn["request"]["message"].clone()).collect();
    assert_eq!((messages, second.get("next_cursor")), (vec![json!("m2"), json!("m3"), json!("m4")], None));
}

#[tokio::test]
async fn an_export_is_the_whole_journal_on_both_doors() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    let turn = rest.send(&session, "hello").await;
    rest.ended(&turn).await;
    let log = rest.log(&session).await;
    let mut socket = server.socket().await;
    let export = socket.ask("session.export", json!({ "session_id": session })).await.unwrap();
    assert_eq!(export["events"], json!(log));
}
