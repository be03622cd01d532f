//! The store fails once, at any of its writes: in the end everything is as if it had not.

use memory::agent::STARTED_OVER;
use protocol::{End, SessionId};

use super::{
    check_entries,
    restarts::{check_all, message},
    summaries,
};
use crate::{
    failing_store::Mishap,
    house::{House, within_patience},
};

/// Says something that must be accepted and answered, however the store feels.
async fn say(house: &House, session: SessionId, words: &str) {
    let saying = async {
        let send = || protocol::ChatSend { idempotency_key: Some(words.to_owned()), ..protocol::ChatSend::text(words) };
        let turn = loop {
            match house.send(session, send()).await {
                Ok(turn) => break turn,
                Err(_) => tokio::time::sleep(std::time::Duration::from_millis(5)).await,
            }
        };
        while !house
            .hub
            .wait(&house.ada, turn, std::time::Duration::from_secs(5))
            .await
            .is_ok_and(|it| it.status.is_final())
        {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    };
    within_patience("it is answered", saying).await;
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Append,
    Change,
}

async fn talk(kind: Kind, number: u64, mishap: Mishap) -> bool {
    let house = House::remembering();
    house.model.answer_everything();
    let session = house.start().await;
    let fate = match kind {
        Kind::Append => &house.store.appends,
        Kind::Change => &house.store.changes,
    };
    fate.arrange(number, mishap);
    for number in 0..6 {
        say(&house, session, &message(number)).await;
        // Otherwise all of it would be one write.
        house.consistent().await;
    }
    let has_struck = fate.has_struck();
    check_all(&house, session, "Lisbon", "3").await;
    // And it is the same for whoever reads it from the disk.
    let house = house.restart().await;
    check_all(&house, session, "Lisbon", "3").await;
    has_struck
}

async fn talk_each(kind: Kind, mishap: Mishap) {
    let mut struck = 0;
    for numbers in [1..=8, 9..=16, 17..=24] {
        let mut talks = tokio::task::JoinSet::new();
        for number in numbers {
            talks.spawn(talk(kind, number, mishap));
        }
        while let Some(has_struck) = talks.join_next().await {
            struck += u32::from(has_struck.unwrap());
        }
    }
    assert!(struck >= 12, "hardly anything went wrong: {struck}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_to_memory_that_is_refused_is_made_up_for() {
    talk_each(Kind::Change, Mishap::Refused).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_to_memory_whose_answer_is_lost_is_not_made_twice() {
    talk_each(Kind::Change, Mishap::Misreported).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_to_the_session_that_is_refused_is_made_up_for() {
    talk_each(Kind::Append, Mishap::Refused).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_to_the_session_whose_answer_is_lost_is_not_made_twice() {
    talk_each(Kind::Append, Mishap::Misreported).await;
}

/// A reset is several writes: what was said is summed up, then the next summary starts blank.
async fn start_over(number: u64, mishap: Mishap) {
    let house = House::remembering();
    house.model.answer_everything();
    let session = house.start().await;
    say(&house, session, "The boiler is serviced by Hartmann.").await;
    house.consistent().await;
    house.store.changes.arrange(number, mishap);
    house.hub.reset(&house.ada, End { session: session.into(), ..End::default() }).await.unwrap();
    house.consistent().await;
    let contexts = summaries::check_announced(&house, session).await;
    let writers: Vec<&str> = contexts.iter().map(|context| context.written_by.as_str()).collect();
    assert_eq!(writers, ["extract", STARTED_OVER], "write {number} was {mishap:?}");
    for number in 0..3 {
        say(&house, session, &format!("Tell me about cat {number}.")).await;
    }
    let contexts = summaries::check_announced(&house, session).await;
    assert_eq!(contexts.len(), 3);
    assert!(!contexts[2].content.contains("Hartmann"), "{}", contexts[2].content);
    check_entries(&house, session).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reset_is_carried_through() {
    let mut resets = tokio::task::JoinSet::new();
    for number in 1..=4 {
        for mishap in [Mishap::Refused, Mishap::Misreported] {
            resets.spawn(start_over(number, mishap));
        }
    }
    while let Some(done) = resets.join_next().await {
        done.unwrap();
    }
}
