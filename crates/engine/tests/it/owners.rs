//! A session of another owner is reported as missing, by every operation.

use std::time::Duration;

use engine::Error;
use protocol::{
    Cancel, CancelOutcome, ChatSend, Order, OwnerId, SessionEnd, SessionFork, SessionId, SessionList, SessionRef,
    SessionStart, TurnId, Update,
};

use crate::harness::{Harness, owner, resume};

const PATIENCE: Duration = Duration::from_millis(1);

/// A session of Ada with an ended turn and a running one, and Bob, who knows all their ids.
struct TwoOwners {
    harness: Harness,
    bob: OwnerId,
    session: SessionId,
    ended: TurnId,
    running: TurnId,
    call: crate::driven_model::ModelCall,
}

async fn scene() -> TwoOwners {
    let harness = Harness::new();
    let session =
        harness.start_with(SessionStart { key: Some("diary".parse().unwrap()), ..SessionStart::default() }).await;
    let ended = harness.exchange(session, "Dear diary", "Yes?").await.turn_id;
    let mut follower = harness.follow(session).await;
    let running = harness.say(session, "Today").await;
    let call = harness.model.call().await;
    call.say("Tell");
    follower.until_numbered(running, "Tell").await;
    TwoOwners { harness, bob: owner("bob"), session, ended, running, call }
}

impl TwoOwners {
    /// Nothing has changed, and the running turn continues.
    async fn check_untouched(self, before: Vec<protocol::Event>) {
        assert_eq!(self.harness.journal(self.session).await, before);
        assert!(self.call.is_open());
        self.call.answer(" me.");
        assert_eq!(self.harness.ended(self.running).await.text, "Tell me.");
    }
}

#[tokio::test]
async fn sessions() {
    let scene = scene().await;
    let (hub, bob, reference) = (&scene.harness.hub, &scene.bob, SessionRef::from(scene.session));
    let journal = scene.harness.journal(scene.session).await;
    let asked = SessionEnd { session: reference.clone(), ..SessionEnd::default() };
    let change = Update { model: Some("bob's".to_owned()), ..Update::default() };
    let fork = SessionFork { session: reference.clone(), turn_id: scene.ended, key: None };

    let answers = [
        hub.session(bob, &reference).await.map(drop),
        hub.session_or_new(bob, &reference).await.map(drop),
        hub.update(bob, &reference, change).await.map(drop),
        hub.reset(bob, asked.clone()).await.map(drop),
        hub.end(bob, asked).await.map(drop),
        hub.fork(bob, fork).await.map(drop),
        hub.events(bob, &reference, 0, None).await.map(drop),
        hub.export(bob, &reference).await.map(drop),
        hub.turns(bob, &reference, Order::Oldest, None, None).await.map(drop),
        hub.send(bob, &reference, ChatSend::text("Hello")).await.map(drop),
        hub.subscribe(bob, scene.session, 0).await.map(drop),
    ];

    for (index, answer) in answers.into_iter().enumerate() {
        assert_eq!(answer, Err(Error::NoSession), "number {index}");
    }
    assert_eq!(hub.sessions(bob, &SessionList::default()).await.unwrap().data, []);
    scene.check_untouched(journal).await;
}

#[tokio::test]
async fn turns() {
    let scene = scene().await;
    let (hub, bob) = (&scene.harness.hub, &scene.bob);
    let journal = scene.harness.journal(scene.session).await;

    for turn in [scene.ended, scene.running] {
        assert_eq!(hub.turn(bob, turn).await, Err(Error::NoTurn));
        assert_eq!(hub.wait(bob, turn, PATIENCE).await, Err(Error::NoTurn));
        assert_eq!(hub.resume_turn(bob, resume(turn)).await, Err(Error::NoTurn));
        assert_eq!(hub.retry_turn(bob, turn, None, protocol::MessageTrust::default()).await, Err(Error::NoTurn));
        assert_eq!(hub.cancel_turn(bob, turn, None).await.unwrap().status, CancelOutcome::NotFound);
        let cancel = Cancel { session: scene.session.into(), turn_id: Some(turn), reason: None };
        assert_eq!(hub.cancel(bob, cancel).await, Err(Error::NoSession));
    }
    let all = Cancel { session: scene.session.into(), ..Cancel::default() };
    assert_eq!(hub.cancel(bob, all).await, Err(Error::NoSession));
    scene.check_untouched(journal).await;
}

#[tokio::test]
async fn turns_through_a_session_of_ones_own() {
    let scene = scene().await;
    let (hub, bob) = (&scene.harness.hub, &scene.bob);
    let journal = scene.harness.journal(scene.session).await;
    let own = hub.start(bob, SessionStart::default()).await.unwrap();

    for turn_id in [scene.ended, scene.running] {
        let cancel = Cancel { session: own.session_id.into(), turn_id: Some(turn_id), reason: None };
        assert_eq!(hub.cancel(bob, cancel).await.unwrap().status, CancelOutcome::NotFound);
        let fork = SessionFork { session: own.session_id.into(), turn_id, key: None };
        assert!(matches!(hub.fork(bob, fork).await, Err(Error::Invalid(_))));
    }
    assert_eq!(hub.session(bob, &own.session_id.into()).await.unwrap(), own);
    assert_eq!(hub.sessions(bob, &SessionList::default()).await.unwrap().data, [own]);
    scene.check_untouched(journal).await;
}

#[tokio::test]
async fn names() {
    let scene = scene().await;
    let (hub, bob) = (&scene.harness.hub, &scene.bob);
    let journal = scene.harness.journal(scene.session).await;
    let diary = SessionRef { session_id: None, conversation_id: Some("diary".parse().unwrap()) };

    assert_eq!(hub.session(bob, &diary).await, Err(Error::NoSession));
    let cancel = Cancel { session: diary.clone(), ..Cancel::default() };
    assert_eq!(hub.cancel(bob, cancel).await, Err(Error::NoSession));
    let own = hub.session_or_new(bob, &diary).await.unwrap();

    assert_ne!(own.session_id, scene.session, "the same name is another session to another owner");
    assert_eq!(own.owner, *bob);
    assert_eq!(hub.session(&scene.harness.ada, &diary).await.unwrap().session_id, scene.session);
    scene.check_untouched(journal).await;
}
