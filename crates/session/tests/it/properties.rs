//! For any commands in any order, the invariants hold and the journal alone gives the same state.

use std::{
    collections::{BTreeSet, HashMap},
    time::Duration,
};

use proptest::{collection::vec, prelude::*};
use protocol::{
    AgentId, ApprovalAnswer, ApprovalDecision as Said, ApprovalId, ApprovalRequest, Body, CallOutcome, CallStatus,
    ChatSend, Clarification, ClientToolOffer, Effect as CallEffect, Event, Level, MemoryWritten, OnBusy, OnRestart,
    Origin, Plan, PlannedCall, Policy, Response, Safety, Settings, Stage, Step, Timestamp, ToolCall, ToolResult,
    Transition, TurnError, TurnId, Update,
};
use serde_json::json;
use session::{Command, EPHEMERAL_MAX, Effect, QUEUE_MAX, State, TurnReport, fold_turns};
use ulid::Ulid;

use crate::test_session::{TestSession, turn};

/// The text of the results that a client sends.
const FROM_CLIENT: &str = "from the client";

fn any_turn() -> impl Strategy<Value = TurnId> {
    (0u8..14).prop_map(turn)
}

fn any_call() -> impl Strategy<Value = String> {
    (0u8..3).prop_map(|n| format!("call{n}"))
}

fn any_effect() -> impl Strategy<Value = CallEffect> {
    prop_oneof![
        Just(CallEffect::Pure),
        Just(CallEffect::Idempotent),
        Just(CallEffect::Verifiable),
        Just(CallEffect::AtMostOnce)
    ]
}

fn any_approval() -> impl Strategy<Value = ApprovalId> {
    (0u8..4).prop_map(|n| ApprovalId::new(Ulid::from_parts(9, u128::from(n))))
}

fn any_send() -> impl Strategy<Value = Command> {
    (any_turn(), 0u8..3, 0u8..4, 0usize..5, 0u8..4).prop_map(|(turn_id, body, key, busy, version)| {
        let send = ChatSend {
            idempotency_key: (key > 0).then(|| format!("key{key}")),
            on_busy: [OnBusy::Queue, OnBusy::Reject, OnBusy::Interrupt, OnBusy::Steer, OnBusy::Fork][busy],
            version: (version == 3).then_some(2),
            ..ChatSend::text(format!("message {body}"))
        };
        Command::Send { turn_id, send }
    })
}

fn any_step() -> impl Strategy<Value = Step> {
    let planned = |call_id: String| PlannedCall {
        call_id,
        tool: "t".into(),
        arguments: json!({}),
        signatures: vec![],
        looked_up: false,
    };
    prop_oneof![
        2 => proptest::sample::subsequence(vec![0u8, 1, 2], 0..=3).prop_map(move |ids| Step::Plan(Plan {
            round: 1,
            calls: ids.into_iter().map(|n| planned(format!("call{n}"))).collect(),
            ..Plan::default()
        })),
        2 => (any_call(), any_effect()).prop_map(|(call_id, effect)| Step::ToolCall(ToolCall {
            call_id,
            tool: "t".into(),
            arguments: json!({}),
            effect,
            key: "k".into(),
            approval_id: None,
            client_until: None,
            served: false,
        })),
        2 => any_call().prop_map(|call_id| Step::ToolResult(ToolResult {
            call_id,
            tool: "t".into(),
            status: CallStatus::Ok,
            content: "r".into(),
            origin: Origin::Untrusted,
            artifact_id: None,
            sources: Vec::new(),
            duration_ms: None,
        })),
    ]
}

/// Calls for the client or for tool workers, with a deadline twenty seconds after the beginning.
fn any_calls() -> impl Strategy<Value = Vec<ToolCall>> {
    vec((any_call(), any::<bool>()), 1..3).prop_map(|ids| {
        let call = |(call_id, served)| ToolCall {
            call_id,
            tool: "t".into(),
            arguments: json!({}),
            effect: CallEffect::AtMostOnce,
            key: "k".into(),
            approval_id: None,
            client_until: Some(Timestamp::from_millis(1_700_000_020_000)),
            served,
        };
        ids.into_iter().map(call).collect()
    })
}

fn any_results() -> impl Strategy<Value = Vec<ToolResult>> {
    vec(any_call(), 1..3).prop_map(|ids| {
        let result = |call_id| ToolResult {
            call_id,
            tool: "t".into(),
            status: CallStatus::Ok,
            content: FROM_CLIENT.into(),
            origin: Origin::Untrusted,
            artifact_id: None,
            sources: Vec::new(),
            duration_ms: None,
        };
        ids.into_iter().map(result).collect()
    })
}

fn any_report() -> impl Strategy<Value = TurnReport> {
    let error = || TurnError { code: "e".into(), message: "e".into(), recoverable: true, details: None };
    let clarification = || Clarification { question: "what?".into(), confidence: 0.25, intent: "unclear".into() };
    prop_oneof![
        2 => Just(TurnReport::Stage(Stage::Execute, None)),
        5 => any_step().prop_map(TurnReport::Step),
        6 => "[a-zä€😀]{0,4}".prop_map(TurnReport::Text),
        1 => "[a-z]{0,4}".prop_map(TurnReport::Thinking),
        1 => any::<bool>().prop_map(|on| TurnReport::Keep(MemoryWritten {
            level: Level::Pin,
            key: "p".into(),
            value: on.then(|| "text".to_owned()),
            origin: Origin::Trusted,
            id: None,
            source: None,
        })),
        2 => (any_approval(), any_call(), any_turn()).prop_map(|(approval_id, call_id, turn_id)| {
            TurnReport::Ask(ApprovalRequest {
                approval_id,
                turn_id,
                call_id,
                tool: "t".into(),
                arguments: json!({}),
                digest: "d".into(),
                safety: Safety::Acts,
                effect: CallEffect::AtMostOnce,
                reason: "r".into(),
                question: None,
                expires_at: Timestamp::from_millis(1_700_000_020_000),
            })
        }),
        2 => any_calls().prop_map(TurnReport::HandOut),
        1 => any_call().prop_map(|call| TurnReport::Doubt { call_ids: vec![call], why: "it did not answer.".into() }),
        1 => Just(TurnReport::Clarify(clarification(), Response::text("what?", "m"))),
        4 => (0u32..3).prop_map(|steers| TurnReport::Done { response: Response::text("answer", "m"), reason: None, steers }),
        1 => Just(TurnReport::Failed { error: error(), usage: None }),
        1 => any::<bool>().prop_map(|found| {
            TurnReport::Expired {
                reason: "time".into(),
                found: found.then(|| Response::text("so far", "m")),
                usage: None,
            }
        }),
    ]
}

pub(crate) fn any_command() -> impl Strategy<Value = Command> {
    prop_oneof![
        6 => any_send(),
        1 => (any_turn(), any_turn(), any::<bool>()).prop_map(|(turn_id, of, keyed)| Command::Retry {
            turn_id,
            of,
            request: ChatSend::text("again").request(),
            idempotency_key: keyed.then(|| "key1".to_owned()),
        }),
        2 => (any_turn(), 0u8..3).prop_map(|(turn_id, outcome)| Command::Resume {
            turn_id,
            outcome: [None, Some(CallOutcome::Happened), Some(CallOutcome::DidNotHappen)][usize::from(outcome)],
            call_id: None,
        }),
        2 => proptest::option::of(any_turn()).prop_map(|turn_id| Command::Cancel { turn_id, reason: None }),
        1 => any::<bool>().prop_map(|main| Command::Interrupt { agent_id: main.then(AgentId::main) }),
        2 => (any_approval(), 0usize..4).prop_map(|(approval_id, said)| Command::Answer(ApprovalAnswer {
            approval_id,
            decision: [Said::Once, Said::Always, Said::Deny, Said::Never][said],
            digest: None,
        })),
        4 => ((0u8..3).prop_map(turn), any_results(), any::<bool>()).prop_map(|(turn_id, results, changes)| {
            Command::AnswerCalls { turn_id, results, offer: changes.then(ClientToolOffer::default) }
        }),
        1 => Just(Command::Expire),
        30 => (prop_oneof![3 => (0u8..3).prop_map(turn), 1 => any_turn()], any_report()).prop_map(|(turn_id, report)| {
            // An approval request belongs to the turn of its call.
            let report = match report {
                TurnReport::Ask(request) => TurnReport::Ask(ApprovalRequest { turn_id, ..request }),
                other => other,
            };
            Command::Report { turn_id, report }
        }),
        2 => Just(Command::Recover),
        1 => any::<bool>().prop_map(|wait| Command::Update(Update {
            policy: Some(Policy {
                on_restart: if wait { OnRestart::Wait } else { OnRestart::Resume },
                ..Policy::default()
            }),
            ..Update::default()
        })),
        1 => (0u8..3).prop_map(|n| Command::Update(Update { model: Some(format!("m{n}")), ..Update::default() })),
        1 => Just(Command::Reset { reason: None, version: None }),
        1 => Just(Command::End { reason: None, version: None }),
        1 => (0i64..3_000_000).prop_map(|ms| Command::ExpireIdle { before: Timestamp::from_millis(1_700_000_000_000 + ms) }),
    ]
}

/// Every accepted turn gets a new id; a used one stands for a command that is not sent.
fn reuses_an_id(session: &TestSession, command: &Command) -> bool {
    match command {
        Command::Send { turn_id, .. } | Command::Retry { turn_id, .. } => {
            session.journal.iter().any(|event| event.turn_id == Some(*turn_id))
        }
        Command::Report { report: TurnReport::Ask(request), .. } => session.journal.iter().any(
            |event| matches!(&event.body, Body::ApprovalRequested(asked) if asked.approval_id == request.approval_id),
        ),
        _ => false,
    }
}

fn live(commands: Vec<(Command, u64)>) -> TestSession {
    let mut session = TestSession::begin(Settings::default());
    for (command, pause_ms) in commands {
        if reuses_an_id(&session, &command) {
            continue;
        }
        session.now = session.now.plus(Duration::from_millis(pause_ms));
        let before = session.state.clone();
        if session.run(command).is_err() {
            assert_eq!(session.state, before, "a refusal changes nothing");
        }
    }
    session
}

fn replay(journal: &[Event]) -> State {
    journal[1..].iter().fold(State::begin(&journal[0]).unwrap(), |mut state, event| {
        state.apply(event);
        state
    })
}

/// Checks the invariants of every journal.
fn check_journal(journal: &[Event]) {
    let mut ended: HashMap<TurnId, bool> = HashMap::new();
    let mut text: HashMap<TurnId, u64> = HashMap::new();
    for (event, seq) in journal.iter().zip(1..) {
        assert_eq!(event.seq, seq, "numbers without gaps");
        let Some(id) = event.turn_id else { continue };
        let is_accept = matches!(event.body, Body::MessageAccepted(_));
        assert_eq!(ended.contains_key(&id), !is_accept, "a turn begins with its acceptance, once");
        assert!(!ended.get(&id).copied().unwrap_or(false), "nothing follows the end of a turn");
        let mut is_end = false;
        match &event.body {
            Body::Text(range) => {
                let offset = text.entry(id).or_default();
                assert_eq!(range.offset, *offset, "ranges follow each other");
                *offset += range.delta.chars().count() as u64;
            }
            Body::TurnStatus(change) => {
                is_end = change.status.status().is_final();
                if let Some(offset) = change.text_offset {
                    text.insert(id, offset);
                }
            }
            _ => {}
        }
        ended.insert(id, is_end);
    }
}

fn check_state(state: &State, journal: &[Event]) {
    let views: HashMap<_, _> = fold_turns(journal).into_iter().map(|view| (view.turn_id, view)).collect();
    let in_line = state.open_turns().filter(|turn| turn.status == protocol::TurnStatus::Pending).count();
    assert!(in_line <= QUEUE_MAX);
    let is_main_at_work = state.running().any(|turn| turn.agent_id.is_main());
    assert!(is_main_at_work || in_line == 0, "no turn waits for a free agent");
    assert!(state.running().filter(|turn| !turn.agent_id.is_main()).count() <= EPHEMERAL_MAX);
    assert!(state.approvals().all(|asked| state.open_turn(asked.turn_id).is_some()));
    for turn in state.open_turns() {
        let view = &views[&turn.id];
        assert!(!turn.status.is_final());
        assert_eq!((view.status, &view.text, view.attempts), (turn.status, &turn.text, turn.attempts));
    }
    for view in views.values() {
        assert_eq!(view.status.is_final(), state.open_turn(view.turn_id).is_none());
    }
}

/// Following the effects, each agent runs at most one turn, and exactly the running turns have a
/// worker.
fn check_effects(session: &TestSession) {
    let mut at_work = BTreeSet::new();
    for effect in &session.effects {
        match effect {
            Effect::Stop(id) => assert!(at_work.remove(id), "only what runs is stopped"),
            // A turn that ends by itself has no worker any more; after a restart it is started
            // again.
            Effect::Run(id) => {
                at_work.insert(*id);
            }
            Effect::Nudge(id) => assert!(at_work.contains(id), "only what runs is nudged"),
            Effect::StartRun { .. } | Effect::Deliver(_) => {}
        }
    }
    for running in session.state.running() {
        assert!(at_work.contains(&running.id));
    }
}

/// Every call of an ended turn has exactly one result, so that a strict provider accepts the
/// thread.
fn check_threads(session: &TestSession) {
    for turn in session.state.recent() {
        for call in turn.thread.calls() {
            assert!(call.result.is_some(), "a call without result");
            assert!(!call.is_undecided(), "an open question of an ended turn");
        }
    }
    let mut open: BTreeSet<ApprovalId> = BTreeSet::new();
    for event in &session.journal {
        match &event.body {
            Body::ApprovalRequested(asked) => assert!(open.insert(asked.approval_id)),
            Body::ApprovalResolved(settled) => {
                open.remove(&settled.approval_id);
            }
            _ => {}
        }
    }
    let known: BTreeSet<_> = session.state.approvals().map(|asked| asked.approval_id).collect();
    assert!(known.is_subset(&open), "what is open was asked and not settled");
}

/// An at-most-once call that was started and has no result is never started again automatically.
fn check_doubts(journal: &[Event]) {
    for (index, event) in journal.iter().enumerate() {
        let Body::TurnStatus(change) = &event.body else { continue };
        if change.status != Transition::Interrupted {
            continue;
        }
        let before = replay(&journal[..index]);
        let Some(turn) = event.turn_id.and_then(|id| before.open_turn(id)) else { continue };
        if turn.thread.is_doubtful() {
            let next = journal.get(index + 1).map(|event| &event.body);
            let is_asked = matches!(next, Some(Body::TurnStatus(next)) if next.status == Transition::Waiting);
            assert!(is_asked, "an unknown outcome asks");
        }
    }
}

/// A client's result is recorded once, for a call that waited for it, and no turn waits for a
/// result that cannot be given.
fn check_clients(session: &TestSession) {
    let mut state = State::begin(&session.journal[0]).unwrap();
    for event in &session.journal[1..] {
        if let (Some(id), Body::Step(Step::ToolResult(result))) = (event.turn_id, &event.body)
            && result.content == FROM_CLIENT
        {
            let turn = state.open_turn(id).unwrap();
            let mut calls = turn.thread.calls().filter(|call| call.planned.call_id == result.call_id);
            assert!(calls.any(|call| call.awaits_client()), "the call waits for its client");
        }
        state.apply(event);
    }
    for turn in session.state.running().filter(|turn| turn.awaits_client()) {
        assert!(session.state.next_expiry().is_some(), "the waiting of {} has an end", turn.id);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_sequence_of_commands_breaks_an_invariant(
        commands in vec((any_command(), prop_oneof![9 => 0u64..1_000, 1 => Just(90_000_000u64)]), 0..60)
    ) {
        let session = live(commands);
        check_journal(&session.journal);
        check_state(&session.state, &session.journal);
        check_effects(&session);
        check_threads(&session);
        check_doubts(&session.journal);
        check_clients(&session);
    }

    #[test]
    fn replaying_the_journal_gives_the_live_state(
        commands in vec((any_command(), 0u64..1_000), 0..60),
        cut in any::<prop::sample::Index>()
    ) {
        let session = live(commands);
        prop_assert_eq!(&replay(&session.journal), &session.state);

        let middle = 1 + cut.index(session.journal.len());
        let snapshot = serde_json::to_string(&replay(&session.journal[..middle])).unwrap();
        let mut from_snapshot: State = serde_json::from_str(&snapshot).unwrap();
        for event in &session.journal[middle..] {
            from_snapshot.apply(event);
        }
        prop_assert_eq!(&from_snapshot, &session.state);
    }

    #[test]
    fn every_event_reads_back_as_it_was_written(commands in vec((any_command(), 0u64..1_000), 0..40)) {
        for event in live(commands).journal {
            let stored = serde_json::to_string(&event).unwrap();
            prop_assert_eq!(serde_json::from_str::<Event>(&stored).unwrap(), event);
        }
    }
}
