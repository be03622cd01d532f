//! Dialogs, toasts and notifications, and what follows from the user's answers.

use std::{collections::BTreeMap, time::Duration};

use protocol::{
    Action, Body, Component, Dialog, DialogAnswer, DialogChoice, DialogForm, DialogId, SelectOption, SettledBy,
    Timestamp, Toast, ToastButton, Tone, TurnStatus,
};
use session::{AnswerFault, Command, CommandOutcome, DesktopFault, Effect, Refusal, TurnReport};
use ulid::Ulid;

use super::{id, monitor, test_session, toast_id};
use crate::test_session::{TestSession, turn};

pub(super) fn dialog_id(n: u8) -> DialogId {
    DialogId::new(Ulid::from_parts(2, u128::from(n)))
}

/// A question with two answers, open for a minute.
pub(super) fn choice(n: u8) -> Dialog {
    let option = |value: &str| DialogChoice { value: value.to_owned(), label: value.to_uppercase() };
    Dialog {
        dialog_id: dialog_id(n),
        turn_id: turn(99),
        monitor_id: monitor("elsewhere"),
        window_id: None,
        title: "Well?".to_owned(),
        text: String::new(),
        form: DialogForm::Choices(vec![option("yes"), option("no")]),
        expires_at: Timestamp::from_millis(1_700_000_060_000),
    }
}

fn form(n: u8) -> Dialog {
    let input = Component::Input {
        name: "name".to_owned(),
        label: String::new(),
        value: String::new(),
        placeholder: String::new(),
        multiline: false,
    };
    let options = vec![SelectOption { value: "red".to_owned(), label: "Red".to_owned() }];
    let select = Component::Select { name: "colour".to_owned(), label: String::new(), options, value: None };
    let checkbox = Component::Checkbox { name: "sure".to_owned(), label: "Sure?".to_owned(), checked: false };
    let columns = Component::Columns { columns: vec![vec![input], vec![select]] };
    let nested = Component::Form { name: "inner".to_owned(), components: vec![columns, checkbox] };
    Dialog { form: DialogForm::Fields(vec![nested]), ..choice(n) }
}

pub(super) fn toast(n: u8) -> Action {
    let button = ToastButton { label: "Didn't work".to_owned(), action: "didnt_work".to_owned() };
    Action::Toast(Toast {
        toast_id: toast_id(n),
        text: "Done once more.".to_owned(),
        level: Tone::Info,
        button: Some(button),
        replay_of: Some(turn(7)),
    })
}

fn answer(session: &mut TestSession, n: u8, answer: DialogAnswer) -> Result<CommandOutcome, Refusal> {
    session.run(Command::AnswerDialog { dialog_id: dialog_id(n), answer })
}

fn chosen(value: &str) -> DialogAnswer {
    DialogAnswer::Chosen(value.to_owned())
}

fn answers(session: &TestSession) -> Vec<(DialogAnswer, SettledBy)> {
    let told = session.journal.iter().filter_map(|event| match &event.body {
        Body::DialogAnswered(answered) => Some((answered.answer.clone(), answered.by)),
        _ => None,
    });
    told.collect()
}

#[test]
fn a_turn_that_asks_waits_and_goes_on_with_the_answer() {
    let mut session = test_session();
    session.report(1, TurnReport::AskUser(choice(1)));
    assert_eq!(session.status(1), TurnStatus::Waiting);
    assert!(session.state.running_turn(turn(1)).is_some(), "its agent waits with it");
    let shown = session.state.desktop.dialogs().next().unwrap();
    assert_eq!((shown.turn_id, &shown.monitor_id), (turn(1), &monitor("main")), "who asks, and where, is known here");
    let before = session.journal.len();
    session.report(1, TurnReport::AskUser(choice(1)));
    assert_eq!(session.journal.len(), before, "asking again is asking once");

    answer(&mut session, 1, chosen("yes")).unwrap();
    assert_eq!(session.status(1), TurnStatus::Running);
    assert_eq!(session.effects.last(), Some(&Effect::Nudge(turn(1))));
    assert_eq!(session.state.desktop.dialogs().count(), 0);
    let doings = &session.state.open_turn(turn(1)).unwrap().doings;
    assert_eq!(doings.dialogs, BTreeMap::from([(dialog_id(1), Some(chosen("yes")))]));
    assert_eq!(answer(&mut session, 1, chosen("no")), Err(Refusal::DialogSettled));
    assert_eq!(answers(&session), [(chosen("yes"), SettledBy::Owner)]);
}

#[test]
fn a_turn_with_two_questions_waits_for_both() {
    let mut session = test_session();
    session.report(1, TurnReport::AskUser(choice(1)));
    session.report(1, TurnReport::AskUser(choice(2)));
    answer(&mut session, 1, chosen("no")).unwrap();
    assert_eq!(session.status(1), TurnStatus::Waiting);
    answer(&mut session, 2, DialogAnswer::Dismissed).unwrap();
    assert_eq!(session.status(1), TurnStatus::Running);
}

#[test]
fn a_question_and_an_approval_are_both_waited_for() {
    let mut session = test_session();
    session.plan(1, &[("a", "open")]);
    session.ask(1, 1, "a", "open");
    session.report(1, TurnReport::AskUser(choice(1)));
    answer(&mut session, 1, chosen("no")).unwrap();
    assert_eq!(session.status(1), TurnStatus::Waiting, "the call still waits for approval");
    session.now = session.now.plus(Duration::from_secs(120));
    session.run(Command::Expire).unwrap();
    assert_eq!(session.status(1), TurnStatus::Running);
}

#[test]
fn silence_is_an_answer_too() {
    let mut session = test_session();
    session.report(1, TurnReport::AskUser(choice(1)));
    session.now = session.state.desktop.next_expiry().unwrap();
    assert_eq!(answer(&mut session, 1, chosen("yes")), Err(Refusal::DialogSettled), "the time is up");
    session.run(Command::Expire).unwrap();
    assert_eq!(answers(&session), [(DialogAnswer::Unanswered, SettledBy::Expiry)]);
    assert_eq!((session.status(1), session.state.desktop.next_expiry()), (TurnStatus::Running, None));
    let before = session.journal.len();
    session.run(Command::Expire).unwrap();
    assert_eq!(session.journal.len(), before);
}

#[test]
fn silence_ends_a_question_and_an_approval_at_once() {
    let mut session = test_session();
    session.plan(1, &[("a", "open")]);
    session.ask(1, 1, "a", "open");
    session.report(1, TurnReport::AskUser(choice(1)));
    session.now = session.now.plus(Duration::from_secs(120));
    session.run(Command::Expire).unwrap();
    assert_eq!(session.status(1), TurnStatus::Running);
    let resumed = session.names().iter().filter(|name| *name == "turn.status").count();
    assert_eq!(resumed, 2, "it waited once and went on once");
}

#[test]
fn an_answer_has_to_fit_the_question() {
    let mut session = test_session();
    session.report(1, TurnReport::AskUser(choice(1)));
    let choices = vec!["yes".to_owned(), "no".to_owned()];
    let refused = |fault| Err(Refusal::BadAnswer(fault));
    assert_eq!(answer(&mut session, 1, chosen("maybe")), refused(AnswerFault::NotAChoice { choices }));
    for other in [DialogAnswer::Filled(BTreeMap::new()), DialogAnswer::Unanswered] {
        assert_eq!(answer(&mut session, 1, other), refused(AnswerFault::OtherWay { how: "choosing" }));
    }
    assert_eq!(session.status(1), TurnStatus::Waiting);
}

#[test]
fn a_form_is_filled_in_whole() {
    let mut session = test_session();
    session.report(1, TurnReport::AskUser(form(1)));
    assert!(matches!(&session.journal[session.journal.len() - 2].body,
        Body::Actions(done) if matches!(done.actions[..], [Action::Prompt(_)])));
    let filled = |fields: &[(&str, &str)]| {
        DialogAnswer::Filled(fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect())
    };
    let refusal = answer(&mut session, 1, filled(&[("name", "Ada"), ("age", "36")])).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "the fields are `colour`, `name`, `sure`; missing: `colour`, `sure`; unknown: `age`"
    );
    for (colour, sure) in [("blue", "true"), ("red", "perhaps")] {
        let wrong = answer(&mut session, 1, filled(&[("name", ""), ("colour", colour), ("sure", sure)]));
        assert!(matches!(wrong, Err(Refusal::BadAnswer(AnswerFault::NotAValue { .. }))), "{colour} {sure}");
    }
    let whole = filled(&[("name", "Ada"), ("colour", "red"), ("sure", "false")]);
    answer(&mut session, 1, whole.clone()).unwrap();
    assert_eq!(session.state.open_turn(turn(1)).unwrap().doings.dialogs[&dialog_id(1)], Some(whole));
}

#[test]
fn what_cannot_be_answered_is_not_asked() {
    let mut session = test_session();
    let mut ask = |dialog| session.try_report(1, TurnReport::AskUser(dialog));
    let choices = |values: &[&str]| {
        let choice = |value: &&str| DialogChoice { value: (*value).to_owned(), label: "L".to_owned() };
        DialogForm::Choices(values.iter().map(choice).collect())
    };
    for bad in [choices(&[]), choices(&["a", "a"]), choices(&[""]), choices(&["a"; 17])] {
        assert_eq!(ask(Dialog { form: bad, ..choice(1) }), Err(Refusal::Desktop(DesktopFault::BadChoices)));
    }
    let words = Component::Text { text: "nothing to fill in".to_owned() };
    let fields = DialogForm::Fields(vec![words]);
    assert_eq!(ask(Dialog { form: fields, ..choice(1) }), Err(Refusal::Desktop(DesktopFault::BadFields)));
    assert_eq!(ask(Dialog { title: " ".to_owned(), ..choice(1) }), Err(Refusal::Desktop(DesktopFault::BadTitle)));
    let about = Dialog { window_id: Some(id("gone")), ..choice(1) };
    assert!(matches!(ask(about), Err(Refusal::Desktop(DesktopFault::NoWindow { .. }))));
    let long = Dialog { text: "x".repeat(40_000), ..choice(1) };
    assert!(matches!(ask(long), Err(Refusal::Desktop(DesktopFault::DialogTooLarge { .. }))));
    for n in 0..16 {
        ask(choice(n)).unwrap();
    }
    assert_eq!(ask(choice(16)), Err(Refusal::Desktop(DesktopFault::TooManyDialogs)));
}

#[test]
fn a_toast_goes_and_may_say_that_a_replay_was_wrong() {
    let mut session = test_session();
    session.act(1, vec![toast(1), toast(2)]).unwrap();
    let mut press = |n, action: &str| {
        let pressed = session.run(Command::ActOnToast { toast_id: toast_id(n), action: action.to_owned() });
        let last = session.journal.last().map(|event| event.body.clone());
        pressed.map(|_| match last {
            Some(Body::ToastActed(acted)) => acted.replay_of,
            other => panic!("{other:?}"),
        })
    };
    let button = Some("didnt_work".to_owned());
    assert_eq!(press(1, "explode"), Err(Refusal::NoSuchButton { button }));
    assert_eq!(press(1, "didnt_work"), Ok(Some(turn(7))));
    assert_eq!(press(2, "dismiss"), Ok(None));
    assert_eq!(press(2, "dismiss"), Err(Refusal::Desktop(DesktopFault::NoToast { toast_id: toast_id(2) })));
    assert_eq!(session.state.desktop.toasts().count(), 0);
}

#[test]
fn an_approval_does_not_answer_a_question() {
    let mut session = test_session();
    session.plan(1, &[("a", "open")]);
    let asked = session.ask(1, 1, "a", "open");
    session.report(1, TurnReport::AskUser(choice(1)));
    session.decide(asked, protocol::ApprovalDecision::Once).unwrap();
    assert_eq!(session.status(1), TurnStatus::Waiting, "the user has to choose");
    answer(&mut session, 1, chosen("no")).unwrap();
    assert_eq!(session.status(1), TurnStatus::Running);
}
