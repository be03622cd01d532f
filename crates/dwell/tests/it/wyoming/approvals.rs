//! Approvals over Wyoming: which calls need one, and who can give it by voice.

use std::time::Duration;

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
async fn only_a_plain_yes_from_the_user_who_was_asked_counts_and_other_sentences_are_handled() {
    let harness = confirming("true").await;
    harness.model.push(calls("c1", "book_table", "for two"));
    let at = |satellite: &str| json!({ "conversation_id": "c", "satellite_id": satellite });
    let mut peer = peer(&harness).await;
    peer.say("Book a table.", at("kitchen")).await;
    let (kind, text) = peer.say("Yes.", at("attic")).await;
    assert!(kind == "not-handled" && text.contains("waits for an approval"), "{text}");
    assert!(!text.contains(['{', '}']), "{text}");
    for (word, satellite) in [("ok", "kitchen"), ("What is new?", "attic"), ("Good morning.", "kitchen")] {
        let (kind, text) = peer.say(word, at(satellite)).await;
        assert_eq!((kind.as_str(), text), ("handled", format!("You said: {word}")), "at once, not in line");
        assert_eq!(harness.tool_server.effects("book_table"), 0, "{word}");
    }
    assert_eq!(turns(&harness).await, 4, "each is a turn");
    assert_eq!(peer.say("yes", at("kitchen")).await.0, "handled", "the question is still open");
    assert_eq!(harness.tool_server.effects("book_table"), 1);
}

#[tokio::test]
async fn after_another_question_a_yes_is_no_approval() {
    let harness = confirming("true").await;
    harness.model.push(calls("c1", "book_table", "for two"));
    let mut peer = peer(&harness).await;
    peer.say("Book a table.", context()).await;
    harness.model.push(Reply::text("Sunny. Shall I tell you about tomorrow?"));
    assert_eq!(peer.say("How is the weather?", context()).await.0, "handled");
    let (kind, text) = peer.say("Yes.", context()).await;
    assert!(kind == "not-handled" && text.contains("for two"), "it is asked again: {text}");
    assert_eq!(harness.tool_server.effects("book_table"), 0);
    assert_eq!(peer.say("No.", context()).await.0, "handled");
    assert_eq!(harness.tool_server.effects("book_table"), 0);
}

#[tokio::test]
async fn a_lock_is_asked_about_in_the_words_of_the_speaker_and_silences_no_other() {
    let program = open(crate::program_with_home()).with("DWELL_WYOMING_APPROVE", "true");
    let server = program.start().await;
    let at = |satellite: &str| json!({ "conversation_id": "c", "satellite_id": satellite });
    let mut peer = WyomingClient::connect(server.wyoming(), OLD).await;
    let (kind, text) = peer.say("Lock the front door.", at("hall")).await;
    assert!(kind == "handled" && !text.ends_with('?'), "locking asks only if that is set: {text}");
    let (kind, text) = peer.say("Unlock the front door.", at("hall")).await;
    assert_eq!((kind.as_str(), text.as_str()), ("handled", "Shall I unlock the front door?"));
    let (kind, text) = peer.say("Turn on the floor lamp.", at("hall")).await;
    assert!(kind == "handled" && text.contains("Floor lamp"), "{text}");
    let (_, text) = peer.say("Unlock the back door.", at("attic")).await;
    assert_eq!(text, "Shall I unlock the back door?");
    let (_, text) = peer.say("No, thanks.", at("attic")).await;
    assert!(text.starts_with("I did not do that."), "{text}");
    let (_, text) = peer.say("Yes, please.", at("hall")).await;
    assert!(text.contains("Front door") && !text.contains("Back door"), "{text}");
}

#[tokio::test]
async fn where_the_peer_names_no_satellite_a_yes_after_two_questions_has_to_be_said_again() {
    let program = open(crate::program_with_home()).with("DWELL_WYOMING_APPROVE", "true");
    let server = program.start().await;
    let mut peer = WyomingClient::connect(server.wyoming(), OLD).await;
    for (said, asked) in [
        ("Unlock the front door.", "Shall I unlock the front door?"),
        ("Unlock the back door.", "Shall I unlock the back door?"),
    ] {
        assert_eq!(peer.say(said, Value::Null).await, ("handled".to_owned(), asked.to_owned()));
    }
    let (kind, text) = peer.say("Yes.", Value::Null).await;
    assert!(kind == "not-handled" && text.ends_with("Shall I unlock the back door?"), "{text}");
    let (_, text) = peer.say("Yes.", Value::Null).await;
    assert!(text.contains("Back door") && !text.contains("Front door"), "{text}");
}

#[tokio::test]
async fn a_sentence_that_came_just_before_a_question_does_not_wait_for_its_answer() {
    let harness = confirming("true").await;
    harness.model.push(calls("c1", "book_table", "for two").after(Duration::from_secs(1)));
    let at = |satellite: &str| json!({ "conversation_id": "c", "satellite_id": satellite });
    let (mut kitchen, mut attic) = (peer(&harness).await, peer(&harness).await);
    let (asked, (kind, text)) = tokio::join!(kitchen.say("Book a table.", at("kitchen")), async {
        while super::sessions(&harness.server).await.first().is_none_or(|it| it["open_turns"] == json!([])) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        attic.say("What is new?", at("attic")).await
    });
    assert!(asked.1.contains("Say yes or no"), "{asked:?}");
    assert_eq!((kind.as_str(), text.as_str()), ("handled", "You said: What is new?"), "while the question is open");
    assert_eq!(kitchen.say("Yes.", at("kitchen")).await.0, "handled");
    assert_eq!(harness.tool_server.effects("book_table"), 1);
}

#[tokio::test]
async fn without_approvals_by_voice_a_no_still_ends_the_question_and_locking_asks_if_set() {
    let program = open(crate::program_with_home()).with("DWELL_HOME_CONFIRM_LOCKING", "true");
    let server = program.start().await;
    let mut peer = WyomingClient::connect(server.wyoming(), OLD).await;
    let (_, text) = peer.say("Lock the front door.", context()).await;
    assert!(text.starts_with("Shall I lock the front door?") && text.contains("`dwell approvals`"), "{text}");
    let (kind, _) = peer.say("Yes.", context()).await;
    assert_eq!(kind, "not-handled");
    let (_, text) = peer.say("No.", context()).await;
    assert!(text.starts_with("I did not do that."), "{text}");
    let open = server.rest().get("/api/v1/approvals").await.ok();
    assert_eq!(open["data"], json!([]));
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
