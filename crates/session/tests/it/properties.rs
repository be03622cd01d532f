//! Whatever is asked in whatever order, the invariants hold, and the journal alone gives the same state.

use std::{
    collections::{BTreeSet, HashMap},
    time::Duration,
};

use proptest::{collection::vec, prelude::*};
use protocol::{
    AgentId, ApprovalAnswer, ApprovalId, ApprovalRequest, Body, CallOutcome, CallStatus, ChatSend, Clarification,
    Decision as Said, Effect as CallEffect, Event, Level, MemoryWritten, Offer, OnBusy, OnRestart, Origin, Plan,
    PlannedCall, Policy, Response, Safety, Settings, Stage, Step, Timestamp, ToolCall, ToolResult, Transition,
    TurnError, TurnId, Update,
};
use serde_json::json;
use session::{Command, EPHEMERAL_MAX, Effect, QUEUE_MAX, Report, State, fold_turns};
use ulid::Ulid;

use crate::life::{Life, turn};

/// What stands in the results that a client tells.
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

/// Calls that the client is to run, for twenty seconds from the beginning.
fn any_calls() -> impl Strategy<Value = Vec<ToolCall>> {
    vec(any_call(), 1..3).prop_map(|ids| {
        let call = |call_id| ToolCall {
            call_id,
            tool: "t".into(),
            arguments: json!({}),
            effect: CallEffect::AtMostOnce,
            key: "k".into(),
            approval_id: None,
            client_until: Some(Timestamp::from_millis(1_700_000_020_000)),
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

fn any_report() -> impl Strategy<Value = Report> {
    let error = || TurnError { code: "e".into(), message: "e".into(), recoverable: true, details: None };
    let clarification = || Clarification { question: "what?".into(), confidence: 0.25, intent: "unclear".into() };
    prop_oneof![
        2 => Just(Report::Stage(Stage::Execute, None)),
        5 => any_step().prop_map(Report::Step),
        6 => "[a-zä€😀]{0,4}".prop_map(Report::Text),
        1 => "[a-z]{0,4}".prop_map(Report::Thinking),
        1 => any::<bool>().prop_map(|on| Report::Keep(MemoryWritten {
            level: Level::Pin,
            key: "p".into(),
            value: on.then(|| "text".to_owned()),
            origin: Origin::Trusted,
            id: None,
            source: None,
        })),
        2 => (any_approval(), any_call(), any_turn()).prop_map(|(approval_id, call_id, turn_id)| {
            Report::Ask(ApprovalRequest {
                approval_id,
                turn_id,
                call_id,
                tool: "t".into(),
                arguments: json!({}),
                digest: "d".into(),
                safety: Safety::Acts,
                effect: CallEffect::AtMostOnce,
                reason: "r".into(),
                expires_at: Timestamp::from_millis(1_700_000_020_000),
            })
        }),
        2 => any_calls().prop_map(Report::HandOut),
        1 => any_call().prop_map(|call| Report::Doubt { call_ids: vec![call], why: "it did not answer.".into() }),
        1 => Just(Report::Clarify(clarification(), Response::text("what?", "m"))),
        4 => (0u32..3).prop_map(|steers| Report::Done { response: Response::text("answer", "m"), reason: None, steers }),
        1 => Just(Report::Failed { error: error(), usage: None }),
        1 => any::<bool>().prop_map(|found| {
            Report::Expired {
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
            Command::AnswerCalls { turn_id, results, offer: changes.then(Offer::default) }
        }),
        1 => Just(Command::Expire),
        30 => (prop_oneof![3 => (0u8..3).prop_map(turn), 1 => any_turn()], any_report()).prop_map(|(turn_id, report)| {
            // A question is asked in the turn it is about.
            let report = match report {
                Report::Ask(request) => Report::Ask(ApprovalRequest { turn_id, ..request }),
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

/// Turn ids are drawn anew for every accepted turn; here a used one stands for a command that nobody sends.
fn reuses_an_id(life: &Life, command: &Command) -> bool {
    match command {
        Command::Send { turn_id, .. } | Command::Retry { turn_id, .. } => {
            life.journal.iter().any(|event| event.turn_id == Some(*turn_id))
        }
        Command::Report { report: Report::Ask(request), .. } => life.journal.iter().any(
            |event| matches!(&event.body, Body::ApprovalRequested(asked) if asked.approval_id == request.approval_id),
        ),
        _ => false,
    }
}

fn live(commands: Vec<(Command, u64)>) -> Life {
    let mut life = Life::begin(Settings::default());
    for (command, pause_ms) in commands {
        if reuses_an_id(&life, &command) {
            continue;
        }
        life.now = life.now.plus(Duration::from_millis(pause_ms));
        let before = life.state.clone();
        if life.run(command).is_err() {
            assert_eq!(life.state, before, "a refusal changes nothing");
        }
    }
    life
}

fn replay(journal: &[Event]) -> State {
    journal[1..].iter().fold(State::begin(&journal[0]).unwrap(), |mut state, event| {
        state.apply(event);
        state
    })
}

/// Walks a session's events and asserts what must be true of every journal.
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
    assert!(is_main_at_work || in_line == 0, "nobody waits for a free agent");
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

/// Running what the effects say, each agent works on at most one turn, and exactly the running ones are worked on.
fn check_effects(life: &Life) {
    let mut at_work = BTreeSet::new();
    for effect in &life.effects {
        match effect {
            Effect::Stop(id) => assert!(at_work.remove(id), "only what runs is stopped"),
            // A turn that ends by itself is no longer at work; after a restart it is begun again.
            Effect::Run(id) => {
                at_work.insert(*id);
            }
            Effect::Nudge(id) => assert!(at_work.contains(id), "only what runs is nudged"),
        }
    }
    for running in life.state.running() {
        assert!(at_work.contains(&running.id));
    }
}

/// Every call of an ended turn has exactly one result, so that a strict provider accepts the thread.
fn check_threads(life: &Life) {
    for turn in life.state.recent() {
        for call in turn.thread.calls() {
            assert!(call.result.is_some(), "a call without result");
            assert!(!call.is_undecided(), "an open question of an ended turn");
        }
    }
    let mut open: BTreeSet<ApprovalId> = BTreeSet::new();
    for event in &life.journal {
        match &event.body {
            Body::ApprovalRequested(asked) => assert!(open.insert(asked.approval_id)),
            Body::ApprovalResolved(settled) => {
                open.remove(&settled.approval_id);
            }
            _ => {}
        }
    }
    let known: BTreeSet<_> = life.state.approvals().map(|asked| asked.approval_id).collect();
    assert!(known.is_subset(&open), "what is open was asked and not settled");
}

/// An at-most-once call that was begun and has no result is never begun again by itself.
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

/// What a client tells is written down once, for a call that waited for it, and nothing is waited for that nobody could
/// answer.
fn check_clients(life: &Life) {
    let mut state = State::begin(&life.journal[0]).unwrap();
    for event in &life.journal[1..] {
        if let (Some(id), Body::Step(Step::ToolResult(result))) = (event.turn_id, &event.body)
            && result.content == FROM_CLIENT
        {
            let turn = state.open_turn(id).unwrap();
            let mut calls = turn.thread.calls().filter(|call| call.planned.call_id == result.call_id);
            assert!(calls.any(|call| call.awaits_client()), "the call waits for its client");
        }
        state.apply(event);
    }
    for turn in life.state.running().filter(|turn| turn.awaits_client()) {
        assert!(life.state.next_expiry().is_some(), "the waiting of {} has an end", turn.id);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_sequence_of_commands_breaks_an_invariant(
        commands in vec((any_command(), prop_oneof![9 => 0u64..1_000, 1 => Just(90_000_000u64)]), 0..60)
    ) {
        let life = live(commands);
        check_journal(&life.journal);
        check_state(&life.state, &life.journal);
        check_effects(&life);
        check_threads(&life);
        check_doubts(&life.journal);
        check_clients(&life);
    }

    #[test]
    fn replaying_the_journal_gives_the_live_state(
        commands in vec((any_command(), 0u64..1_000), 0..60),
        cut in any::<prop::sample::Index>()
    ) {
        let life = live(commands);
        prop_assert_eq!(&replay(&life.journal), &life.state);

        let middle = 1 + cut.index(life.journal.len());
        let snapshot = serde_json::to_string(&replay(&life.journal[..middle])).unwrap();
        let mut from_snapshot: State = serde_json::from_str(&snapshot).unwrap();
        for event in &life.journal[middle..] {
            from_snapshot.apply(event);
        }
        prop_assert_eq!(&from_snapshot, &life.state);
    }

    #[test]
    fn every_event_reads_back_as_it_was_written(commands in vec((any_command(), 0u64..1_000), 0..40)) {
        for event in live(commands).journal {
            let stored = serde_json::to_string(&event).unwrap();
            prop_assert_eq!(serde_json::from_str::<Event>(&stored).unwrap(), event);
        }
    }
}
