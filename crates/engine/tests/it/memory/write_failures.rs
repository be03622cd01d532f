//! The store fails once, at any of its writes: in the end everything is as if it had not.

use memory::agent::STARTED_OVER;
use protocol::{SessionEnd, SessionId};

use super::{
    check_entries,
    restarts::{check_all, message},
    summaries,
};
use crate::{
    failing_store::WriteFault,
    harness::{Harness, within_patience},
};

/// Sends a message that must be accepted and answered despite the fault.
async fn say(harness: &Harness, session: SessionId, words: &str) {
    let saying = async {
        let send = || protocol::ChatSend { idempotency_key: Some(words.to_owned()), ..protocol::ChatSend::text(words) };
        let turn = loop {
            match harness.send(session, send()).await {
                Ok(turn) => break turn,
                Err(_) => tokio::time::sleep(std::time::Duration::from_millis(5)).await,
            }
        };
        while !harness
            .hub
            .wait(&harness.ada, turn, std::time::Duration::from_secs(5))
            .await
            .is_ok_and(|it| it.status.is_final())
        {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    };
    within_patience("it is answered", saying).await;
}

#[derive(Clone, Copy, Debug)]
enum WriteKind {
    Append,
    Change,
}

async fn talk(kind: WriteKind, number: u64, fault: WriteFault) -> bool {
    let harness = Harness::remembering();
    harness.model.answer_everything();
    let session = harness.start().await;
    let fault_plan = match kind {
        WriteKind::Append => &harness.store.appends,
        WriteKind::Change => &harness.store.changes,
    };
    fault_plan.schedule(number, fault);
    for number in 0..6 {
        say(&harness, session, &message(number)).await;
        // Otherwise all of it would be one write.
        harness.consistent().await;
    }
    let has_struck = fault_plan.has_fired();
    check_all(&harness, session, "Lisbon", "3").await;
    // A read from the disk gives the same.
    let harness = harness.restart().await;
    check_all(&harness, session, "Lisbon", "3").await;
    has_struck
}

async fn talk_each(kind: WriteKind, fault: WriteFault) {
    let mut struck = 0;
    for numbers in [1..=8, 9..=16, 17..=24] {
        let mut talks = tokio::task::JoinSet::new();
        for number in numbers {
            talks.spawn(talk(kind, number, fault));
        }
        while let Some(has_struck) = talks.join_next().await {
            struck += u32::from(has_struck.unwrap());
        }
    }
    assert!(struck >= 12, "hardly anything went wrong: {struck}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_to_memory_that_is_refused_is_made_up_for() {
    talk_each(WriteKind::Change, WriteFault::Refused).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_to_memory_whose_answer_is_lost_is_not_made_twice() {
    talk_each(WriteKind::Change, WriteFault::Misreported).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_to_the_session_that_is_refused_is_made_up_for() {
    talk_each(WriteKind::Append, WriteFault::Refused).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_to_the_session_whose_answer_is_lost_is_not_made_twice() {
    talk_each(WriteKind::Append, WriteFault::Misreported).await;
}

/// A reset is several writes: the conversation is summarized, then the next summary starts empty.
async fn start_over(number: u64, fault: WriteFault) {
    let harness = Harness::remembering();
    harness.model.answer_everything();
    let session = harness.start().await;
    say(&harness, session, "The boiler is serviced by Hartmann.").await;
    harness.consistent().await;
    harness.store.changes.schedule(number, fault);
    harness.hub.reset(&harness.ada, SessionEnd { session: session.into(), ..SessionEnd::default() }).await.unwrap();
    harness.consistent().await;
    let contexts = summaries::check_announced(&harness, session).await;
    let writers: Vec<&str> = contexts.iter().map(|context| context.written_by.as_str()).collect();
    assert_eq!(writers, ["extract", STARTED_OVER], "write {number} was {fault:?}");
    for number in 0..3 {
        say(&harness, session, &format!("Tell me about cat {number}.")).await;
    }
    let contexts = summaries::check_announced(&harness, session).await;
    assert_eq!(contexts.len(), 3);
    assert!(!contexts[2].content.contains("Hartmann"), "{}", contexts[2].content);
    check_entries(&harness, session).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reset_is_carried_through() {
    let mut resets = tokio::task::JoinSet::new();
    for number in 1..=4 {
        for fault in [WriteFault::Refused, WriteFault::Misreported] {
            resets.spawn(start_over(number, fault));
        }
    }
    while let Some(done) = resets.join_next().await {
        done.unwrap();
    }
}
