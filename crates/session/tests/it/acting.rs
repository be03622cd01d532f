//! Tools, approvals and steering messages: what a turn that acts leaves behind, and how it
//! continues.

use std::time::Duration;

use protocol::{
    ApprovalDecision as Said, Body, CallOutcome, CallStatus, ChatSend, Clarification, Effect, MessageTrust, OnBusy,
    Origin, Policy, Response, Settings, Step, TurnStatus, Update,
};
use session::{Command, CommandOutcome, Effect as Work, Refusal, ThreadEntry, TimelineEvent, TurnReport};

use crate::test_session::{TestSession, turn};

fn session() -> TestSession {
    TestSession::begin(Settings::default())
}

fn resume(outcome: Option<CallOutcome>, call_id: Option<&str>) -> Command {
    Command::Resume { turn_id: turn(1), outcome, call_id: call_id.map(str::to_owned) }
}

#[test]
fn a_resumed_turn_keeps_its_finished_rounds_and_their_words() {
    let mut session = session();
    session.send(1, "go").unwrap();
    session.text(1, "Let me see. ");
    session.plan(1, &[("a", "clock"), ("b", "clock")]);
    session.begin_call(1, "a", "clock", Effect::Pure);
    session.end_call(1, "a", "clock", Origin::Trusted);
    session.text(1, "half a sent");
    session.run(Command::Recover).unwrap();
    assert_eq!(session.view(1).text, "Let me see. ", "the words of the round that was cut off come anew");
    let thread = &session.state.running().next().unwrap().thread;
    let finished: Vec<_> = thread.calls().map(|call| call.result.is_some()).collect();
    assert_eq!((thread.rounds(), finished), (1, vec![true, false]));
}

#[test]
fn cancelling_gives_every_call_a_result() {
    let mut session = session();
    session.send(1, "go").unwrap();
    session.plan(1, &[("a", "look"), ("b", "send"), ("c", "send")]);
    session.begin_call(1, "a", "look", Effect::Pure);
    session.end_call(1, "a", "look", Origin::Trusted);
    session.begin_call(1, "b", "send", Effect::AtMostOnce);
    session.run(Command::Cancel { turn_id: Some(turn(1)), reason: Some("enough".to_owned()) }).unwrap();
    let results: Vec<_> =
        session.state.recent().flat_map(|turn| turn.thread.calls()).map(|call| &call.result).collect();
    let told: Vec<_> = results.iter().map(|result| result.as_ref().unwrap()).map(|r| (r.status, &*r.content)).collect();
    assert_eq!(
        told,
        [
            (CallStatus::Ok, "done"),
            (CallStatus::Cancelled, "The call was stopped while it ran, so it may have taken effect: enough."),
            (CallStatus::Cancelled, "The call was not run: enough."),
        ]
    );
}

#[test]
fn an_unknown_outcome_asks_and_blocks_no_other_turn() {
    let mut session = session();
    session.send(1, "send the letter").unwrap();
    session.send(2, "next").unwrap();
    session.plan(1, &[("a", "send")]);
    session.begin_call(1, "a", "send", Effect::AtMostOnce);
    session.run(Command::Recover).unwrap();
    assert_eq!((session.status(1), session.status(2)), (TurnStatus::Waiting, TurnStatus::Running));
    let question = session.view(1).question.unwrap();
    assert!(question.text.contains("`send`") && question.text.contains("Did it happen?"), "{}", question.text);
    assert_eq!(question.calls[0].call_id, "a");
    session.finish(2, "done");

    assert_eq!(session.run(resume(None, None)), Err(Refusal::OutcomeNeeded { calls: vec!["a".to_owned()] }));
    session.run(resume(Some(CallOutcome::Happened), None)).unwrap();
    let turn = session.state.running().next().unwrap();
    assert_eq!(turn.thread.calls().next().unwrap().result.as_ref().unwrap().status, CallStatus::Assumed);
}

#[test]
fn what_did_not_happen_is_begun_anew_and_asks_again_after_another_crash() {
    let mut session = session();
    session.send(1, "send the letter").unwrap();
    session.plan(1, &[("a", "send")]);
    session.begin_call(1, "a", "send", Effect::AtMostOnce);
    session.run(Command::Recover).unwrap();
    session.run(resume(Some(CallOutcome::DidNotHappen), Some("a"))).unwrap();
    assert!(session.state.running().next().unwrap().thread.calls().next().unwrap().begun.is_none());
    session.begin_call(1, "a", "send", Effect::AtMostOnce);
    session.run(Command::Recover).unwrap();
    assert_eq!(session.status(1), TurnStatus::Waiting);
}

#[test]
fn doubts_can_be_settled_one_by_one() {
    let mut session = session();
    session.send(1, "send two letters").unwrap();
    session.plan(1, &[("a", "send"), ("b", "send")]);
    session.begin_call(1, "a", "send", Effect::AtMostOnce);
    session.begin_call(1, "b", "send", Effect::AtMostOnce);
    session.run(Command::Recover).unwrap();
    session.run(resume(Some(CallOutcome::Happened), Some("b"))).unwrap();
    assert_eq!(session.status(1), TurnStatus::Waiting);
    assert_eq!(session.view(1).question.unwrap().calls.len(), 1);
    session.run(resume(Some(CallOutcome::DidNotHappen), None)).unwrap();
    assert_eq!(session.status(1), TurnStatus::Running);
}

#[test]
fn a_question_is_answered_once_and_the_turn_goes_on() {
    let mut session = session();
    session.send(1, "open the door").unwrap();
    session.plan(1, &[("a", "open")]);
    let asked = session.ask(1, 1, "a", "open");
    assert_eq!(session.status(1), TurnStatus::Waiting);
    assert!(session.state.is_moving(), "its agent waits with it");
    session.decide(asked, Said::Once).unwrap();
    assert_eq!(session.status(1), TurnStatus::Running);
    assert_eq!(session.effects.last(), Some(&Work::Nudge(turn(1))));
    assert_eq!(session.decide(asked, Said::Once), Err(Refusal::ApprovalSettled));
    assert!(!session.state.standing.allows("digest of open"));
}

#[test]
fn always_means_this_very_call_and_never_means_the_tool() {
    let mut session = session();
    session.send(1, "go").unwrap();
    session.plan(1, &[("a", "open"), ("b", "shut")]);
    let (open, shut) = (session.ask(1, 1, "a", "open"), session.ask(1, 2, "b", "shut"));
    session.decide(open, Said::Always).unwrap();
    assert_eq!(session.status(1), TurnStatus::Waiting, "the other question is still open");
    session.decide(shut, Said::Never).unwrap();
    assert_eq!(session.status(1), TurnStatus::Running);
    let standing = &session.state.standing;
    assert!(standing.allows("digest of open") && !standing.allows("digest of shut"));
    assert!(standing.forbids("shut") && !standing.forbids("open"));
}

#[test]
fn silence_is_a_no_and_a_late_yes_finds_the_question_closed() {
    let mut session = session();
    session.send(1, "go").unwrap();
    session.plan(1, &[("a", "open")]);
    let asked = session.ask(1, 1, "a", "open");
    session.now = session.now.plus(Duration::from_secs(60));
    assert_eq!(session.decide(asked, Said::Once), Err(Refusal::ApprovalSettled));
    session.run(Command::Expire).unwrap();
    let call = session.state.running().next().unwrap().thread.calls().next().unwrap();
    assert_eq!(call.asked.as_ref().unwrap().decision, Some(Said::Deny));
}

#[test]
fn a_question_survives_a_restart_and_ends_with_its_turn() {
    let mut session = session();
    session.send(1, "go").unwrap();
    session.plan(1, &[("a", "open")]);
    let asked = session.ask(1, 1, "a", "open");
    session.run(Command::Recover).unwrap();
    assert_eq!(session.status(1), TurnStatus::Waiting);
    assert_eq!(session.state.approvals().count(), 1);
    session.run(Command::Cancel { turn_id: None, reason: None }).unwrap();
    assert_eq!(session.state.approvals().count(), 0);
    assert_eq!(session.decide(asked, Said::Once), Err(Refusal::ApprovalSettled));
    assert!(session.names().contains(&"approval.resolved".to_owned()));
}

#[test]
fn an_answer_about_another_call_is_refused() {
    let mut session = session();
    session.send(1, "go").unwrap();
    session.plan(1, &[("a", "open")]);
    let approval_id = session.ask(1, 1, "a", "open");
    let answer =
        protocol::ApprovalAnswer { approval_id, decision: Said::Once, digest: Some("digest of shut".to_owned()) };
    assert_eq!(session.run(Command::Answer(answer)), Err(Refusal::WrongDigest));
}

#[test]
fn steering_reaches_the_running_turn_also_at_its_last_moment() {
    let mut session = session();
    session.send(1, "tell me about cats").unwrap();
    session.text(1, "Cats are");
    let send = |n, message: &str| Command::Send {
        turn_id: turn(n),
        send: ChatSend { on_busy: OnBusy::Steer, ..ChatSend::text(message) },
    };
    let outcome = session.run(send(2, "dogs, I meant")).unwrap();
    assert!(matches!(outcome, CommandOutcome::Accepted { turn_id, .. } if turn_id == turn(1)));
    assert_eq!(session.finish(1, "Cats are nice."), CommandOutcome::GoOn, "the answer does not know of it");
    let entries = session.state.running().next().unwrap().thread.entries().to_vec();
    assert!(matches!(&entries[..], [ThreadEntry::Round(round), ThreadEntry::Steered(text)]
        if round.text == "Cats are" && text == "dogs, I meant"));
    assert_eq!(session.finish_knowing(1, Response::text("Cats are nice. Dogs too.", "m"), 1), CommandOutcome::Done);
    assert_eq!(session.state.stats.turns, 1);
}

#[test]
fn a_message_that_may_only_read_steers_no_turn_that_may_act() {
    let mut session = session();
    session.send(1, "book a table").unwrap();
    let send = |n, reads_only| Command::Send {
        turn_id: turn(n),
        send: ChatSend {
            on_busy: OnBusy::Steer,
            way: MessageTrust { reads_only, ..MessageTrust::default() },
            ..ChatSend::text("for twenty")
        },
    };
    let outcome = session.run(send(2, true)).unwrap();
    assert!(matches!(outcome, CommandOutcome::Accepted { turn_id, position: Some(1), .. } if turn_id == turn(2)));
    session.finish(1, "Done.");
    // The one that may only read may be steered by both.
    for (n, reads_only) in [(3, true), (4, false)] {
        let outcome = session.run(send(n, reads_only)).unwrap();
        assert!(matches!(outcome, CommandOutcome::Accepted { turn_id, .. } if turn_id == turn(2)));
    }
}

#[test]
fn a_fork_runs_beside_the_main_agent() {
    let mut session = session();
    session.send(1, "long work").unwrap();
    let send = ChatSend { on_busy: OnBusy::Fork, ..ChatSend::text("quick question") };
    let CommandOutcome::Accepted { agent_id, position, .. } =
        session.run(Command::Send { turn_id: turn(2), send }).unwrap()
    else {
        panic!()
    };
    assert!(agent_id.as_str().starts_with("ephemeral-") && position.is_none());
    assert_eq!(session.state.running().count(), 2);
    session.finish(2, "quick answer");
    assert_eq!(session.status(1), TurnStatus::Running);
    session.finish(1, "long answer");
    let answers: Vec<_> = session.state.recent().map(|turn| turn.answer.as_str()).collect();
    assert_eq!(answers, ["long answer"], "the main agent's own");
    let told: Vec<_> = session.state.timeline().map(|entry| &entry.happened).collect();
    assert!(
        matches!(&told[..], [TimelineEvent::Agent { task, answer, .. }] if task == "quick question" && answer == "quick answer")
    );
}

#[test]
fn the_next_message_answers_a_clarifying_question() {
    let mut session = session();
    session.send(1, "do it").unwrap();
    let asked = Clarification { question: "Do what?".to_owned(), confidence: 0.25, intent: "unclear".to_owned() };
    session.report(1, TurnReport::Clarify(asked, Response::text("Do what?", "rules")));
    assert_eq!(session.status(1), TurnStatus::Completed);
    session.send(2, "turn the light on").unwrap();
    let turn = session.state.running().next().unwrap();
    assert_eq!(turn.answers, Some(crate::test_session::turn(1)));
    assert_eq!(session.state.question, None, "it is answered once");
}

#[test]
fn untrusted_text_taints_the_turn() {
    let mut session = session();
    session.send(1, "read the page").unwrap();
    session.plan(1, &[("a", "fetch")]);
    session.begin_call(1, "a", "fetch", Effect::Pure);
    assert!(!session.state.running().next().unwrap().thread.is_tainted());
    session.end_call(1, "a", "fetch", Origin::Untrusted);
    assert!(session.state.running().next().unwrap().thread.is_tainted());
    session.finish(1, "it says so");
    assert!(session.state.recent().next().unwrap().is_tainted);
}

#[test]
fn a_fixed_model_stays_and_a_switch_is_remembered_until_the_next_answer() {
    let mut session = session();
    session.send(1, "hello").unwrap();
    session.finish(1, "hi");
    let model = |name: &str| Update { model: Some(name.to_owned()), ..Update::default() };
    session.run(Command::Update(model("large"))).unwrap();
    assert_eq!(session.state.switched.as_ref().unwrap().from, None);
    session.send(2, "and now").unwrap();
    session.finish(2, "hi again");
    assert_eq!(session.state.switched, None);
    let policy = Some(Policy { fixed_model: true, ..Policy::default() });
    session.run(Command::Update(Update { policy, ..Update::default() })).unwrap();
    assert_eq!(session.run(Command::Update(model("small"))), Err(Refusal::FixedModel));
}

#[test]
fn interrupting_an_agent_lets_the_line_go_on() {
    let mut session = session();
    session.send(1, "one").unwrap();
    session.send(2, "two").unwrap();
    let outcome = session.run(Command::Interrupt { agent_id: None }).unwrap();
    assert_eq!(outcome, CommandOutcome::Cancelled(vec![turn(1)]));
    assert_eq!(session.status(2), TurnStatus::Running);
}

#[test]
fn what_was_found_when_the_time_was_up_is_the_answer() {
    let mut session = session();
    session.send(1, "go").unwrap();
    session.plan(1, &[("a", "look")]);
    session.report(
        1,
        TurnReport::Expired {
            reason: "time_budget".to_owned(),
            found: Some(Response::text("so far", "m")),
            usage: None,
        },
    );
    let view = session.view(1);
    assert_eq!((view.status, view.text.as_str()), (TurnStatus::Expired, "so far"));
    let last: Vec<_> = session
        .journal
        .iter()
        .filter_map(|event| match &event.body {
            Body::Step(Step::ToolResult(result)) => Some(result.status),
            _ => None,
        })
        .collect();
    assert_eq!(last, [CallStatus::Cancelled]);
}
