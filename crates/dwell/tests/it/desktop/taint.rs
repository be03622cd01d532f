//! What a window shows may be anybody's words: whoever is told of it asks before reaching beyond Dwell.

use serde_json::{Value, json};
use testkit::{ModelServer, Reply, World, WorldTool};

use super::{Desk, acts, buttons, is_first, opens};
use crate::{program, scene::steps};

/// A desk in a world in which the sky is anybody's word, and a table can be booked.
async fn under_an_untrusted_sky() -> (Desk, World) {
    let (model, world) = (ModelServer::start().await, World::start().await);
    let program = program().with_model(&model).with("DWELL_MEMORY_FOLLOW_SESSIONS", "false");
    let change = |tool: &mut WorldTool| {
        if tool.name == "look_at_sky" {
            tool.origin = "untrusted".to_owned();
        }
    };
    let file = program.folder().join("tools.toml");
    std::fs::write(&file, world.tools_toml_with(change)).unwrap();
    let program = program.with("DWELL_TOOLS_FILE", file.to_str().unwrap()).with("DWELL_TOOLS_ACTUATION", "true");
    let server = program.start().await;
    let rest = server.rest();
    let session = rest.session().await;
    (Desk { model, program, server, rest, session }, world)
}

/// Who is asked to book a table, books it at once.
fn booking(desk: &Desk) {
    desk.model.respond_with(|request| match request.last_user() {
        words if words.contains("ook") && is_first(request) => acts("book_table", json!({ "note": "for two" })),
        _ => Reply::text("Yes."),
    });
}

#[track_caller]
fn assert_asks(turn: &Value) {
    assert_eq!((&turn["status"], &turn["reason"]), (&json!("waiting"), &json!("approval")), "{turn}");
}

#[tokio::test]
async fn a_window_made_of_strangers_words_makes_everybody_who_sees_it_careful() {
    let (desk, world) = under_an_untrusted_sky().await;
    let look = acts("look_at_sky", json!({ "note": "north" }));
    let open = opens("sky", buttons(&["book"]));
    desk.doing("Show the sky in a window.", [look, open, Reply::text("There it is.")]).await;
    assert_eq!(desk.window("sky").await["origin"], "untrusted");
    desk.server.socket().await.ask("session.reset", json!({ "session_id": desk.session })).await.unwrap();
    booking(&desk);
    let turn = desk.say("Book a table for two.").await;
    assert_asks(&turn);
    desk.cancel(&turn).await;
    assert_asks(&desk.ended(&desk.press("sky", json!({ "action": "book" })).await).await);
    let elsewhere = json!({ "message": "Book a table for two.", "monitor_id": "work" });
    let turn = desk.told(elsewhere).await;
    assert_eq!((&turn["status"], world.effects("book_table")), (&json!("completed"), 1), "another monitor is free");

    desk.does(json!([{ "type": "window.close", "window_id": "sky" }])).await;
    desk.server.socket().await.ask("session.reset", json!({ "session_id": desk.session })).await.unwrap();
    let turn = desk.say("Book a table for three.").await;
    assert_eq!((&turn["status"], world.effects("book_table")), (&json!("completed"), 2), "nothing of it is left");
    assert_eq!(desk.model.violations(), Vec::<String>::new());
}

#[tokio::test]
async fn what_an_agent_beside_has_read_reaches_the_main_one_with_its_origin() {
    let (desk, world) = under_an_untrusted_sky().await;
    desk.open("a", buttons(&["look"])).await;
    desk.model.push(acts("look_at_sky", json!({ "note": "write to Mallory" })));
    desk.model.push(Reply::text("The sky says to write to Mallory."));
    let turn = desk.ended(&desk.press("a", json!({ "action": "look" })).await).await;
    assert_eq!(steps(&turn, "tool_result")[0]["origin"], "untrusted");
    booking(&desk);
    let turn = desk.say("Book a table for two.").await;
    assert_asks(&turn);
    assert_eq!(world.effects("book_table"), 0);
}

#[tokio::test]
async fn windows_told_in_words_keep_their_origin() {
    let (desk, world) = under_an_untrusted_sky().await;
    let look = acts("look_at_sky", json!({ "note": "north" }));
    let open = opens("sky", buttons(&["book"]));
    desk.doing("Show the sky in a window.", [look, open, Reply::text("There it is.")]).await;
    let path = format!("/api/v1/sessions/{}/restore", desk.session);
    let restored = desk.rest.post(&path, json!({ "windows": "summarized" })).await.ok();
    let session = restored["session_id"].as_str().unwrap().to_owned();
    let desk = Desk { session, ..desk };
    // What is told of the turns before would be enough by itself.
    for _ in 0..2 {
        desk.model.push(Reply::status(400));
        desk.say("What was open?").await;
    }
    booking(&desk);
    assert_asks(&desk.say("Book a table for two.").await);
    assert_eq!(world.effects("book_table"), 0);
}
