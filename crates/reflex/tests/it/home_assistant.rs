//! Home Assistant's test sentences, each in its own test home.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use reflex::{ContextMap, Grammar, IntentContext, NamedItem, RecognizedIntent, SlotList, Vocabulary};
use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Deserialize)]
pub(crate) struct IntentCase {
    id: String,
    pub(crate) sentence: String,
    pub(crate) intent: String,
    pub(crate) slots: BTreeMap<String, Value>,
    pub(crate) context_area: String,
    pub(crate) fixture: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct HomeFixture {
    entities: Vec<EntityFixture>,
    areas: Vec<PlaceFixture>,
    floors: Vec<PlaceFixture>,
}

#[derive(Debug, Deserialize)]
struct EntityFixture {
    name: String,
    domain: String,
    #[serde(default)]
    attributes: BTreeMap<String, Value>,
}

#[derive(Debug, Deserialize)]
struct PlaceFixture {
    name: String,
}

impl HomeFixture {
    pub(crate) fn vocabulary(&self) -> Vocabulary {
        let entities = self.entities.iter().map(|entity| {
            let mut context = ContextMap::from([("domain".to_owned(), Value::String(entity.domain.clone()))]);
            if let Some(class) = entity.attributes.get("device_class") {
                context.insert("device_class".to_owned(), class.clone());
            }
            named(&entity.name, SlotList::Name, context)
        });
        let areas = self.areas.iter().map(|area| named(&area.name, SlotList::Area, ContextMap::new()));
        let floors = self.floors.iter().map(|floor| named(&floor.name, SlotList::Floor, ContextMap::new()));
        Vocabulary::new(entities.chain(areas).chain(floors))
    }
}

fn named(text: &str, list: SlotList, context: ContextMap) -> NamedItem {
    NamedItem { text: text.to_owned(), value: format!("id of {text}"), list, context }
}

/// The folder of the public data; `None` if it is missing.
#[allow(clippy::disallowed_methods, reason = "a test's setting, not the program's")]
pub(crate) fn data() -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
    let folder = std::env::var_os("DWELL_DATA").map_or_else(|| PathBuf::from(beside), PathBuf::from);
    Some(folder.join("ha-intents")).filter(|folder| folder.is_dir())
}

/// Why a case fails; `None` if it passes.
pub(crate) fn fault(case: &IntentCase, understood: Option<&RecognizedIntent>) -> Option<String> {
    let Some(understood) = understood else { return Some("not understood".to_owned()) };
    if understood.intent != case.intent {
        return Some(format!("is {}", understood.intent));
    }
    let is_asking_area = |value: &Value| value.as_str() == Some(&case.context_area);
    let mut names: BTreeSet<&str> = understood.slots.keys().map(String::as_str).collect();
    let area = understood.slots.get("area");
    if !case.slots.contains_key("area") && area.is_some_and(|area| is_asking_area(&area.value)) {
        names.remove("area");
    }
    let wanted: BTreeSet<&str> = case.slots.keys().map(String::as_str).collect();
    if names != wanted {
        return Some(format!("has {names:?}"));
    }
    let mut slots = case.slots.iter();
    let wrong = slots.find(|(name, wanted)| !is_same(wanted, &understood.slots[*name].value))?;
    Some(format!("{} is {}", wrong.0, understood.slots[wrong.0].value))
}

/// Whether two values are equal, or have an element in common if either is a list; case is ignored.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Array(values), other) | (other, Value::Array(values)) => {
            values.iter().any(|value| is_same(value, other))
        }
        (Value::String(one), Value::String(other)) => one.to_lowercase() == other.to_lowercase(),
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        _ => one == other,
    }
}

fn all_are_right(language: &str, count: usize) {
    let Some(folder) = data() else {
        eprintln!("skipped: there is no ../shared/data/ha-intents; set DWELL_DATA to the folder of the public data");
        return;
    };
    let read = |name: String| fs::read_to_string(folder.join(name)).unwrap();
    let grammar = Grammar::load(&read(format!("compiled-{language}.json"))).unwrap();
    assert_eq!(grammar.warnings(), []);
    let homes: BTreeMap<String, HomeFixture> =
        serde_json::from_str(&read(format!("fixtures-{language}.json"))).unwrap();
    let homes: BTreeMap<&str, Vocabulary> =
        homes.iter().map(|(name, home)| (name.as_str(), home.vocabulary())).collect();
    let cases: Vec<IntentCase> =
        read(format!("cases-{language}.jsonl")).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(cases.len(), count);
    let faults: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            let intent_context = IntentContext::in_area(&case.context_area);
            let understood = grammar.read(&homes[case.fixture.as_str()], &case.sentence, &intent_context);
            let fault = fault(case, understood.as_ref())?;
            Some(format!("{} {:?}: {fault}; wanted {} {:?}", case.id, case.sentence, case.intent, case.slots))
        })
        .collect();
    assert!(faults.is_empty(), "{} of {count}:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn every_english_sentence_is_understood() {
    all_are_right("en", 1110);
}

#[test]
fn every_german_sentence_is_understood() {
    all_are_right("de", 3601);
}
