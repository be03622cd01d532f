//! Calls of tool workers: the turn goes on for its client, a delivery is recorded, and a worker
//! that does not answer only fails its call.

use std::time::Duration;

use protocol::{
    CallStatus, ChatSend, Effect, Observation, ObservationKind, Origin, ServedEffect, ServedTool, Settings, Step,
    ToolCall, ToolResult, TurnStatus,
};
use serde_json::json;
use session::{Command, CommandOutcome, Effect as Work, TurnReport};

use crate::test_session::{TestSession, turn};

fn call(session: &TestSession, call_id: &str, served: bool) -> ToolCall {
    ToolCall {
        call_id: call_id.to_owned(),
        tool: "look".to_owned(),
        arguments: json!({}),
        effect: Effect::AtMostOnce,
        key: String::new(),
        approval_id: None,
        client_until: Some(session.now.plus(Duration::from_secs(60))),
        served,
    }
}

/// A turn that has handed out these calls; those of workers are marked.
fn handed_out(calls: &[(&str, bool)]) -> TestSession {
    let mut session = TestSession::begin(Settings::default());
    session.send(1, "go").unwrap();
    let planned: Vec<(&str, &str)> = calls.iter().map(|(id, _)| (*id, "look")).collect();
    session.plan(1, &planned);
    let calls = calls.iter().map(|(id, served)| call(&session, id, *served)).collect();
    session.report(1, TurnReport::HandOut(calls));
    session
}

fn answer(session: &mut TestSession, call_id: &str) {
    let result = ToolResult {
        call_id: call_id.to_owned(),
        tool: String::new(),
        status: CallStatus::Ok,
        content: "seen".to_owned(),
        origin: Origin::Untrusted,
        artifact_id: None,
        sources: Vec::new(),
        duration_ms: None,
    };
    session.run(Command::AnswerCalls { turn_id: turn(1), results: vec![result], offer: None }).unwrap();
}

fn deliver(session: &mut TestSession, call_id: &str) {
    let (kind, call_id) = (ObservationKind::CallDelivered, Some(call_id.to_owned()));
    let observed = Observation { kind, call_id, message: String::new(), worker: Some("w".to_owned()) };
    session.report(1, TurnReport::Step(Step::ObservedEvent(observed)));
}

#[test]
fn a_turn_that_waits_for_workers_only_goes_on_for_its_client() {
    let mut session = handed_out(&[("a", true)]);
    assert_eq!(session.status(1), TurnStatus::Running);
    let view = session.view(1);
    assert!(view.calls_waiting[0].served && view.client_calls().next().is_none());
    deliver(&mut session, "a");
    for _ in 0..5 {
        session.run(Command::Recover).unwrap();
        assert_eq!((session.status(1), session.view(1).attempts), (TurnStatus::Running, 1), "as often as it must");
    }
    let delivery = session.state.running().next().unwrap().thread.calls().next().unwrap().delivery.clone().unwrap();
    assert_eq!(delivery.worker.as_deref(), Some("w"), "a restart does not forget it");
    answer(&mut session, "a");
    assert_eq!((session.status(1), session.view(1).calls_waiting.len()), (TurnStatus::Running, 0));
    assert_eq!(session.effects.last(), Some(&Work::Nudge(turn(1))));
}

#[test]
fn the_clients_own_calls_decide_whether_the_turn_waits() {
    for first in ["own", "served"] {
        let mut session = handed_out(&[("own", false), ("served", true)]);
        assert_eq!(session.status(1), TurnStatus::Waiting);
        answer(&mut session, first);
        let status = if first == "own" { TurnStatus::Running } else { TurnStatus::Waiting };
        assert_eq!((session.status(1), session.view(1).calls_waiting.len()), (status, 1));
        answer(&mut session, if first == "own" { "served" } else { "own" });
        assert_eq!((session.status(1), session.view(1).calls_waiting.len()), (TurnStatus::Running, 0));
    }
}

#[test]
fn a_worker_that_does_not_answer_fails_its_call_only() {
    let mut session = handed_out(&[("a", true), ("b", true)]);
    deliver(&mut session, "a");
    session.now = session.now.plus(Duration::from_secs(61));
    session.run(Command::Expire).unwrap();
    assert_eq!((session.status(1), session.state.next_expiry()), (TurnStatus::Running, None));
    let results: Vec<ToolResult> =
        session.state.running().next().unwrap().thread.calls().filter_map(|call| call.result.clone()).collect();
    assert!(results.iter().all(|result| result.status == CallStatus::Error));
    assert!(results[0].content.contains("may have taken effect") && results[1].content.contains("was not run"));

    let mut session = handed_out(&[("own", false), ("served", true)]);
    session.now = session.now.plus(Duration::from_secs(61));
    session.run(Command::Expire).unwrap();
    assert_eq!(session.status(1), TurnStatus::Expired, "a client that does not come again ends its turn");
}

#[test]
fn the_same_message_is_the_same_whichever_workers_are_there() {
    let mut session = TestSession::begin(Settings::default());
    let (description, input_schema) = (String::new(), json!({ "type": "object" }));
    let tool = ServedTool { name: "look".to_owned(), description, input_schema, effect: ServedEffect::Idempotent };
    let keyed = ChatSend { idempotency_key: Some("k".to_owned()), ..ChatSend::text("go") };
    let send = ChatSend { served: vec![tool], ..keyed.clone() };
    session.run(Command::Send { turn_id: turn(1), send }).unwrap();
    assert_eq!(session.state.running().next().unwrap().request.served.len(), 1);
    let again = session.run(Command::Send { turn_id: turn(2), send: keyed }).unwrap();
    assert!(matches!(again, CommandOutcome::Accepted { duplicate: true, .. }), "{again:?}");
}
