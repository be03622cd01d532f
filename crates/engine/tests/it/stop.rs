//! Stopping: published text is written, nothing more is accepted, and the next start continues
//! where this one ended.

use engine::Error;
use protocol::{Cancel, ChatSend, OnRestart, Policy, SessionEnd, SessionStart, Transition, TurnStatus, Update};

use crate::{
    harness::{Harness, resume},
    subscriber::{changes, numbered_text},
};

#[tokio::test]
async fn text_that_is_out_is_numbered_before_the_stop_is_over() {
    let harness = Harness::new();
    let session = harness.start().await;
    let mut follower = harness.follow(session).await;
    let turn = harness.say(session, "Tell me a story.").await;
    let call = harness.model.call().await;
    call.say("Once upon");
    follower.until_text(turn, "Once upon").await;

    harness.hub.stop().await;

    let journal = harness.journal(session).await;
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
    let harness = Harness::new();
    let session = harness.start().await;
    let turn = harness.say(session, "Think.").await;
    let _call = harness.model.call().await;

    harness.hub.stop().await;
    harness.hub.stop().await;

    let (hub, ada, reference) = (&harness.hub, &harness.ada, session.into());
    let journal = harness.journal(session).await;
    let asked = SessionEnd { session: session.into(), ..SessionEnd::default() };
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
        hub.retry_turn(ada, turn, None, protocol::MessageTrust::default()).await.map(drop),
        hub.subscribe(ada, session, 0).await.map(drop),
    ];
    for answer in refused {
        assert_eq!(answer, Err(Error::Stopping));
    }
    assert_eq!(harness.journal(session).await, journal);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_accepted_while_stopping_is_there_afterwards() {
    let harness = Harness::new();
    let mut sends = Vec::new();
    for _ in 0..20 {
        let session = harness.start().await;
        let (hub, ada) = (harness.hub.clone(), harness.ada.clone());
        let send = async move { (session, hub.send(&ada, &session.into(), ChatSend::text("Hello")).await) };
        sends.push(tokio::spawn(send));
    }
    let harness = harness.restart().await;

    for send in sends {
        let (session, sent) = send.await.unwrap();
        match sent {
            Ok(accepted) => assert_eq!(harness.turn(accepted.turn_id).await.request.message, "Hello"),
            Err(error) => {
                assert_eq!(error, Error::Stopping);
                assert_eq!(harness.view(session).await.stats.turns, 0, "what was refused is not there");
            }
        }
    }
}

#[tokio::test]
async fn the_next_start_resumes_the_turn_and_then_the_one_in_line() {
    let harness = Harness::new();
    let session = harness.start().await;
    let mut follower = harness.follow(session).await;
    let (first, second) = (harness.say(session, "Tell me a story.").await, harness.say(session, "And then?").await);
    let call = harness.model.call().await;
    call.say("Once upon");
    follower.until_text(first, "Once upon").await;
    drop(follower);

    let harness = harness.restart().await;

    let again = harness.model.call().await;
    assert_eq!(again.lines(), call.lines());
    again.answer("There was.");
    harness.model.call().await.answer("The end.");
    let ended = harness.ended(first).await;
    assert_eq!((ended.status, ended.attempts, ended.text.as_str()), (TurnStatus::Completed, 2, "There was."));
    let next = harness.ended(second).await;
    assert_eq!((next.status, next.attempts, next.text.as_str()), (TurnStatus::Completed, 1, "The end."));
    let journal = harness.journal(session).await;
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
    let harness = Harness::new();
    let policy = Policy { on_restart: OnRestart::Wait, ..Policy::default() };
    let session = harness.start_with(SessionStart { policy: Some(policy), ..SessionStart::default() }).await;
    let turn = harness.say(session, "Think.").await;
    let _call = harness.model.call().await;

    let harness = harness.restart().await;

    assert_eq!(harness.settled(turn).await.status, TurnStatus::Interrupted);
    harness.store.looked(2).await;
    assert_eq!(harness.model.calls(), 0);
    harness.hub.resume_turn(&harness.ada, resume(turn)).await.unwrap();
    harness.model.call().await.answer("Thought.");
    assert_eq!(harness.ended(turn).await.attempts, 2);
}
