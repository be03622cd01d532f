//! So many turns at once, over all sessions; the others wait their turn, and everybody gets it.

use std::collections::HashMap;

use engine::Options;
use protocol::{CancelOutcome, ChatSend, OnBusy, Policy, SessionId, Start, TurnStatus};

use crate::{
    house::{House, options, within_patience},
    test_tools::note,
};

fn one_at_a_time() -> House {
    House::with(Options { agents_max: 1, ..options() })
}

#[tokio::test]
async fn two_sessions_take_turns() {
    let house = one_at_a_time();
    let (first, second) = (house.start().await, house.start().await);
    let first_turn = house.say(first, "Me first.").await;
    let call = house.model.call().await;
    let second_turn = house.say(second, "Then me.").await;
    call.say("You ");
    house.store.looked(3).await;
    assert_eq!(house.model.calls(), 1, "the second waits for the first");
    assert_eq!(house.turn(second_turn).await.status, TurnStatus::Running);

    call.answer("first.");
    assert_eq!(house.ended(first_turn).await.status, TurnStatus::Completed);
    house.model.call().await.answer("Then you.");

    assert_eq!(house.ended(second_turn).await.text, "Then you.");
    assert_eq!(house.model.open_at_once_max(), 1);
}

#[tokio::test]
async fn a_cancelled_turn_makes_room() {
    let house = one_at_a_time();
    let (first, second) = (house.start().await, house.start().await);
    let first_turn = house.say(first, "Count to a million.").await;
    let _call = house.model.call().await;
    let second_turn = house.say(second, "Hello").await;

    house.hub.cancel_turn(&house.ada, first_turn, None).await.unwrap();

    house.model.call().await.answer("Hi");
    assert_eq!(house.ended(second_turn).await.status, TurnStatus::Completed);
}

#[tokio::test]
async fn a_turn_that_is_cancelled_while_it_waits_takes_no_place() {
    let house = one_at_a_time();
    let sessions = [house.start().await, house.start().await, house.start().await];
    let running = house.say(sessions[0], "Me first.").await;
    let call = house.model.call().await;
    let given_up = house.say(sessions[1], "Then me.").await;
    let patient = house.say(sessions[2], "And me.").await;

    let cancelled = house.hub.cancel_turn(&house.ada, given_up, None).await.unwrap();
    assert_eq!(cancelled.status, CancelOutcome::Cancelled);
    call.answer("You first.");
    let next = house.model.call().await;
    assert_eq!(next.asked(), "And me.");
    next.answer("And you.");

    assert_eq!(house.ended(running).await.status, TurnStatus::Completed);
    assert_eq!(house.ended(patient).await.status, TurnStatus::Completed);
    assert_eq!(house.model.calls(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_starves_among_twenty_sessions() {
    const SESSIONS: usize = 20;
    const TURNS: usize = 3;
    let house = one_at_a_time();
    let mut turns = Vec::new();
    for _ in 0..SESSIONS {
        let session = house.start().await;
        for _ in 0..TURNS {
            turns.push(house.say(session, &session.to_string()).await);
        }
    }

    let mut served: HashMap<SessionId, usize> = HashMap::new();
    for _ in 0..SESSIONS * TURNS {
        let call = house.model.call().await;
        let session: SessionId = call.asked().parse().unwrap();
        let count = served.entry(session).or_default();
        *count += 1;
        if *count == TURNS {
            assert_eq!(served.len(), SESSIONS, "somebody has had all turns before somebody else has had one");
        }
        call.answer("Done.");
    }

    for turn in turns {
        assert_eq!(house.ended(turn).await.status, TurnStatus::Completed);
    }
    assert_eq!(house.model.open_at_once_max(), 1);
}

#[tokio::test]
async fn as_many_as_allowed_run_at_once() {
    let house = House::with(Options { agents_max: 3, ..options() });
    let mut turns = Vec::new();
    for _ in 0..5 {
        let session = house.start().await;
        turns.push(house.say(session, "Hello").await);
    }
    let mut calls = Vec::new();
    for _ in 0..3 {
        calls.push(house.model.call().await);
    }
    house.store.looked(3).await;
    assert_eq!(house.model.calls(), 3);

    for call in calls {
        call.answer("Hi");
    }
    for _ in 0..2 {
        house.model.call().await.answer("Hi");
    }
    for turn in turns {
        assert_eq!(house.ended(turn).await.status, TurnStatus::Completed);
    }
    assert_eq!(house.model.open_at_once_max(), 3);
}

/// People take their time; the server has other work meanwhile.
#[tokio::test]
async fn a_turn_that_waits_for_a_person_holds_nobody_up() {
    let house = one_at_a_time();
    let policy = Policy { confirm: vec!["lamp".to_owned()], ..Policy::default() };
    let asking = house.start_with(Start { policy: Some(policy), ..Start::default() }).await;
    let turn = house.say(asking, "Please see to the lamp.").await;
    house.model.call().await.use_tools(&[("c1", "lamp", note("on"))]);
    assert_eq!(house.settled(turn).await.status, TurnStatus::Waiting);
    let other = house.start().await;
    assert_eq!(house.exchange(other, "Tell me about cats.", "They purr.").await.status, TurnStatus::Completed);
}

async fn until_waiting(house: &House, count: u64) {
    let waiting = async {
        while house.hub.stats().waiting_turns != count {
            tokio::task::yield_now().await;
        }
    };
    within_patience("turns that wait", waiting).await;
}

#[tokio::test]
async fn a_session_that_asks_much_does_not_hold_up_another() {
    let house = one_at_a_time();
    let (greedy, other) = (house.start().await, house.start().await);
    house.say(greedy, "Me first.").await;
    let call = house.model.call().await;
    for n in 1..=3 {
        let send = ChatSend { on_busy: OnBusy::Fork, ..ChatSend::text(format!("And me, {n}.")) };
        house.send(greedy, send).await.unwrap();
        until_waiting(&house, n).await;
    }
    let patient = house.say(other, "Only this.").await;
    until_waiting(&house, 4).await;
    assert_eq!(house.hub.stats().running_turns, 1);

    call.answer("You first.");
    let mut served = Vec::new();
    for _ in 0..4 {
        let call = house.model.call().await;
        served.push(call.asked().to_owned());
        call.answer("Done.");
    }
    assert_eq!(served[..2], ["And me, 1.", "Only this."]);
    assert_eq!(house.ended(patient).await.status, TurnStatus::Completed);
    let stats = house.hub.stats();
    assert_eq!((stats.waiting_turns, stats.waits.count), (0, 5));
}
