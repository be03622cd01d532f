//! Untrusted text stays untrusted when it is recalled.

use protocol::{ApprovalAnswer, ApprovalDecision, Origin, TurnStatus};

use super::{origins, used};
use crate::{harness::Harness, test_tools::note};

#[tokio::test]
async fn a_recalled_entry_of_unknown_origin_taints_the_turn() {
    let harness = Harness::remembering();
    harness.ingest("a chat", &[("user", "The boiler is serviced by Hartmann every October.")]).await;
    let session = harness.start().await;
    let (turn, call) = harness.asked(session, "Who services the boiler?").await;
    assert!(call.notes()[0].1.contains("(taken from a text of unknown origin)"), "{:?}", call.notes());
    call.use_tools(&[("c1", "lamp", note("on"))]);
    let waiting = harness.settled(turn).await;
    assert_eq!(waiting.status, TurnStatus::Waiting);
    assert!(used(&harness.journal(session).await, turn).tainted);
    let asked = harness.hub.approvals(&harness.ada, None).await.unwrap().data.remove(0).request;
    assert!(harness.tool_runs.begun().is_empty());
    let answer = ApprovalAnswer { approval_id: asked.approval_id, decision: ApprovalDecision::Deny, digest: None };
    harness.hub.answer_approval(&harness.ada, answer).await.unwrap();
    harness.model.call().await.answer("Hartmann does.");
    harness.ended(turn).await;

    let entries = harness.entries(session).await;
    assert_eq!(origins(&entries), [Origin::Trusted, Origin::Untrusted], "the answer may carry those words");
}

#[tokio::test]
async fn own_words_taint_nothing() {
    let harness = Harness::remembering();
    let (one, other) = (harness.start().await, harness.start().await);
    harness.exchange(one, "The boiler is serviced by Hartmann every October.", "Good to know.").await;
    harness.consistent().await;
    let (turn, call) = harness.asked(other, "Who services the boiler?").await;
    assert!(call.notes()[0].1.contains("Hartmann"));
    call.use_tools(&[("c1", "lamp", note("on"))]);
    harness.model.call().await.answer("Hartmann does, and the lamp is on.");
    assert_eq!(harness.ended(turn).await.status, TurnStatus::Completed);
    assert_eq!(harness.tool_runs.begun(), ["lamp on"]);
    assert!(!used(&harness.journal(other).await, turn).tainted);
    assert_eq!(origins(&harness.entries(other).await), [Origin::Trusted; 2]);
}

#[tokio::test]
async fn what_was_not_recalled_taints_nothing() {
    let harness = Harness::remembering();
    harness.ingest("a chat", &[("user", "The boiler is serviced by Hartmann every October.")]).await;
    let session = harness.start().await;
    harness.exchange(session, "Tell me about cats.", "They purr.").await;
    let turn = harness.exchange(session, "And about dogs.", "They bark.").await.turn_id;
    assert!(!used(&harness.journal(session).await, turn).tainted);
}

#[tokio::test]
async fn what_others_state_is_no_fact_about_the_user() {
    let harness = Harness::remembering();
    harness.ingest("a chat", &[("user", "My name is Grace.")]).await;
    let session = harness.start().await;
    let (turn, call) = harness.asked(session, "Tell me about cats.").await;
    assert!(!call.prompt.system.contains("Grace"), "{}", call.prompt.system);
    call.answer("They purr.");
    harness.ended(turn).await;
    assert!(!used(&harness.journal(session).await, turn).tainted);
}

/// A turn that reads a page, and is asked something else before it has answered.
async fn read_a_page_under_way(harness: &Harness) -> (protocol::SessionId, protocol::TurnId) {
    let session = harness.start().await;
    let (turn, second) = harness.call(session, "page", "a cat").await;
    harness.say(session, "And what about dogs?").await;
    harness.consistent().await;
    drop(second);
    (session, turn)
}

#[tokio::test]
async fn answers_of_a_turn_that_has_read_untrusted_text_are_untrusted() {
    let harness = Harness::remembering();
    let session = harness.start().await;
    let (turn, second) = harness.call(session, "page", "a cat").await;
    second.answer("It says: a cat.");
    harness.ended(turn).await;
    let entries = harness.entries(session).await;
    assert_eq!(origins(&entries), [Origin::Trusted, Origin::Untrusted]);
}

#[tokio::test]
async fn an_answer_stays_untrusted_after_a_restart() {
    let harness = Harness::remembering();
    let (session, turn) = read_a_page_under_way(&harness).await;
    let harness = harness.restart().await;
    harness.model.answer_everything();
    harness.ended(turn).await;
    harness.consistent().await;
    let last = harness.view(session).await;
    assert!(last.open_turns.len() <= 1);
    for open in last.open_turns {
        harness.ended(open).await;
    }
    let entries = super::check_entries(&harness, session).await;
    let answer = entries.iter().find(|entry| entry.role == "assistant" && entry.source.turn_id == Some(turn)).unwrap();
    assert_eq!(answer.origin, Origin::Untrusted, "{answer:?}");
}
