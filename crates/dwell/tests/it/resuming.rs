//! A kill in the middle of a turn that runs tools: finished calls stay finished, the text so far is
//! kept, and the turn continues.

use serde_json::{Value, json};
use testkit::Reply;

use crate::{
    apis::put_together,
    harness::{ToolHarness, call, calls, harness, last, results},
};

#[tokio::test]
async fn a_kill_in_the_second_round_repeats_nothing_of_the_first() {
    let ToolHarness { model, tool_server, program, server } = harness().await;
    let rest = server.rest();
    let session = rest.session().await;
    let both = [call("c1", "send_letter", "dear Ada"), call("c2", "set_label", "sent")];
    model.push(Reply::text("First the letter. ").then_tool_calls(both));
    model.push(Reply::text("And now I am nearly").stall_after(2));
    let mut socket = server.socket().await;
    socket.ask("session.resume", json!({ "session_id": session })).await.unwrap();
    let turn = rest.send(&session, "Write to Ada and label it.").await;
    let is_second = |message: &Value| {
        let data = &message["data"];
        message["type"] == "chat.token" && message["seq"].is_u64() && data["delta"].as_str().unwrap().contains("And")
    };
    let mut seen = socket.until(is_second).await;
    server.kill().await;

    model.push(Reply::text("It is done."));
    let server = program.start().await;
    let last_seq = seen.iter().filter_map(|message| message["seq"].as_u64()).max().unwrap();
    let mut socket = server.socket().await;
    socket.ask("session.resume", json!({ "session_id": session, "after": last_seq })).await.unwrap();
    seen.extend(socket.until_end_of(&json!(turn)).await);
    assert_eq!(put_together(&seen), "First the letter. \n\nIt is done.", "round one is kept, round two is repeated");
    let ended = server.rest().ended(&turn).await;
    assert_eq!((&ended["status"], &ended["attempts"]), (&json!("completed"), &json!(2)));
    assert_eq!(ended["text"], "First the letter. \n\nIt is done.");
    assert_eq!(tool_server.ledger().len(), 2, "each call ran once: {:?}", tool_server.ledger());
    assert_eq!(results(&last(&model)).len(), 2, "and the model is told both results again");
    assert_eq!(model.violations(), Vec::<String>::new());
}

#[tokio::test]
async fn usage_and_budgets_count_what_was_before_the_kill() {
    let ToolHarness { model, tool_server, program, server } = harness().await;
    let rest = server.rest();
    let view = rest.post("/api/v1/sessions", json!({ "budgets": { "max_steps": 2 } })).await.ok();
    let session = view["session_id"].as_str().unwrap();
    model.push(calls("c1", "look_at_sky", "one").usage(1_000, 100));
    model.push(Reply::hang());
    let mut frames = server.frames(session, 0).await;
    let turn = rest.send(session, "Look at the sky again and again.").await;
    frames.until(|frame| frame.data["data"]["type"] == "tool_result").await;
    model.until(|model| model.requests().len() == 2).await;
    server.kill().await;

    model.push(calls("c2", "look_at_sky", "two").usage(2_000, 200));
    model.push(Reply::text("Enough.").usage(3_000, 300));
    let server = program.start().await;
    let ended = server.rest().ended(&turn).await;
    assert_eq!((&ended["reason"], &ended["text"]), (&json!("step_budget"), &json!("Enough.")));
    assert_eq!(ended["response"]["usage"]["input_tokens"], 6_000, "{}", ended["response"]["usage"]);
    assert_eq!((tool_server.effects("look_at_sky"), &ended["stats"]["rounds"]), (2, &json!(2)));
}

#[tokio::test]
async fn what_was_said_to_the_turn_before_the_kill_is_not_forgotten() {
    let ToolHarness { model, tool_server, program, server } = harness().await;
    let rest = server.rest();
    let session = rest.session().await;
    tool_server.hold_before("look_at_sky");
    model.push(calls("c1", "look_at_sky", "north"));
    let turn = rest.send(&session, "Look at the sky.").await;
    tool_server.until(|tool_server| tool_server.waiting("look_at_sky") == 1).await;
    let steer = json!({ "message": "Mind the clouds.", "on_busy": "steer" });
    rest.post(&format!("/api/v1/sessions/{session}/turns"), steer).await.ok();
    server.kill().await;
    tool_server.release("look_at_sky");

    let server = program.start().await;
    let ended = server.rest().ended(&turn).await;
    assert_eq!((&ended["status"], &ended["text"]), (&json!("completed"), &json!("You said: Mind the clouds.")));
    assert_eq!(tool_server.effects("look_at_sky"), 1);
    assert_eq!(model.violations(), Vec::<String>::new());
}
