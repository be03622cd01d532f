//! A model that takes over from another is told what was said so far.

use engine::Error;
use protocol::{Policy, SessionId, Start, Update};
use session::Refusal;

use crate::{driven_model::Call, house::House, steps::summaries};

async fn switch(house: &House, session: SessionId, model: &str) -> Result<(), Error> {
    let change = Update { model: Some(model.to_owned()), ..Update::default() };
    house.hub.update(&house.ada, &session.into(), change).await.map(drop)
}

/// Asks something; gives what the model was told, and the summaries that the turn noted.
async fn ask(house: &House, session: SessionId) -> (Call, Vec<String>) {
    let turn = house.say(session, "What did we speak about?").await;
    let call = house.model.call().await;
    call.answer("This and that.");
    let turn = house.ended(turn).await;
    let noted = summaries(&turn).iter().map(|summary| format!("{}: {}", summary.kind, summary.text)).collect();
    (call, noted)
}

#[tokio::test]
async fn the_first_turn_after_a_switch_is_told_what_was_said() {
    let house = House::new();
    let session = house.start().await;
    house.exchange(session, "Tell me about cats.", "They purr.").await;
    switch(&house, session, "large").await.unwrap();

    let (call, noted) = ask(&house, session).await;
    let system = &call.prompt.system;
    assert!(system.contains("You take over this conversation from the model driven."), "{system}");
    assert!(system.contains("- Asked: Tell me about cats.\n  Answered: They purr."), "{system}");
    assert_eq!(noted.len(), 1);
    assert!(noted[0].starts_with("transfer: ") && noted[0].contains("They purr."), "{noted:?}");

    let (call, noted) = ask(&house, session).await;
    assert!(!call.prompt.system.contains("You take over"), "only the first");
    assert!(noted.is_empty());
}

#[tokio::test]
async fn a_switch_before_anything_was_said_is_no_transfer() {
    let house = House::new();
    let session = house.start().await;
    switch(&house, session, "large").await.unwrap();
    let (call, noted) = ask(&house, session).await;
    assert!(!call.prompt.system.contains("You take over"));
    assert!(noted.is_empty());
}

#[tokio::test]
async fn the_switch_is_not_forgotten_by_a_restart() {
    let house = House::new();
    let session = house.start().await;
    house.exchange(session, "Tell me about cats.", "They purr.").await;
    switch(&house, session, "large").await.unwrap();
    let house = house.restart().await;
    let (call, _) = ask(&house, session).await;
    assert!(call.prompt.system.contains("They purr."), "{}", call.prompt.system);
}

#[tokio::test]
async fn a_session_that_keeps_its_model_refuses() {
    let house = House::new();
    let policy = Policy { fixed_model: true, ..Policy::default() };
    let session = house.start_with(Start { policy: Some(policy), ..Start::default() }).await;
    assert_eq!(switch(&house, session, "large").await, Err(Error::Refused(Refusal::FixedModel)));
    let both = Update { model: Some("large".to_owned()), policy: Some(Policy::default()), ..Update::default() };
    let refused = house.hub.update(&house.ada, &session.into(), both).await;
    assert_eq!(refused, Err(Error::Refused(Refusal::FixedModel)), "not in one breath either");

    let loose = Update { policy: Some(Policy::default()), ..Update::default() };
    house.hub.update(&house.ada, &session.into(), loose).await.unwrap();
    switch(&house, session, "large").await.unwrap();
}
