//! Dialogs, apps and monitors while turns start and end: no turn waits for an answer that cannot
//! come, and nothing is left behind.

use std::{collections::BTreeSet, time::Duration};

use proptest::{collection::vec, prelude::*};
use protocol::{
    Action, AppCommand, AppOutcome, AppRequest, AppRequestId, AppRequested, ApprovalAnswer, ApprovalDecision as Said,
    ChatSend, CommandSpec, Dialog, DialogAnswer, Event, Interaction, Manifest, MonitorId, OnBusy, ReplayMode, Response,
    Timestamp, TurnStatus,
};
use serde_json::{Value, json};
use session::{Command, Effect, State, TurnReport};
use ulid::Ulid;

use super::{asking, create, create_app, id, monitor};
use crate::test_session::{TestSession, turn};

const TURNS_MAX: u8 = 20;

fn request_id(n: u8) -> AppRequestId {
    AppRequestId::new(Ulid::from_parts(4, u128::from(n)))
}

fn approval_id(n: u8) -> protocol::ApprovalId {
    protocol::ApprovalId::new(Ulid::from_parts(5, u128::from(n)))
}

fn manifest() -> Manifest {
    let spec = CommandSpec {
        name: "write".to_owned(),
        description: String::new(),
        input: Value::Null,
        keep: ReplayMode::All,
        slot: None,
    };
    Manifest { commands: vec![spec], ..Manifest::default() }
}

#[derive(Debug, Clone)]
enum TestStep {
    Send(u8, OnBusy, MonitorId),
    Open(u8),
    OpenApp(u8),
    Close(u8),
    AskUser(u8, u8),
    AskApp(u8, u8),
    AskForCall(u8, u8),
    Answer(u8, DialogAnswer),
    AnswerCall(u8),
    AppAnswers(u8, bool),
    UserCloses(bool),
    Done(u8),
    Other(Box<Command>),
}

fn any_turn() -> impl Strategy<Value = u8> {
    1u8..6
}

fn any_monitor() -> impl Strategy<Value = MonitorId> {
    prop_oneof![3 => Just(monitor("main")), 1 => Just(monitor("work"))]
}

fn other(command: Command) -> TestStep {
    TestStep::Other(Box::new(command))
}

fn any_deed() -> impl Strategy<Value = TestStep> {
    let answer = prop_oneof![Just(DialogAnswer::Chosen("yes".to_owned())), Just(DialogAnswer::Dismissed)];
    let busy = prop_oneof![Just(OnBusy::Queue), Just(OnBusy::Fork), Just(OnBusy::Interrupt)];
    prop_oneof![
        4 => (any_turn(), busy, any_monitor()).prop_map(|(n, busy, monitor_id)| TestStep::Send(n, busy, monitor_id)),
        2 => any_turn().prop_map(TestStep::Open),
        3 => any_turn().prop_map(TestStep::OpenApp),
        1 => any_turn().prop_map(TestStep::Close),
        4 => (any_turn(), 0u8..12).prop_map(|(n, dialog)| TestStep::AskUser(n, dialog)),
        5 => (any_turn(), 0u8..12).prop_map(|(n, request)| TestStep::AskApp(n, request)),
        2 => (any_turn(), 0u8..4).prop_map(|(n, approval)| TestStep::AskForCall(n, approval)),
        3 => (0u8..12, answer).prop_map(|(dialog, answer)| TestStep::Answer(dialog, answer)),
        2 => (0u8..4).prop_map(TestStep::AnswerCall),
        3 => (0u8..12, any::<bool>()).prop_map(|(request, ok)| TestStep::AppAnswers(request, ok)),
        1 => any::<bool>().prop_map(TestStep::UserCloses),
        2 => any_turn().prop_map(TestStep::Done),
        1 => proptest::option::of(any_turn())
            .prop_map(|n| other(Command::Cancel { turn_id: n.map(turn), reason: None })),
        1 => Just(other(Command::Interrupt { agent_id: None })),
        1 => Just(other(Command::Expire)),
        1 => Just(other(Command::Recover)),
        1 => any_turn()
            .prop_map(|n| other(Command::Resume { turn_id: turn(n), outcome: None, call_id: None })),
        2 => Just(other(Command::AddMonitor(monitor("work")))),
        1 => Just(other(Command::RemoveMonitor(monitor("work")))),
        1 => Just(other(Command::Reset { reason: None, version: None })),
    ]
}

/// The name of a monitor's board.
fn board(session: &TestSession, n: u8) -> String {
    let monitor_id = session.state.open_turn(turn(n)).map(|turn| turn.agent_id.monitor()).unwrap_or_default();
    format!("board-{monitor_id}")
}

/// The turn to use: a running one, if there is one.
fn meant(session: &TestSession, n: u8) -> u8 {
    let at_work: Vec<u8> = (1..=TURNS_MAX).filter(|n| session.state.running_turn(turn(*n)).is_some()).collect();
    if at_work.is_empty() { n } else { at_work[usize::from(n) % at_work.len()] }
}

fn do_it(session: &mut TestSession, step: TestStep) {
    let step = match step {
        TestStep::Send(_, busy, monitor_id) => {
            let is_new = |n: &u8| !session.journal.iter().any(|event| event.turn_id == Some(turn(*n)));
            let Some(n) = (1..=TURNS_MAX).find(is_new) else { return };
            TestStep::Send(n, busy, monitor_id)
        }
        TestStep::Open(n) => TestStep::Open(meant(session, n)),
        TestStep::OpenApp(n) => TestStep::OpenApp(meant(session, n)),
        TestStep::Close(n) => TestStep::Close(meant(session, n)),
        TestStep::AskUser(n, dialog) => TestStep::AskUser(meant(session, n), dialog),
        TestStep::AskApp(n, request) => TestStep::AskApp(meant(session, n), request),
        TestStep::AskForCall(n, approval) => TestStep::AskForCall(meant(session, n), approval),
        TestStep::Done(n) => TestStep::Done(meant(session, n)),
        other => other,
    };
    run(session, step);
}

fn run(session: &mut TestSession, step: TestStep) {
    let report = |n: u8, report| Command::Report { turn_id: turn(n), report };
    let act = |n: u8, key: usize, action| {
        report(n, TurnReport::Act { key: format!("key {key}"), actions: vec![action], replay_of: None })
    };
    let key = session.journal.len();
    let minute = session.now.plus(Duration::from_secs(60));
    let command = match step {
        TestStep::Send(n, on_busy, monitor_id) => {
            let send = ChatSend { on_busy, monitor_id, ..ChatSend::text("go") };
            Command::Send { turn_id: turn(n), send }
        }
        TestStep::Open(n) => act(n, key, create(&format!("w{n}"))),
        TestStep::OpenApp(n) => {
            let board = board(session, n);
            let _ = session.run(act(n, key, create_app(&board, Some("secret"))));
            Command::RegisterApp { window_id: id(&board), token: "secret".to_owned(), manifest: manifest() }
        }
        TestStep::Close(n) => act(n, key, Action::Close { window_id: id(&board(session, n)) }),
        TestStep::AskUser(_, dialog) if has_happened(session, &asking::dialog_id(dialog).to_string()) => return,
        TestStep::AskUser(n, dialog) => {
            report(n, TurnReport::AskUser(Dialog { expires_at: minute, ..asking::choice(dialog) }))
        }
        TestStep::AskApp(_, request) if has_happened(session, &request_id(request).to_string()) => return,
        TestStep::AskApp(n, request) => {
            let command = AppCommand { name: "write".to_owned(), arguments: json!({ "n": request }) };
            let (window_id, request_id) = (id(&board(session, n)), request_id(request));
            let asked =
                AppRequested { request_id, window_id, request: AppRequest::Command(command), expires_at: minute };
            report(n, TurnReport::AskApp(asked))
        }
        TestStep::AskForCall(_, approval) if has_happened(session, &approval_id(approval).to_string()) => return,
        TestStep::AskForCall(n, approval) => {
            let call = format!("call{approval}");
            session.plan(n, &[(&call, "open")]);
            session.ask(n, approval, &call, "open");
            return;
        }
        TestStep::Answer(dialog, answer) => Command::AnswerDialog { dialog_id: asking::dialog_id(dialog), answer },
        TestStep::AnswerCall(approval) => {
            Command::Answer(ApprovalAnswer { approval_id: approval_id(approval), decision: Said::Once, digest: None })
        }
        TestStep::AppAnswers(request, ok) => {
            let asked = session.state.desktop.requests().find(|asked| asked.request_id == request_id(request));
            let window_id = asked.map_or_else(|| id("board-main"), |asked| asked.window_id.clone());
            let outcome = if ok { AppOutcome::Ok(json!(1)) } else { AppOutcome::Error("no".to_owned()) };
            let (token, request_id) = ("secret".to_owned(), request_id(request));
            Command::AnswerFromApp { window_id, token, request_id, outcome }
        }
        TestStep::UserCloses(is_main) => {
            let window_id = id(if is_main { "board-main" } else { "board-work" });
            Command::Interact(vec![Interaction::Close { window_id }])
        }
        TestStep::Done(n) => {
            report(n, TurnReport::Done { response: Response::text("done", "m"), reason: None, steers: 0 })
        }
        TestStep::Other(command) => *command,
    };
    let before = session.state.clone();
    if session.run(command).is_err() {
        assert_eq!(session.state, before, "a refusal changes nothing");
    }
}

/// Every question gets a new id; a used one stands for a question that is not asked.
fn has_happened(session: &TestSession, id: &str) -> bool {
    session.journal.iter().any(|event| serde_json::to_string(event).unwrap().contains(id))
}

fn check(session: &TestSession) {
    let state = &session.state;
    for dialog in state.desktop.dialogs() {
        let asker = state.open_turn(dialog.turn_id);
        let answer = asker.and_then(|turn| turn.doings.dialogs.get(&dialog.dialog_id));
        assert_eq!(answer, Some(&None), "what is shown has no answer yet, and goes with its turn");
        assert!(state.desktop.has_monitor(&dialog.monitor_id));
    }
    let shown: BTreeSet<_> = state.desktop.dialogs().map(|dialog| dialog.dialog_id).collect();
    let asked: BTreeSet<_> = state.desktop.requests().map(|asked| asked.request_id).collect();
    for turn in state.open_turns() {
        let open = turn.doings.dialogs.iter().filter(|(_, answer)| answer.is_none());
        assert!(open.clone().all(|(id, _)| shown.contains(id)), "what a turn waits for can be answered");
        let requests = turn.doings.requests.iter().filter(|(_, outcome)| outcome.is_none());
        assert!(requests.clone().all(|(id, _)| asked.contains(id)), "an app can still answer");
    }
    for turn in state.running() {
        let waits = turn.awaits_approval() || turn.doings.awaits_answer();
        assert_eq!(turn.status == TurnStatus::Waiting, waits, "a turn at work waits for a person or goes on");
    }
    let waiting: usize =
        state.open_turns().map(|turn| turn.doings.requests.values().filter(|o| o.is_none()).count()).sum();
    assert_eq!(waiting, asked.len(), "an app is asked by turns that are open");
    for requested in state.desktop.requests() {
        assert!(state.desktop.window(&requested.window_id).is_some_and(|window| window.app.is_some()));
    }
}

fn check_effects(session: &TestSession) {
    let mut at_work = BTreeSet::new();
    for effect in &session.effects {
        match effect {
            Effect::Stop(id) => assert!(at_work.remove(id), "only what runs is stopped"),
            Effect::Run(id) => {
                at_work.insert(*id);
            }
            Effect::Nudge(id) => assert!(at_work.contains(id), "only what runs is nudged"),
            Effect::StartRun { .. } | Effect::Deliver(_) => {}
        }
    }
}

fn replay(journal: &[Event]) -> State {
    journal[1..].iter().fold(State::begin(&journal[0]).unwrap(), |mut state, event| {
        state.apply(event);
        state
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_order_of_questions_and_answers_leaves_a_turn_waiting(
        steps in vec((any_deed(), prop_oneof![9 => 0u64..1_000, 1 => Just(90_000u64)]), 0..80)
    ) {
        let mut session = TestSession::begin(protocol::Settings::default());
        session.now = Timestamp::from_millis(1_700_000_000_000);
        for (step, pause_ms) in steps {
            session.now = session.now.plus(Duration::from_millis(pause_ms));
            do_it(&mut session, step);
            check(&session);
        }
        check_effects(&session);
        let stored = serde_json::to_string(&replay(&session.journal)).unwrap();
        prop_assert_eq!(&serde_json::from_str::<State>(&stored).unwrap(), &session.state);
    }
}
