//! Anybody's words stay anybody's words when they are recalled.

use protocol::{ApprovalAnswer, Decision, Origin, TurnStatus};

use super::{origins, used};
use crate::{house::House, test_tools::note};

#[tokio::test]
async fn a_recalled_entry_of_unknown_origin_taints_the_turn() {
    let house = House::remembering();
    house.ingest("a chat", &[("user", "The boiler is serviced by Hartmann every October.")]).await;
    let session = house.start().await;
    let (turn, call) = house.asked(session, "Who services the boiler?").await;
    assert!(call.notes()[0].1.contains("(taken from a text of unknown origin)"), "{:?}", call.notes());
    call.use_tools(&[("c1", "lamp", note("on"))]);
    let waiting = house.settled(turn).await;
    assert_eq!(waiting.status, TurnStatus::Waiting);
    assert!(used(&house.journal(session).await, turn).tainted);
    let asked = house.hub.approvals(&house.ada, None).await.unwrap().data.remove(0).request;
    assert!(house.workshop.begun().is_empty());
    let answer = ApprovalAnswer { approval_id: asked.approval_id, decision: Decision::Deny, digest: None };
    house.hub.answer_approval(&house.ada, answer).await.unwrap();
    house.model.call().await.answer("Hartmann does.");
    house.ended(turn).await;

    let entries = house.entries(session).await;
    assert_eq!(origins(&entries), [Origin::Trusted, Origin::Untrusted], "the answer may carry those words");
}

#[tokio::test]
async fn own_words_taint_nothing() {
    let house = House::remembering();
    let (one, other) = (house.start().await, house.start().await);
    house.exchange(one, "The boiler is serviced by Hartmann every October.", "Good to know.").await;
    house.consistent().await;
    let (turn, call) = house.asked(other, "Who services the boiler?").await;
    assert!(call.notes()[0].1.contains("Hartmann"));
    call.use_tools(&[("c1", "lamp", note("on"))]);
    house.model.call().await.answer("Hartmann does, and the lamp is on.");
    assert_eq!(house.ended(turn).await.status, TurnStatus::Completed);
    assert_eq!(house.workshop.begun(), ["lamp on"]);
    assert!(!used(&house.journal(other).await, turn).tainted);
    assert_eq!(origins(&house.entries(other).await), [Origin::Trusted; 2]);
}

#[tokio::test]
async fn what_was_not_recalled_taints_nothing() {
    let house = House::remembering();
    house.ingest("a chat", &[("user", "The boiler is serviced by Hartmann every October.")]).await;
    let session = house.start().await;
    house.exchange(session, "Tell me about cats.", "They purr.").await;
    let turn = house.exchange(session, "And about dogs.", "They bark.").await.turn_id;
    assert!(!used(&house.journal(session).await, turn).tainted);
}

#[tokio::test]
async fn a_fact_that_others_stated_taints_every_turn_that_is_told_it() {
    let house = House::remembering();
    house.ingest("a chat", &[("user", "My name is Grace.")]).await;
    let session = house.start().await;
    let (turn, call) = house.asked(session, "Tell me about cats.").await;
    assert!(call.prompt.system.contains("Grace (taken from a text of unknown origin)"), "{}", call.prompt.system);
    call.answer("They purr.");
    house.ended(turn).await;
    assert!(used(&house.journal(session).await, turn).tainted);
}

/// A turn that reads a page, and is asked something else before it has answered.
async fn read_a_page_under_way(house: &House) -> (protocol::SessionId, protocol::TurnId) {
    let session = house.start().await;
    let (turn, second) = house.call(session, "page", "a cat").await;
    house.say(session, "And what about dogs?").await;
    house.consistent().await;
    drop(second);
    (session, turn)
}

#[tokio::test]
async fn answers_of_a_turn_that_has_read_are_anybodys() {
    let house = House::remembering();
    let session = house.start().await;
    let (turn, second) = house.call(session, "page", "a cat").await;
    second.answer("It says: a cat.");
    house.ended(turn).await;
    let entries = house.entries(session).await;
    assert_eq!(origins(&entries), [Origin::Trusted, Origin::Untrusted]);
}

#[tokio::test]
async fn an_answer_is_anybodys_also_if_the_house_was_opened_anew_meanwhile() {
    let house = House::remembering();
    let (session, turn) = read_a_page_under_way(&house).await;
    let house = house.restart().await;
    house.model.answer_everything();
    house.ended(turn).await;
    house.consistent().await;
    let last = house.view(session).await;
    assert!(last.open_turns.len() <= 1);
    for open in last.open_turns {
        house.ended(open).await;
    }
    let entries = super::check_entries(&house, session).await;
    let answer = entries.iter().find(|entry| entry.role == "assistant" && entry.source.turn_id == Some(turn)).unwrap();
    assert_eq!(answer.origin, Origin::Untrusted, "{answer:?}");
}
