//! Approvals over Wyoming: which calls need one, and who can give it by voice.

use serde_json::{Value, json};
use testkit::{Reply, WyomingClient};

use super::{NEW, OLD, open};
use crate::harness::{ToolHarness, call, calls, harness_with};

async fn confirming(approve: &str) -> ToolHarness {
    let set = |program| open(program).with("DWELL_TOOLS_CONFIRM", "book_table").with("DWELL_WYOMING_APPROVE", approve);
    harness_with(|_| {}, set).await
}

fn context() -> Value {
    json!({ "conversation_id": "c" })
}

async fn peer(harness: &ToolHarness) -> WyomingClient {
    WyomingClient::connect(harness.server.wyoming(), OLD).await
}

async fn turns(harness: &ToolHarness) -> Value {
    super::sessions(&harness.server).await[0]["stats"]["turns"].clone()
}

#[tokio::test]
async fn a_call_that_needs_an_approval_is_told_in_plain_words_and_where_to_give_it() {
    let harness = confirming("false").await;
    harness.model.push(calls("c1", "book_table", "for two"));
    let mut peer = peer(&harness).await;
    let (kind, text) = peer.say("Book a table.", context()).await;
    assert!(kind == "handled" && text.contains("book_table with note “for two”"), "{text}");
    assert!(text.contains("`dwell approvals`") && !text.contains(['{', '}']), "{text}");

    let (kind, text) = peer.say("Yes.", context()).await;
    assert_eq!(kind, "not-handled");
    assert!(text.contains("waits for an approval") && text.contains("`dwell approvals`"), "{text}");
    assert_eq!(harness.tool_server.effects("book_table"), 0, "a spoken yes is no approval unless that is enabled");
    assert_eq!(turns(&harness).await, 1, "messages sent meanwhile are not queued");
}

#[tokio::test]
async fn where_words_approve_yes_lets_it_run_and_no_does_not() {
    let harness = confirming("true").await;
    for (word, effects) in [("Yes.", 1), ("no", 1)] {
        harness.model.push(calls("c1", "book_table", "for two"));
        let mut peer = WyomingClient::connect(harness.server.wyoming(), NEW).await;
        let (_, text) = peer.say("Book a table.", context()).await;
        assert!(text.contains("Say yes or no"), "{text}");
        let mut peer = WyomingClient::connect(harness.server.wyoming(), NEW).await;
        peer.send("transcript", json!({ "text": word, "context": context() })).await;
        let mut pieces = String::new();
        let text = loop {
            match peer.next().await {
                (kind, data) if kind == "handled-chunk" => pieces.push_str(data["text"].as_str().unwrap()),
                (kind, data) if kind == "handled" => break data["text"].clone(),
                (kind, data) => assert_eq!(kind, "handled-start", "{data}"),
            }
        };
        assert_eq!(harness.tool_server.effects("book_table"), effects, "{text}");
        assert_eq!(json!(pieces), text, "what is said after the answer is said once");
    }
}

#[tokio::test]
async fn only_a_plain_yes_from_the_user_who_was_asked_counts() {
    let harness = confirming("true").await;
    harness.model.push(calls("c1", "book_table", "for two"));
    let at = |satellite: &str| json!({ "conversation_id": "c", "satellite_id": satellite });
    let mut peer = peer(&harness).await;
    peer.say("Book a table.", at("kitchen")).await;
    for (word, satellite) in [("Yes.", "attic"), ("ok", "kitchen"), ("What time is it?", "kitchen")] {
        let (kind, text) = peer.say(word, at(satellite)).await;
        assert!(kind == "not-handled" && text.contains("waits for an approval"), "{word}: {text}");
        assert!(!text.contains(['{', '}']), "{text}");
        assert_eq!(harness.tool_server.effects("book_table"), 0, "{word}");
    }
    assert_eq!(turns(&harness).await, 1, "nothing is in line");
    assert_eq!(peer.say("yes", at("kitchen")).await.0, "handled", "it was asked again just now");
    assert_eq!(harness.tool_server.effects("book_table"), 1);
}

#[tokio::test]
async fn several_questions_are_asked_one_after_the_other() {
    let harness = confirming("true").await;
    harness.model.push(Reply::tool_calls([call("c1", "book_table", "one"), call("c2", "book_table", "two")]));
    let mut peer = peer(&harness).await;
    let (_, first) = peer.say("Book two tables.", context()).await;
    assert!(first.contains("note one"), "{first}");
    let (_, second) = peer.say("yes", context()).await;
    assert!(second.contains("note two"), "{second}");
    peer.say("no", context()).await;
    assert_eq!(harness.tool_server.effects("book_table"), 1);
}

#[tokio::test]
async fn a_code_is_neither_said_nor_kept() {
    let harness = confirming("true").await;
    let coded = testkit::ToolCall::new("c1", "book_table", json!({ "note": "x", "code": "4711" }));
    harness.model.push(Reply::tool_calls([coded]));
    let (_, text) = peer(&harness).await.say("Book a table.", context()).await;
    assert!(!text.contains("4711"), "{text}");
    let session = super::sessions(&harness.server).await[0]["session_id"].as_str().unwrap().to_owned();
    let events = harness.server.rest().get(&format!("/api/v1/sessions/{session}/events")).await.ok();
    assert!(!events.to_string().contains("4711") && events.to_string().contains("[redacted:code]"), "{events}");
}
