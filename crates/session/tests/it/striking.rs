//! Whatever is forgotten, of whatever was said: the words are gone, and the records are what they were otherwise.

use proptest::{collection::vec, prelude::*, sample::select};
use protocol::{
    Body, CallStatus, ChatSend, Effect, Event, FORGOTTEN, ItemId, Level, MemoryUsed, MemoryWritten, OnBusy, Origin,
    Plan, PlannedCall, Response, Settings, Step, SummaryCreated, ToolCall, ToolResult, UsedItem,
};
use serde_json::{Value, json};
use session::{Command, Forgetting, Outcome, Remembered, Report, State, fold_turns, strike};
use ulid::Ulid;

use crate::life::{Life, name, turn};

/// Words that are said; some of them are names of kinds, levels and states too.
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

/// What is forgotten: a word, or several in a row, in any case.
fn needle() -> impl Strategy<Value = String> {
    (vec(select(WORDS), 1..3), 0u8..3).prop_filter_map("too short", |(words, case)| {
        let text = words.join(" ");
        let text = match case {
            0 => text,
            // Only what folds back to the same, as ß does not.
            1 if text.is_ascii() => text.to_uppercase(),
            _ => text.to_lowercase(),
        };
        (text.chars().count() >= 3 || !text.is_ascii()).then_some(text)
    })
}

/// Something that happens in a turn.
#[derive(Debug, Clone)]
enum Act {
    Text(String),
    Thinking(String),
    Call(String, String),
    Pin(String),
    Used(String),
    Steer(String),
    Interrupt,
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        5 => words().prop_flat_map(|text| (0..=text.chars().count(), Just(text))).prop_map(|(cut, text)| {
            // Words are cut anywhere, as a model's pieces are.
            Act::Text(text.chars().skip(cut / 2).collect())
        }),
        5 => (words(), 1usize..5).prop_map(|(text, from)| Act::Text(text.chars().take(from * 3).collect())),
        2 => words().prop_map(Act::Thinking),
        2 => (words(), words()).prop_map(|(arguments, content)| Act::Call(arguments, content)),
        1 => words().prop_map(Act::Pin),
        2 => words().prop_map(Act::Used),
        1 => words().prop_map(Act::Steer),
        1 => Just(Act::Interrupt),
    ]
}

fn item(n: u8) -> ItemId {
    ItemId::new(Ulid::from_parts(7, u128::from(n)))
}

fn perform(life: &mut Life, n: u8, act: &Act) {
    match act {
        Act::Text(text) => drop(life.report(n, Report::Text(text.clone()))),
        Act::Thinking(text) => drop(life.report(n, Report::Thinking(text.clone()))),
        Act::Call(arguments, content) => {
            let call_id = format!("call{}", life.journal.len());
            let arguments = json!({ "note": arguments, "all": [{ "deep": arguments }] });
            let planned = PlannedCall {
                call_id: call_id.clone(),
                tool: "t".into(),
                arguments: arguments.clone(),
                signatures: vec![],
                looked_up: false,
            };
            let plan = Plan { round: 1, calls: vec![planned], ..Plan::default() };
            life.report(n, Report::Step(Step::Plan(plan)));
            let call = ToolCall {
                call_id: call_id.clone(),
                tool: "t".into(),
                arguments,
                effect: Effect::Pure,
                key: "k".into(),
                approval_id: None,
                client_until: None,
            };
            life.report(n, Report::Step(Step::ToolCall(call)));
            let result = ToolResult {
                call_id,
                tool: "t".into(),
                status: CallStatus::Ok,
                // What a tool gives is written as JSON.
                content: json!({ "said": content }).to_string(),
                origin: Origin::Trusted,
                artifact_id: None,
                sources: Vec::new(),
                duration_ms: None,
            };
            life.report(n, Report::Step(Step::ToolResult(result)));
        }
        Act::Pin(text) => {
            let written = MemoryWritten {
                level: Level::Pin,
                key: "p".into(),
                value: Some(text.clone()),
                origin: Origin::Trusted,
                id: None,
                source: None,
            };
            life.report(n, Report::Keep(written));
        }
        Act::Used(text) => {
            let items = vec![UsedItem { id: Some(item(n)), ..UsedItem::text(Level::Entry, text.clone()) }];
            life.report(n, Report::Used(MemoryUsed { items, ..MemoryUsed::default() }));
        }
        Act::Steer(text) => {
            let send = ChatSend { on_busy: OnBusy::Steer, ..ChatSend::text(format!("Well, {text}")) };
            let _ = life.run(Command::Send { turn_id: turn(200), send });
        }
        Act::Interrupt => drop(life.run(Command::Recover)),
    }
}

/// A session of some turns in which these words are said.
fn live(turns: &[(String, Vec<Act>, String)]) -> Life {
    let mut life = Life::begin(Settings::default());
    for ((message, acts, answer), n) in turns.iter().zip(1..) {
        life.send(n, &format!("Now, {message}")).unwrap();
        acts.iter().for_each(|act| perform(&mut life, n, act));
        let steers = u32::try_from(acts.iter().filter(|act| matches!(act, Act::Steer(_))).count()).unwrap();
        let _: Outcome = life.finish_knowing(n, Response::text(answer.clone(), "m"), steers);
        let summary = SummaryCreated {
            id: item(100 + n),
            level: Level::Context,
            memory_id: protocol::MemoryId::new(Ulid::from_parts(8, 1)),
            version: u32::from(n),
            value: format!("They spoke of {message}."),
            written_by: "extract".into(),
            origin: Origin::Trusted,
        };
        life.run(Command::Remember(vec![Remembered::Summary(summary)])).unwrap();
    }
    life
}

fn struck(journal: &[Event], forgetting: &Forgetting) -> Vec<Event> {
    let mut left = journal.to_vec();
    for (seq, body) in strike(journal, forgetting) {
        left[usize::try_from(seq - 1).unwrap()].body = body;
    }
    left
}

fn folded(text: &str) -> String {
    text.chars().map(|c| c.to_lowercase().next().unwrap_or(c)).collect()
}

/// All words that a record holds, wherever they stand; words within written JSON as they are read.
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

/// The words of a record that somebody said: not names of kinds and states.
fn said(body: &Body) -> Vec<String> {
    let mut value = serde_json::to_value(body).unwrap();
    let data = value["data"].take();
    let mut all = Vec::new();
    strings(&data, &mut all);
    // These are what the program itself calls things.
    all.retain(|text| !["plan", "trusted", "completed", "pin", "ok", "message"].contains(&text.as_str()));
    all
}

/// Streamed text of a turn, attempt by attempt, as somebody reads it who follows.
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

fn turns() -> impl Strategy<Value = Vec<(String, Vec<Act>, String)>> {
    vec((words(), vec(act(), 0..8), words()), 1..4)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn words_are_gone_from_every_record(turns in turns(), needles in vec(needle(), 1..3)) {
        let life = live(&turns);
        let forgetting = Forgetting { texts: needles.clone(), ..Forgetting::default() };
        let left = struck(&life.journal, &forgetting);
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
        let life = live(&turns);
        let forgetting = Forgetting {
            texts: needles,
            records: life.journal.iter().map(|event| event.seq).filter(|seq| seq % 3 == 0).collect(),
            turns: [(turn(1), vec![sentence.clone()])].into(),
            items: [(item(1), vec![sentence])].into(),
            ..Forgetting::default()
        };
        let left = struck(&life.journal, &forgetting);
        prop_assert_eq!(left.len(), life.journal.len());
        for (before, after) in life.journal.iter().zip(&left) {
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
        prop_assert_eq!(state.head, life.state.head);
        prop_assert_eq!(state.open_turns().count(), life.state.open_turns().count());
        prop_assert_eq!(state.recent().count(), life.state.recent().count());
        prop_assert_eq!(fold_turns(&left).len(), fold_turns(&life.journal).len());
    }

    #[test]
    fn striking_again_finds_nothing(turns in turns(), needles in vec(needle(), 1..3)) {
        let life = live(&turns);
        let forgetting = Forgetting { texts: needles, ..Forgetting::default() };
        let left = struck(&life.journal, &forgetting);
        prop_assert_eq!(strike(&left, &forgetting), vec![]);
    }

    #[test]
    fn what_was_never_said_strikes_nothing(turns in turns()) {
        let life = live(&turns);
        let texts = vec!["nobody ever said this".to_owned()];
        prop_assert_eq!(strike(&life.journal, &Forgetting { texts, ..Forgetting::default() }), vec![]);
    }
}

#[test]
fn a_text_that_lies_in_several_pieces_is_masked_in_all_of_them() {
    let mut life = Life::begin(Settings::default());
    life.send(1, "Where is it?").unwrap();
    for piece in ["The key lies un", "der the flow", "", "erp", "ot, I think."] {
        life.text(1, piece);
    }
    life.finish(1, "The key lies under the flowerpot, I think.");
    let texts = vec!["under the flowerpot".to_owned()];
    let left = struck(&life.journal, &Forgetting { texts, ..Forgetting::default() });
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

/// A word that is also the name of a kind or a state is gone from what was said, and the kind stays.
#[test]
fn a_word_that_is_a_name_of_the_program_too_is_gone_from_what_was_said() {
    let mut life = Life::begin(Settings::default());
    life.send(1, "My plan is secret.").unwrap();
    perform(&mut life, 1, &Act::Call("my plan".into(), "the plan is trusted and ok".into()));
    life.finish(1, "Your plan is completed.");
    for needle in ["plan", "trusted", "completed", "ok"] {
        let forgetting = Forgetting { texts: vec![needle.to_owned()], ..Forgetting::default() };
        for (before, after) in life.journal.iter().zip(struck(&life.journal, &forgetting)) {
            assert_eq!(name(&before.body), name(&after.body));
            assert!(!said(&after.body).iter().any(|text| text.contains(needle)), "{needle}: {after:?}");
        }
    }
}
