//! A clock that jumps deletes nothing, and times in a journal never go backwards.

use std::time::Duration;

use engine::Options;
use protocol::{ChatSend, List, MemorySet, SessionId, Swept};
use serde_json::json;

use crate::house::{House, options};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

async fn with_artifact() -> (House, SessionId) {
    let house = House::with(Options { artifact_days: Some(30), ..options() });
    let session = house.start().await;
    let turn = house.say(session, "Please do what we spoke of.").await;
    house.model.call().await.use_tools(&[("c1", "artifact_save", json!({ "name": "a.txt", "content": "abc" }))]);
    house.model.call().await.answer("Done.");
    house.ended(turn).await;
    (house, session)
}

async fn artifacts(house: &House) -> usize {
    house.hub.all_artifacts(&house.ada, &List::default()).await.unwrap().data.len()
}

/// Nothing was deleted, and it is said why.
async fn check_suspended(house: &House) {
    let swept = house.hub.sweep_now().await.unwrap();
    let doubt = swept.clock.clone().unwrap();
    assert_eq!(Swept { clock: None, ..swept }, Swept::default());
    assert!(doubt.reason.contains("nothing is deleted"), "{}", doubt.reason);
    assert!(house.hub.stats().clock.is_some(), "the statistics say so too");
    assert_eq!(artifacts(house).await, 1);
}

#[tokio::test]
async fn a_jump_while_running_suspends_deleting_until_it_is_put_right() {
    for days in [100, -100] {
        let (house, _) = with_artifact().await;
        assert_eq!(house.hub.sweep_now().await.unwrap(), Swept::default());
        house.world.jump(days * DAY_MS);
        check_suspended(&house).await;
        house.world.jump(-days * DAY_MS);
        assert_eq!(house.hub.sweep_now().await.unwrap(), Swept::default(), "it is right again, and nothing is old");
        assert_eq!((artifacts(&house).await, house.hub.stats().clock), (1, None));
    }
}

#[tokio::test]
async fn a_start_ahead_is_believed_after_a_day_or_on_the_operators_word() {
    let (house, _) = with_artifact().await;
    house.hub.sweep_now().await.unwrap();
    house.world.jump(100 * DAY_MS);
    let house = house.restart().await;
    check_suspended(&house).await;
    house.world.pass(DAY / 2);
    check_suspended(&house).await;
    // What was running counts over restarts, as long as the clock goes on as it went.
    let house = house.restart().await;
    check_suspended(&house).await;
    house.world.pass(DAY / 2);
    let collected = Swept { artifacts: 1, bytes: 3, memories: 0, ..Swept::default() };
    assert_eq!(house.hub.sweep_now().await.unwrap(), collected);

    let (house, _) = with_artifact().await;
    house.hub.sweep_now().await.unwrap();
    house.world.jump(100 * DAY_MS);
    check_suspended(&house).await;
    house.hub.trust_clock().await.unwrap();
    assert_eq!(house.hub.sweep_now().await.unwrap(), collected);
}

#[tokio::test]
async fn what_is_kept_for_a_while_stays_while_the_clock_is_in_doubt() {
    let house = House::new();
    house.start().await;
    let line = MemorySet {
        key: "parking spot".to_owned(),
        value: "level 3".to_owned(),
        priority: None,
        ttl_s: Some(60),
        idempotency_key: Some("once".to_owned()),
    };
    house.hub.memory_set(&house.ada, line.clone()).await.unwrap();
    house.hub.sweep_memory().await;
    house.world.jump(100 * DAY_MS);
    assert_eq!(house.hub.sweep_memory().await, 0);
    house.world.jump(-100 * DAY_MS);
    assert_eq!(house.hub.profile(&house.ada).await.unwrap().len(), 1);
    house.hub.memory_set(&house.ada, line).await.unwrap();
    assert_eq!(house.hub.profile(&house.ada).await.unwrap().len(), 1, "its key is known too");
}

#[tokio::test]
async fn a_key_is_remembered_though_the_clock_jumps() {
    let house = House::new();
    let session = house.start().await;
    house.hub.check_clock().await.unwrap().unwrap();
    let keyed = |key: &str| ChatSend { idempotency_key: Some(key.to_owned()), ..ChatSend::text("Tell me about cats.") };
    let first = house.send(session, keyed("a")).await.unwrap();
    house.model.call().await.answer("They purr.");
    house.ended(first).await;
    house.world.jump(100 * DAY_MS);
    assert_eq!(house.send(session, keyed("a")).await.unwrap(), first, "before the jump was noticed");
    let second = house.send(session, keyed("b")).await.unwrap();
    house.model.call().await.answer("They purr.");
    house.ended(second).await;
    let house = house.restart().await;
    assert!(house.hub.check_clock().await.unwrap().is_err());
    assert_eq!(house.send(session, keyed("a")).await.unwrap(), first, "after it, and after a restart");
    house.world.jump(-100 * DAY_MS);
    assert_eq!(house.send(session, keyed("b")).await.unwrap(), second);
}

#[tokio::test]
async fn times_in_a_journal_never_go_backwards() {
    let house = House::new();
    let session = house.start().await;
    let mut house = house;
    for by in [0, -3, 10, -7, -400, 1] {
        house.world.jump(by * DAY_MS);
        house.exchange(session, "Tell me about cats.", "They purr.").await;
        if by == -7 {
            house = house.restart().await;
        }
    }
    let fork = {
        let turns: Vec<_> = house.journal(session).await.iter().filter_map(|event| event.turn_id).collect();
        let asked = protocol::Fork { session: session.into(), turn_id: *turns.last().unwrap(), key: None };
        house.hub.fork(&house.ada, asked).await.unwrap().session_id
    };
    house.world.jump(-20 * DAY_MS);
    house.exchange(fork, "Tell me about dogs.", "They bark.").await;
    let times: Vec<_> = house.journal(session).await.iter().map(|event| event.at).collect();
    assert!(times.is_sorted(), "{times:?}");
    // A fork begins when it is made; what it shares with the other keeps its times, and what is new comes after both.
    let forked: Vec<_> = house.journal(fork).await.iter().map(|event| event.at).collect();
    assert!(forked[1..].is_sorted(), "{forked:?}");
    assert!(forked[times.len()..].iter().all(|at| *at >= forked[0]), "{forked:?}");
}
