//! Whatever is asked in whatever order, the invariants hold, and the journal alone gives the same state.

use std::{collections::HashMap, time::Duration};

use proptest::{collection::vec, prelude::*};
use protocol::{
    Body, ChatSend, Event, OnBusy, OnRestart, Policy, Response, Settings, Stage, Step, StepKind, TurnError, TurnId,
    Update,
};
use session::{Command, Effect, QUEUE_MAX, State, fold_turns};

use crate::life::{Life, turn};

fn any_command() -> impl Strategy<Value = Command> {
    let any_turn = || (0u8..14).prop_map(turn);
    let error = || TurnError { code: "e".into(), message: "e".into(), recoverable: true, details: None };
    prop_oneof![
        6 => (any_turn(), 0u8..3, 0u8..4, 0u8..3, 0u8..4).prop_map(|(turn_id, body, key, busy, version)| {
            let send = ChatSend {
                idempotency_key: (key > 0).then(|| format!("key{key}")),
                on_busy: [OnBusy::Queue, OnBusy::Reject, OnBusy::Interrupt][usize::from(busy)],
                version: (version == 3).then_some(2),
                ..ChatSend::text(format!("message {body}"))
            };
            Command::Send { turn_id, send }
        }),
        1 => (any_turn(), any_turn(), any::<bool>()).prop_map(|(turn_id, of, keyed)| Command::Retry {
            turn_id,
            of,
            request: ChatSend::text("again").request(),
            idempotency_key: keyed.then(|| "key1".to_owned()),
        }),
        1 => any_turn().prop_map(|turn_id| Command::Resume { turn_id }),
        2 => proptest::option::of(any_turn()).prop_map(|turn_id| Command::Cancel { turn_id, reason: None }),
        2 => any_turn().prop_map(|turn_id| Command::Enter { turn_id, stage: Stage::Execute }),
        1 => any_turn().prop_map(|turn_id| Command::Step {
            turn_id,
            step: Step { kind: StepKind::Plan, detail: serde_json::Value::Null },
        }),
        6 => (any_turn(), "[a-zä€😀]{0,4}").prop_map(|(turn_id, delta)| Command::Text { turn_id, delta }),
        4 => any_turn().prop_map(|turn_id| Command::Finish {
            turn_id,
            response: Response { message: "answer".into(), model: "m".into(), usage: None },
        }),
        1 => any_turn().prop_map(move |turn_id| Command::Fail { turn_id, error: error() }),
        1 => any_turn().prop_map(|turn_id| Command::Expire { turn_id, reason: "time".into() }),
        2 => Just(Command::Recover),
        1 => any::<bool>().prop_map(|wait| Command::Update(Update {
            policy: Some(Policy { on_restart: if wait { OnRestart::Wait } else { OnRestart::Resume } }),
            ..Update::default()
        })),
        1 => Just(Command::Reset { reason: None, version: None }),
        1 => Just(Command::End { reason: None, version: None }),
    ]
}

/// Turn ids are drawn anew for every accepted turn; here a used one stands for a command that nobody sends.
fn reuses_an_id(life: &Life, command: &Command) -> bool {
    let (Command::Send { turn_id, .. } | Command::Retry { turn_id, .. }) = command else { return false };
    life.journal.iter().any(|event| event.turn_id == Some(*turn_id))
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
    assert_eq!(state.is_moving(), state.running().is_some(), "nobody waits for a free agent");
    for turn in state.open_turns() {
        let view = &views[&turn.id];
        assert!(!turn.status.is_final());
        assert_eq!((view.status, &view.text, view.attempts), (turn.status, &turn.text, turn.attempts));
    }
    for view in views.values() {
        assert_eq!(view.status.is_final(), state.open_turn(view.turn_id).is_none());
    }
}

/// Running what the effects say, there is never more than one turn at work, and it is the running one.
fn check_effects(life: &Life) {
    let mut at_work = None;
    for effect in &life.effects {
        match effect {
            Effect::Stop(id) => assert_eq!(at_work.take(), Some(*id)),
            Effect::Run(id) => at_work = Some(*id),
        }
    }
    if let Some(running) = life.state.running() {
        assert_eq!(at_work, Some(running.id));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_sequence_of_commands_breaks_an_invariant(
        commands in vec((any_command(), prop_oneof![9 => 0u64..1_000, 1 => Just(90_000_000u64)]), 0..60)
    ) {
        let life = live(commands);
        check_journal(&life.journal);
        check_state(&life.state, &life.journal);
        check_effects(&life);
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
