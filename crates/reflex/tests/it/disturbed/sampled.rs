//! Random sentences of the built-in English, in a test home.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use reflex::{ContextMap, Grammar, IntentContext, NamedItem, SlotList, Vocabulary};
use serde_json::Value;

use super::disturb::SeededRandom;
use super::measure::CleanSentence;

const ENTITIES: &[(&str, &str, &str)] = &[
    ("Ceiling Lamp", "light", ""),
    ("Reading Lamp", "light", ""),
    ("Desk Light", "light", ""),
    ("Hanna's Lamp", "light", ""),
    ("Christmas Tree", "light", ""),
    ("Coffee Machine", "switch", ""),
    ("Water Pump", "switch", ""),
    ("Garage Opener", "switch", ""),
    ("Tower Fan", "fan", ""),
    ("Extractor", "fan", ""),
    ("Roller Blind", "cover", "blind"),
    ("Velvet Curtain", "cover", "curtain"),
    ("Garage Door", "cover", "garage"),
    ("Driveway Gate", "cover", "gate"),
    ("Front Door", "lock", ""),
    ("Back Door", "lock", ""),
    ("Alarm Panel", "alarm_control_panel", ""),
    ("Main Valve", "valve", ""),
    ("Garden Siren", "siren", ""),
    ("Thermostat", "climate", ""),
    ("Upstairs Heating", "climate", ""),
    ("Television", "media_player", ""),
    ("Kitchen Radio", "media_player", ""),
    ("Chores", "todo", ""),
    ("Movie Night", "scene", ""),
    ("Good Morning", "script", ""),
    ("Unlock Everything", "script", ""),
    ("Anna", "person", ""),
    ("Hanna", "person", ""),
    ("Lisbon", "weather", ""),
    ("Dusty", "vacuum", ""),
    ("Shaun", "lawn_mower", ""),
    ("Outdoor Humidity", "sensor", "humidity"),
    ("Patio Door", "binary_sensor", "door"),
    ("Hall Motion", "binary_sensor", "motion"),
];
const AREAS: &[&str] = &["Kitchen", "Living Room", "Bedroom", "Bathroom", "Office", "Nursery", "Hallway"];
const FLOORS: &[&str] = &["Ground Floor", "First Floor", "Attic"];
const ANYTHING: &[&str] = &["pasta", "oat milk", "laundry", "Moonlight Sonata", "washing powder"];

pub(super) fn home() -> Vocabulary {
    let entities = ENTITIES.iter().map(|&(name, domain, class)| {
        let mut context = ContextMap::from([("domain".to_owned(), Value::from(domain))]);
        if !class.is_empty() {
            context.insert("device_class".to_owned(), Value::from(class));
        }
        named(name, SlotList::Name, context)
    });
    let areas = AREAS.iter().map(|name| named(name, SlotList::Area, ContextMap::new()));
    let floors = FLOORS.iter().map(|name| named(name, SlotList::Floor, ContextMap::new()));
    Vocabulary::new(entities.chain(areas).chain(floors))
}

/// The same home with this many entities.
pub(super) fn large_home(count: usize) -> Vocabulary {
    let kinds = ["Lamp", "Sensor", "Plug", "Thermometer", "Speaker", "Blind", "Spot", "Strip", "Monitor", "Switch"];
    let domains =
        ["light", "sensor", "switch", "sensor", "media_player", "cover", "light", "light", "sensor", "switch"];
    let more = (0..count).map(|at| {
        let (kind, domain) = (kinds[at % kinds.len()], domains[at % domains.len()]);
        let place = ["North", "South", "Upper", "Lower", "Inner"][at / 10 % 5];
        let room = ["Studio", "Cellar", "Gallery", "Workshop", "Pantry", "Library"][at / 50 % 6];
        let context = ContextMap::from([("domain".to_owned(), Value::from(domain))]);
        named(&format!("{place} {room} {kind} {}", at / 300 + 1), SlotList::Name, context)
    });
    Vocabulary::new(home().iter().cloned().chain(more))
}

fn named(text: &str, list: SlotList, context: ContextMap) -> NamedItem {
    NamedItem { text: text.to_owned(), value: format!("id of {text}"), list, context }
}

/// Recognized sentences, approximately as many as requested.
pub(super) fn sentences<'a>(
    grammar: &Grammar,
    vocabulary: &'a Vocabulary,
    seed: u64,
    count: usize,
) -> Vec<CleanSentence<'a>> {
    let source = TemplateSource::read();
    let mut chance = SeededRandom::new(seed);
    let each = (0..count * 3).filter_map(|_| {
        let (template, rules, lists) = chance.of(&source.templates).clone();
        let mut sample = TemplateSampler { source: &source, rules: &rules, lists: &lists, chance: &mut chance };
        let sentence = sample.text(&template, 0).split_whitespace().collect::<Vec<_>>().join(" ");
        let intent_context = IntentContext::in_area("Office");
        let meant = grammar.read(vocabulary, &sentence, &intent_context)?;
        Some(CleanSentence { sentence, vocabulary, intent_context, meant })
    });
    each.take(count).collect()
}

type TextTable = BTreeMap<String, String>;
type ListTable = BTreeMap<String, Value>;

struct TemplateSource {
    rules: TextTable,
    lists: ListTable,
    templates: Vec<(String, TextTable, ListTable)>,
}

impl TemplateSource {
    fn read() -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("sentences/en");
        let mut source = Self { rules: TextTable::new(), lists: ListTable::new(), templates: Vec::new() };
        let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        for file in files {
            let value: Value = toml::from_str(&fs::read_to_string(file).unwrap()).unwrap();
            let texts = |value: &Value| serde_json::from_value::<TextTable>(value.clone()).unwrap_or_default();
            let lists = |value: &Value| serde_json::from_value::<ListTable>(value.clone()).unwrap_or_default();
            source.rules.extend(texts(&value["expansion_rules"]));
            source.lists.extend(lists(&value["lists"]));
            for intent in value["intents"].as_object().into_iter().flat_map(|intents| intents.values()) {
                for block in intent["data"].as_array().unwrap() {
                    for sentence in block["sentences"].as_array().unwrap() {
                        let sentence = sentence.as_str().unwrap().to_owned();
                        let (rules, lists) = (texts(&block["expansion_rules"]), lists(&block["lists"]));
                        source.templates.push((sentence, rules, lists));
                    }
                }
            }
        }
        source
    }
}

struct TemplateSampler<'a> {
    source: &'a TemplateSource,
    rules: &'a TextTable,
    lists: &'a ListTable,
    chance: &'a mut SeededRandom,
}

impl TemplateSampler<'_> {
    fn text(&mut self, template: &str, depth: usize) -> String {
        assert!(depth < 20, "{template}");
        let choices = split(template);
        let choice = self.chance.of(&choices).clone();
        let mut text = String::new();
        let mut rest = choice.as_str();
        while let Some(next) = rest.chars().next() {
            let Some(close) = closing(next) else {
                text.push(next);
                rest = &rest[next.len_utf8()..];
                continue;
            };
            let end = matching(rest, next, close);
            let inner = &rest[1..end];
            rest = &rest[end + 1..];
            match next {
                '(' => text.push_str(&self.text(inner, depth + 1)),
                '[' if self.chance.below(2) == 0 => text.push_str(&self.text(inner, depth + 1)),
                '<' => {
                    let rule = self.rules.get(inner).or_else(|| self.source.rules.get(inner)).unwrap();
                    text.push_str(&self.text(&rule.clone(), depth + 1));
                }
                '{' => text.push_str(&self.value(inner.split(':').next().unwrap(), depth)),
                _ => {}
            }
        }
        text
    }

    fn value(&mut self, list: &str, depth: usize) -> String {
        match list {
            "name" => return self.chance.of(ENTITIES).0.to_owned(),
            "area" => return (*self.chance.of(AREAS)).to_owned(),
            "floor" => return (*self.chance.of(FLOORS)).to_owned(),
            // A delayed command has to be a valid command.
            "command" => return "turn off the bedroom lights".to_owned(),
            _ => {}
        }
        let list = self.lists.get(list).or_else(|| self.source.lists.get(list)).unwrap().clone();
        if list["wildcard"] == true {
            return (*self.chance.of(ANYTHING)).to_owned();
        }
        if let Some(values) = list["values"].as_array() {
            let value = self.chance.of(values);
            let text = value.as_str().unwrap_or_else(|| value["in"].as_str().unwrap()).to_owned();
            return self.text(&text, depth + 1);
        }
        let number = |name: &str| list["range"][name].as_i64();
        let (from, to, step) = (number("from").unwrap(), number("to").unwrap(), number("step").unwrap_or(1));
        let steps = usize::try_from((to - from) / step).unwrap() + 1;
        (from + step * i64::try_from(self.chance.below(steps)).unwrap()).max(0).to_string()
    }
}

/// The alternatives of a template.
fn split(template: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0;
    for next in template.chars() {
        match next {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            '|' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        parts.last_mut().unwrap().push(next);
    }
    parts
}

fn closing(open: char) -> Option<char> {
    Some(match open {
        '(' => ')',
        '[' => ']',
        '<' => '>',
        '{' => '}',
        _ => return None,
    })
}

fn matching(text: &str, open: char, close: char) -> usize {
    let mut depth = 0;
    for (at, next) in text.char_indices() {
        if next == open {
            depth += 1;
        } else if next == close {
            depth -= 1;
            if depth == 0 {
                return at;
            }
        }
    }
    panic!("{text}");
}
