//! Tools, approvals, messages in between: what a turn that acts leaves behind, and how it goes on.

use std::time::Duration;

use protocol::{
    Body, CallOutcome, CallStatus, ChatSend, Clarification, Decision as Said, Effect, OnBusy, Origin, Policy, Response,
    Settings, Step, TurnStatus, Update,
};
use session::{Command, Effect as Work, Entry, Happened, Outcome, Refusal, Report};

use crate::life::{Life, turn};

fn life() -> Life {
    Life::begin(Settings::default())
}

fn resume(outcome: Option<CallOutcome>, call_id: Option<&str>) -> Command {
    Command::Resume { turn_id: turn(1), outcome, call_id: call_id.map(str::to_owned) }
}

#[test]
fn a_resumed_turn_keeps_its_finished_rounds_and_their_words() {
    let mut life = life();
    life.send(1, "go").unwrap();
    life.text(1, "Let me see. ");
    life.plan(1, &[("a", "clock"), ("b", "clock")]);
    life.begin_call(1, "a", "clock", Effect::Pure);
    life.end_call(1, "a", "clock", Origin::Trusted);
    life.text(1, "half a sent");
    life.run(Command::Recover).unwrap();
    assert_eq!(life.view(1).text, "Let me see. ", "the words of the round that was cut off come anew");
    let thread = &life.state.running().next().unwrap().thread;
    let finished: Vec<_> = thread.calls().map(|call| call.result.is_some()).collect();
    assert_eq!((thread.rounds(), finished), (1, vec![true, false]));
}

#[test]
fn cancelling_gives_every_call_a_result() {
    let mut life = life();
    life.send(1, "go").unwrap();
    life.plan(1, &[("a", "look"), ("b", "send"), ("c", "send")]);
    life.begin_call(1, "a", "look", Effect::Pure);
    life.end_call(1, "a", "look", Origin::Trusted);
    life.begin_call(1, "b", "send", Effect::AtMostOnce);
    life.run(Command::Cancel { turn_id: Some(turn(1)), reason: Some("enough".to_owned()) }).unwrap();
    let results: Vec<_> = life.state.recent().flat_map(|turn| turn.thread.calls()).map(|call| &call.result).collect();
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
fn an_unknown_outcome_asks_and_holds_nobody_up() {
    let mut life = life();
    life.send(1, "send the letter").unwrap();
    life.send(2, "next").unwrap();
    life.plan(1, &[("a", "send")]);
    life.begin_call(1, "a", "send", Effect::AtMostOnce);
    life.run(Command::Recover).unwrap();
    assert_eq!((life.status(1), life.status(2)), (TurnStatus::Waiting, TurnStatus::Running));
    let question = life.view(1).question.unwrap();
    assert!(question.text.contains("`send`") && question.text.contains("Did it happen?"), "{}", question.text);
    assert_eq!(question.calls[0].call_id, "a");
    life.finish(2, "done");

    assert_eq!(life.run(resume(None, None)), Err(Refusal::OutcomeNeeded { calls: vec!["a".to_owned()] }));
    life.run(resume(Some(CallOutcome::Happened), None)).unwrap();
    let turn = life.state.running().next().unwrap();
    assert_eq!(turn.thread.calls().next().unwrap().result.as_ref().unwrap().status, CallStatus::Assumed);
}

#[test]
fn what_did_not_happen_is_begun_anew_and_asks_again_after_another_crash() {
    let mut life = life();
    life.send(1, "send the letter").unwrap();
    life.plan(1, &[("a", "send")]);
    life.begin_call(1, "a", "send", Effect::AtMostOnce);
    life.run(Command::Recover).unwrap();
    life.run(resume(Some(CallOutcome::DidNotHappen), Some("a"))).unwrap();
    assert!(life.state.running().next().unwrap().thread.calls().next().unwrap().begun.is_none());
    life.begin_call(1, "a", "send", Effect::AtMostOnce);
    life.run(Command::Recover).unwrap();
    assert_eq!(life.status(1), TurnStatus::Waiting);
}

#[test]
fn doubts_can_be_settled_one_by_one() {
    let mut life = life();
    life.send(1, "send two letters").unwrap();
    life.plan(1, &[("a", "send"), ("b", "send")]);
    life.begin_call(1, "a", "send", Effect::AtMostOnce);
    life.begin_call(1, "b", "send", Effect::AtMostOnce);
    life.run(Command::Recover).unwrap();
    life.run(resume(Some(CallOutcome::Happened), Some("b"))).unwrap();
    assert_eq!(life.status(1), TurnStatus::Waiting);
    assert_eq!(life.view(1).question.unwrap().calls.len(), 1);
    life.run(resume(Some(CallOutcome::DidNotHappen), None)).unwrap();
    assert_eq!(life.status(1), TurnStatus::Running);
}

#[test]
fn a_question_is_answered_once_and_the_turn_goes_on() {
    let mut life = life();
    life.send(1, "open the door").unwrap();
    life.plan(1, &[("a", "open")]);
    let asked = life.ask(1, 1, "a", "open");
    assert_eq!(life.status(1), TurnStatus::Waiting);
    assert!(life.state.is_moving(), "its agent waits with it");
    life.decide(asked, Said::Once).unwrap();
    assert_eq!(life.status(1), TurnStatus::Running);
    assert_eq!(life.effects.last(), Some(&Work::Nudge(turn(1))));
    assert_eq!(life.decide(asked, Said::Once), Err(Refusal::ApprovalSettled));
    assert!(!life.state.standing.allows("digest of open"));
}

#[test]
fn always_means_this_very_call_and_never_means_the_tool() {
    let mut life = life();
    life.send(1, "go").unwrap();
    life.plan(1, &[("a", "open"), ("b", "shut")]);
    let (open, shut) = (life.ask(1, 1, "a", "open"), life.ask(1, 2, "b", "shut"));
    life.decide(open, Said::Always).unwrap();
    assert_eq!(life.status(1), TurnStatus::Waiting, "the other question is still open");
    life.decide(shut, Said::Never).unwrap();
    assert_eq!(life.status(1), TurnStatus::Running);
    let standing = &life.state.standing;
    assert!(standing.allows("digest of open") && !standing.allows("digest of shut"));
    assert!(standing.forbids("shut") && !standing.forbids("open"));
}

#[test]
fn silence_is_a_no_and_a_late_yes_finds_the_question_closed() {
    let mut life = life();
    life.send(1, "go").unwrap();
    life.plan(1, &[("a", "open")]);
    let asked = life.ask(1, 1, "a", "open");
    life.now = life.now.plus(Duration::from_secs(60));
    assert_eq!(life.decide(asked, Said::Once), Err(Refusal::ApprovalSettled));
    life.run(Command::Expire).unwrap();
    let call = life.state.running().next().unwrap().thread.calls().next().unwrap();
    assert_eq!(call.asked.as_ref().unwrap().decision, Some(Said::Deny));
}

#[test]
fn a_question_survives_a_restart_and_ends_with_its_turn() {
    let mut life = life();
    life.send(1, "go").unwrap();
    life.plan(1, &[("a", "open")]);
    let asked = life.ask(1, 1, "a", "open");
    life.run(Command::Recover).unwrap();
    assert_eq!(life.status(1), TurnStatus::Waiting);
    assert_eq!(life.state.approvals().count(), 1);
    life.run(Command::Cancel { turn_id: None, reason: None }).unwrap();
    assert_eq!(life.state.approvals().count(), 0);
    assert_eq!(life.decide(asked, Said::Once), Err(Refusal::ApprovalSettled));
    assert!(life.names().contains(&"approval.resolved".to_owned()));
}

#[test]
fn an_answer_about_another_call_is_refused() {
    let mut life = life();
    life.send(1, "go").unwrap();
    life.plan(1, &[("a", "open")]);
    let approval_id = life.ask(1, 1, "a", "open");
    let answer =
        protocol::ApprovalAnswer { approval_id, decision: Said::Once, digest: Some("digest of shut".to_owned()) };
    assert_eq!(life.run(Command::Answer(answer)), Err(Refusal::WrongDigest));
}

#[test]
fn steering_reaches_the_running_turn_also_at_its_last_moment() {
    let mut life = life();
    life.send(1, "tell me about cats").unwrap();
    life.text(1, "Cats are");
    let send = |n, message: &str| Command::Send {
        turn_id: turn(n),
        send: ChatSend { on_busy: OnBusy::Steer, ..ChatSend::text(message) },
    };
    let outcome = life.run(send(2, "dogs, I meant")).unwrap();
    assert!(matches!(outcome, Outcome::Accepted { turn_id, .. } if turn_id == turn(1)));
    assert_eq!(life.finish(1, "Cats are nice."), Outcome::GoOn, "the answer does not know of it");
    let entries = life.state.running().next().unwrap().thread.entries().to_vec();
    assert!(matches!(&entries[..], [Entry::Round(round), Entry::Steered(text)]
        if round.text == "Cats are" && text == "dogs, I meant"));
    assert_eq!(life.finish_knowing(1, Response::text("Cats are nice. Dogs too.", "m"), 1), Outcome::Done);
    assert_eq!(life.state.stats.turns, 1);
}

#[test]
fn a_fork_runs_beside_the_main_agent() {
    let mut life = life();
    life.send(1, "long work").unwrap();
    let send = ChatSend { on_busy: OnBusy::Fork, ..ChatSend::text("quick question") };
    let Outcome::Accepted { agent_id, position, .. } = life.run(Command::Send { turn_id: turn(2), send }).unwrap()
    else {
        panic!()
    };
    assert!(agent_id.as_str().starts_with("ephemeral-") && position.is_none());
    assert_eq!(life.state.running().count(), 2);
    life.finish(2, "quick answer");
    assert_eq!(life.status(1), TurnStatus::Running);
    life.finish(1, "long answer");
    let answers: Vec<_> = life.state.recent().map(|turn| turn.answer.as_str()).collect();
    assert_eq!(answers, ["long answer"], "the main agent's own");
    let told: Vec<_> = life.state.timeline().map(|entry| &entry.happened).collect();
    assert!(
        matches!(&told[..], [Happened::Agent { task, answer, .. }] if task == "quick question" && answer == "quick answer")
    );
}

#[test]
fn the_next_message_answers_a_clarifying_question() {
    let mut life = life();
    life.send(1, "do it").unwrap();
    let asked = Clarification { question: "Do what?".to_owned(), confidence: 0.25, intent: "unclear".to_owned() };
    life.report(1, Report::Clarify(asked, Response::text("Do what?", "rules")));
    assert_eq!(life.status(1), TurnStatus::Completed);
    life.send(2, "turn the light on").unwrap();
    let turn = life.state.running().next().unwrap();
    assert_eq!(turn.answers, Some(crate::life::turn(1)));
    assert_eq!(life.state.question, None, "it is answered once");
}

#[test]
fn words_that_are_anybodys_taint_the_turn() {
    let mut life = life();
    life.send(1, "read the page").unwrap();
    life.plan(1, &[("a", "fetch")]);
    life.begin_call(1, "a", "fetch", Effect::Pure);
    assert!(!life.state.running().next().unwrap().thread.is_tainted());
    life.end_call(1, "a", "fetch", Origin::Untrusted);
    assert!(life.state.running().next().unwrap().thread.is_tainted());
    life.finish(1, "it says so");
    assert!(life.state.recent().next().unwrap().is_tainted);
}

#[test]
fn a_fixed_model_stays_and_a_switch_is_remembered_until_the_next_answer() {
    let mut life = life();
    life.send(1, "hello").unwrap();
    life.finish(1, "hi");
    let model = |name: &str| Update { model: Some(name.to_owned()), ..Update::default() };
    life.run(Command::Update(model("large"))).unwrap();
    assert_eq!(life.state.switched.as_ref().unwrap().from, None);
    life.send(2, "and now").unwrap();
    life.finish(2, "hi again");
    assert_eq!(life.state.switched, None);
    let policy = Some(Policy { fixed_model: true, ..Policy::default() });
    life.run(Command::Update(Update { policy, ..Update::default() })).unwrap();
    assert_eq!(life.run(Command::Update(model("small"))), Err(Refusal::FixedModel));
}

#[test]
fn interrupting_an_agent_lets_the_line_go_on() {
    let mut life = life();
    life.send(1, "one").unwrap();
    life.send(2, "two").unwrap();
    let outcome = life.run(Command::Interrupt { agent_id: None }).unwrap();
    assert_eq!(outcome, Outcome::Cancelled(vec![turn(1)]));
    assert_eq!(life.status(2), TurnStatus::Running);
}

#[test]
fn what_was_found_when_the_time_was_up_is_the_answer() {
    let mut life = life();
    life.send(1, "go").unwrap();
    life.plan(1, &[("a", "look")]);
    life.report(
        1,
        Report::Expired { reason: "time_budget".to_owned(), found: Some(Response::text("so far", "m")), usage: None },
    );
    let view = life.view(1);
    assert_eq!((view.status, view.text.as_str()), (TurnStatus::Expired, "so far"));
    let last: Vec<_> = life
        .journal
        .iter()
        .filter_map(|event| match &event.body {
            Body::Step(Step::ToolResult(result)) => Some(result.status),
            _ => None,
        })
        .collect();
    assert_eq!(last, [CallStatus::Cancelled]);
}
