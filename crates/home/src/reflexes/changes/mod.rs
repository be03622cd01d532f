//! Clauses that name a change of the home, as "the garage door opens": which entity, and which
//! state it changes to. The words of each language are in `changes/*.toml`; what they are about is
//! found as for a question ("the garage door open?").

use std::sync::LazyLock;

use reflex::{FrameReading, Lexicon, Vocabulary};
use serde::Deserialize;

use super::inquire;
use crate::index::{EntitySnapshot, HomeIndex};

const THING: &str = "{thing}";

static LANGUAGES: LazyLock<Vec<(&str, Vec<ChangeWords>)>> = LazyLock::new(|| {
    let files = [
        ("en", include_str!("en.toml")),
        ("de", include_str!("de.toml")),
        ("es", include_str!("es.toml")),
        ("fr", include_str!("fr.toml")),
        ("it", include_str!("it.toml")),
        ("nl", include_str!("nl.toml")),
    ];
    // The files are part of the program, and a test reads each of them.
    files
        .into_iter()
        .filter_map(|(code, file)| Some((code, toml::from_str::<ChangeFile>(file).ok()?.changes)))
        .collect()
});

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ChangeFile {
    changes: Vec<ChangeWords>,
}

/// How a language says that something becomes so.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ChangeWords {
    /// The state that it becomes.
    state: String,
    /// The word that asks whether something is so.
    asked: String,
    /// The clauses.
    says: Vec<String>,
}

/// An entity, and the state that it has to change to.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NamedChange {
    pub(super) entity_id: String,
    pub(super) to: String,
}

/// The change that a clause names in the language of a lexicon; `None` unless it is exactly one.
pub(super) fn read(
    index: &HomeIndex,
    lexicon: &'static Lexicon,
    vocabulary: &Vocabulary,
    clause: &str,
) -> Option<NamedChange> {
    let (_, changes) = LANGUAGES.iter().find(|(code, _)| *code == lexicon.language())?;
    let clause = folded(clause);
    let mut found: Vec<NamedChange> = Vec::new();
    // The clause that has most words of its own leaves fewest to the name.
    let mut named: Vec<(&ChangeWords, &str)> = changes
        .iter()
        .flat_map(|change| change.says.iter().map(move |says| (change, says)))
        .filter_map(|(change, says)| Some((change, thing(&clause, says)?)))
        .collect();
    named.sort_by_key(|(_, thing)| thing.len());
    for (change, thing) in named {
        let question = format!("{thing} {}?", change.asked);
        let FrameReading::Question(question) = lexicon.read(vocabulary, &question) else { continue };
        // "The garage door or the lamp": only one of them may be able to become so, but both are
        // meant.
        if question.target.named.len() > 1 {
            return None;
        }
        let entities = inquire::entities(index, &question);
        found.extend(entities.iter().filter_map(|snapshot| {
            let to = state_after(snapshot, &change.state)?;
            Some(NamedChange { entity_id: snapshot.entity.id.to_string(), to })
        }));
        if !found.is_empty() {
            break;
        }
    }
    match found.as_slice() {
        [_] => found.pop(),
        _ => None,
    }
}

/// A clause as it is compared.
fn folded(clause: &str) -> String {
    let words: Vec<&str> = clause.split_whitespace().collect();
    let end = |letter: char| matches!(letter, '.' | ',' | '!' | '?' | ';' | ':');
    words.join(" ").trim_end_matches(end).to_lowercase().replace('’', "'")
}

/// What a clause says the rest of, if it is of this form.
fn thing<'c>(clause: &'c str, says: &str) -> Option<&'c str> {
    let (before, after) = says.split_once(THING)?;
    let thing = clause.strip_prefix(before)?.strip_suffix(after)?.trim();
    (!thing.is_empty()).then_some(thing)
}

/// The state that an entity has when it has become so; `None` if it cannot.
fn state_after(snapshot: &EntitySnapshot, state: &str) -> Option<String> {
    let entity = &snapshot.entity;
    if !entity.exposed {
        return None;
    }
    let class = entity.class.as_deref().unwrap_or_default();
    let after = match (entity.id.domain(), state) {
        ("binary_sensor", "open") if opens(class) => "on",
        ("binary_sensor", "closed") if opens(class) => "off",
        ("binary_sensor", "unlocked") if class == "lock" => "on",
        ("binary_sensor", "locked") if class == "lock" => "off",
        ("binary_sensor", "detected") if matches!(class, "motion" | "occupancy" | "presence" | "moving") => "on",
        ("binary_sensor", "on") if !opens(class) => "on",
        ("binary_sensor", "off" | "done") if !opens(class) => "off",
        ("cover" | "valve", "open") => "open",
        ("cover" | "valve", "closed") => "closed",
        ("lock", "locked") => "locked",
        ("lock", "unlocked") => "unlocked",
        ("person" | "device_tracker", "home") => "home",
        ("person" | "device_tracker", "not_home") => "not_home",
        ("media_player", "playing" | "paused" | "off") => state,
        ("vacuum" | "lawn_mower", "done" | "home") => "docked",
        ("vacuum", "on") => "cleaning",
        ("lawn_mower", "on") => "mowing",
        ("timer", "done" | "off") => "idle",
        ("timer", "on") => "active",
        ("light" | "switch" | "fan" | "siren" | "humidifier" | "input_boolean" | "remote", "on") => "on",
        ("light" | "switch" | "fan" | "siren" | "humidifier" | "input_boolean" | "remote", "off" | "done") => "off",
        ("sensor", "done" | "off" | "on") => return option(snapshot, state),
        _ => return None,
    };
    Some(after.to_owned())
}

/// Whether a sensor of this class reports something that opens and closes.
fn opens(class: &str) -> bool {
    matches!(class, "door" | "garage_door" | "window" | "opening")
}

/// The state of a sensor with fixed states that means this.
fn option(snapshot: &EntitySnapshot, state: &str) -> Option<String> {
    let options = snapshot.state.as_ref()?.attributes.get("options")?.as_array()?.clone();
    let names: &[&str] = match state {
        "done" => &["done", "finished", "complete", "completed", "end", "ended", "idle", "off", "standby"],
        "off" => &["off", "idle", "standby"],
        _ => &["on", "running", "run", "active"],
    };
    let is_there = |name: &&&str| options.iter().any(|option| option.as_str() == Some(**name));
    names.iter().find(is_there).map(|name| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_read_and_every_clause_has_a_gap() {
        assert_eq!(LANGUAGES.len(), 6);
        for (code, changes) in LANGUAGES.iter() {
            assert!(changes.len() >= 10, "{code}");
            for says in changes.iter().flat_map(|change| &change.says) {
                assert_eq!(says.matches(THING).count(), 1, "{code}: {says}");
                assert_eq!(folded(says), *says, "{code}: clauses are compared in small letters");
            }
        }
    }

    #[test]
    fn a_clause_leaves_the_name_of_a_thing() {
        assert_eq!(thing("the garage door opens", "{thing} opens"), Some("the garage door"));
        assert_eq!(thing("someone opens the shed", "someone opens {thing}"), Some("the shed"));
        assert_eq!(thing("opens", "{thing} opens"), None);
        assert_eq!(folded("The Garage  door opens,"), "the garage door opens");
    }
}
