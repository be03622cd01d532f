//! A turn over every API.

use serde_json::{Value, json};
use testkit::Reply;

use crate::started;

fn names(messages: &[Value]) -> Vec<&str> {
    messages.iter().filter(|message| message["seq"].is_u64()).filter_map(|message| message["type"].as_str()).collect()
}

/// Assembles the text of a turn as any client does: it appends only what lies beyond the text it
/// has.
pub(crate) fn put_together<'a>(messages: impl IntoIterator<Item = &'a Value>) -> String {
    let mut text: Vec<char> = Vec::new();
    for message in messages {
        if message["type"] == "turn.status" && message["data"]["status"] == "resumed" {
            text.truncate(usize::try_from(message["data"]["text_offset"].as_u64().unwrap()).unwrap());
        }
        if message["type"] != "chat.token" {
            continue;
        }
        let offset = usize::try_from(message["data"]["offset"].as_u64().unwrap()).unwrap();
        assert!(offset <= text.len(), "text is missing before {offset}");
        let known = text.len() - offset;
        text.extend(message["data"]["delta"].as_str().unwrap().chars().skip(known));
    }
    text.into_iter().collect()
}

#[tokio::test]
async fn websocket() {
    let (model, _program, server) = started().await;
    model.push(Reply::text("Grüße aus 東京, friend.").usage(11, 6));
    let mut socket = server.socket().await;
    let hello = socket.next().await;
    assert_eq!((&hello["type"], &hello["data"]["status"]), (&json!("connection.status"), &json!("connected")));

    let session = socket.ask("session.start", json!({})).await.unwrap();
    let info = socket.next().await;
    assert_eq!(info["type"], "session_info");
    assert_eq!(info["data"]["session_id"], session["session_id"]);
    assert_eq!(info["data"]["user_id"], "owner");

    let send = json!({ "session_id": session["session_id"], "message": "Where are you?" });
    let accepted = socket.ask("chat.send", send).await.unwrap();
    let messages = socket.until_end_of(&accepted["turn_id"]).await;
    let order = names(&messages);
    let opening =
        ["session.started", "message.accepted", "turn.stage", "turn.stage", "turn.stage", "memory.used", "turn.stage"];
    assert_eq!(order[..7], opening);
    assert_eq!(order[order.len() - 3..], ["turn.stage", "chat.final", "turn.status"]);
    assert!(order[7..order.len() - 3].iter().all(|name| *name == "chat.token"));
    assert_eq!(put_together(&messages), "Grüße aus 東京, friend.");
    let last = &messages[messages.len() - 2]["data"];
    assert_eq!(last["message"], "Grüße aus 東京, friend.");
    assert_eq!(last["usage"], json!({ "input_tokens": 11, "output_tokens": 6, "cost_micros": 14 }));
    assert_eq!(model.requests()[0].last_user(), "Where are you?");
}

#[tokio::test]
async fn a_conversation_by_the_clients_own_name() {
    let (_model, _program, server) = started().await;
    let mut socket = server.socket().await;
    let send = |text: &str| json!({ "conversation_id": "kitchen", "message": text });
    let first = socket.ask("chat.send", send("one")).await.unwrap();
    socket.until_end_of(&first["turn_id"]).await;
    let second = socket.ask("chat.send", send("two")).await.unwrap();
    assert_eq!(first["session_id"], second["session_id"]);
    socket.until_end_of(&second["turn_id"]).await;
    // A client may send a `user` field, but the token decides which sessions it uses.
    let named = json!({ "user_id": "u123", "conversation_id": "kitchen" });
    assert_eq!(socket.ask("session.resume", named).await.unwrap()["owner"], "owner");
    let refused = socket.ask("session.resume", json!([null, null])).await.unwrap_err();
    assert!(refused["message"].as_str().unwrap().contains("an object is expected"), "{refused}");
    let resumed = socket.ask("session.resume", json!({ "conversation_id": "kitchen", "after": 0 })).await.unwrap();
    assert_eq!((&resumed["key"], &resumed["stats"]["turns"]), (&json!("kitchen"), &json!(2)));
}

#[tokio::test]
async fn server_sent_events() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    let mut frames = server.frames(&session, 0).await;
    rest.send(&session, "hello").await;
    let frames = frames.until(|frame| frame.event == "turn.status").await;
    let numbers: Vec<u64> = frames.iter().filter_map(|frame| frame.id).collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
    assert!(frames.iter().all(|frame| frame.data["type"] == frame.event));
    assert!(frames.iter().all(|frame| frame.id == frame.data["seq"].as_u64()));
    assert_eq!(put_together(frames.iter().map(|frame| &frame.data)), "You said: hello");
}

#[tokio::test]
async fn server_sent_events_in_the_coarse_view() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    let mut frames = server.frames_at(&format!("/events/{session}?view=coarse")).await;
    let turn = rest.send(&session, "hello").await;
    let mut frames = frames.until(|frame| frame.event == "final").await;
    assert!(frames.iter().all(|frame| ["progress", "step", "partial", "final"].contains(&frame.event.as_str())));
    assert!(frames.iter().all(|frame| frame.data["continuation_id"] == turn && frame.data["type"] == frame.event));
    let last = frames.pop().unwrap();
    assert_eq!(last.data["payload"]["final_response"]["message"], "You said: hello");
    let partials = frames.iter().filter(|frame| frame.event == "partial");
    let text: String = partials.filter_map(|frame| frame.data["payload"]["partial_response"].as_str()).collect();
    assert_eq!(text, "You said: hello", "each partial holds what came since the one before");
}

#[tokio::test]
async fn rest() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    let turn = rest.send(&session, "hello").await;
    let ended = rest.ended(&turn).await;
    assert_eq!((&ended["status"], &ended["text"]), (&json!("completed"), &json!("You said: hello")));
    assert_eq!(ended["response"]["message"], "You said: hello");

    let turns = rest.get(&format!("/api/v1/sessions/{session}/turns")).await.ok();
    assert_eq!(turns["data"][0]["turn_id"], turn);
    let events = rest.get(&format!("/api/v1/sessions/{session}/events?after=1&limit=2")).await.ok();
    assert_eq!(events["data"][0]["seq"], 2);
    assert_eq!(events["next_cursor"], "3");
    assert_eq!(rest.get("/readyz").await.ok()["status"], "ok");
}

#[tokio::test]
async fn the_ask_command() {
    let (model, program, _server) = started().await;
    let asked = program.run(&["ask", "What time is it?"]).await;
    assert_eq!((asked.code(), asked.stdout.as_str()), (0, "You said: What time is it?\n"), "{}", asked.stderr);

    model.push(Reply::text("42").usage(1, 2));
    let asked = program.run(&["ask", "--json", "And the answer?"]).await;
    let turn: Value = serde_json::from_str(&asked.stdout).unwrap();
    assert_eq!((&turn["status"], &turn["text"]), (&json!("completed"), &json!("42")));
}

#[tokio::test]
async fn the_chat_command() {
    use tokio::io::AsyncWriteExt;
    let (_model, program, server) = started().await;
    let mut chat = program.command(&["chat"]);
    let mut chat = chat.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).spawn().unwrap();
    chat.stdin.take().unwrap().write_all(b"first\n\nsecond\n/retry\n/quit\n").await.unwrap();
    let output = chat.wait_with_output().await.unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text, "You said: first\nYou said: second\nYou said: second\n");
    assert!(output.status.success());

    let sessions = server.rest().get("/api/v1/sessions").await.ok();
    assert_eq!((&sessions["data"][0]["key"], &sessions["data"][0]["stats"]["turns"]), (&json!("terminal"), &json!(3)));
}

#[tokio::test]
async fn without_a_model_the_answer_says_how_to_configure_one() {
    let program = crate::program();
    let _server = program.start().await;
    let asked = program.run(&["ask", "Write me a poem about rain."]).await;
    assert_eq!(asked.code(), 0);
    assert!(
        asked.stdout.contains("needs a language model") && asked.stdout.contains("OPENAI_API_KEY"),
        "{}",
        asked.stdout
    );
}
