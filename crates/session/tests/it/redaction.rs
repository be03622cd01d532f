//! Redaction of any text in any session: the text is gone, and the events are otherwise unchanged.

use proptest::{collection::vec, prelude::*, sample::select};
use protocol::{
    Body, CallStatus, ChatSend, Effect, Event, FORGOTTEN, ItemId, Level, MemoryUsed, MemoryWritten, OnBusy, Origin,
    Plan, PlannedCall, Policy, Response, SessionId, SessionStart, Settings, Step, SummaryCreated, Timestamp, ToolCall,
    ToolResult, UsedItem,
};
use serde_json::{Value, json};
use session::{Command, CommandOutcome, MemoryUpdate, Redaction, State, TurnReport, fold_turns, redact_events};
use ulid::Ulid;

use crate::test_session::{TestSession, name, turn};

/// Words in the conversation; some of them are also names of kinds, levels and states.
const WORDS: &[&str] = &[
    "flowerpot",
    "key",
    "Oslo",
    "äpfel",
    "Straße",
    "😀",
    "it's",
    "four \"quoted\" words",
    "plan",
    "trusted",
    "completed",
    "pin",
    "ok",
    "message",
    "two\nlines",
    "back\\slash",
    "a",
];

fn words() -> impl Strategy<Value = String> {
    vec(select(WORDS), 0..6).prop_map(|words| words.join(" "))
}

/// The text to redact: a word, or several in a row, in any case.
fn needle() -> impl Strategy<Value = String> {
    (vec(select(WORDS), 1..3), 0u8..3).prop_filter_map("too short", |(words, case)| {
        let text = words.join(" ");
        let text = match case {
            0 => text,
            // Only text that survives a round trip of the case conversion, which ß does not.
            1 if text.is_ascii() => text.to_uppercase(),
            _ => text.to_lowercase(),
        };
        (text.chars().count() >= 3 || !text.is_ascii()).then_some(text)
    })
}

/// A step of a turn.
#[derive(Debug, Clone)]
enum TurnStep {
    Text(String),
    Thinking(String),
    Call(String, String),
    Pin(String),
    Used(String),
    Steer(String),
    Interrupt,
}

fn act() -> impl Strategy<Value = TurnStep> {
    prop_oneof![
        5 => words().prop_flat_map(|text| (0..=text.chars().count(), Just(text))).prop_map(|(cut, text)| {
            // The text is cut anywhere, as a model's chunks are.
            TurnStep::Text(text.chars().skip(cut / 2).collect())
        }),
        5 => (words(), 1usize..5).prop_map(|(text, from)| TurnStep::Text(text.chars().take(from * 3).collect())),
        2 => words().prop_map(TurnStep::Thinking),
        2 => (words(), words()).prop_map(|(arguments, content)| TurnStep::Call(arguments, content)),
        1 => words().prop_map(TurnStep::Pin),
        2 => words().prop_map(TurnStep::Used),
        1 => words().prop_map(TurnStep::Steer),
        1 => Just(TurnStep::Interrupt),
    ]
}

fn item(n: u8) -> ItemId {
    ItemId::new(Ulid::from_parts(7, u128::from(n)))
}

fn perform(session: &mut TestSession, n: u8, act: &TurnStep) {
    match act {
        TurnStep::Text(text) => drop(session.report(n, TurnReport::Text(text.clone()))),
        TurnStep::Thinking(text) => drop(session.report(n, TurnReport::Thinking(text.clone()))),
        TurnStep::Call(arguments, content) => {
            let call_id = format!("call{}", session.journal.len());
            let arguments = json!({ "note": arguments, "all": [{ "deep": arguments }] });
            let planned = PlannedCall {
                call_id: call_id.clone(),
                tool: "t".into(),
                arguments: arguments.clone(),
                signatures: vec![],
                looked_up: false,
            };
            let plan = Plan { round: 1, calls: vec![planned], ..Plan::default() };
            session.report(n, TurnReport::Step(Step::Plan(plan)));
            let call = ToolCall {
                call_id: call_id.clone(),
                tool: "t".into(),
                arguments,
                effect: Effect::Pure,
                key: "k".into(),
                approval_id: None,
                client_until: None,
                served: false,
            };
            session.report(n, TurnReport::Step(Step::ToolCall(call)));
            let result = ToolResult {
                call_id,
                tool: "t".into(),
                status: CallStatus::Ok,
                // A tool's result is written as JSON.
                content: json!({ "said": content }).to_string(),
                origin: Origin::Trusted,
                artifact_id: None,
                sources: Vec::new(),
                duration_ms: None,
            };
            session.report(n, TurnReport::Step(Step::ToolResult(result)));
        }
        TurnStep::Pin(text) => {
            let written = MemoryWritten {
                level: Level::Pin,
                key: "p".into(),
                value: Some(text.clone()),
                origin: Origin::Trusted,
                id: None,
                source: None,
            };
            session.report(n, TurnReport::Keep(written));
        }
        TurnStep::Used(text) => {
            let items = vec![UsedItem { id: Some(item(n)), ..UsedItem::text(Level::Entry, text.clone()) }];
            session.report(n, TurnReport::Used(MemoryUsed { items, ..MemoryUsed::default() }));
        }
        TurnStep::Steer(text) => {
            let send = ChatSend { on_busy: OnBusy::Steer, ..ChatSend::text(format!("Well, {text}")) };
            let _ = session.run(Command::Send { turn_id: turn(200), send });
        }
        TurnStep::Interrupt => drop(session.run(Command::Recover)),
    }
}

/// A session with some turns that contain these words.
fn live(turns: &[(String, Vec<TurnStep>, String)]) -> TestSession {
    let mut session = TestSession::begin(Settings::default());
    for ((message, acts, answer), n) in turns.iter().zip(1..) {
        session.send(n, &format!("Now, {message}")).unwrap();
        acts.iter().for_each(|act| perform(&mut session, n, act));
        let steers = u32::try_from(acts.iter().filter(|act| matches!(act, TurnStep::Steer(_))).count()).unwrap();
        let _: CommandOutcome = session.finish_knowing(n, Response::text(answer.clone(), "m"), steers);
        let summary = SummaryCreated {
            id: item(100 + n),
            level: Level::Context,
            memory_id: protocol::MemoryId::new(Ulid::from_parts(8, 1)),
            version: u32::from(n),
            value: format!("They spoke of {message}."),
            written_by: "extract".into(),
            origin: Origin::Trusted,
        };
        session.run(Command::Remember(vec![MemoryUpdate::Summary(summary)])).unwrap();
    }
    session
}

fn struck(journal: &[Event], redaction: &Redaction) -> Vec<Event> {
    let mut left = journal.to_vec();
    for (seq, body) in redact_events(journal, redaction) {
        left[usize::try_from(seq - 1).unwrap()].body = body;
    }
    left
}

fn folded(text: &str) -> String {
    text.chars().map(|c| c.to_lowercase().next().unwrap_or(c)).collect()
}

/// All strings of an event, wherever they are; strings inside JSON text are decoded.
fn strings(value: &Value, all: &mut Vec<String>) {
    match value {
        Value::String(text) => {
            all.push(text.clone());
            if let Ok(inner @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(text) {
                strings(&inner, all);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| strings(item, all)),
        Value::Object(fields) => fields.iter().for_each(|(_, field)| strings(field, all)),
        _ => {}
    }
}

/// The strings of an event that come from the conversation, without names of kinds and states.
fn said(body: &Body) -> Vec<String> {
    let mut value = serde_json::to_value(body).unwrap();
    let data = value["data"].take();
    let mut all = Vec::new();
    strings(&data, &mut all);
    // These are names that the program itself uses.
    all.retain(|text| !["plan", "trusted", "completed", "pin", "ok", "message"].contains(&text.as_str()));
    all
}

/// The streamed text of a turn, attempt by attempt, as a subscriber reads it.
fn streams(journal: &[Event]) -> Vec<String> {
    let mut done = Vec::new();
    for n in 1..10 {
        let (mut text, mut thinking) = (Vec::<char>::new(), String::new());
        for event in journal.iter().filter(|event| event.turn_id == Some(turn(n))) {
            match &event.body {
                Body::Text(range) => text.extend(range.delta.chars()),
                Body::Thinking(range) => thinking.push_str(&range.delta),
                Body::TurnStatus(change) if change.text_offset.is_some() => {
                    done.push(text.iter().collect());
                    text.truncate(usize::try_from(change.text_offset.unwrap()).unwrap());
                }
                _ => {}
            }
        }
        done.extend([text.iter().collect(), thinking]);
    }
    done
}

fn replay(journal: &[Event]) -> State {
    journal[1..].iter().fold(State::begin(&journal[0]).unwrap(), |mut state, event| {
        state.apply(event);
        state
    })
}

fn turns() -> impl Strategy<Value = Vec<(String, Vec<TurnStep>, String)>> {
    vec((words(), vec(act(), 0..8), words()), 1..4)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn words_are_gone_from_every_record(turns in turns(), needles in vec(needle(), 1..3)) {
        let session = live(&turns);
        let redaction = Redaction { texts: needles.clone(), ..Redaction::default() };
        let left = struck(&session.journal, &redaction);
        for needle in needles.iter().map(|needle| folded(needle)) {
            for event in &left {
                for text in said(&event.body) {
                    prop_assert!(!folded(&text).contains(&needle), "{needle:?} is left in {event:?}");
                }
            }
            for text in streams(&left) {
                prop_assert!(!folded(&text).contains(&needle), "{needle:?} is left in {text:?}");
            }
        }
    }

    #[test]
    fn records_stay_what_they_are(turns in turns(), needles in vec(needle(), 1..3), sentence in needle()) {
        let session = live(&turns);
        let redaction = Redaction {
            texts: needles,
            records: session.journal.iter().map(|event| event.seq).filter(|seq| seq % 3 == 0).collect(),
            turns: [(turn(1), vec![sentence.clone()])].into(),
            items: [(item(1), vec![sentence])].into(),
            ..Redaction::default()
        };
        let left = struck(&session.journal, &redaction);
        prop_assert_eq!(left.len(), session.journal.len());
        for (before, after) in session.journal.iter().zip(&left) {
            prop_assert_eq!((before.seq, before.turn_id, before.at), (after.seq, after.turn_id, after.at));
            prop_assert_eq!(name(&before.body), name(&after.body));
            match (&before.body, &after.body) {
                (Body::Text(before), Body::Text(after)) | (Body::Thinking(before), Body::Thinking(after)) => {
                    prop_assert_eq!(before.offset, after.offset);
                    prop_assert_eq!(before.delta.chars().count(), after.delta.chars().count());
                }
                (Body::Step(before), Body::Step(after)) => {
                    prop_assert_eq!(std::mem::discriminant(before), std::mem::discriminant(after));
                }
                (Body::TurnStatus(before), Body::TurnStatus(after)) => {
                    prop_assert_eq!((before.status, before.text_offset), (after.status, after.text_offset));
                }
                _ => {}
            }
            let stored = serde_json::to_string(after).unwrap();
            prop_assert_eq!(&serde_json::from_str::<Event>(&stored).unwrap(), after);
        }
        let state = replay(&left);
        prop_assert_eq!(state.head, session.state.head);
        prop_assert_eq!(state.open_turns().count(), session.state.open_turns().count());
        prop_assert_eq!(state.recent().count(), session.state.recent().count());
        prop_assert_eq!(fold_turns(&left).len(), fold_turns(&session.journal).len());
    }

    #[test]
    fn striking_again_finds_nothing(turns in turns(), needles in vec(needle(), 1..3)) {
        let session = live(&turns);
        let redaction = Redaction { texts: needles, ..Redaction::default() };
        let left = struck(&session.journal, &redaction);
        prop_assert_eq!(redact_events(&left, &redaction), vec![]);
    }

    #[test]
    fn what_was_never_said_redacts_nothing(turns in turns()) {
        let session = live(&turns);
        let texts = vec!["nobody ever said this".to_owned()];
        prop_assert_eq!(redact_events(&session.journal, &Redaction { texts, ..Redaction::default() }), vec![]);
    }
}

#[test]
fn a_text_that_lies_in_several_pieces_is_masked_in_all_of_them() {
    let mut session = TestSession::begin(Settings::default());
    session.send(1, "Where is it?").unwrap();
    for piece in ["The key lies un", "der the flow", "", "erp", "ot, I think."] {
        session.text(1, piece);
    }
    session.finish(1, "The key lies under the flowerpot, I think.");
    let texts = vec!["under the flowerpot".to_owned()];
    let left = struck(&session.journal, &Redaction { texts, ..Redaction::default() });
    let pieces: Vec<String> = left
        .iter()
        .filter_map(|event| match &event.body {
            Body::Text(text) => Some(text.delta.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(pieces, ["The key lies ██", "████████████", "███", "██, I think."]);
    let Some(Body::Final(response)) = left.iter().map(|event| &event.body).find(|body| matches!(body, Body::Final(_)))
    else {
        panic!("there is an answer")
    };
    assert_eq!(response.message, format!("The key lies {FORGOTTEN}, I think."));
}

/// A word that is also the name of a kind or a state is removed from the text, and the kind stays.
#[test]
fn a_word_that_is_a_name_of_the_program_too_is_gone_from_what_was_said() {
    let mut session = TestSession::begin(Settings::default());
    session.send(1, "My plan is secret.").unwrap();
    perform(&mut session, 1, &TurnStep::Call("my plan".into(), "the plan is trusted and ok".into()));
    session.finish(1, "Your plan is completed.");
    for needle in ["plan", "trusted", "completed", "ok"] {
        let redaction = Redaction { texts: vec![needle.to_owned()], ..Redaction::default() };
        for (before, after) in session.journal.iter().zip(struck(&session.journal, &redaction)) {
            assert_eq!(name(&before.body), name(&after.body));
            assert!(!said(&after.body).iter().any(|text| text.contains(needle)), "{needle}: {after:?}");
        }
    }
}

/// A rule whose tool is redacted would no longer forbid it.
#[test]
fn a_rule_of_the_policy_outlives_the_word_that_it_contains() {
    let policy = Policy { deny: vec!["send_mail".to_owned()], ..Policy::default() };
    let asked = SessionStart {
        policy: Some(policy.clone()),
        preferences: [("note".to_owned(), json!("send_mail to Ada"))].into(),
        ..SessionStart::default()
    };
    let id = SessionId::new(Ulid::from_parts(1, 1));
    let first = session::start(id, "ada".parse().unwrap(), asked, Timestamp::from_millis(1)).unwrap();
    let redaction = Redaction { texts: vec!["send_mail".to_owned()], ..Redaction::default() };
    let changed = redact_events(&[first], &redaction);
    let [(1, Body::SessionStarted(started))] = changed.as_slice() else { panic!("{changed:?}") };
    assert_eq!(started.settings.policy, policy);
    assert_eq!(started.settings.preferences["note"], json!(format!("{FORGOTTEN} to Ada")));
}
