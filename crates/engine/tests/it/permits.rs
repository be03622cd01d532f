//! The number of running turns is limited over all sessions; the others wait, and each gets its
//! turn.

use std::collections::HashMap;

use engine::Options;
use protocol::{CancelOutcome, ChatSend, OnBusy, Policy, SessionId, SessionStart, TurnStatus};

use crate::{
    harness::{Harness, options, within_patience},
    test_tools::note,
};

fn one_at_a_time() -> Harness {
    Harness::with(Options { agents_max: 1, ..options() })
}

#[tokio::test]
async fn two_sessions_take_turns() {
    let harness = one_at_a_time();
    let (first, second) = (harness.start().await, harness.start().await);
    let first_turn = harness.say(first, "Me first.").await;
    let call = harness.model.call().await;
    let second_turn = harness.say(second, "Then me.").await;
    call.say("You ");
    harness.store.looked(3).await;
    assert_eq!(harness.model.calls(), 1, "the second waits for the first");
    assert_eq!(harness.turn(second_turn).await.status, TurnStatus::Running);

    call.answer("first.");
    assert_eq!(harness.ended(first_turn).await.status, TurnStatus::Completed);
    harness.model.call().await.answer("Then you.");

    assert_eq!(harness.ended(second_turn).await.text, "Then you.");
    assert_eq!(harness.model.open_at_once_max(), 1);
}

#[tokio::test]
async fn a_cancelled_turn_makes_room() {
    let harness = one_at_a_time();
    let (first, second) = (harness.start().await, harness.start().await);
    let first_turn = harness.say(first, "Count to a million.").await;
    let _call = harness.model.call().await;
    let second_turn = harness.say(second, "Hello").await;

    harness.hub.cancel_turn(&harness.ada, first_turn, None).await.unwrap();

    harness.model.call().await.answer("Hi");
    assert_eq!(harness.ended(second_turn).await.status, TurnStatus::Completed);
}

#[tokio::test]
async fn a_turn_that_is_cancelled_while_it_waits_takes_no_place() {
    let harness = one_at_a_time();
    let sessions = [harness.start().await, harness.start().await, harness.start().await];
    let running = harness.say(sessions[0], "Me first.").await;
    let call = harness.model.call().await;
    let given_up = harness.say(sessions[1], "Then me.").await;
    let patient = harness.say(sessions[2], "And me.").await;

    let cancelled = harness.hub.cancel_turn(&harness.ada, given_up, None).await.unwrap();
    assert_eq!(cancelled.status, CancelOutcome::Cancelled);
    call.answer("You first.");
    let next = harness.model.call().await;
    assert_eq!(next.asked(), "And me.");
    next.answer("And you.");

    assert_eq!(harness.ended(running).await.status, TurnStatus::Completed);
    assert_eq!(harness.ended(patient).await.status, TurnStatus::Completed);
    assert_eq!(harness.model.calls(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_session_starves_among_twenty() {
    const SESSIONS: usize = 20;
    const TURNS: usize = 3;
    let harness = one_at_a_time();
    let mut turns = Vec::new();
    for _ in 0..SESSIONS {
        let session = harness.start().await;
        for _ in 0..TURNS {
            turns.push(harness.say(session, &session.to_string()).await);
        }
    }

    let mut served: HashMap<SessionId, usize> = HashMap::new();
    for _ in 0..SESSIONS * TURNS {
        let call = harness.model.call().await;
        let session: SessionId = call.asked().parse().unwrap();
        let count = served.entry(session).or_default();
        *count += 1;
        if *count == TURNS {
            assert_eq!(served.len(), SESSIONS, "one session has had all turns before another has had one");
        }
        call.answer("Done.");
    }

    for turn in turns {
        assert_eq!(harness.ended(turn).await.status, TurnStatus::Completed);
    }
    assert_eq!(harness.model.open_at_once_max(), 1);
}

#[tokio::test]
async fn as_many_as_allowed_run_at_once() {
    let harness = Harness::with(Options { agents_max: 3, ..options() });
    let mut turns = Vec::new();
    for _ in 0..5 {
        let session = harness.start().await;
        turns.push(harness.say(session, "Hello").await);
    }
    let mut calls = Vec::new();
    for _ in 0..3 {
        calls.push(harness.model.call().await);
    }
    harness.store.looked(3).await;
    assert_eq!(harness.model.calls(), 3);

    for call in calls {
        call.answer("Hi");
    }
    for _ in 0..2 {
        harness.model.call().await.answer("Hi");
    }
    for turn in turns {
        assert_eq!(harness.ended(turn).await.status, TurnStatus::Completed);
    }
    assert_eq!(harness.model.open_at_once_max(), 3);
}

/// A turn that waits for a person leaves its permit to others.
#[tokio::test]
async fn a_turn_that_waits_for_a_person_blocks_no_other() {
    let harness = one_at_a_time();
    let policy = Policy { confirm: vec!["lamp".to_owned()], ..Policy::default() };
    let asking = harness.start_with(SessionStart { policy: Some(policy), ..SessionStart::default() }).await;
    let turn = harness.say(asking, "Please see to the lamp.").await;
    harness.model.call().await.use_tools(&[("c1", "lamp", note("on"))]);
    assert_eq!(harness.settled(turn).await.status, TurnStatus::Waiting);
    let other = harness.start().await;
    assert_eq!(harness.exchange(other, "Tell me about cats.", "They purr.").await.status, TurnStatus::Completed);
}

async fn until_waiting(harness: &Harness, count: u64) {
    let waiting = async {
        while harness.hub.stats().waiting_turns != count {
            tokio::task::yield_now().await;
        }
    };
    within_patience("turns that wait", waiting).await;
}

#[tokio::test]
async fn a_session_that_asks_much_does_not_hold_up_another() {
    let harness = one_at_a_time();
    let (greedy, other) = (harness.start().await, harness.start().await);
    harness.say(greedy, "Me first.").await;
    let call = harness.model.call().await;
    for n in 1..=3 {
        let send = ChatSend { on_busy: OnBusy::Fork, ..ChatSend::text(format!("And me, {n}.")) };
        harness.send(greedy, send).await.unwrap();
        until_waiting(&harness, n).await;
    }
    let patient = harness.say(other, "Only this.").await;
    until_waiting(&harness, 4).await;
    assert_eq!(harness.hub.stats().running_turns, 1);

    call.answer("You first.");
    let mut served = Vec::new();
    for _ in 0..4 {
        let call = harness.model.call().await;
        served.push(call.asked().to_owned());
        call.answer("Done.");
    }
    assert_eq!(served[..2], ["And me, 1.", "Only this."]);
    assert_eq!(harness.ended(patient).await.status, TurnStatus::Completed);
    let stats = harness.hub.stats();
    assert_eq!((stats.waiting_turns, stats.waits.count), (0, 5));
}
