//! What needs an approval, and who can give it aloud.

use serde_json::{Value, json};
use testkit::{Reply, Wyoming};

use super::{NEW, OLD, open};
use crate::scene::{Scene, call, calls, scene_with};

async fn confirming(approve: &str) -> Scene {
    let set = |program| open(program).with("DWELL_TOOLS_CONFIRM", "book_table").with("DWELL_WYOMING_APPROVE", approve);
    scene_with(|_| {}, set).await
}

fn context() -> Value {
    json!({ "conversation_id": "c" })
}

async fn peer(scene: &Scene) -> Wyoming {
    Wyoming::connect(scene.server.wyoming(), OLD).await
}

async fn turns(scene: &Scene) -> Value {
    super::sessions(&scene.server).await[0]["stats"]["turns"].clone()
}

#[tokio::test]
async fn a_call_that_needs_an_approval_is_told_in_plain_words_and_where_to_give_it() {
    let scene = confirming("false").await;
    scene.model.push(calls("c1", "book_table", "for two"));
    let mut peer = peer(&scene).await;
    let (kind, text) = peer.say("Book a table.", context()).await;
    assert!(kind == "handled" && text.contains("book_table with note “for two”"), "{text}");
    assert!(text.contains("`dwell approvals`") && !text.contains(['{', '}']), "{text}");

    let (kind, text) = peer.say("Yes.", context()).await;
    assert_eq!(kind, "not-handled");
    assert!(text.contains("waits for an approval") && text.contains("`dwell approvals`"), "{text}");
    assert_eq!(scene.world.effects("book_table"), 0, "a word is no approval unless it is said to be");
    assert_eq!(turns(&scene).await, 1, "what was said meanwhile is not in line");
}

#[tokio::test]
async fn where_words_approve_yes_lets_it_run_and_no_does_not() {
    let scene = confirming("true").await;
    for (word, effects) in [("Yes.", 1), ("no", 1)] {
        scene.model.push(calls("c1", "book_table", "for two"));
        let mut peer = Wyoming::connect(scene.server.wyoming(), NEW).await;
        let (_, text) = peer.say("Book a table.", context()).await;
        assert!(text.contains("Say yes or no"), "{text}");
        let mut peer = Wyoming::connect(scene.server.wyoming(), NEW).await;
        peer.send("transcript", json!({ "text": word, "context": context() })).await;
        let mut pieces = String::new();
        let text = loop {
            match peer.next().await {
                (kind, data) if kind == "handled-chunk" => pieces.push_str(data["text"].as_str().unwrap()),
                (kind, data) if kind == "handled" => break data["text"].clone(),
                (kind, data) => assert_eq!(kind, "handled-start", "{data}"),
            }
        };
        assert_eq!(scene.world.effects("book_table"), effects, "{text}");
        assert_eq!(json!(pieces), text, "what is said after the answer is said once");
    }
}

#[tokio::test]
async fn only_a_plain_yes_to_whoever_was_asked_is_one() {
    let scene = confirming("true").await;
    scene.model.push(calls("c1", "book_table", "for two"));
    let at = |satellite: &str| json!({ "conversation_id": "c", "satellite_id": satellite });
    let mut peer = peer(&scene).await;
    peer.say("Book a table.", at("kitchen")).await;
    for (word, satellite) in [("Yes.", "attic"), ("ok", "kitchen"), ("What time is it?", "kitchen")] {
        let (kind, text) = peer.say(word, at(satellite)).await;
        assert!(kind == "not-handled" && text.contains("waits for an approval"), "{word}: {text}");
        assert!(!text.contains(['{', '}']), "{text}");
        assert_eq!(scene.world.effects("book_table"), 0, "{word}");
    }
    assert_eq!(turns(&scene).await, 1, "nothing is in line");
    assert_eq!(peer.say("yes", at("kitchen")).await.0, "handled", "it was asked again just now");
    assert_eq!(scene.world.effects("book_table"), 1);
}

#[tokio::test]
async fn several_questions_are_asked_one_after_the_other() {
    let scene = confirming("true").await;
    scene.model.push(Reply::tool_calls([call("c1", "book_table", "one"), call("c2", "book_table", "two")]));
    let mut peer = peer(&scene).await;
    let (_, first) = peer.say("Book two tables.", context()).await;
    assert!(first.contains("note one"), "{first}");
    let (_, second) = peer.say("yes", context()).await;
    assert!(second.contains("note two"), "{second}");
    peer.say("no", context()).await;
    assert_eq!(scene.world.effects("book_table"), 1);
}

#[tokio::test]
async fn a_code_is_neither_said_nor_kept() {
    let scene = confirming("true").await;
    let coded = testkit::ToolCall::new("c1", "book_table", json!({ "note": "x", "code": "4711" }));
    scene.model.push(Reply::tool_calls([coded]));
    let (_, text) = peer(&scene).await.say("Book a table.", context()).await;
    assert!(!text.contains("4711"), "{text}");
    let session = super::sessions(&scene.server).await[0]["session_id"].as_str().unwrap().to_owned();
    let events = scene.server.rest().get(&format!("/api/v1/sessions/{session}/events")).await.ok();
    assert!(!events.to_string().contains("4711") && events.to_string().contains("[redacted:code]"), "{events}");
}
