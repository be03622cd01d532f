//! What prompts contain of other conversations, and what they do not.

use protocol::{Level, MemorySet, Score, Update};

use super::{prompt, used};
use crate::harness::Harness;

fn parts(score: &Score) -> f32 {
    score.relevance + score.recency + score.pinned + score.conversation + score.entity + score.time
}

#[tokio::test]
async fn what_was_said_in_one_session_is_recalled_in_another() {
    let harness = Harness::remembering();
    let (one, other) = (harness.start().await, harness.start().await);
    let said = harness.exchange(one, "The boiler is serviced by Hartmann every October.", "Good to know.").await;
    harness.consistent().await;

    let (turn, call) = harness.asked(other, "Who services the boiler?").await;
    let notes = call.notes();
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert_eq!(notes[0].1.matches("serviced by Hartmann").count(), 1, "{notes:?}");
    call.answer("Hartmann.");
    harness.ended(turn).await;

    let used = used(&harness.journal(other).await, turn);
    assert!(!used.tainted, "own words are one's own");
    let item = used.items.iter().find(|item| item.text.contains("Hartmann")).unwrap();
    assert_eq!((item.source, item.session_id), (Some(said.turn_id), Some(one)));
    let found = harness.hub.memory_item(&harness.ada, item.id.unwrap()).await.unwrap();
    assert_eq!(found.text, item.text);
    for score in used.items.iter().filter_map(|item| item.score) {
        assert!((parts(&score) - score.total).abs() < 1e-4, "{score:?}");
        assert!(score.total > 0.0 && score.relevance > 0.0, "{score:?}");
    }
    let facts = used.sections.iter().find(|section| section.name == "facts");
    assert!(facts.is_some_and(|facts| facts.tokens > 0), "{:?}", used.sections);
}

#[tokio::test]
async fn what_stands_in_the_conversation_anyway_is_not_told_twice() {
    let harness = Harness::remembering();
    let session = harness.start().await;
    harness.exchange(session, "The boiler is serviced by Hartmann every October.", "Good to know.").await;
    harness.consistent().await;
    let (turn, call) = harness.asked(session, "Who services the boiler?").await;
    assert!(!call.notes().iter().any(|(_, notes)| notes.contains("Hartmann")), "{:?}", call.notes());
    assert_eq!(format!("{:?}", call.prompt.messages).matches("Hartmann").count(), 1);
    call.answer("Hartmann.");
    harness.ended(turn).await;
    let used = used(&harness.journal(session).await, turn);
    assert!(!used.items.iter().any(|item| item.level == Level::Entry), "{:?}", used.items);
}

#[tokio::test]
async fn what_has_left_the_window_is_recalled() {
    let harness = Harness::remembering();
    let budgets = protocol::Budgets { context_tokens: Some(4_000), ..protocol::Budgets::default() };
    let session = harness
        .start_with(protocol::SessionStart { budgets: Some(budgets), ..protocol::SessionStart::default() })
        .await;
    harness.exchange(session, "The boiler is serviced by Hartmann every October.", "Good to know.").await;
    for subject in ["cats", "dogs", "birds", "fish", "bees"] {
        let long = "And leave nothing out. ".repeat(120);
        harness.exchange(session, &format!("Tell me about {subject}. {long}"), "Gladly.").await;
    }
    harness.consistent().await;
    let (turn, call) = harness.asked(session, "Who services the boiler?").await;
    assert!(!call.lines().iter().any(|line| line.contains("Hartmann")), "{:?}", call.lines());
    assert!(call.notes().iter().any(|(_, notes)| notes.contains("Hartmann")), "{:?}", call.notes());
    call.answer("Hartmann.");
    harness.ended(turn).await;
}

#[tokio::test]
async fn the_profile_is_told_in_every_session() {
    let harness = Harness::remembering();
    let set = MemorySet {
        key: "diet".to_owned(),
        value: "vegetarian".to_owned(),
        priority: None,
        ttl_s: None,
        idempotency_key: None,
    };
    let line = harness.hub.memory_set(&harness.ada, set).await.unwrap();
    for _ in 0..2 {
        let session = harness.start().await;
        for message in ["Tell me about cats.", "Tell me about dogs."] {
            let (turn, call) = harness.asked(session, message).await;
            assert_eq!(call.prompt.system.matches("diet: vegetarian").count(), 1, "{}", call.prompt.system);
            call.answer("Gladly.");
            harness.ended(turn).await;
            let used = used(&harness.journal(session).await, turn);
            let told: Vec<_> = used.items.iter().filter(|item| item.level == Level::Profile).collect();
            assert_eq!(told.len(), 1);
            assert_eq!((told[0].id, told[0].key.as_deref()), (Some(line.fact_id), Some("diet")));
        }
    }
}

#[tokio::test]
async fn what_has_ended_is_not_told_as_holding() {
    let harness = Harness::remembering();
    let session = harness.start().await;
    harness.exchange(session, "I live in Oslo.", "Noted.").await;
    harness.exchange(session, "I live in Lisbon now.", "Noted.").await;
    harness.consistent().await;
    let other = harness.start().await;
    let (turn, call) = harness.asked(other, "Which city do I live in?").await;
    assert!(call.prompt.system.contains("Lisbon"), "{}", call.prompt.system);
    assert!(!call.prompt.system.contains("Oslo"), "{}", call.prompt.system);
    // As history it may be included, and then it says so.
    for line in call.notes().iter().flat_map(|(_, notes)| notes.lines()).filter(|line| line.contains("Oslo")) {
        assert!(line.contains("no longer so"), "{line}");
    }
    let holding = call.prompt.known.iter().filter(|known| known.until.is_none());
    for known in holding.filter(|known| known.level != "said") {
        assert!(!known.text.contains("Oslo"), "{known:?}");
    }
    call.answer("Lisbon.");
    harness.ended(turn).await;
}

#[tokio::test]
async fn nothing_of_another_owner_is_told() {
    let harness = Harness::remembering();
    let session = harness.start().await;
    harness.exchange(session, "The boiler is serviced by Hartmann. My name is Ada.", "Noted.").await;
    harness.consistent().await;
    let bob = crate::harness::owner("bob");
    let foreign = harness.hub.start(&bob, protocol::SessionStart::default()).await.unwrap().session_id;
    let send = protocol::ChatSend::text("Who services the boiler, and what is my name?");
    let turn = harness.hub.send(&bob, &foreign.into(), send).await.unwrap().turn_id;
    let call = harness.model.call().await;
    let told = prompt(&call);
    assert!(!told.contains("Hartmann") && !told.contains("Ada"), "{told}");
    call.answer("I do not know.");
    harness.hub.wait(&bob, turn, std::time::Duration::from_secs(20)).await.unwrap();
}

#[tokio::test]
async fn a_fact_is_told_in_the_session_after_a_switch_of_models_too() {
    let harness = Harness::remembering();
    let session = harness.start().await;
    harness.exchange(session, "My name is Ada.", "Hello Ada.").await;
    let change = Update { model: Some("another".to_owned()), ..Update::default() };
    harness.hub.update(&harness.ada, &session.into(), change).await.unwrap();
    let (turn, call) = harness.asked(session, "Tell me about cats.").await;
    assert!(call.prompt.system.contains("name: Ada"), "{}", call.prompt.system);
    call.answer("They purr.");
    harness.ended(turn).await;
}
