//! Tools of the client: their calls are sent to it, the turn waits, and each result is recorded
//! once.

use std::time::Duration;

use protocol::{
    Body, CallStatus, ChatSend, ClientTool, ClientToolOffer, Effect, OnBusy, OnRestart, Origin, Policy, Settings, Step,
    ToolCall, ToolChoice, ToolResult, TurnStatus, Update,
};
use serde_json::json;
use session::{Command, CommandOutcome, Effect as Work, OfferFault, Refusal, TurnReport};

use crate::test_session::{TestSession, turn};

fn tool(name: &str) -> ClientTool {
    ClientTool { name: name.to_owned(), description: String::new(), input_schema: json!({ "type": "object" }) }
}

fn offering(message: &str) -> ChatSend {
    ChatSend { tools: vec![tool("look"), tool("act")], ..ChatSend::text(message) }
}

fn result(call_id: &str, content: &str) -> ToolResult {
    ToolResult {
        call_id: call_id.to_owned(),
        tool: String::new(),
        status: CallStatus::Ok,
        content: content.to_owned(),
        origin: Origin::Untrusted,
        artifact_id: None,
        sources: Vec::new(),
        duration_ms: None,
    }
}

fn hand_out(session: &mut TestSession, n: u8, calls: &[(&str, &str)]) -> CommandOutcome {
    let until = session.now.plus(Duration::from_secs(60));
    let call = |(call_id, tool): &(&str, &str)| ToolCall {
        call_id: (*call_id).to_owned(),
        tool: (*tool).to_owned(),
        arguments: json!({}),
        effect: Effect::AtMostOnce,
        key: String::new(),
        approval_id: None,
        client_until: Some(until),
        served: false,
    };
    session.report(n, TurnReport::HandOut(calls.iter().map(call).collect()))
}

fn answer(session: &mut TestSession, n: u8, results: Vec<ToolResult>) -> Result<CommandOutcome, Refusal> {
    session.run(Command::AnswerCalls { turn_id: turn(n), results, offer: None })
}

/// A turn that waits for two calls of its client.
fn waiting() -> TestSession {
    let mut session = TestSession::begin(Settings::default());
    session.run(Command::Send { turn_id: turn(1), send: offering("go") }).unwrap();
    session.text(1, "Let me see.");
    session.plan(1, &[("a", "look"), ("own", "clock"), ("b", "act")]);
    session.begin_call(1, "own", "clock", Effect::Pure);
    session.end_call(1, "own", "clock", Origin::Trusted);
    hand_out(&mut session, 1, &[("a", "look"), ("b", "act")]);
    session
}

fn told(outcome: &CommandOutcome) -> (Vec<&str>, bool) {
    let CommandOutcome::Told { still, is_new, .. } = outcome else { panic!("{outcome:?}") };
    (still.iter().map(String::as_str).collect(), *is_new)
}

#[test]
fn handed_out_calls_are_seen_and_the_agent_waits_with_its_turn() {
    let mut session = waiting();
    let view = session.view(1);
    assert_eq!((view.status, view.reason.as_deref()), (TurnStatus::Waiting, Some("client_tools")));
    let calls: Vec<(&str, &str)> =
        view.calls_waiting.iter().map(|call| (call.call_id.as_str(), call.tool.as_str())).collect();
    assert_eq!(calls, [("a", "look"), ("b", "act")]);
    assert!(session.state.is_moving() && session.state.next_expiry().is_some());
    session.send(2, "next").unwrap();
    assert_eq!(session.status(2), TurnStatus::Pending);
    assert_eq!(
        hand_out(&mut session, 1, &[("a", "look"), ("x", "look")]),
        CommandOutcome::TooLate,
        "once, and what is open"
    );
}

#[test]
fn each_result_is_told_once_and_the_last_one_lets_the_turn_go_on() {
    let mut session = waiting();
    let first = answer(&mut session, 1, vec![result("b", "done")]).unwrap();
    assert_eq!(told(&first), (vec!["a"], true));
    assert_eq!(session.status(1), TurnStatus::Waiting);
    let again = answer(&mut session, 1, vec![result("b", "done twice")]).unwrap();
    assert_eq!(told(&again), (vec!["a"], false));
    let last = answer(&mut session, 1, vec![result("a", "seen"), result("a", "seen twice"), result("b", "x")]).unwrap();
    assert_eq!(told(&last), (vec![], true));
    let view = session.view(1);
    assert_eq!((view.status, view.calls_waiting.len(), view.text.as_str()), (TurnStatus::Running, 0, "Let me see."));
    assert_eq!(session.effects.last(), Some(&Work::Nudge(turn(1))));
    let running = session.state.running().next().unwrap();
    let results: Vec<(&str, &str)> = running
        .thread
        .calls()
        .filter_map(|call| call.result.as_ref())
        .map(|result| (result.tool.as_str(), result.content.as_str()))
        .collect();
    assert_eq!(results, [("look", "seen"), ("clock", "done"), ("act", "done")]);
    assert!(running.thread.is_tainted(), "a client's result is untrusted");
}

#[test]
fn what_was_not_handed_out_is_refused_by_name() {
    let mut session = waiting();
    let unknown = Refusal::UnknownCalls { calls: vec!["own".to_owned(), "x".to_owned()] };
    assert_eq!(answer(&mut session, 1, vec![result("a", "1"), result("own", "2"), result("x", "3")]), Err(unknown));
    assert_eq!(session.view(1).calls_waiting.len(), 2, "nothing of it was taken");
    assert_eq!(answer(&mut session, 2, vec![result("a", "1")]), Err(Refusal::AlreadyFinal));
}

#[test]
fn a_restart_changes_nothing_about_the_waiting() {
    let mut session = waiting();
    for _ in 0..5 {
        session.run(Command::Recover).unwrap();
        let view = session.view(1);
        assert_eq!((view.status, view.reason.as_deref()), (TurnStatus::Waiting, Some("client_tools")));
        assert_eq!((view.attempts, view.text.as_str()), (1, "Let me see."), "it was not tried in vain");
    }
    assert_eq!(session.effects.last(), Some(&Work::Run(turn(1))));
    answer(&mut session, 1, vec![result("a", "1"), result("b", "2")]).unwrap();
    assert_eq!(session.status(1), TurnStatus::Running);
}

#[test]
fn results_for_a_turn_that_is_put_aside_are_there_when_it_goes_on() {
    let mut session = waiting();
    let policy = Some(Policy { on_restart: OnRestart::Wait, ..Policy::default() });
    session.run(Command::Update(Update { policy, ..Update::default() })).unwrap();
    session.run(Command::Recover).unwrap();
    assert_eq!(session.status(1), TurnStatus::Interrupted);
    let all = answer(&mut session, 1, vec![result("a", "1"), result("b", "2")]).unwrap();
    assert_eq!((told(&all), session.status(1)), ((vec![], true), TurnStatus::Interrupted));
    session.run(Command::Resume { turn_id: turn(1), outcome: None, call_id: None }).unwrap();
    assert_eq!(session.status(1), TurnStatus::Running);
}

#[test]
fn a_client_that_never_answers_ends_the_turn_and_the_next_starts() {
    let mut session = waiting();
    session.send(2, "next").unwrap();
    session.now = session.now.plus(Duration::from_secs(61));
    assert_eq!(answer(&mut session, 1, vec![result("a", "late")]), Err(Refusal::AlreadyFinal));
    session.run(Command::Expire).unwrap();
    let view = session.view(1);
    assert_eq!((view.status, session.status(2)), (TurnStatus::Expired, TurnStatus::Running));
    assert!(view.reason.unwrap().contains("`look`, `act`") && view.calls_waiting.is_empty());
    assert!(session.effects.contains(&Work::Stop(turn(1))));
    assert_eq!(session.state.next_expiry(), None);
}

#[test]
fn a_newer_message_in_its_place_leaves_no_half_of_a_pair() {
    let mut session = waiting();
    let send = ChatSend { on_busy: OnBusy::Interrupt, ..offering("never mind") };
    session.run(Command::Send { turn_id: turn(2), send }).unwrap();
    assert_eq!((session.status(1), session.status(2)), (TurnStatus::Cancelled, TurnStatus::Running));
    let recent = session.state.recent().next().unwrap();
    let results: Vec<&str> = recent.thread.calls().map(|call| call.result.as_ref().unwrap().content.as_str()).collect();
    assert!(results[0].starts_with("The call was handed to the client, which has not told"), "{results:?}");
    assert_eq!((results.len(), results[1]), (3, "done"));
}

#[test]
fn a_message_in_between_comes_after_the_results() {
    let mut session = waiting();
    let send = ChatSend { on_busy: OnBusy::Steer, ..ChatSend::text("and quickly") };
    session.run(Command::Send { turn_id: turn(2), send }).unwrap();
    assert_eq!(session.status(1), TurnStatus::Waiting);
    answer(&mut session, 1, vec![result("a", "1"), result("b", "2")]).unwrap();
    assert_eq!((session.status(1), session.state.running().next().unwrap().thread.steers()), (TurnStatus::Running, 1));
    let brings = ChatSend { on_busy: OnBusy::Steer, ..offering("with tools") };
    let refused = session.run(Command::Send { turn_id: turn(3), send: brings });
    assert_eq!(refused, Err(Refusal::Offer(OfferFault::Steers)));
}

#[test]
fn what_a_client_offers_may_change_with_its_answer() {
    let mut session = waiting();
    let offer = ClientToolOffer {
        tools: vec![tool("look")],
        tool_choice: ToolChoice::None,
        parallel_tool_calls: None,
        response_schema: None,
    };
    let results = vec![result("a", "1"), result("b", "2")];
    let command = |offer: &ClientToolOffer| Command::AnswerCalls {
        turn_id: turn(1),
        results: results.clone(),
        offer: Some(offer.clone()),
    };
    let wrong = ClientToolOffer { tool_choice: ToolChoice::Tool("x".to_owned()), ..offer.clone() };
    assert!(matches!(session.run(command(&wrong)), Err(Refusal::Offer(OfferFault::NoSuchTool { .. }))));
    session.run(command(&offer)).unwrap();
    assert_eq!((&session.view(1).request.offer, session.view(1).request.message.as_str()), (&offer, "go"));
    assert_eq!(session.state.open_turn(turn(1)).unwrap().request.offer, offer);
    let changes =
        |session: &TestSession| session.journal.iter().filter(|it| matches!(it.body, Body::ToolsChanged(_))).count();
    session.run(command(&ClientToolOffer::default())).unwrap();
    assert_eq!(changes(&session), 1, "what was told before changes nothing");
}

#[test]
fn the_same_offer_is_part_of_what_a_key_stands_for() {
    let mut session = TestSession::begin(Settings::default());
    let keyed = |send: ChatSend| ChatSend { idempotency_key: Some("k".to_owned()), ..send };
    session.run(Command::Send { turn_id: turn(1), send: keyed(offering("go")) }).unwrap();
    let again = session.run(Command::Send { turn_id: turn(2), send: keyed(offering("go")) }).unwrap();
    assert!(matches!(again, CommandOutcome::Accepted { duplicate: true, .. }));
    let other = session.run(Command::Send { turn_id: turn(3), send: keyed(ChatSend::text("go")) });
    assert_eq!(other, Err(Refusal::KeyConflict { turn_id: turn(1) }));
}

#[test]
fn a_step_says_whose_call_it_is() {
    let session = waiting();
    let begun = session.journal.iter().filter_map(|event| match &event.body {
        Body::Step(Step::ToolCall(call)) => Some((call.call_id.as_str(), call.client_until.is_some())),
        _ => None,
    });
    assert_eq!(begun.collect::<Vec<_>>(), [("own", false), ("a", true), ("b", true)]);
}
