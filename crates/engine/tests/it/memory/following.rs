//! The follower: every message becomes an entry, once.

use protocol::{Cancel, ChatSend, Level, MemorySearch, OnBusy, SessionEnd, SessionFork, SessionStart, TurnStatus};

use super::{check_entries, said};
use crate::{driven_model::reply_to, harness::Harness, test_tools::note};

#[tokio::test]
async fn every_message_becomes_an_entry_with_its_role_turn_and_number() {
    let harness = Harness::remembering();
    harness.model.answer_everything();
    let sessions = [harness.start().await, harness.start().await];
    for number in 0..4 {
        for session in sessions {
            let turn = harness.say(session, &format!("This is number {number} of {session}.")).await;
            harness.ended(turn).await;
        }
    }
    for session in sessions {
        let entries = check_entries(&harness, session).await;
        assert_eq!(entries.len(), 8);
        for (pair, number) in entries.chunks(2).zip(0..) {
            let message = format!("This is number {number} of {session}.");
            assert_eq!(said(pair), [("user", message.as_str()), ("assistant", reply_to(&message).as_str())]);
        }
    }
}

#[tokio::test]
async fn asking_again_stores_no_second_question() {
    let harness = Harness::remembering();
    let session = harness.start().await;
    let first = harness.exchange(session, "Tell me about cats.", "They purr.").await;
    let again = harness
        .hub
        .retry_turn(&harness.ada, first.turn_id, None, protocol::MessageTrust::default())
        .await
        .unwrap()
        .turn_id;
    harness.model.call().await.answer("They meow.");
    harness.ended(again).await;
    let entries = check_entries(&harness, session).await;
    assert_eq!(
        said(&entries),
        [("user", "Tell me about cats."), ("assistant", "They purr."), ("assistant", "They meow.")]
    );
}

#[tokio::test]
async fn a_fork_stores_only_what_is_new_in_it() {
    let harness = Harness::remembering();
    let session = harness.start().await;
    harness.exchange(session, "Tell me about cats.", "They purr.").await;
    let turn = harness.exchange(session, "Tell me about dogs.", "They bark.").await.turn_id;
    harness.consistent().await;
    // Time passes between the last event and the fork.
    harness.world.pass(std::time::Duration::from_millis(5));
    let asked = SessionFork { session: session.into(), turn_id: turn, key: None };
    let fork = harness.hub.fork(&harness.ada, asked).await.unwrap().session_id;
    assert_eq!(said(&harness.entries(fork).await), []);
    harness.exchange(fork, "Tell me about bees.", "They hum.").await;
    assert_eq!(said(&harness.entries(fork).await), [("user", "Tell me about bees."), ("assistant", "They hum.")]);
    assert_eq!(check_entries(&harness, session).await.len(), 4);
}

#[tokio::test]
async fn a_temporary_session_leaves_nothing() {
    let harness = Harness::remembering();
    let session = harness.start_with(SessionStart { temporary: true, ..SessionStart::default() }).await;
    let follower = harness.follow(session).await;
    harness.exchange(session, "My name is Grace and I live in Oslo.", "Hello Grace.").await;
    harness.consistent().await;
    assert_eq!(harness.memory_of(session).await, None);
    assert_eq!(harness.hub.profile(&harness.ada).await.unwrap(), []);
    assert_eq!(harness.everything().await, "");
    drop(follower);
    let harness = harness.restart().await;
    harness.consistent().await;
    assert_eq!(harness.everything().await, "");
}

#[tokio::test]
async fn what_steers_a_turn_is_stored() {
    let harness = Harness::remembering();
    let session = harness.start().await;
    harness.tool_runs.hold();
    let turn = harness.say(session, "What is on the page?").await;
    harness.model.call().await.use_tools(&[("c1", "page", note("a cat"))]);
    harness.tool_runs.until_begun(1).await;
    let steer = ChatSend { on_busy: OnBusy::Steer, ..ChatSend::text("My name is Ada, by the way.") };
    harness.send(session, steer).await.unwrap();
    harness.tool_runs.release();
    harness.model.call().await.answer("A cat.");
    harness.ended(turn).await;
    let entries = check_entries(&harness, session).await;
    let expected = [("user", "What is on the page?"), ("user", "My name is Ada, by the way."), ("assistant", "A cat.")];
    assert_eq!(said(&entries), expected);
    let profile = harness.hub.profile(&harness.ada).await.unwrap();
    assert_eq!(profile.iter().map(|line| line.value.as_str()).collect::<Vec<_>>(), ["Ada"]);
}

#[tokio::test]
async fn what_a_steering_message_ends_is_announced() {
    let harness = Harness::remembering();
    let session = harness.start().await;
    harness.exchange(session, "I live in Oslo.", "Noted.").await;
    harness.tool_runs.hold();
    let turn = harness.say(session, "What is on the page?").await;
    harness.model.call().await.use_tools(&[("c1", "page", note("a cat"))]);
    harness.tool_runs.until_begun(1).await;
    let steer = ChatSend { on_busy: OnBusy::Steer, ..ChatSend::text("I no longer live in Oslo.") };
    harness.send(session, steer).await.unwrap();
    harness.tool_runs.release();
    harness.model.call().await.answer("A cat.");
    harness.ended(turn).await;
    check_entries(&harness, session).await;
    let ended = harness.history("home").await;
    assert!(ended.iter().all(|fact| !fact.is_current()) && !ended.is_empty(), "{ended:?}");
    let announced = super::announced(&harness.journal(session).await);
    let values: Vec<_> = announced.keys().filter(|(id, _)| *id == ended[0].fact_id).map(|(_, value)| value).collect();
    assert_eq!(values.len(), 2, "it was stated, and it was ended: {values:?}");
}

#[tokio::test]
async fn a_cancelled_turn_stores_what_was_asked_and_no_answer() {
    let harness = Harness::remembering();
    let session = harness.start().await;
    let mut follower = harness.follow(session).await;
    let (turn, call) = harness.asked(session, "Tell me a story.").await;
    call.say("Once upon");
    follower.until_text(turn, "Once upon").await;
    let asked = Cancel { session: session.into(), turn_id: Some(turn), reason: None };
    harness.hub.cancel(&harness.ada, asked).await.unwrap();
    assert_eq!(harness.ended(turn).await.status, TurnStatus::Cancelled);
    let entries = harness.entries(session).await;
    assert_eq!(said(&entries), [("user", "Tell me a story.")]);
}

#[tokio::test]
async fn what_is_said_after_a_reset_and_before_an_end_is_stored() {
    let harness = Harness::remembering();
    let session = harness.start().await;
    harness.exchange(session, "Tell me about cats.", "They purr.").await;
    harness.hub.reset(&harness.ada, SessionEnd { session: session.into(), ..SessionEnd::default() }).await.unwrap();
    harness.exchange(session, "Tell me about dogs.", "They bark.").await;
    harness.hub.end(&harness.ada, SessionEnd { session: session.into(), ..SessionEnd::default() }).await.unwrap();
    assert_eq!(check_entries(&harness, session).await.len(), 4);
}

#[tokio::test]
async fn taking_a_conversation_in_again_changes_nothing() {
    let harness = Harness::remembering();
    let words: Vec<String> = (0..11).map(|number| format!("This is number {number}.")).collect();
    let chat: Vec<(&str, &str)> = words.iter().map(|words| ("user", words.as_str())).collect();
    let first = harness.ingest_open("a chat", &chat).await;
    assert_eq!((first.entries, first.known, first.contexts), (11, 0, 1));
    let before = harness.everything().await;
    let again = harness.ingest_open("a chat", &chat).await;
    assert_eq!((again.entries, again.known, again.contexts), (0, 11, 0));
    assert_eq!(harness.everything().await, before);
    // New messages continue where the import ended; one is not worth a new summary.
    let more: Vec<(&str, &str)> = chat.iter().copied().chain([("user", "This is new.")]).collect();
    let third = harness.ingest_open("a chat", &more).await;
    assert_eq!((third.entries, third.known, third.contexts), (1, 11, 0));
    let memory = harness.memories().await.pop().unwrap();
    let words: Vec<String> = (0..300).map(|number| format!("This is line {number} of a long chat.")).collect();
    let chat: Vec<(&str, &str)> = words.iter().map(|words| ("user", words.as_str())).collect();
    let many = harness.ingest_open("a chat", &chat).await;
    assert_eq!((many.entries, many.contexts), (300, 1), "many messages are summarized once");
    let contexts = harness.hub.contexts(&harness.ada, memory.vault_id, memory.memory_id).await.unwrap().data;
    assert_eq!(contexts.len(), 2);
    // Of its versions only the newest is found.
    let asked = MemorySearch { query: "long chat".to_owned(), levels: vec![Level::Context], ..MemorySearch::default() };
    let found = harness.hub.memory_search(&harness.ada, &asked).await.unwrap().items;
    let newest = contexts.last().unwrap().context_id;
    assert_eq!(found.iter().map(|found| found.item.id).collect::<Vec<_>>(), [newest]);
}

#[tokio::test]
async fn writing_an_entry_again_under_its_key_sums_nothing_up() {
    let harness = Harness::remembering();
    harness.ingest_open("a chat", &[("user", "This is the first.")]).await;
    let memory = harness.memories().await.pop().unwrap();
    for number in 0..4 {
        harness.add(&memory, &format!("This is number {number}."), &format!("key {number}")).await;
    }
    let last = harness.add(&memory, "This is number 3.", "key 3").await;
    assert_eq!(last.raw_entry, "This is number 3.");
    let long = "A long word. ".repeat(2_000);
    let one = harness.add(&memory, &long, "long").await;
    assert_eq!(harness.add(&memory, &long, "long").await, one);
    let contexts = harness.hub.contexts(&harness.ada, memory.vault_id, memory.memory_id).await.unwrap().data;
    assert_eq!(contexts.len(), 1, "the long one was summed up with those before it, once");
    assert_eq!(harness.entries_in(&memory).await.len(), 6);
}
