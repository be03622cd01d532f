//! Mail that reaches a session while it is being unloaded is passed on to the next actor: nothing
//! is lost or done twice.

use std::{collections::BTreeMap, time::Duration};

use protocol::{Body, ChatSend, SessionId, TurnId, TurnStatus, Update};

use crate::harness::{Harness, unloading_at_once};

const ROUNDS: usize = 60;
const SENDERS: usize = 4;

/// Waits for about as long as unloading takes, a little longer or shorter each time.
async fn drift(round: usize) {
    tokio::time::sleep(Duration::from_micros(700 + 150 * (round as u64 % 11))).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_that_meet_the_unloading_are_each_made_once() {
    let harness = Harness::with(unloading_at_once());
    let session = harness.start().await;
    for round in 0..ROUNDS {
        let changes = (0..SENDERS).map(|sender| {
            let preferences = BTreeMap::from([(format!("{round}/{sender}"), true.into())]);
            let (hub, ada) = (harness.hub.clone(), harness.ada.clone());
            tokio::spawn(async move {
                hub.update(&ada, &session.into(), Update { preferences, ..Update::default() }).await.unwrap()
            })
        });
        for change in changes.collect::<Vec<_>>() {
            change.await.unwrap();
        }
        drift(round).await;
    }

    let events = harness.journal(session).await;
    assert_eq!(events.len(), 1 + ROUNDS * SENDERS, "each change is one event");
    assert_eq!(harness.view(session).await.settings.preferences.len(), ROUNDS * SENDERS);
    assert_met_the_unloading(&harness, session);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_that_meet_the_unloading_are_each_accepted_once() {
    let harness = Harness::with(unloading_at_once());
    harness.model.answer_everything();
    let session = harness.start().await;
    let mut accepted: Vec<TurnId> = Vec::new();
    for round in 0..ROUNDS {
        let sends = (0..SENDERS).map(|sender| {
            let (hub, ada) = (harness.hub.clone(), harness.ada.clone());
            let message = ChatSend::text(format!("{round}/{sender}"));
            tokio::spawn(async move { hub.send(&ada, &session.into(), message).await.unwrap().turn_id })
        });
        for send in sends.collect::<Vec<_>>() {
            accepted.push(send.await.unwrap());
        }
        for turn_id in &accepted[round * SENDERS..] {
            assert_eq!(harness.ended(*turn_id).await.status, TurnStatus::Completed);
        }
        drift(round).await;
    }

    let events = harness.journal(session).await;
    let mut journaled: Vec<TurnId> = events
        .iter()
        .filter_map(|event| match &event.body {
            Body::MessageAccepted(accepted) => Some(accepted.turn_id),
            _ => None,
        })
        .collect();
    journaled.sort();
    accepted.sort();
    assert_eq!(journaled, accepted);
    assert_eq!(harness.model.calls(), accepted.len(), "each was answered once");
    assert_met_the_unloading(&harness, session);
}

/// A subscriber that joins while the session is being unloaded follows the next actor.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn followers_that_meet_the_unloading_hear_everything() {
    let harness = Harness::with(unloading_at_once());
    let session = harness.start().await;
    for round in 0..ROUNDS {
        harness.view(session).await;
        drift(round).await;
        let mut follower = harness.follow(session).await;
        let preferences = BTreeMap::from([("round".to_owned(), round.into())]);
        let change = Update { preferences, ..Update::default() };
        harness.hub.update(&harness.ada, &session.into(), change).await.unwrap();
        follower.until(|it| it.events().len() == round + 2).await;
        drop(follower);
    }
    assert_met_the_unloading(&harness, session);
}

fn assert_met_the_unloading(harness: &Harness, session: SessionId) {
    let holds = harness.store.holds(session);
    assert!(holds.unloaded as usize >= ROUNDS / 10, "the race was not run: {holds:?}");
}
