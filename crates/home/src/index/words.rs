//! The words by which an entity is found.

use crate::port::{Area, Entity, EntityId, Floor};

/// Synonyms for domains and device classes.
const OTHER_WORDS: &[(&str, &str)] = &[
    ("light", "lights lamp lamps lighting"),
    ("switch", "switches socket plug outlet"),
    ("climate", "thermostat heating cooling heater"),
    ("cover", "covers blind blinds shutter shutters curtain curtains"),
    ("lock", "locks door"),
    ("media_player", "speaker tv television music player"),
    ("binary_sensor", "sensor"),
    ("vacuum", "robot hoover"),
    ("person", "people"),
    ("alarm_control_panel", "alarm"),
    ("garage", "garage door"),
    ("motion", "movement"),
    ("occupancy", "presence"),
    ("battery", "charge"),
    ("power", "watt watts consumption"),
    ("energy", "consumption kwh"),
    ("carbon_dioxide", "co2 air"),
];

/// A text in lower case without punctuation, words separated by one space.
pub fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for char in text.chars().flat_map(char::to_lowercase) {
        if char.is_alphanumeric() {
            plain.push(char);
        } else if char != '\'' && char != '’' && !plain.is_empty() && !plain.ends_with(' ') {
            plain.push(' ');
        }
    }
    plain.truncate(plain.trim_end().len());
    plain
}

/// A name derived from an id, for entities without one.
pub(super) fn from_id(id: &EntityId) -> String {
    let words = id.object().replace('_', " ");
    let mut chars = words.trim().chars();
    chars.next().map_or_else(|| id.as_str().to_owned(), |first| first.to_uppercase().chain(chars).collect())
}

/// The words of an entity.
pub(super) struct EntityWords {
    /// Its names, normalized.
    pub(super) names: Vec<String>,
    /// Words of its names.
    pub(super) own: Vec<String>,
    /// Words of its area and its floor.
    pub(super) place: Vec<String>,
    /// Words of its kind.
    pub(super) kind: Vec<String>,
}

impl EntityWords {
    pub(super) fn of(entity: &Entity, area: Option<&Area>, floor: Option<&Floor>) -> Self {
        let names: Vec<String> = std::iter::once(&entity.name).chain(&entity.aliases).map(|name| plain(name)).collect();
        let id = plain(entity.id.object());
        let own = words(names.iter().chain([&id]));
        let mut place = Vec::new();
        for (name, aliases) in area
            .map(|area| (&area.name, &area.aliases))
            .into_iter()
            .chain(floor.map(|floor| (&floor.name, &floor.aliases)))
        {
            place.extend(std::iter::once(name).chain(aliases).map(|name| plain(name)));
        }
        let kinds = [Some(entity.id.domain()), entity.class.as_deref()].into_iter().flatten();
        let mut kind: Vec<String> = Vec::new();
        for word in kinds {
            kind.push(plain(word));
            let others = OTHER_WORDS.iter().filter(|(of, _)| *of == word);
            kind.extend(others.map(|(_, others)| (*others).to_owned()));
        }
        Self { names, own, place: words(place.iter()), kind: words(kind.iter()) }
    }
}

fn words<'a>(texts: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut words: Vec<String> = texts.flat_map(|text| text.split(' ')).map(str::to_owned).collect();
    words.retain(|word| !word.is_empty());
    words.sort_unstable();
    words.dedup();
    words
}
