//! Summaries of a conversation, version by version.

use memory::agent::STARTED_OVER;
use protocol::{Body, ContextDocument, Event, ItemId, SessionEnd, SessionId, SummaryCreated};

use super::prompt;
use crate::harness::Harness;

/// The summaries that the journal announces, oldest first.
pub(super) fn summaries(events: &[Event]) -> Vec<&SummaryCreated> {
    let created = events.iter().filter_map(|event| match &event.body {
        Body::SummaryCreated(created) => Some(created),
        _ => None,
    });
    created.collect()
}

/// Every version is announced once, unchanged; after a reset there is nothing to announce.
pub(super) async fn check_announced(harness: &Harness, session: SessionId) -> Vec<ContextDocument> {
    let contexts = harness.contexts(session).await;
    let events = harness.journal(session).await;
    let announced: Vec<(ItemId, u32, &str)> =
        summaries(&events).into_iter().map(|created| (created.id, created.version, created.value.as_str())).collect();
    let told = contexts.iter().filter(|context| context.written_by != STARTED_OVER);
    let written: Vec<(ItemId, u32, &str)> =
        told.map(|context| (context.context_id, context.version, context.content.as_str())).collect();
    assert_eq!(announced, written);
    contexts
}

fn end(session: SessionId) -> SessionEnd {
    SessionEnd { session: session.into(), ..SessionEnd::default() }
}

#[tokio::test]
async fn every_sixth_message_sums_the_conversation_up() {
    let harness = Harness::remembering();
    // In a larger window the prompt would contain the whole conversation, and no summary of it.
    let budgets = protocol::Budgets { context_tokens: Some(400), ..protocol::Budgets::default() };
    let session = harness
        .start_with(protocol::SessionStart { budgets: Some(budgets), ..protocol::SessionStart::default() })
        .await;
    for number in 1..=9 {
        harness.exchange(session, &format!("This is number {number}."), &format!("So it is, {number}.")).await;
        assert_eq!(check_announced(&harness, session).await.len(), number / 3);
    }
    let (turn, call) = harness.asked(session, "Hello?").await;
    let newest = harness.contexts(session).await.pop().unwrap();
    assert!(call.prompt.system.contains("What was said earlier in this conversation"), "{}", call.prompt.system);
    let line = newest.content.lines().next().unwrap();
    assert!(call.prompt.system.contains(line), "{line}\n{}", call.prompt.system);
    call.answer("Hello.");
    harness.ended(turn).await;
}

#[tokio::test]
async fn the_end_sums_up_what_was_said_since() {
    let harness = Harness::remembering();
    let session = harness.start().await;
    harness.exchange(session, "The boiler is serviced by Hartmann.", "Noted.").await;
    harness.hub.end(&harness.ada, end(session)).await.unwrap();
    let contexts = check_announced(&harness, session).await;
    assert_eq!(contexts.len(), 1);
    assert!(contexts[0].content.contains("Hartmann"), "{}", contexts[0].content);
    assert_eq!(contexts[0].written_by, "extract");
}

#[tokio::test]
async fn the_end_adds_nothing_where_nothing_was_said_since() {
    let harness = Harness::remembering();
    let session = harness.start().await;
    for number in 1..=3 {
        harness.exchange(session, &format!("This is number {number}."), "So it is.").await;
    }
    harness.hub.end(&harness.ada, end(session)).await.unwrap();
    assert_eq!(check_announced(&harness, session).await.len(), 1);
    let silent = harness.start().await;
    harness.hub.end(&harness.ada, end(silent)).await.unwrap();
    assert_eq!(check_announced(&harness, silent).await.len(), 0);
}

#[tokio::test]
async fn after_a_reset_the_summary_starts_blank() {
    let harness = Harness::remembering();
    let session = harness.start().await;
    for number in 1..=4 {
        harness.exchange(session, &format!("The boiler of house {number} is serviced by Hartmann."), "Noted.").await;
        harness.consistent().await;
    }
    harness.hub.reset(&harness.ada, end(session)).await.unwrap();
    let contexts = check_announced(&harness, session).await;
    let writers: Vec<&str> = contexts.iter().map(|context| context.written_by.as_str()).collect();
    assert_eq!(writers, ["extract", "extract", STARTED_OVER]);
    for number in 1..=3 {
        let (turn, call) = harness.asked(session, &format!("Tell me about cat {number}.")).await;
        assert!(!call.prompt.system.contains("Hartmann"), "{}", call.prompt.system);
        call.answer("It purrs.");
        harness.ended(turn).await;
    }
    let contexts = check_announced(&harness, session).await;
    assert_eq!(contexts.len(), 4);
    assert!(!contexts[3].content.contains("Hartmann"), "{}", contexts[3].content);
    assert!(contexts[3].content.contains("cat"), "{}", contexts[3].content);
}

#[tokio::test]
async fn a_second_reset_writes_nothing_new() {
    let harness = Harness::remembering();
    let session = harness.start().await;
    harness.exchange(session, "The boiler is serviced by Hartmann.", "Noted.").await;
    for _ in 0..3 {
        harness.hub.reset(&harness.ada, end(session)).await.unwrap();
        assert_eq!(check_announced(&harness, session).await.len(), 2);
    }
}

#[tokio::test]
async fn a_reset_right_after_the_last_word_tells_nothing_of_it() {
    let harness = Harness::remembering();
    let session = harness.start().await;
    for number in 1..=3 {
        harness.exchange(session, &format!("The boiler of house {number} is serviced by Hartmann."), "Noted.").await;
    }
    // The test does not wait for the follower.
    harness.hub.reset(&harness.ada, end(session)).await.unwrap();
    let (turn, call) = harness.asked(session, "Tell me about cats.").await;
    assert!(!prompt(&call).contains("Hartmann"), "{}", prompt(&call));
    call.answer("They purr.");
    harness.ended(turn).await;
}

#[tokio::test]
async fn a_handover_contains_the_earlier_summary() {
    let harness = Harness::remembering();
    let first = harness.ingest("a chat", &[("user", "The boiler is serviced by Hartmann every October.")]).await;
    assert_eq!((first.previous.is_none(), first.contexts), (true, 1));
    let again = harness.ingest("a chat", &[("user", "The boiler is serviced by Hartmann every October.")]).await;
    assert!(again.previous.is_some_and(|before| before.content.contains("Hartmann")), "it is told what is known");
}
