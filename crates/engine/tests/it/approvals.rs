//! Where policy says so, a person is asked before a call runs.

use std::time::Duration;

use engine::{Error, Options};
use protocol::{
    ApprovalAnswer, ApprovalId, ApprovalRequest, ApprovalResolved, Body, CallStatus, ChatSend, Decision, Policy,
    SessionId, SettledBy, Start, TurnId, TurnStatus,
};
use session::Refusal;

use crate::{
    driven_model::Call,
    house::{House, options, owner},
    steps::{calls, results},
    test_tools::note,
};

/// A session in which the lamp needs to be confirmed.
async fn careful(house: &House) -> SessionId {
    let policy = Policy { confirm: vec!["lamp".to_owned()], ..Policy::default() };
    house.start_with(Start { policy: Some(policy), ..Start::default() }).await
}

/// Lets the model call the lamp; gives the turn.
async fn call_lamp(house: &House, session: SessionId, how: &str) -> TurnId {
    let turn = house.say(session, "Please see to the lamp.").await;
    house.model.call().await.use_tools(&[("c1", "lamp", note(how))]);
    turn
}

/// The question once it is asked.
async fn question(house: &House, session: SessionId, turn: TurnId) -> ApprovalRequest {
    let waiting = house.settled(turn).await;
    assert_eq!((waiting.status, waiting.reason.as_deref()), (TurnStatus::Waiting, Some("approval")), "{waiting:?}");
    let mut open = house.hub.approvals(&house.ada, Some(&session.into())).await.unwrap().data;
    assert_eq!(open.len(), 1, "{open:?}");
    open.remove(0).request
}

async fn answer(house: &House, approval_id: ApprovalId, decision: Decision) -> Result<(), Error> {
    house.hub.answer_approval(&house.ada, ApprovalAnswer { approval_id, decision, digest: None }).await
}

/// Calls the lamp, answers the question, and gives the turn and what the model is asked next.
async fn call_and_answer(house: &House, session: SessionId, how: &str, decision: Decision) -> (TurnId, Call) {
    let turn = call_lamp(house, session, how).await;
    let asked = question(house, session, turn).await;
    answer(house, asked.approval_id, decision).await.unwrap();
    (turn, house.model.call().await)
}

async fn resolutions(house: &House, session: SessionId) -> Vec<ApprovalResolved> {
    let journal = house.journal(session).await;
    let resolved = journal.into_iter().filter_map(|event| match event.body {
        Body::ApprovalResolved(resolved) => Some(resolved),
        _ => None,
    });
    resolved.collect()
}

#[tokio::test]
async fn the_question_shows_the_exact_call() {
    let house = House::new();
    let session = careful(&house).await;
    let mut follower = house.follow(session).await;
    let turn = call_lamp(&house, session, "on").await;
    let asked = question(&house, session, turn).await;
    assert_eq!((asked.tool.as_str(), &asked.arguments, asked.turn_id), ("lamp", &note("on"), turn));
    assert_eq!(asked.digest, tools::digest("lamp", &note("on")));
    assert!(asked.reason.contains("this session's policy wants `lamp` confirmed"), "{}", asked.reason);
    follower.until(|it| it.events().iter().any(|event| event.body == Body::ApprovalRequested(asked.clone()))).await;
    let all = house.hub.approvals(&house.ada, None).await.unwrap().data;
    assert_eq!((all.len(), all[0].session_id, &all[0].request), (1, session, &asked));
    assert!(house.workshop.begun().is_empty());
}

#[tokio::test]
async fn once_lets_the_call_run_once() {
    let house = House::new();
    let session = careful(&house).await;
    let (turn, second) = call_and_answer(&house, session, "on", Decision::Once).await;
    assert_eq!(second.lines().pop().unwrap(), r#"= c1 {"said":"switched on"}"#);
    second.use_tools(&[("c2", "lamp", note("on"))]);
    let again = question(&house, session, turn).await;
    assert_eq!(again.call_id, "c2");
    answer(&house, again.approval_id, Decision::Once).await.unwrap();
    house.model.call().await.answer("It is on.");
    let turn = house.ended(turn).await;
    assert_eq!((turn.status, turn.attempts), (TurnStatus::Completed, 1));
    assert_eq!(calls(&turn)[1].approval_id, Some(again.approval_id), "the call says what it rests on");
    assert_eq!(house.workshop.begun(), ["lamp on", "lamp on"]);
}

#[tokio::test]
async fn deny_is_told_to_the_model_and_the_turn_goes_on() {
    let house = House::new();
    let session = careful(&house).await;
    let (turn, second) = call_and_answer(&house, session, "on", Decision::Deny).await;
    let told = second.lines().pop().unwrap();
    assert!(told.contains("did not allow it"), "{told}");
    second.answer("Then not.");
    let turn = house.ended(turn).await;
    assert_eq!((turn.status, results(&turn)[0].status), (TurnStatus::Completed, CallStatus::Denied));
    assert!(house.workshop.begun().is_empty());
}

#[tokio::test]
async fn always_covers_exactly_this_call() {
    let house = House::new();
    let session = careful(&house).await;
    let (turn, second) = call_and_answer(&house, session, "on", Decision::Always).await;
    second.answer("It is on.");
    house.ended(turn).await;

    let same = call_lamp(&house, session, "on").await;
    house.model.call().await.answer("It is on again.");
    assert_eq!(house.ended(same).await.status, TurnStatus::Completed, "the same is not asked about");

    let other = call_lamp(&house, session, "off").await;
    assert_eq!(question(&house, session, other).await.arguments, note("off"), "something else is");
}

#[tokio::test]
async fn never_takes_the_tool_away() {
    let house = House::new();
    let session = careful(&house).await;
    let (turn, second) = call_and_answer(&house, session, "on", Decision::Never).await;
    second.answer("Then never.");
    house.ended(turn).await;

    let turn = house.say(session, "Please see to the lamp.").await;
    let call = house.model.call().await;
    assert!(!call.tools().contains(&"lamp"), "{:?}", call.tools());
    call.use_tools(&[("c1", "lamp", note("on"))]);
    let second = house.model.call().await;
    assert!(second.lines().pop().unwrap().contains("has refused"), "{:?}", second.lines());
    second.answer("I cannot.");
    house.ended(turn).await;
    assert!(house.workshop.begun().is_empty());
}

#[tokio::test]
async fn never_also_holds_in_the_turn_it_was_said_in() {
    let house = House::new();
    let session = careful(&house).await;
    let (turn, second) = call_and_answer(&house, session, "on", Decision::Never).await;
    second.use_tools(&[("c2", "lamp", note("off"))]);
    let third = house.model.call().await;
    assert!(third.lines().pop().unwrap().contains("refused `lamp` for the rest of this session"));
    third.answer("I cannot.");
    house.ended(turn).await;
    assert!(house.workshop.begun().is_empty());
}

#[tokio::test]
async fn silence_is_a_no() {
    let house = House::with(Options { approval_wait: Duration::from_millis(30), ..options() });
    let session = careful(&house).await;
    let turn = call_lamp(&house, session, "on").await;
    let second = house.model.call().await;
    assert!(second.lines().pop().unwrap().contains("did not allow it"));
    second.answer("Then not.");
    house.ended(turn).await;
    let resolved = resolutions(&house, session).await;
    assert_eq!((resolved[0].decision, resolved[0].by), (Decision::Deny, SettledBy::Expiry));
    assert!(house.workshop.begun().is_empty());
}

#[tokio::test]
async fn the_question_survives_a_restart() {
    let house = House::new();
    let session = careful(&house).await;
    let turn = call_lamp(&house, session, "on").await;
    let asked = question(&house, session, turn).await;

    let house = house.restart().await;

    assert_eq!(question(&house, session, turn).await, asked);
    answer(&house, asked.approval_id, Decision::Once).await.unwrap();
    let second = house.model.call().await;
    assert_eq!(second.lines().pop().unwrap(), r#"= c1 {"said":"switched on"}"#);
    second.answer("It is on.");
    let turn = house.ended(turn).await;
    assert_eq!((turn.status, turn.text.as_str()), (TurnStatus::Completed, "It is on."));
    assert_eq!(house.workshop.begun(), ["lamp on"]);
}

#[tokio::test]
async fn two_calls_are_asked_about_at_once_and_run_when_both_are_answered() {
    let house = House::new();
    let session = careful(&house).await;
    let mut follower = house.follow(session).await;
    let turn = house.say(session, "Please see to the lamps.").await;
    let first = house.model.call().await;
    first.use_tools(&[("c1", "lamp", note("left")), ("c2", "lamp", note("right"))]);
    let is_question = |event: &protocol::Event| matches!(event.body, Body::ApprovalRequested(_));
    follower.until(|it| it.events().iter().filter(|event| is_question(event)).count() == 2).await;
    let open = house.hub.approvals(&house.ada, None).await.unwrap().data;
    answer(&house, open[0].request.approval_id, Decision::Deny).await.unwrap();
    assert_eq!(house.turn(turn).await.status, TurnStatus::Waiting, "the other is still open");
    answer(&house, open[1].request.approval_id, Decision::Once).await.unwrap();
    house.model.call().await.answer("One of them is on.");
    house.ended(turn).await;
    assert_eq!(house.workshop.begun(), ["lamp right"]);
}

#[tokio::test]
async fn cancelling_the_turn_settles_the_question() {
    let house = House::new();
    let session = careful(&house).await;
    let turn = call_lamp(&house, session, "on").await;
    let asked = question(&house, session, turn).await;

    house.hub.cancel_turn(&house.ada, turn, None).await.unwrap();

    let resolved = resolutions(&house, session).await;
    assert_eq!((resolved[0].approval_id, resolved[0].by), (asked.approval_id, SettledBy::TurnEnd));
    assert_eq!(results(&house.turn(turn).await)[0].status, CallStatus::Cancelled);
    let refused = answer(&house, asked.approval_id, Decision::Once).await;
    assert_eq!(refused, Err(Error::Refused(Refusal::ApprovalSettled)));
    assert_eq!(house.exchange(session, "What now?", "Nothing.").await.status, TurnStatus::Completed);
    assert!(house.workshop.begun().is_empty());
}

#[tokio::test]
async fn a_question_is_answered_once_by_its_owner_about_what_was_seen() {
    let house = House::new();
    let session = careful(&house).await;
    let turn = call_lamp(&house, session, "on").await;
    let ApprovalRequest { approval_id, digest, .. } = question(&house, session, turn).await;
    let yes = |digest: String| ApprovalAnswer { approval_id, decision: Decision::Once, digest: Some(digest) };
    let hub = &house.hub;

    let settled = Err(Error::Refused(Refusal::ApprovalSettled));
    assert_eq!(hub.answer_approval(&owner("bob"), yes(digest.clone())).await, settled, "another owner cannot");
    assert_eq!(hub.approvals(&owner("bob"), None).await.unwrap().data, []);
    let wrong = hub.answer_approval(&house.ada, yes("something else".to_owned())).await;
    assert_eq!(wrong, Err(Error::Refused(Refusal::WrongDigest)));
    assert_eq!(house.turn(turn).await.status, TurnStatus::Waiting);

    hub.answer_approval(&house.ada, yes(digest.clone())).await.unwrap();
    assert_eq!(hub.answer_approval(&house.ada, yes(digest)).await, settled, "once is enough");
    house.model.call().await.answer("It is on.");
    house.ended(turn).await;
    assert_eq!(house.workshop.begun(), ["lamp on"]);
}

/// A turn's time is its own, not that of whoever has to answer.
#[tokio::test]
async fn waiting_for_a_person_does_not_use_up_the_time() {
    let house = House::new();
    let session = careful(&house).await;
    let send = ChatSend { time_budget_ms: Some(1_500), ..ChatSend::text("Please see to the lamp.") };
    let turn = house.send(session, send).await.unwrap();
    house.model.call().await.use_tools(&[("c1", "lamp", note("on"))]);
    let asked = question(&house, session, turn).await;
    tokio::time::sleep(Duration::from_millis(1_600)).await;
    assert_eq!(house.turn(turn).await.status, TurnStatus::Waiting);

    answer(&house, asked.approval_id, Decision::Once).await.unwrap();
    house.model.call().await.answer("It is on.");
    assert_eq!(house.ended(turn).await.status, TurnStatus::Completed);
}

#[tokio::test]
async fn a_question_that_runs_out_while_the_server_is_down_is_a_no() {
    let house = House::with(Options { approval_wait: Duration::from_millis(500), ..options() });
    let session = careful(&house).await;
    let turn = call_lamp(&house, session, "on").await;
    let asked = question(&house, session, turn).await;
    let folder = house.close().await;
    tokio::time::sleep(Duration::from_millis(500)).await;

    let house = House::over(folder, options());
    let second = house.model.call().await;
    assert!(second.lines().pop().unwrap().contains("did not allow it"));
    second.answer("Then not.");
    house.ended(turn).await;
    let resolved = resolutions(&house, session).await;
    assert_eq!((resolved[0].approval_id, resolved[0].by), (asked.approval_id, SettledBy::Expiry));
}

#[tokio::test]
async fn never_holds_for_the_calls_beside_it_too() {
    let house = House::new();
    let session = careful(&house).await;
    let (turn, second) = call_and_answer(&house, session, "on", Decision::Always).await;
    second.answer("It is on.");
    house.ended(turn).await;

    // The one with the same arguments may run; the other is asked about, and the answer is about the tool.
    let turn = house.say(session, "Please see to both lamps.").await;
    let both = [("c1", "lamp", note("off")), ("c2", "lamp", note("on"))];
    house.model.call().await.use_tools(&both);
    let asked = question(&house, session, turn).await;
    answer(&house, asked.approval_id, Decision::Never).await.unwrap();
    house.model.call().await.answer("Then not.");
    let turn = house.ended(turn).await;
    let told: Vec<CallStatus> = results(&turn).iter().map(|result| result.status).collect();
    assert_eq!(told, [CallStatus::Denied, CallStatus::Denied]);
    assert_eq!(house.workshop.begun(), ["lamp on"], "only the first time");
}
