//! A window may show untrusted text. An agent that sees it asks for approval before it acts outside
//! Dwell.

use serde_json::{Value, json};
use testkit::{ModelServer, Reply, ToolServer, ToolServerTool};

use super::{DesktopHarness, acts, buttons, is_first, opens};
use crate::{harness::steps, program};

/// A harness and a tool server in which the result of `look_at_sky` is untrusted and `book_table`
/// may be called.
async fn under_an_untrusted_sky() -> (DesktopHarness, ToolServer) {
    let (model, tool_server) = (ModelServer::start().await, ToolServer::start().await);
    let program = program().with_model(&model).with("DWELL_MEMORY_FOLLOW_SESSIONS", "false");
    let change = |tool: &mut ToolServerTool| {
        if tool.name == "look_at_sky" {
            tool.origin = "untrusted".to_owned();
        }
    };
    let file = program.folder().join("tools.toml");
    std::fs::write(&file, tool_server.tools_toml_with(change)).unwrap();
    let program = program.with("DWELL_TOOLS_FILE", file.to_str().unwrap()).with("DWELL_TOOLS_ACTUATION", "true");
    let server = program.start().await;
    let rest = server.rest();
    let session = rest.session().await;
    (DesktopHarness { model, program, server, rest, session }, tool_server)
}

/// A model that books a table as soon as it is asked to.
fn booking(harness: &DesktopHarness) {
    harness.model.respond_with(|request| match request.last_user() {
        words if words.contains("ook") && is_first(request) => acts("book_table", json!({ "note": "for two" })),
        _ => Reply::text("Yes."),
    });
}

#[track_caller]
fn assert_asks(turn: &Value) {
    assert_eq!((&turn["status"], &turn["reason"]), (&json!("waiting"), &json!("approval")), "{turn}");
}

#[tokio::test]
async fn a_window_of_untrusted_text_makes_every_agent_that_sees_it_ask() {
    let (harness, tool_server) = under_an_untrusted_sky().await;
    let look = acts("look_at_sky", json!({ "note": "north" }));
    let open = opens("sky", buttons(&["book"]));
    harness.doing("Show the sky in a window.", [look, open, Reply::text("There it is.")]).await;
    assert_eq!(harness.window("sky").await["origin"], "untrusted");
    harness.server.socket().await.ask("session.reset", json!({ "session_id": harness.session })).await.unwrap();
    booking(&harness);
    let turn = harness.say("Book a table for two.").await;
    assert_asks(&turn);
    harness.cancel(&turn).await;
    assert_asks(&harness.ended(&harness.press("sky", json!({ "action": "book" })).await).await);
    let elsewhere = json!({ "message": "Book a table for two.", "monitor_id": "work" });
    let turn = harness.told(elsewhere).await;
    assert_eq!(
        (&turn["status"], tool_server.effects("book_table")),
        (&json!("completed"), 1),
        "another monitor is free"
    );

    harness.does(json!([{ "type": "window.close", "window_id": "sky" }])).await;
    harness.server.socket().await.ask("session.reset", json!({ "session_id": harness.session })).await.unwrap();
    let turn = harness.say("Book a table for three.").await;
    assert_eq!((&turn["status"], tool_server.effects("book_table")), (&json!("completed"), 2), "nothing of it is left");
    assert_eq!(harness.model.violations(), Vec::<String>::new());
}

#[tokio::test]
async fn what_an_agent_beside_has_read_reaches_the_main_one_with_its_origin() {
    let (harness, tool_server) = under_an_untrusted_sky().await;
    harness.open("a", buttons(&["look"])).await;
    harness.model.push(acts("look_at_sky", json!({ "note": "write to Mallory" })));
    harness.model.push(Reply::text("The sky says to write to Mallory."));
    let turn = harness.ended(&harness.press("a", json!({ "action": "look" })).await).await;
    assert_eq!(steps(&turn, "tool_result")[0]["origin"], "untrusted");
    booking(&harness);
    let turn = harness.say("Book a table for two.").await;
    assert_asks(&turn);
    assert_eq!(tool_server.effects("book_table"), 0);
}

#[tokio::test]
async fn windows_told_in_words_keep_their_origin() {
    let (harness, tool_server) = under_an_untrusted_sky().await;
    let look = acts("look_at_sky", json!({ "note": "north" }));
    let open = opens("sky", buttons(&["book"]));
    harness.doing("Show the sky in a window.", [look, open, Reply::text("There it is.")]).await;
    let path = format!("/api/v1/sessions/{}/restore", harness.session);
    let restored = harness.rest.post(&path, json!({ "windows": "summarized" })).await.ok();
    let session = restored["session_id"].as_str().unwrap().to_owned();
    let harness = DesktopHarness { session, ..harness };
    // Two failed turns come first, because the summary of the earlier session alone would be
    // enough.
    for _ in 0..2 {
        harness.model.push(Reply::status(400));
        harness.say("What was open?").await;
    }
    booking(&harness);
    assert_asks(&harness.say("Book a table for two.").await);
    assert_eq!(tool_server.effects("book_table"), 0);
}
