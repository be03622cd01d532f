//! The sentences, their expected intents, and the homes they belong to.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::{Context, Result};
use reflex::{NamedItem, RecognizedIntent, SlotList, Vocabulary};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::recall::folder;

/// One language of the public set.
pub(super) struct Language {
    pub(super) code: String,
    pub(super) grammar: PathBuf,
    pub(super) cases: Vec<Case>,
    pub(super) homes: BTreeMap<String, CaseHome>,
}

/// A sentence and its expected intent.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Case {
    pub(super) sentence: String,
    pub(super) intent: String,
    pub(super) slots: BTreeMap<String, Value>,
    pub(super) context_area: String,
    pub(super) fixture: String,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct CaseHome {
    pub(super) entities: Vec<CaseEntity>,
    pub(super) areas: Vec<PlaceName>,
    pub(super) floors: Vec<PlaceName>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct CaseEntity {
    pub(super) name: String,
    pub(super) domain: String,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct PlaceName {
    pub(super) name: String,
}

impl Language {
    /// Every `nth` sentence of a language.
    pub(super) fn read(code: &str, nth: usize) -> Result<Self> {
        let folder = folder().join("ha-intents");
        let read = |name: String| {
            let path = folder.join(name);
            std::fs::read_to_string(&path).with_context(|| {
                format!("there is no {}: set DWELL_DATA to the folder of the public data", path.display())
            })
        };
        let cases = read(format!("cases-{code}.jsonl"))?;
        let cases = cases.lines().step_by(nth).map(serde_json::from_str).collect::<Result<_, _>>()?;
        let homes = serde_json::from_str(&read(format!("fixtures-{code}.json"))?)?;
        Ok(Self { code: code.to_owned(), grammar: folder.join(format!("compiled-{code}.json")), cases, homes })
    }
}

impl CaseHome {
    pub(super) fn vocabulary(&self, more: &ExtraEntities) -> Vocabulary {
        let entities = self.entities.iter().chain(&more.0).map(|entity| {
            let context = [("domain".to_owned(), Value::String(entity.domain.clone()))];
            NamedItem { context: context.into(), ..named(&entity.name, SlotList::Name) }
        });
        let areas = self.areas.iter().map(|area| named(&area.name, SlotList::Area));
        let floors = self.floors.iter().map(|floor| named(&floor.name, SlotList::Floor));
        Vocabulary::new(entities.chain(areas).chain(floors))
    }
}

fn named(text: &str, list: SlotList) -> NamedItem {
    NamedItem { text: text.to_owned(), value: text.to_owned(), list, context: BTreeMap::new() }
}

impl Case {
    /// Correct as the set defines it: the intent and the names of the slots, without the area of
    /// the device.
    pub(super) fn is_right(&self, understood: Option<&RecognizedIntent>) -> bool {
        let Some(understood) = understood else { return false };
        let is_asking = |(name, slot): &(&String, &reflex::SlotValue)| {
            *name == "area" && slot.value.as_str() == Some(&self.context_area) && !self.slots.contains_key("area")
        };
        let names: BTreeSet<&String> =
            understood.slots.iter().filter(|slot| !is_asking(slot)).map(|(name, _)| name).collect();
        understood.intent == self.intent && names == self.slots.keys().collect()
    }
}

/// Entities that have nothing to do with the sentences.
#[derive(Debug, Serialize)]
pub(super) struct ExtraEntities(Vec<CaseEntity>);

impl ExtraEntities {
    pub(super) fn new(language: &str, count: usize) -> Self {
        let (rooms, things) = match language {
            "de" => (
                [
                    "Werkstatt",
                    "Dachboden",
                    "Gästezimmer",
                    "Waschküche",
                    "Weinkeller",
                    "Wintergarten",
                    "Kinderzimmer",
                    "Ankleide",
                ],
                [
                    ("Leselampe", "light"),
                    ("Rollo", "cover"),
                    ("Heizung", "climate"),
                    ("Ventilator", "fan"),
                    ("Steckdose", "switch"),
                ],
            ),
            _ => (
                ["Workshop", "Attic", "Guest Room", "Laundry", "Wine Cellar", "Sunroom", "Nursery", "Closet"],
                [
                    ("Reading Lamp", "light"),
                    ("Blind", "cover"),
                    ("Heater", "climate"),
                    ("Ventilator", "fan"),
                    ("Socket", "switch"),
                ],
            ),
        };
        let entity = |index: usize| {
            let (thing, domain) = things[index / rooms.len() % things.len()];
            let number = index / (rooms.len() * things.len()) + 1;
            let name = format!("{} {thing} {number}", rooms[index % rooms.len()]);
            CaseEntity { name, domain: domain.to_owned() }
        };
        Self((0..count).map(entity).collect())
    }

    pub(super) const fn len(&self) -> usize {
        self.0.len()
    }
}
