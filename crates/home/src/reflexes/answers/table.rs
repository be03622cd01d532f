//! The languages whose answers are files: `es.toml`, `fr.toml`, `it.toml`, `nl.toml`. A sentence is
//! a text with fields in braces.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::Deserialize;

use super::listed;
use crate::{
    acting::{AffectedEntity, EntityOutcome},
    index::EntitySnapshot,
    port::EntityState,
};

/// The answers of one language.
#[derive(Debug, Default, Deserialize)]
pub(in crate::reflexes) struct AnswerTable {
    texts: BTreeMap<String, String>,
    states: BTreeMap<String, String>,
    verbs: BTreeMap<String, String>,
    conditions: BTreeMap<String, String>,
}

static TABLES: LazyLock<[(&'static str, AnswerTable); 4]> = LazyLock::new(|| {
    // A test parses all of them.
    let parsed = |text: &str| toml::from_str(text).unwrap_or_default();
    [
        ("es", parsed(include_str!("es.toml"))),
        ("fr", parsed(include_str!("fr.toml"))),
        ("it", parsed(include_str!("it.toml"))),
        ("nl", parsed(include_str!("nl.toml"))),
    ]
});

impl AnswerTable {
    /// The table of a language, if it has one.
    pub(super) fn of(language: &str) -> Option<&'static Self> {
        let family = language.split(['-', '_']).next()?;
        TABLES.iter().find(|(name, _)| *name == family).map(|(_, table)| table)
    }

    fn text(&self, name: &str) -> &str {
        self.texts.get(name).map_or("", String::as_str)
    }

    fn fill(&self, name: &str, fields: &[(&str, &str)]) -> String {
        let mut text = self.text(name).to_owned();
        for (field, value) in fields {
            text = text.replace(&format!("{{{field}}}"), value);
        }
        text
    }

    fn listed(&self, names: &[&str]) -> String {
        listed(names, self.text("and"), self.text("more"))
    }

    fn names(&self, all: &[&EntitySnapshot]) -> String {
        self.listed(&all.iter().map(|it| it.entity.name.as_str()).collect::<Vec<_>>())
    }

    fn decimal(&self, value: &str) -> String {
        value.replace('.', self.text("decimal"))
    }

    fn word<'a>(&'a self, state: &'a str) -> &'a str {
        self.states.get(state).map_or(state, String::as_str)
    }

    /// A state as text.
    fn state(&self, snapshot: &EntitySnapshot) -> String {
        let known = snapshot.state.as_ref().filter(|state| state.is_known());
        let unit = known.and_then(|state| state.text("unit_of_measurement"));
        let class = snapshot.entity.class.as_deref();
        let is_opening = matches!(class, Some("door" | "window" | "garage_door" | "opening"));
        let word = match (snapshot.word(), snapshot.entity.id.domain()) {
            ("on", "binary_sensor") if is_opening => "open",
            ("off", "binary_sensor") if is_opening => "closed",
            (word, _) => word,
        };
        match unit {
            Some(unit) => format!("{} {unit}", self.decimal(word)),
            None => self.word(word).to_owned(),
        }
    }

    pub(super) fn simulated(&self, words: &str) -> String {
        self.fill("simulated", &[("words", words)])
    }

    pub(super) fn out_of_touch(&self, words: &str) -> String {
        self.fill("out_of_touch", &[("words", words)])
    }

    pub(super) fn nothing_there(&self, _kind: &str, place: Option<&str>) -> String {
        match place {
            Some(place) => self.fill("nothing_there_in", &[("place", place)]),
            None => self.fill("nothing_there", &[]),
        }
    }

    pub(super) fn which_one(&self, name: &str, places: &[String]) -> String {
        let places = self.listed(&places.iter().map(String::as_str).collect::<Vec<_>>());
        self.fill("which_one", &[("name", name), ("places", &places)])
    }

    pub(super) fn where_to(&self, places: &[String]) -> String {
        let places = self.listed(&places.iter().map(String::as_str).collect::<Vec<_>>());
        self.fill("where_to", &[("places", &places)])
    }

    pub(super) fn stands(&self, snapshot: &EntitySnapshot) -> String {
        self.fill("stands", &[("name", &snapshot.entity.name), ("state", &self.state(snapshot))])
    }

    pub(super) fn whereabouts(&self, name: &str, word: &str) -> String {
        let key = match word {
            "home" => "at_home",
            "not_home" | "away" => "away",
            EntityState::UNAVAILABLE | EntityState::UNKNOWN => "unknown_place",
            _ => "at_zone",
        };
        self.fill(key, &[("name", name), ("zone", word)])
    }

    pub(super) fn yes_or_no(&self, is_so: bool, snapshot: &EntitySnapshot) -> String {
        let is_known = snapshot.state.as_ref().is_some_and(|state| state.is_known());
        let key = match (is_so, is_known) {
            (true, _) => "yes",
            (false, true) => "no",
            (false, false) => "cannot_say",
        };
        self.fill(key, &[("name", &snapshot.entity.name), ("state", &self.state(snapshot))])
    }

    pub(super) fn any(&self, so: &[&EntitySnapshot]) -> String {
        self.fill(if so.is_empty() { "none_of_any" } else { "any" }, &[("names", &self.names(so))])
    }

    pub(super) fn all(&self, not_so: &[&EntitySnapshot]) -> String {
        self.fill(if not_so.is_empty() { "all" } else { "not_all" }, &[("names", &self.names(not_so))])
    }

    pub(super) fn these(&self, so: &[&EntitySnapshot]) -> String {
        self.fill(if so.is_empty() { "none" } else { "these" }, &[("names", &self.names(so))])
    }

    pub(super) fn how_many(&self, so: &[&EntitySnapshot]) -> String {
        let count = so.len().to_string();
        let key = if so.is_empty() { "none" } else { "how_many" };
        self.fill(key, &[("count", &count), ("names", &self.names(so))])
    }

    pub(super) fn reads(&self, name: &str, value: &str) -> String {
        self.fill("reads", &[("name", name), ("value", &self.decimal(value))])
    }

    pub(super) fn weather(&self, degrees: Option<&str>, condition: &str) -> String {
        let condition = self.conditions.get(condition).map_or(condition, String::as_str);
        match degrees {
            Some(degrees) => {
                self.fill("weather_with", &[("degrees", &self.decimal(degrees)), ("condition", condition)])
            }
            None => self.fill("weather", &[("condition", condition)]),
        }
    }

    fn verb(&self, service: &str) -> &str {
        let (domain, name) = service.split_once('.').unwrap_or(("", service));
        let name = if name == "turn_on" && matches!(domain, "scene" | "script") { "start_scene" } else { name };
        self.verbs.get(name).or_else(|| self.verbs.get("other")).map_or("", String::as_str)
    }

    pub(super) fn outcome(
        &self,
        service: &str,
        outcome: EntityOutcome,
        touched: &[&AffectedEntity],
        to: Option<&str>,
    ) -> String {
        let names = self.listed(&touched.iter().map(|touched| touched.name.as_str()).collect::<Vec<_>>());
        let after = self.word(touched.first().map_or("", |touched| touched.after.as_str()));
        let value = to.map(|value| self.decimal(value)).unwrap_or_default();
        let is_listed = matches!(service.split('.').next(), Some("scene" | "script" | "button" | "todo"));
        let key = match outcome {
            EntityOutcome::Done if to.is_some() => "set_to",
            EntityOutcome::Done => "done",
            EntityOutcome::Unverified if is_listed => "done",
            EntityOutcome::Unverified => "unverified",
            EntityOutcome::Already => "already",
            EntityOutcome::OnTheWay => "on_the_way",
            EntityOutcome::Unchanged => "unchanged",
            EntityOutcome::Unavailable => "unavailable",
        };
        self.fill(key, &[("names", &names), ("after", after), ("value", &value), ("verb", self.verb(service))])
    }

    pub(super) fn taken(&self, service: &str) -> String {
        self.fill("taken", &[("service", service)])
    }

    pub(super) fn refused(&self, why: &str) -> String {
        if why.contains("did not allow") {
            self.fill("not_allowed", &[])
        } else {
            self.fill("refused", &[("why", why)])
        }
    }

    pub(super) fn failed(&self, why: &str) -> String {
        self.fill("failed", &[("why", why)]).replace("..", ".")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_every_text() {
        let all: Vec<&AnswerTable> = ["es", "fr", "it", "nl"].iter().map(|it| AnswerTable::of(it).unwrap()).collect();
        let first = all[0];
        assert!(first.texts.len() > 30);
        for table in &all {
            assert!(table.texts.keys().eq(first.texts.keys()));
            assert!(table.states.keys().eq(first.states.keys()));
            assert!(table.verbs.keys().eq(first.verbs.keys()));
            assert!(table.conditions.keys().eq(first.conditions.keys()));
        }
        // Texts with the same name have the same fields.
        for (name, text) in &first.texts {
            let fields = |text: &str| text.matches('{').count();
            assert!(all.iter().all(|table| fields(table.text(name)) == fields(text)), "{name}");
        }
    }
}
