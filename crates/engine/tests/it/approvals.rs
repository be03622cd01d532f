//! Approvals: if policy requires it, a person is asked before a call runs.

use std::time::Duration;

use engine::{Error, Options};
use protocol::{
    ApprovalAnswer, ApprovalDecision, ApprovalId, ApprovalRequest, ApprovalResolved, Body, CallStatus, ChatSend,
    Policy, SessionId, SessionStart, SettledBy, TurnId, TurnStatus,
};
use session::Refusal;

use crate::{
    driven_model::ModelCall,
    harness::{Harness, options, owner},
    steps::{calls, results},
    test_tools::note,
};

/// A session in which the lamp requires an approval.
async fn careful(harness: &Harness) -> SessionId {
    let policy = Policy { confirm: vec!["lamp".to_owned()], ..Policy::default() };
    harness.start_with(SessionStart { policy: Some(policy), ..SessionStart::default() }).await
}

/// Makes the model call the lamp. Returns the turn.
async fn call_lamp(harness: &Harness, session: SessionId, how: &str) -> TurnId {
    let turn = harness.say(session, "Please see to the lamp.").await;
    harness.model.call().await.use_tools(&[("c1", "lamp", note(how))]);
    turn
}

/// The approval request once it is open.
async fn question(harness: &Harness, session: SessionId, turn: TurnId) -> ApprovalRequest {
    let waiting = harness.settled(turn).await;
    assert_eq!((waiting.status, waiting.reason.as_deref()), (TurnStatus::Waiting, Some("approval")), "{waiting:?}");
    let mut open = harness.hub.approvals(&harness.ada, Some(&session.into())).await.unwrap().data;
    assert_eq!(open.len(), 1, "{open:?}");
    open.remove(0).request
}

async fn answer(harness: &Harness, approval_id: ApprovalId, decision: ApprovalDecision) -> Result<(), Error> {
    harness.hub.answer_approval(&harness.ada, ApprovalAnswer { approval_id, decision, digest: None }).await
}

/// Calls the lamp and answers the approval request. Returns the turn and the model's next call.
async fn call_and_answer(
    harness: &Harness,
    session: SessionId,
    how: &str,
    decision: ApprovalDecision,
) -> (TurnId, ModelCall) {
    let turn = call_lamp(harness, session, how).await;
    let asked = question(harness, session, turn).await;
    answer(harness, asked.approval_id, decision).await.unwrap();
    (turn, harness.model.call().await)
}

async fn resolutions(harness: &Harness, session: SessionId) -> Vec<ApprovalResolved> {
    let journal = harness.journal(session).await;
    let resolved = journal.into_iter().filter_map(|event| match event.body {
        Body::ApprovalResolved(resolved) => Some(resolved),
        _ => None,
    });
    resolved.collect()
}

#[tokio::test]
async fn the_question_shows_the_exact_call() {
    let harness = Harness::new();
    let session = careful(&harness).await;
    let mut follower = harness.follow(session).await;
    let turn = call_lamp(&harness, session, "on").await;
    let asked = question(&harness, session, turn).await;
    assert_eq!((asked.tool.as_str(), &asked.arguments, asked.turn_id), ("lamp", &note("on"), turn));
    assert_eq!(asked.digest, tools::digest("lamp", &note("on")));
    assert!(asked.reason.contains("this session's policy requires confirmation of `lamp`"), "{}", asked.reason);
    follower.until(|it| it.events().iter().any(|event| event.body == Body::ApprovalRequested(asked.clone()))).await;
    let all = harness.hub.approvals(&harness.ada, None).await.unwrap().data;
    assert_eq!((all.len(), all[0].session_id, &all[0].request), (1, session, &asked));
    assert!(harness.tool_runs.begun().is_empty());
}

#[tokio::test]
async fn once_lets_the_call_run_once() {
    let harness = Harness::new();
    let session = careful(&harness).await;
    let (turn, second) = call_and_answer(&harness, session, "on", ApprovalDecision::Once).await;
    assert_eq!(second.lines().pop().unwrap(), r#"= c1 {"said":"switched on"}"#);
    second.use_tools(&[("c2", "lamp", note("on"))]);
    let again = question(&harness, session, turn).await;
    assert_eq!(again.call_id, "c2");
    answer(&harness, again.approval_id, ApprovalDecision::Once).await.unwrap();
    harness.model.call().await.answer("It is on.");
    let turn = harness.ended(turn).await;
    assert_eq!((turn.status, turn.attempts), (TurnStatus::Completed, 1));
    assert_eq!(calls(&turn)[1].approval_id, Some(again.approval_id), "the call says what it rests on");
    assert_eq!(harness.tool_runs.begun(), ["lamp on", "lamp on"]);
}

#[tokio::test]
async fn deny_is_told_to_the_model_and_the_turn_goes_on() {
    let harness = Harness::new();
    let session = careful(&harness).await;
    let (turn, second) = call_and_answer(&harness, session, "on", ApprovalDecision::Deny).await;
    let told = second.lines().pop().unwrap();
    assert!(told.contains("did not allow it"), "{told}");
    second.answer("Then not.");
    let turn = harness.ended(turn).await;
    assert_eq!((turn.status, results(&turn)[0].status), (TurnStatus::Completed, CallStatus::Denied));
    assert!(harness.tool_runs.begun().is_empty());
}

#[tokio::test]
async fn always_covers_exactly_this_call() {
    let harness = Harness::new();
    let session = careful(&harness).await;
    let (turn, second) = call_and_answer(&harness, session, "on", ApprovalDecision::Always).await;
    second.answer("It is on.");
    harness.ended(turn).await;

    let same = call_lamp(&harness, session, "on").await;
    harness.model.call().await.answer("It is on again.");
    assert_eq!(harness.ended(same).await.status, TurnStatus::Completed, "the same is not asked about");

    let other = call_lamp(&harness, session, "off").await;
    assert_eq!(question(&harness, session, other).await.arguments, note("off"), "something else is");
}

#[tokio::test]
async fn never_takes_the_tool_away() {
    let harness = Harness::new();
    let session = careful(&harness).await;
    let (turn, second) = call_and_answer(&harness, session, "on", ApprovalDecision::Never).await;
    second.answer("Then never.");
    harness.ended(turn).await;

    let turn = harness.say(session, "Please see to the lamp.").await;
    let call = harness.model.call().await;
    assert!(!call.tools().contains(&"lamp"), "{:?}", call.tools());
    call.use_tools(&[("c1", "lamp", note("on"))]);
    let second = harness.model.call().await;
    assert!(second.lines().pop().unwrap().contains("has refused"), "{:?}", second.lines());
    second.answer("I cannot.");
    harness.ended(turn).await;
    assert!(harness.tool_runs.begun().is_empty());
}

#[tokio::test]
async fn never_also_holds_in_the_turn_it_was_said_in() {
    let harness = Harness::new();
    let session = careful(&harness).await;
    let (turn, second) = call_and_answer(&harness, session, "on", ApprovalDecision::Never).await;
    second.use_tools(&[("c2", "lamp", note("off"))]);
    let third = harness.model.call().await;
    assert!(third.lines().pop().unwrap().contains("refused `lamp` for the rest of this session"));
    third.answer("I cannot.");
    harness.ended(turn).await;
    assert!(harness.tool_runs.begun().is_empty());
}

#[tokio::test]
async fn a_connected_person_has_more_time() {
    let harness = Harness::with(Options { approval_wait: Duration::from_millis(30), ..options() });
    let _page = harness.hub.follow_alerts(&harness.ada);
    let session = careful(&harness).await;
    let turn = call_lamp(&harness, session, "on").await;
    let asked = question(&harness, session, turn).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    answer(&harness, asked.approval_id, ApprovalDecision::Once).await.unwrap();
    harness.model.call().await.answer("It is on.");
    harness.ended(turn).await;
    assert_eq!(harness.tool_runs.begun(), ["lamp on"]);
}

#[tokio::test]
async fn silence_is_a_no() {
    let harness = Harness::with(Options { approval_wait: Duration::from_millis(30), ..options() });
    let session = careful(&harness).await;
    let turn = call_lamp(&harness, session, "on").await;
    let second = harness.model.call().await;
    assert!(second.lines().pop().unwrap().contains("did not allow it"));
    second.answer("Then not.");
    harness.ended(turn).await;
    let resolved = resolutions(&harness, session).await;
    assert_eq!((resolved[0].decision, resolved[0].by), (ApprovalDecision::Deny, SettledBy::Expiry));
    assert!(harness.tool_runs.begun().is_empty());
}

#[tokio::test]
async fn the_question_survives_a_restart() {
    let harness = Harness::new();
    let session = careful(&harness).await;
    let turn = call_lamp(&harness, session, "on").await;
    let asked = question(&harness, session, turn).await;

    let harness = harness.restart().await;

    assert_eq!(question(&harness, session, turn).await, asked);
    answer(&harness, asked.approval_id, ApprovalDecision::Once).await.unwrap();
    let second = harness.model.call().await;
    assert_eq!(second.lines().pop().unwrap(), r#"= c1 {"said":"switched on"}"#);
    second.answer("It is on.");
    let turn = harness.ended(turn).await;
    assert_eq!((turn.status, turn.text.as_str()), (TurnStatus::Completed, "It is on."));
    assert_eq!(harness.tool_runs.begun(), ["lamp on"]);
}

#[tokio::test]
async fn two_calls_are_asked_about_at_once_and_run_when_both_are_answered() {
    let harness = Harness::new();
    let session = careful(&harness).await;
    let mut follower = harness.follow(session).await;
    let turn = harness.say(session, "Please see to the lamps.").await;
    let first = harness.model.call().await;
    first.use_tools(&[("c1", "lamp", note("left")), ("c2", "lamp", note("right"))]);
    let is_question = |event: &protocol::Event| matches!(event.body, Body::ApprovalRequested(_));
    follower.until(|it| it.events().iter().filter(|event| is_question(event)).count() == 2).await;
    let open = harness.hub.approvals(&harness.ada, None).await.unwrap().data;
    answer(&harness, open[0].request.approval_id, ApprovalDecision::Deny).await.unwrap();
    assert_eq!(harness.turn(turn).await.status, TurnStatus::Waiting, "the other is still open");
    answer(&harness, open[1].request.approval_id, ApprovalDecision::Once).await.unwrap();
    harness.model.call().await.answer("One of them is on.");
    harness.ended(turn).await;
    assert_eq!(harness.tool_runs.begun(), ["lamp right"]);
}

#[tokio::test]
async fn cancelling_the_turn_settles_the_question() {
    let harness = Harness::new();
    let session = careful(&harness).await;
    let turn = call_lamp(&harness, session, "on").await;
    let asked = question(&harness, session, turn).await;

    harness.hub.cancel_turn(&harness.ada, turn, None).await.unwrap();

    let resolved = resolutions(&harness, session).await;
    assert_eq!((resolved[0].approval_id, resolved[0].by), (asked.approval_id, SettledBy::TurnEnd));
    assert_eq!(results(&harness.turn(turn).await)[0].status, CallStatus::Cancelled);
    let refused = answer(&harness, asked.approval_id, ApprovalDecision::Once).await;
    assert_eq!(refused, Err(Error::Refused(Refusal::ApprovalSettled)));
    assert_eq!(harness.exchange(session, "What now?", "Nothing.").await.status, TurnStatus::Completed);
    assert!(harness.tool_runs.begun().is_empty());
}

#[tokio::test]
async fn a_question_is_answered_once_by_its_owner_about_what_was_seen() {
    let harness = Harness::new();
    let session = careful(&harness).await;
    let turn = call_lamp(&harness, session, "on").await;
    let ApprovalRequest { approval_id, digest, .. } = question(&harness, session, turn).await;
    let yes = |digest: String| ApprovalAnswer { approval_id, decision: ApprovalDecision::Once, digest: Some(digest) };
    let hub = &harness.hub;

    let settled = Err(Error::Refused(Refusal::ApprovalSettled));
    assert_eq!(hub.answer_approval(&owner("bob"), yes(digest.clone())).await, settled, "another owner cannot");
    assert_eq!(hub.approvals(&owner("bob"), None).await.unwrap().data, []);
    let wrong = hub.answer_approval(&harness.ada, yes("something else".to_owned())).await;
    assert_eq!(wrong, Err(Error::Refused(Refusal::WrongDigest)));
    assert_eq!(harness.turn(turn).await.status, TurnStatus::Waiting);

    hub.answer_approval(&harness.ada, yes(digest.clone())).await.unwrap();
    assert_eq!(hub.answer_approval(&harness.ada, yes(digest)).await, settled, "once is enough");
    harness.model.call().await.answer("It is on.");
    harness.ended(turn).await;
    assert_eq!(harness.tool_runs.begun(), ["lamp on"]);
}

/// The time limit of a turn does not include the time that the user takes to answer.
#[tokio::test]
async fn waiting_for_a_person_does_not_use_up_the_time() {
    let harness = Harness::new();
    let session = careful(&harness).await;
    let send = ChatSend { time_budget_ms: Some(1_500), ..ChatSend::text("Please see to the lamp.") };
    let turn = harness.send(session, send).await.unwrap();
    harness.model.call().await.use_tools(&[("c1", "lamp", note("on"))]);
    let asked = question(&harness, session, turn).await;
    tokio::time::sleep(Duration::from_millis(1_600)).await;
    assert_eq!(harness.turn(turn).await.status, TurnStatus::Waiting);

    answer(&harness, asked.approval_id, ApprovalDecision::Once).await.unwrap();
    harness.model.call().await.answer("It is on.");
    assert_eq!(harness.ended(turn).await.status, TurnStatus::Completed);
}

#[tokio::test]
async fn a_question_that_runs_out_while_the_server_is_down_is_a_no() {
    let harness = Harness::with(Options { approval_wait: Duration::from_millis(500), ..options() });
    let session = careful(&harness).await;
    let turn = call_lamp(&harness, session, "on").await;
    let asked = question(&harness, session, turn).await;
    let folder = harness.close().await;
    tokio::time::sleep(Duration::from_millis(500)).await;

    let harness = Harness::over(folder, options());
    let second = harness.model.call().await;
    assert!(second.lines().pop().unwrap().contains("did not allow it"));
    second.answer("Then not.");
    harness.ended(turn).await;
    let resolved = resolutions(&harness, session).await;
    assert_eq!((resolved[0].approval_id, resolved[0].by), (asked.approval_id, SettledBy::Expiry));
}

#[tokio::test]
async fn never_holds_for_the_calls_beside_it_too() {
    let harness = Harness::new();
    let session = careful(&harness).await;
    let (turn, second) = call_and_answer(&harness, session, "on", ApprovalDecision::Always).await;
    second.answer("It is on.");
    harness.ended(turn).await;

    // The call with the same arguments may run; the other needs an approval, and the answer is
    // about the tool.
    let turn = harness.say(session, "Please see to both lamps.").await;
    let both = [("c1", "lamp", note("off")), ("c2", "lamp", note("on"))];
    harness.model.call().await.use_tools(&both);
    let asked = question(&harness, session, turn).await;
    answer(&harness, asked.approval_id, ApprovalDecision::Never).await.unwrap();
    harness.model.call().await.answer("Then not.");
    let turn = harness.ended(turn).await;
    let told: Vec<CallStatus> = results(&turn).iter().map(|result| result.status).collect();
    assert_eq!(told, [CallStatus::Denied, CallStatus::Denied]);
    assert_eq!(harness.tool_runs.begun(), ["lamp on"], "only the first time");
}
