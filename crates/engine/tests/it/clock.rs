//! A clock that jumps deletes nothing, and times in a journal never decrease.

use std::time::Duration;

use engine::Options;
use protocol::{ChatSend, MemorySet, PageRequest, SessionId, SweepResult};
use serde_json::json;

use crate::harness::{Harness, options};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

async fn with_artifact() -> (Harness, SessionId) {
    let harness = Harness::with(Options { artifact_days: Some(30), ..options() });
    let session = harness.start().await;
    let turn = harness.say(session, "Please do what we spoke of.").await;
    harness.model.call().await.use_tools(&[("c1", "artifact_save", json!({ "name": "a.txt", "content": "abc" }))]);
    harness.model.call().await.answer("Done.");
    harness.ended(turn).await;
    (harness, session)
}

async fn artifacts(harness: &Harness) -> usize {
    harness.hub.all_artifacts(&harness.ada, &PageRequest::default()).await.unwrap().data.len()
}

/// Nothing was deleted, and the reason is reported.
async fn check_suspended(harness: &Harness) {
    let swept = harness.hub.sweep_now().await.unwrap();
    let doubt = swept.clock.clone().unwrap();
    assert_eq!(SweepResult { clock: None, ..swept }, SweepResult::default());
    assert!(doubt.reason.contains("nothing is deleted"), "{}", doubt.reason);
    assert!(harness.hub.stats().clock.is_some(), "the statistics say so too");
    assert_eq!(artifacts(harness).await, 1);
}

#[tokio::test]
async fn a_jump_while_running_suspends_deleting_until_it_is_put_right() {
    for days in [100, -100] {
        let (harness, _) = with_artifact().await;
        assert_eq!(harness.hub.sweep_now().await.unwrap(), SweepResult::default());
        harness.world.jump(days * DAY_MS);
        check_suspended(&harness).await;
        harness.world.jump(-days * DAY_MS);
        assert_eq!(
            harness.hub.sweep_now().await.unwrap(),
            SweepResult::default(),
            "it is right again, and nothing is old"
        );
        assert_eq!((artifacts(&harness).await, harness.hub.stats().clock), (1, None));
    }
}

#[tokio::test]
async fn a_start_ahead_is_believed_after_a_day_or_on_the_operators_word() {
    let (harness, _) = with_artifact().await;
    harness.hub.sweep_now().await.unwrap();
    harness.world.jump(100 * DAY_MS);
    let harness = harness.restart().await;
    check_suspended(&harness).await;
    harness.world.pass(DAY / 2);
    check_suspended(&harness).await;
    // Running time counts across restarts, as long as the clock runs steadily.
    let harness = harness.restart().await;
    check_suspended(&harness).await;
    harness.world.pass(DAY / 2);
    let collected = SweepResult { artifacts: 1, bytes: 3, memories: 0, ..SweepResult::default() };
    assert_eq!(harness.hub.sweep_now().await.unwrap(), collected);

    let (harness, _) = with_artifact().await;
    harness.hub.sweep_now().await.unwrap();
    harness.world.jump(100 * DAY_MS);
    check_suspended(&harness).await;
    harness.hub.trust_clock().await.unwrap();
    assert_eq!(harness.hub.sweep_now().await.unwrap(), collected);
}

#[tokio::test]
async fn what_is_kept_for_a_while_stays_while_the_clock_is_in_doubt() {
    let harness = Harness::new();
    harness.start().await;
    let line = MemorySet {
        key: "parking spot".to_owned(),
        value: "level 3".to_owned(),
        priority: None,
        ttl_s: Some(60),
        idempotency_key: Some("once".to_owned()),
    };
    harness.hub.memory_set(&harness.ada, line.clone()).await.unwrap();
    harness.hub.sweep_memory().await;
    harness.world.jump(100 * DAY_MS);
    assert_eq!(harness.hub.sweep_memory().await, 0);
    harness.world.jump(-100 * DAY_MS);
    assert_eq!(harness.hub.profile(&harness.ada).await.unwrap().len(), 1);
    harness.hub.memory_set(&harness.ada, line).await.unwrap();
    assert_eq!(harness.hub.profile(&harness.ada).await.unwrap().len(), 1, "its key is known too");
}

#[tokio::test]
async fn a_key_is_remembered_though_the_clock_jumps() {
    let harness = Harness::new();
    let session = harness.start().await;
    harness.hub.check_clock().await.unwrap().unwrap();
    let keyed = |key: &str| ChatSend { idempotency_key: Some(key.to_owned()), ..ChatSend::text("Tell me about cats.") };
    let first = harness.send(session, keyed("a")).await.unwrap();
    harness.model.call().await.answer("They purr.");
    harness.ended(first).await;
    harness.world.jump(100 * DAY_MS);
    assert_eq!(harness.send(session, keyed("a")).await.unwrap(), first, "before the jump was noticed");
    let second = harness.send(session, keyed("b")).await.unwrap();
    harness.model.call().await.answer("They purr.");
    harness.ended(second).await;
    let harness = harness.restart().await;
    assert!(harness.hub.check_clock().await.unwrap().is_err());
    assert_eq!(harness.send(session, keyed("a")).await.unwrap(), first, "after it, and after a restart");
    harness.world.jump(-100 * DAY_MS);
    assert_eq!(harness.send(session, keyed("b")).await.unwrap(), second);
}

#[tokio::test]
async fn times_in_a_journal_never_go_backwards() {
    let harness = Harness::new();
    let session = harness.start().await;
    let mut harness = harness;
    for by in [0, -3, 10, -7, -400, 1] {
        harness.world.jump(by * DAY_MS);
        harness.exchange(session, "Tell me about cats.", "They purr.").await;
        if by == -7 {
            harness = harness.restart().await;
        }
    }
    let fork = {
        let turns: Vec<_> = harness.journal(session).await.iter().filter_map(|event| event.turn_id).collect();
        let asked = protocol::SessionFork { session: session.into(), turn_id: *turns.last().unwrap(), key: None };
        harness.hub.fork(&harness.ada, asked).await.unwrap().session_id
    };
    harness.world.jump(-20 * DAY_MS);
    harness.exchange(fork, "Tell me about dogs.", "They bark.").await;
    let times: Vec<_> = harness.journal(session).await.iter().map(|event| event.at).collect();
    assert!(times.is_sorted(), "{times:?}");
    // A fork starts when it is made; the copied events keep their times, and new ones come after
    // both.
    let forked: Vec<_> = harness.journal(fork).await.iter().map(|event| event.at).collect();
    assert!(forked[1..].is_sorted(), "{forked:?}");
    assert!(forked[times.len()..].iter().all(|at| *at >= forked[0]), "{forked:?}");
}
