//! The follower: every message becomes an entry, once.

use protocol::{Cancel, ChatSend, End, Fork, OnBusy, Start, TurnStatus};

use super::{check_entries, said};
use crate::{driven_model::reply_to, house::House, test_tools::note};

#[tokio::test]
async fn every_message_becomes_an_entry_with_its_role_turn_and_number() {
    let house = House::remembering();
    house.model.answer_everything();
    let sessions = [house.start().await, house.start().await];
    for number in 0..4 {
        for session in sessions {
            let turn = house.say(session, &format!("This is number {number} of {session}.")).await;
            house.ended(turn).await;
        }
    }
    for session in sessions {
        let entries = check_entries(&house, session).await;
        assert_eq!(entries.len(), 8);
        for (pair, number) in entries.chunks(2).zip(0..) {
            let message = format!("This is number {number} of {session}.");
            assert_eq!(said(pair), [("user", message.as_str()), ("assistant", reply_to(&message).as_str())]);
        }
    }
}

#[tokio::test]
async fn asking_again_stores_no_second_question() {
    let house = House::remembering();
    let session = house.start().await;
    let first = house.exchange(session, "Tell me about cats.", "They purr.").await;
    let again =
        house.hub.retry_turn(&house.ada, first.turn_id, None, protocol::WayIn::default()).await.unwrap().turn_id;
    house.model.call().await.answer("They meow.");
    house.ended(again).await;
    let entries = check_entries(&house, session).await;
    assert_eq!(
        said(&entries),
        [("user", "Tell me about cats."), ("assistant", "They purr."), ("assistant", "They meow.")]
    );
}

#[tokio::test]
async fn a_fork_stores_only_what_is_new_in_it() {
    let house = House::remembering();
    let session = house.start().await;
    house.exchange(session, "Tell me about cats.", "They purr.").await;
    let turn = house.exchange(session, "Tell me about dogs.", "They bark.").await.turn_id;
    house.consistent().await;
    // Time passes between the last word and the fork.
    house.world.pass(std::time::Duration::from_millis(5));
    let asked = Fork { session: session.into(), turn_id: turn, key: None };
    let fork = house.hub.fork(&house.ada, asked).await.unwrap().session_id;
    assert_eq!(said(&house.entries(fork).await), []);
    house.exchange(fork, "Tell me about bees.", "They hum.").await;
    assert_eq!(said(&house.entries(fork).await), [("user", "Tell me about bees."), ("assistant", "They hum.")]);
    assert_eq!(check_entries(&house, session).await.len(), 4);
}

#[tokio::test]
async fn a_temporary_session_leaves_nothing() {
    let house = House::remembering();
    let session = house.start_with(Start { temporary: true, ..Start::default() }).await;
    let follower = house.follow(session).await;
    house.exchange(session, "My name is Grace and I live in Oslo.", "Hello Grace.").await;
    house.consistent().await;
    assert_eq!(house.memory_of(session).await, None);
    assert_eq!(house.hub.profile(&house.ada).await.unwrap(), []);
    assert_eq!(house.everything().await, "");
    drop(follower);
    let house = house.restart().await;
    house.consistent().await;
    assert_eq!(house.everything().await, "");
}

#[tokio::test]
async fn what_steers_a_turn_is_stored() {
    let house = House::remembering();
    let session = house.start().await;
    house.workshop.hold();
    let turn = house.say(session, "What is on the page?").await;
    house.model.call().await.use_tools(&[("c1", "page", note("a cat"))]);
    house.workshop.until_begun(1).await;
    let steer = ChatSend { on_busy: OnBusy::Steer, ..ChatSend::text("My name is Ada, by the way.") };
    house.send(session, steer).await.unwrap();
    house.workshop.release();
    house.model.call().await.answer("A cat.");
    house.ended(turn).await;
    let entries = check_entries(&house, session).await;
    let expected = [("user", "What is on the page?"), ("user", "My name is Ada, by the way."), ("assistant", "A cat.")];
    assert_eq!(said(&entries), expected);
    let profile = house.hub.profile(&house.ada).await.unwrap();
    assert_eq!(profile.iter().map(|line| line.value.as_str()).collect::<Vec<_>>(), ["Ada"]);
}

#[tokio::test]
async fn what_a_steering_message_ends_is_announced() {
    let house = House::remembering();
    let session = house.start().await;
    house.exchange(session, "I live in Oslo.", "Noted.").await;
    house.workshop.hold();
    let turn = house.say(session, "What is on the page?").await;
    house.model.call().await.use_tools(&[("c1", "page", note("a cat"))]);
    house.workshop.until_begun(1).await;
    let steer = ChatSend { on_busy: OnBusy::Steer, ..ChatSend::text("I no longer live in Oslo.") };
    house.send(session, steer).await.unwrap();
    house.workshop.release();
    house.model.call().await.answer("A cat.");
    house.ended(turn).await;
    check_entries(&house, session).await;
    let ended = house.history("home").await;
    assert!(ended.iter().all(|fact| !fact.is_current()) && !ended.is_empty(), "{ended:?}");
    let announced = super::announced(&house.journal(session).await);
    let values: Vec<_> = announced.keys().filter(|(id, _)| *id == ended[0].fact_id).map(|(_, value)| value).collect();
    assert_eq!(values.len(), 2, "it was stated, and it was ended: {values:?}");
}

#[tokio::test]
async fn a_cancelled_turn_stores_what_was_asked_and_no_answer() {
    let house = House::remembering();
    let session = house.start().await;
    let mut follower = house.follow(session).await;
    let (turn, call) = house.asked(session, "Tell me a story.").await;
    call.say("Once upon");
    follower.until_text(turn, "Once upon").await;
    let asked = Cancel { session: session.into(), turn_id: Some(turn), reason: None };
    house.hub.cancel(&house.ada, asked).await.unwrap();
    assert_eq!(house.ended(turn).await.status, TurnStatus::Cancelled);
    let entries = house.entries(session).await;
    assert_eq!(said(&entries), [("user", "Tell me a story.")]);
}

#[tokio::test]
async fn what_is_said_after_a_reset_and_before_an_end_is_stored() {
    let house = House::remembering();
    let session = house.start().await;
    house.exchange(session, "Tell me about cats.", "They purr.").await;
    house.hub.reset(&house.ada, End { session: session.into(), ..End::default() }).await.unwrap();
    house.exchange(session, "Tell me about dogs.", "They bark.").await;
    house.hub.end(&house.ada, End { session: session.into(), ..End::default() }).await.unwrap();
    assert_eq!(check_entries(&house, session).await.len(), 4);
}

#[tokio::test]
async fn taking_a_conversation_in_again_changes_nothing() {
    let house = House::remembering();
    let words: Vec<String> = (0..11).map(|number| format!("This is number {number}.")).collect();
    let chat: Vec<(&str, &str)> = words.iter().map(|words| ("user", words.as_str())).collect();
    let first = house.ingest_open("a chat", &chat).await;
    assert_eq!((first.entries, first.known, first.contexts), (11, 0, 1));
    let before = house.everything().await;
    let again = house.ingest_open("a chat", &chat).await;
    assert_eq!((again.entries, again.known, again.contexts), (0, 11, 0));
    assert_eq!(house.everything().await, before);
    // What is new goes on where it was.
    let more: Vec<(&str, &str)> = chat.iter().copied().chain([("user", "This is new.")]).collect();
    let third = house.ingest_open("a chat", &more).await;
    assert_eq!((third.entries, third.known, third.contexts), (1, 11, 1));
}

#[tokio::test]
async fn writing_an_entry_again_under_its_key_sums_nothing_up() {
    let house = House::remembering();
    house.ingest_open("a chat", &[("user", "This is the first.")]).await;
    let memory = house.memories().await.pop().unwrap();
    for number in 0..4 {
        house.add(&memory, &format!("This is number {number}."), &format!("key {number}")).await;
    }
    let last = house.add(&memory, "This is number 3.", "key 3").await;
    assert_eq!(last.raw_entry, "This is number 3.");
    let long = "A long word. ".repeat(2_000);
    let one = house.add(&memory, &long, "long").await;
    assert_eq!(house.add(&memory, &long, "long").await, one);
    let contexts = house.hub.contexts(&house.ada, memory.vault_id, memory.memory_id).await.unwrap().data;
    assert_eq!(contexts.len(), 1, "the long one was summed up with those before it, once");
    assert_eq!(house.entries_in(&memory).await.len(), 6);
}
