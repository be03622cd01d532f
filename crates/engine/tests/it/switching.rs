//! A model that takes over from another gets a summary of the conversation.

use engine::Error;
use protocol::{Policy, SessionId, SessionStart, Update};
use session::Refusal;

use crate::{driven_model::ModelCall, harness::Harness, steps::summaries};

async fn switch(harness: &Harness, session: SessionId, model: &str) -> Result<(), Error> {
    let change = Update { model: Some(model.to_owned()), ..Update::default() };
    harness.hub.update(&harness.ada, &session.into(), change).await.map(drop)
}

/// Asks a question. Returns the prompt, and the summaries that the turn recorded.
async fn ask(harness: &Harness, session: SessionId) -> (ModelCall, Vec<String>) {
    let turn = harness.say(session, "What did we speak about?").await;
    let call = harness.model.call().await;
    call.answer("This and that.");
    let turn = harness.ended(turn).await;
    let noted = summaries(&turn).iter().map(|summary| format!("{}: {}", summary.kind, summary.text)).collect();
    (call, noted)
}

#[tokio::test]
async fn the_first_turn_after_a_switch_is_told_what_was_said() {
    let harness = Harness::new();
    let session = harness.start().await;
    harness.exchange(session, "Tell me about cats.", "They purr.").await;
    switch(&harness, session, "large").await.unwrap();

    let (call, noted) = ask(&harness, session).await;
    let system = &call.prompt.system;
    assert!(system.contains("You take over this conversation from the model driven."), "{system}");
    assert!(system.contains("- Asked: Tell me about cats.\n  Answered: They purr."), "{system}");
    assert_eq!(noted.len(), 1);
    assert!(noted[0].starts_with("transfer: ") && noted[0].contains("They purr."), "{noted:?}");

    let (call, noted) = ask(&harness, session).await;
    assert!(!call.prompt.system.contains("You take over"), "only the first");
    assert!(noted.is_empty());
}

#[tokio::test]
async fn a_switch_before_anything_was_said_is_no_transfer() {
    let harness = Harness::new();
    let session = harness.start().await;
    switch(&harness, session, "large").await.unwrap();
    let (call, noted) = ask(&harness, session).await;
    assert!(!call.prompt.system.contains("You take over"));
    assert!(noted.is_empty());
}

#[tokio::test]
async fn the_switch_is_not_forgotten_by_a_restart() {
    let harness = Harness::new();
    let session = harness.start().await;
    harness.exchange(session, "Tell me about cats.", "They purr.").await;
    switch(&harness, session, "large").await.unwrap();
    let harness = harness.restart().await;
    let (call, _) = ask(&harness, session).await;
    assert!(call.prompt.system.contains("They purr."), "{}", call.prompt.system);
}

#[tokio::test]
async fn a_session_that_keeps_its_model_refuses() {
    let harness = Harness::new();
    let policy = Policy { fixed_model: true, ..Policy::default() };
    let session = harness.start_with(SessionStart { policy: Some(policy), ..SessionStart::default() }).await;
    assert_eq!(switch(&harness, session, "large").await, Err(Error::Refused(Refusal::FixedModel)));
    let both = Update { model: Some("large".to_owned()), policy: Some(Policy::default()), ..Update::default() };
    let refused = harness.hub.update(&harness.ada, &session.into(), both).await;
    assert_eq!(refused, Err(Error::Refused(Refusal::FixedModel)), "not in one breath either");

    let loose = Update { policy: Some(Policy::default()), ..Update::default() };
    harness.hub.update(&harness.ada, &session.into(), loose).await.unwrap();
    switch(&harness, session, "large").await.unwrap();
}
