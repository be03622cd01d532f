//! A turn ends once: by whichever of cancel, completion, failure and timeout comes first.

use protocol::{Body, CancelOutcome, ChatSend, Event, SessionId, TurnId, TurnStatus};

use crate::{driven_model::ModelCall, harness::Harness};

const ROUNDS: usize = 100;

/// A turn in the middle of its text.
async fn streaming(harness: &Harness, session: SessionId) -> (TurnId, ModelCall) {
    let turn = harness.send(session, ChatSend::text("Tell me a story.")).await.unwrap();
    let call = harness.model.call().await;
    call.say("Once upon a time");
    (turn, call)
}

fn is_final(event: &Event) -> bool {
    matches!(&event.body, Body::TurnStatus(change) if change.status.status().is_final())
}

/// Exactly one end was published and written, it is the last event of the turn, and all views agree
/// on it.
async fn check_one_end(harness: &Harness, session: SessionId, turn_id: TurnId, told: &[Event]) -> TurnStatus {
    let of_turn: Vec<&Event> = told.iter().filter(|event| event.turn_id == Some(turn_id)).collect();
    assert_eq!(of_turn.iter().filter(|event| is_final(event)).count(), 1, "{of_turn:?}");
    assert!(is_final(of_turn.last().unwrap()), "{of_turn:?}");
    let turn = harness.turn(turn_id).await;
    assert!(matches!(&of_turn.last().unwrap().body, Body::TurnStatus(change) if change.status.status() == turn.status));
    let is_answered = of_turn.iter().any(|event| matches!(event.body, Body::Final(_)));
    // A turn whose time is up gives its partial answer, if it has one.
    if turn.status != TurnStatus::Expired {
        assert_eq!(is_answered, turn.status == TurnStatus::Completed);
    }
    assert_eq!(turn.response.is_some(), is_answered);
    let journaled = harness.journal(session).await;
    assert_eq!(journaled.iter().filter(|event| event.turn_id == Some(turn_id) && is_final(event)).count(), 1);
    turn.status
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cancel_races_the_answer() {
    let harness = Harness::new();
    let session = harness.start().await;
    let mut follower = harness.follow(session).await;
    for round in 0..ROUNDS {
        let (turn, call) = streaming(&harness, session).await;
        let (hub, ada) = (harness.hub.clone(), harness.ada.clone());
        let cancel = tokio::spawn(async move { hub.cancel_turn(&ada, turn, None).await.unwrap() });
        for _ in 0..round % 7 {
            tokio::task::yield_now().await;
        }
        call.end();

        let outcome = cancel.await.unwrap().status;
        follower.until_ended(turn).await;
        let status = check_one_end(&harness, session, turn, follower.events()).await;
        match outcome {
            CancelOutcome::Cancelled => assert_eq!(status, TurnStatus::Cancelled),
            CancelOutcome::AlreadyFinal => assert_eq!(status, TurnStatus::Completed),
            CancelOutcome::NotFound => panic!("the turn is there"),
        }
    }
    assert_eq!(follower.events(), harness.journal(session).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cancel_races_cancel_failure_and_panic() {
    let harness = Harness::new();
    let session = harness.start().await;
    let mut follower = harness.follow(session).await;
    for round in 0..ROUNDS {
        let (turn, call) = streaming(&harness, session).await;
        let cancels = [(); 2].map(|()| {
            let (hub, ada) = (harness.hub.clone(), harness.ada.clone());
            tokio::spawn(async move { hub.cancel_turn(&ada, turn, None).await.unwrap().status })
        });
        if round % 2 == 0 {
            call.fail(model::Error::Cut { provider: "driven".to_owned() });
        } else {
            call.panic();
        }

        let mut won = 0;
        for cancel in cancels {
            won += usize::from(cancel.await.unwrap() == CancelOutcome::Cancelled);
        }
        follower.until_ended(turn).await;
        let status = check_one_end(&harness, session, turn, follower.events()).await;
        assert_eq!(won, usize::from(status == TurnStatus::Cancelled), "one cancel wins or none does: {status:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn time_races_cancel_and_the_answer() {
    let harness = Harness::new();
    let session = harness.start().await;
    let mut follower = harness.follow(session).await;
    for round in 0..ROUNDS / 4 {
        let send = ChatSend { time_budget_ms: Some(40), ..ChatSend::text("Tell me a story.") };
        let turn = harness.send(session, send).await.unwrap();
        // On a busy machine the time is up before the model is asked: an end like the others.
        let call = tokio::select! {
            biased;
            call = harness.model.call() => Some(call),
            () = follower.until_ended(turn) => None,
        };
        if let Some(call) = call {
            call.say("Once upon a time");
            tokio::time::sleep(std::time::Duration::from_millis(36 + round as u64 % 5)).await;
            if round % 2 == 0 {
                call.end();
            } else {
                harness.hub.cancel_turn(&harness.ada, turn, None).await.unwrap();
            }
        }

        follower.until_ended(turn).await;
        check_one_end(&harness, session, turn, follower.events()).await;
    }
}

#[tokio::test]
async fn cancelling_what_has_ended_changes_nothing() {
    let harness = Harness::new();
    let session = harness.start().await;
    let turn = harness.exchange(session, "Hello", "Hi").await;

    let outcome = harness.hub.cancel_turn(&harness.ada, turn.turn_id, None).await.unwrap();

    assert_eq!(outcome.status, CancelOutcome::AlreadyFinal);
    assert_eq!(harness.turn(turn.turn_id).await, turn);
}
