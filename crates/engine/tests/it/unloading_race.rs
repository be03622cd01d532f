//! Mail that meets a session on its way out is passed on to the next one: nothing is lost, nothing is done twice.

use std::{collections::BTreeMap, time::Duration};

use protocol::{Body, ChatSend, SessionId, TurnId, TurnStatus, Update};

use crate::house::{House, restless};

const ROUNDS: usize = 60;
const SENDERS: usize = 4;

/// Waits for about as long as a session takes to be unloaded, a little longer or shorter each time.
async fn drift(round: usize) {
    tokio::time::sleep(Duration::from_micros(700 + 150 * (round as u64 % 11))).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_that_meet_the_unloading_are_each_made_once() {
    let house = House::with(restless());
    let session = house.start().await;
    for round in 0..ROUNDS {
        let changes = (0..SENDERS).map(|sender| {
            let preferences = BTreeMap::from([(format!("{round}/{sender}"), true.into())]);
            let (hub, ada) = (house.hub.clone(), house.ada.clone());
            tokio::spawn(async move {
                hub.update(&ada, &session.into(), Update { preferences, ..Update::default() }).await.unwrap()
            })
        });
        for change in changes.collect::<Vec<_>>() {
            change.await.unwrap();
        }
        drift(round).await;
    }

    let events = house.journal(session).await;
    assert_eq!(events.len(), 1 + ROUNDS * SENDERS, "each change is one event");
    assert_eq!(house.view(session).await.settings.preferences.len(), ROUNDS * SENDERS);
    assert_met_the_unloading(&house, session);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_that_meet_the_unloading_are_each_accepted_once() {
    let house = House::with(restless());
    house.model.answer_everything();
    let session = house.start().await;
    let mut accepted: Vec<TurnId> = Vec::new();
    for round in 0..ROUNDS {
        let sends = (0..SENDERS).map(|sender| {
            let (hub, ada) = (house.hub.clone(), house.ada.clone());
            let message = ChatSend::text(format!("{round}/{sender}"));
            tokio::spawn(async move { hub.send(&ada, &session.into(), message).await.unwrap().turn_id })
        });
        for send in sends.collect::<Vec<_>>() {
            accepted.push(send.await.unwrap());
        }
        for turn_id in &accepted[round * SENDERS..] {
            assert_eq!(house.ended(*turn_id).await.status, TurnStatus::Completed);
        }
        drift(round).await;
    }

    let events = house.journal(session).await;
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
    assert_eq!(house.model.calls(), accepted.len(), "each was answered once");
    assert_met_the_unloading(&house, session);
}

/// Whoever joins while the session is on its way out follows the next one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn followers_that_meet_the_unloading_hear_everything() {
    let house = House::with(restless());
    let session = house.start().await;
    for round in 0..ROUNDS {
        house.view(session).await;
        drift(round).await;
        let mut follower = house.follow(session).await;
        let preferences = BTreeMap::from([("round".to_owned(), round.into())]);
        let change = Update { preferences, ..Update::default() };
        house.hub.update(&house.ada, &session.into(), change).await.unwrap();
        follower.until(|it| it.events().len() == round + 2).await;
        drop(follower);
    }
    assert_met_the_unloading(&house, session);
}

fn assert_met_the_unloading(house: &House, session: SessionId) {
    let holds = house.store.holds(session);
    assert!(holds.unloaded as usize >= ROUNDS / 10, "the race was not run: {holds:?}");
}
