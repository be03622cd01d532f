//! Stopping: what is out is written down, nothing more is taken, and the next start goes on where this one ended.

use engine::Error;
use protocol::{Cancel, ChatSend, End, OnRestart, Policy, Start, Transition, TurnStatus, Update};

use crate::{
    follower::{changes, numbered_text},
    house::{House, resume},
};

#[tokio::test]
async fn text_that_is_out_is_numbered_before_the_stop_is_over() {
    let house = House::new();
    let session = house.start().await;
    let mut follower = house.follow(session).await;
    let turn = house.say(session, "Tell me a story.").await;
    let call = house.model.call().await;
    call.say("Once upon");
    follower.until_text(turn, "Once upon").await;

    house.hub.stop().await;

    let journal = house.journal(session).await;
    assert_eq!(numbered_text(&journal, turn), "Once upon");
    let ended = loop {
        if let Err(error) = follower.try_next().await {
            break error;
        }
    };
    assert_eq!(ended, Error::Stopping);
    assert_eq!(follower.events(), journal);
    call.dropped().await;
}

#[tokio::test]
async fn nothing_is_taken_after_the_stop() {
    let house = House::new();
    let session = house.start().await;
    let turn = house.say(session, "Think.").await;
    let _call = house.model.call().await;

    house.hub.stop().await;
    house.hub.stop().await;

    let (hub, ada, reference) = (&house.hub, &house.ada, session.into());
    let journal = house.journal(session).await;
    let asked = End { session: session.into(), ..End::default() };
    let cancel = Cancel { session: session.into(), ..Cancel::default() };
    let refused = [
        hub.send(ada, &reference, ChatSend::text("Hello")).await.map(drop),
        hub.session(ada, &reference).await.map(drop),
        hub.update(ada, &reference, Update::default()).await.map(drop),
        hub.reset(ada, asked.clone()).await.map(drop),
        hub.end(ada, asked).await.map(drop),
        hub.cancel(ada, cancel).await.map(drop),
        hub.turn(ada, turn).await.map(drop),
        hub.resume_turn(ada, resume(turn)).await.map(drop),
        hub.retry_turn(ada, turn, None, protocol::WayIn::default()).await.map(drop),
        hub.subscribe(ada, session, 0).await.map(drop),
    ];
    for answer in refused {
        assert_eq!(answer, Err(Error::Stopping));
    }
    assert_eq!(house.journal(session).await, journal);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_accepted_while_stopping_is_there_afterwards() {
    let house = House::new();
    let mut sends = Vec::new();
    for _ in 0..20 {
        let session = house.start().await;
        let (hub, ada) = (house.hub.clone(), house.ada.clone());
        let send = async move { (session, hub.send(&ada, &session.into(), ChatSend::text("Hello")).await) };
        sends.push(tokio::spawn(send));
    }
    let house = house.restart().await;

    for send in sends {
        let (session, sent) = send.await.unwrap();
        match sent {
            Ok(accepted) => assert_eq!(house.turn(accepted.turn_id).await.request.message, "Hello"),
            Err(error) => {
                assert_eq!(error, Error::Stopping);
                assert_eq!(house.view(session).await.stats.turns, 0, "what was refused is not there");
            }
        }
    }
}

#[tokio::test]
async fn the_next_start_resumes_the_turn_and_then_the_one_in_line() {
    let house = House::new();
    let session = house.start().await;
    let mut follower = house.follow(session).await;
    let (first, second) = (house.say(session, "Tell me a story.").await, house.say(session, "And then?").await);
    let call = house.model.call().await;
    call.say("Once upon");
    follower.until_text(first, "Once upon").await;
    drop(follower);

    let house = house.restart().await;

    let again = house.model.call().await;
    assert_eq!(again.lines(), call.lines());
    again.answer("There was.");
    house.model.call().await.answer("The end.");
    let ended = house.ended(first).await;
    assert_eq!((ended.status, ended.attempts, ended.text.as_str()), (TurnStatus::Completed, 2, "There was."));
    let next = house.ended(second).await;
    assert_eq!((next.status, next.attempts, next.text.as_str()), (TurnStatus::Completed, 1, "The end."));
    let journal = house.journal(session).await;
    let told: Vec<_> = changes(&journal, first).iter().map(|it| (it.status, it.attempt, it.text_offset)).collect();
    assert_eq!(
        told,
        [
            (Transition::Interrupted, None, None),
            (Transition::Resumed, Some(2), Some(0)),
            (Transition::Completed, None, None)
        ]
    );
}

#[tokio::test]
async fn a_session_may_prefer_to_wait() {
    let house = House::new();
    let policy = Policy { on_restart: OnRestart::Wait, ..Policy::default() };
    let session = house.start_with(Start { policy: Some(policy), ..Start::default() }).await;
    let turn = house.say(session, "Think.").await;
    let _call = house.model.call().await;

    let house = house.restart().await;

    assert_eq!(house.settled(turn).await.status, TurnStatus::Interrupted);
    house.store.looked(2).await;
    assert_eq!(house.model.calls(), 0);
    house.hub.resume_turn(&house.ada, resume(turn)).await.unwrap();
    house.model.call().await.answer("Thought.");
    assert_eq!(house.ended(turn).await.attempts, 2);
}
