//! The server restarts between any two steps: nothing is lost, nothing is duplicated.

use std::time::Duration;

use protocol::{SessionEnd, SessionId};

use super::{announced, check_entries, summaries};
use crate::harness::Harness;

/// Random numbers that a seed reproduces (xorshift).
pub(super) struct SeededRandom(u64);

impl SeededRandom {
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed | 1)
    }

    pub(super) const fn below(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % below
    }
}

/// The n-th message: some of them state a fact that changes.
pub(super) fn message(number: u64) -> String {
    match number % 3 {
        0 => format!("My favourite number is {number}."),
        1 => format!("This is number {number}."),
        _ => format!("I live in {}.", ["Oslo", "Lisbon", "Graz", "Linz"][usize::try_from(number / 3 % 4).unwrap()]),
    }
}

/// The final invariants: entries are the messages, versions have no gaps and are announced once
/// each, one value holds under each key, and it is announced once.
pub(super) async fn check_all(harness: &Harness, session: SessionId, home: &str, favourite: &str) {
    let entries = check_entries(harness, session).await;
    let contexts = summaries::check_announced(harness, session).await;
    let told: Vec<&str> = contexts.iter().map(|context| context.written_by.as_str()).collect();
    // A burst of messages is summarized once.
    assert!((1..=entries.len() / 6).contains(&contexts.len()), "at most one for six messages: {told:?}");
    let newest = contexts.iter().map(|context| context.stored_at).max();
    let unknown = entries.iter().filter(|entry| Some(entry.stored_at) > newest).count();
    assert!(unknown < 6, "{unknown} messages are in no summary");
    let announced = announced(&harness.journal(session).await);
    for (key, value) in [("home", home), ("favourite number", favourite)] {
        let history = harness.history(key).await;
        let holding: Vec<_> = history.iter().filter(|fact| fact.is_current()).collect();
        assert_eq!(holding.len(), 1, "{key}: {history:?}");
        assert_eq!(holding[0].value, value, "{history:?}");
        let times: usize = announced.iter().filter(|((id, _), _)| *id == holding[0].fact_id).map(|(_, n)| n).sum();
        assert_eq!(times, 1, "{key} was announced {times} times");
        let texts: std::collections::BTreeSet<_> = history.iter().map(|fact| (fact.valid_from, &fact.value)).collect();
        assert_eq!(texts.len(), history.len(), "{key}: one statement, one fact: {history:?}");
    }
}

async fn live(seed: u64) {
    let mut moments = SeededRandom::new(seed);
    let mut harness = Harness::remembering();
    harness.model.answer_everything();
    let session = harness.start().await;
    for number in 0..12 {
        let turn = harness.say(session, &message(number)).await;
        match moments.below(4) {
            0 => {}
            1 => drop(harness.ended(turn).await),
            2 => tokio::time::sleep(Duration::from_millis(moments.below(12))).await,
            _ => {
                harness.ended(turn).await;
                tokio::time::sleep(Duration::from_millis(moments.below(12))).await;
            }
        }
        harness = harness.restart().await;
        harness.model.answer_everything();
        harness.ended(turn).await;
    }
    check_all(&harness, session, "Linz", "9").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn restarting_after_every_message_loses_and_doubles_nothing() {
    for seed in [1, 20_261_115, 42, 7_777] {
        live(seed * 2 + 1).await;
    }
}

#[tokio::test]
async fn restarting_again_and_again_with_nothing_new_writes_nothing() {
    let mut harness = Harness::remembering();
    harness.model.answer_everything();
    let session = harness.start().await;
    for number in 0..4 {
        let turn = harness.say(session, &message(number)).await;
        harness.ended(turn).await;
    }
    harness.hub.end(&harness.ada, SessionEnd { session: session.into(), ..SessionEnd::default() }).await.unwrap();
    harness.consistent().await;
    let (events, before) = (harness.journal(session).await, harness.everything().await);
    for _ in 0..3 {
        harness = harness.restart().await;
        harness.consistent().await;
        assert_eq!(harness.everything().await, before);
        assert_eq!(harness.journal(session).await, events);
    }
}
