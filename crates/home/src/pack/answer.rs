//! Common parts of the tools' answers: named entities, times on the home's clock, sources.

use std::collections::BTreeMap;

use jiff::tz::{TimeZone, TimeZoneDatabase};
use ports::ToolFailure;
use protocol::{Citation, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{ConnectionStatus, EntityId, EntityQuery, EntitySnapshot, HomeError, HomePort};

/// The number of entities that a call may name.
pub(super) const ENTITIES_MAX: usize = 25;
/// The number of suggestions for an unknown name.
const SUGGESTIONS_MAX: usize = 3;
/// The score above which a name stands for an entity.
const SURE: f32 = 0.99;

/// A name that is unknown or not exposed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct UnknownEntity {
    /// As it was named.
    asked: String,
    /// Why it is not answered for.
    why: &'static str,
    /// Suggestions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    did_you_mean: Vec<EntityId>,
}

/// Resolves names: ids, or names that identify one entity.
pub(super) fn resolve(
    home: &dyn HomePort,
    names: &[String],
) -> Result<(Vec<EntitySnapshot>, Vec<UnknownEntity>), ToolFailure> {
    if names.len() > ENTITIES_MAX {
        return Err(ToolFailure::Invalid(format!("at most {ENTITIES_MAX} entities at once; name fewer")));
    }
    let (mut known, mut unknown): (Vec<EntitySnapshot>, Vec<UnknownEntity>) = (Vec::new(), Vec::new());
    for name in names {
        match find(home, name.trim()) {
            Ok(snapshot) if known.iter().any(|other| other.entity.id == snapshot.entity.id) => {}
            Ok(snapshot) => known.push(snapshot),
            Err(missing) => unknown.push(missing),
        }
    }
    Ok((known, unknown))
}

/// Resolves one name; the failure suggests alternatives.
pub(super) fn resolve_one(home: &dyn HomePort, name: &str) -> Result<EntitySnapshot, ToolFailure> {
    find(home, name.trim()).map_err(|UnknownEntity { asked, why, did_you_mean }| {
        let near: Vec<&str> = did_you_mean.iter().map(EntityId::as_str).collect();
        let hint = match near.as_slice() {
            [] => "look for it with search_entities".to_owned(),
            near => format!("did you mean {}?", near.join(", ")),
        };
        ToolFailure::Invalid(format!("`{asked}`: {why}; {hint}"))
    })
}

fn find(home: &dyn HomePort, name: &str) -> Result<EntitySnapshot, UnknownEntity> {
    let asked: String = name.chars().take(100).collect();
    let index = home.index();
    let id: Option<EntityId> = name.parse().ok();
    if let Some(snapshot) = id.as_ref().and_then(|id| index.get(id)) {
        let why = "it is not exposed to assistants";
        return if snapshot.entity.exposed {
            Ok(snapshot)
        } else {
            Err(UnknownEntity { asked, why, did_you_mean: Vec::new() })
        };
    }
    let text = id.as_ref().map_or_else(|| name.to_owned(), |id| id.as_str().replace(['.', '_'], " "));
    let mut hits = index.search(&EntityQuery { text, limit: SUGGESTIONS_MAX, ..EntityQuery::default() });
    let is_sure = hits.first().is_some_and(|hit| hit.score > SURE) && hits.get(1).is_none_or(|hit| hit.score <= SURE);
    if id.is_none() && is_sure {
        return Ok(hits.swap_remove(0).snapshot);
    }
    let did_you_mean = hits.into_iter().map(|hit| hit.snapshot.entity.id.clone()).collect();
    Err(UnknownEntity { asked, why: "there is no such entity", did_you_mean })
}

/// The home's clock.
#[derive(Clone)]
pub(super) struct HomeClock {
    pub(super) zone: TimeZone,
    pub(super) name: String,
}

impl HomeClock {
    pub(super) fn of(home: &dyn HomePort) -> Self {
        let named = home.about().time_zone;
        let zone = named.as_deref().and_then(|name| TimeZoneDatabase::bundled().get(name).ok());
        match (zone, named) {
            (Some(zone), Some(name)) => Self { zone, name },
            _ => Self { zone: TimeZone::UTC, name: "UTC".to_owned() },
        }
    }

    pub(super) fn zoned(&self, at: Timestamp) -> jiff::Zoned {
        let moment = jiff::Timestamp::from_millisecond(at.as_millis()).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        moment.to_zoned(self.zone.clone())
    }

    /// A moment, to the second.
    pub(super) fn at(&self, at: Timestamp) -> String {
        self.zoned(at).strftime("%Y-%m-%d %H:%M:%S").to_string()
    }

    /// The end of a period: the time alone if it is the same day.
    pub(super) fn until(&self, from: Timestamp, until: Timestamp) -> String {
        if self.zoned(from).date() == self.zoned(until).date() { self.time(until) } else { self.at(until) }
    }

    /// The time of day alone.
    pub(super) fn time(&self, at: Timestamp) -> String {
        self.zoned(at).strftime("%H:%M:%S").to_string()
    }
}

/// A duration as text.
pub(super) fn length(length: std::time::Duration) -> String {
    let seconds = length.as_secs();
    let two = |big: u64, big_word: &str, small: u64, small_word: &str| match small {
        0 => format!("{big} {big_word}"),
        small => format!("{big} {big_word} {small} {small_word}"),
    };
    match seconds {
        0 => format!("{} ms", length.as_millis()),
        1..60 => format!("{seconds} s"),
        60..3_600 => two(seconds / 60, "min", seconds % 60, "s"),
        3_600..86_400 => two(seconds / 3_600, "h", seconds % 3_600 / 60, "min"),
        _ => two(seconds / 86_400, "d", seconds % 86_400 / 3_600, "h"),
    }
}

/// The sources of an answer, each under a short, stable name.
#[derive(Default)]
pub(super) struct CitedSources(BTreeMap<String, String>);

impl CitedSources {
    fn add(&mut self, source: String, title: String) -> String {
        self.0.entry(source.clone()).or_insert(title);
        source
    }

    pub(super) fn history(&mut self, snapshot: &EntitySnapshot) -> String {
        let (id, name) = (&snapshot.entity.id, &snapshot.entity.name);
        self.add(format!("history:{id}"), format!("History of {name}"))
    }

    pub(super) fn state(&mut self, snapshot: &EntitySnapshot) -> String {
        let (id, name) = (&snapshot.entity.id, &snapshot.entity.name);
        self.add(format!("state:{id}"), format!("State of {name}"))
    }

    pub(super) fn logbook(&mut self, id: Option<&EntityId>, name: &str) -> String {
        match id {
            Some(id) => self.add(format!("logbook:{id}"), format!("Logbook of {name}")),
            None => self.add("logbook:home".to_owned(), "Logbook".to_owned()),
        }
    }

    pub(super) fn log(&mut self, logger: &str) -> String {
        self.add(format!("log:{logger}"), format!("System log of {logger}"))
    }

    pub(super) fn trace(&mut self, snapshot: &EntitySnapshot) -> String {
        let (id, name) = (&snapshot.entity.id, &snapshot.entity.name);
        self.add(format!("trace:{id}"), format!("Runs of {name}"))
    }

    /// The relations of an entity as a source.
    pub(super) fn related(&mut self, snapshot: &EntitySnapshot) -> String {
        let (id, name) = (&snapshot.entity.id, &snapshot.entity.name);
        self.add(format!("related:{id}"), format!("Relations of {name}"))
    }

    pub(super) fn finish(self) -> Vec<Citation> {
        self.0.into_iter().map(|(source, title)| Citation::of(title, source)).collect()
    }
}

/// A note if the home cannot be reached and the data is old.
pub(super) fn stale(home: &dyn HomePort) -> Option<String> {
    match home.about().connection {
        ConnectionStatus::Connected { .. } => None,
        ConnectionStatus::Reconnecting { why, .. } => {
            Some(format!("the home cannot be reached just now ({why}); this is its last known state"))
        }
        ConnectionStatus::Refused { why } => Some(format!("the home refuses the connection: {why}")),
    }
}

/// A home's error as a tool failure. Its text may come from the home, so it is never reported as
/// invalid arguments.
pub(crate) fn failed(error: HomeError) -> ToolFailure {
    match error {
        HomeError::Lost(_) => ToolFailure::Unknown(error.to_string()),
        _ => ToolFailure::Failed(error.to_string()),
    }
}

/// The data, if this token may read it and the home has it; otherwise `None`, with one note.
pub(super) fn if_readable<T>(
    read: Result<T, HomeError>,
    what: &str,
    notes: &mut Vec<String>,
) -> Result<Option<T>, ToolFailure> {
    let note = match read {
        Ok(read) => return Ok(Some(read)),
        Err(HomeError::Forbidden(_)) => format!("{what} may not be read with this token"),
        Err(HomeError::Unsupported(_)) => format!("this home does not offer {what}"),
        Err(error) => return Err(failed(error)),
    };
    if !notes.contains(&note) {
        notes.push(note);
    }
    Ok(None)
}

/// A count with its noun.
pub(super) fn count(number: usize, one: &str, many: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {many}") }
}

/// A truncated text.
pub(super) fn cut(text: &str, chars: usize) -> String {
    let text = text.trim();
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn lengths_read_well() {
        let words = |seconds| length(Duration::from_secs(seconds));
        assert_eq!(words(59), "59 s");
        assert_eq!(words(120), "2 min");
        assert_eq!(words(3_720), "1 h 2 min");
        assert_eq!(words(90_000), "1 d 1 h");
        assert_eq!(length(Duration::from_millis(870)), "870 ms");
        assert_eq!(cut("  a longer text", 8), "a longer…");
    }

    #[test]
    fn what_may_not_be_read_is_noted_once_and_what_failed_fails() {
        let mut notes = Vec::new();
        let said = || "Said by the home.".to_owned();
        for error in [HomeError::Forbidden(said()), HomeError::Forbidden(said()), HomeError::Unsupported(said())] {
            assert!(matches!(if_readable::<()>(Err(error), "the system log", &mut notes), Ok(None)));
        }
        assert_eq!(
            notes,
            ["the system log may not be read with this token", "this home does not offer the system log"]
        );
        let failed = if_readable::<()>(Err(HomeError::Failed(said())), "the system log", &mut notes);
        assert!(matches!(failed, Err(ToolFailure::Failed(_))) && notes.len() == 2);
    }

    #[test]
    fn what_the_home_says_is_never_passed_off_as_our_own_words() {
        let said = || "Said by the home.".to_owned();
        let errors = [
            HomeError::Invalid(said()),
            HomeError::Unsupported(said()),
            HomeError::Forbidden(said()),
            HomeError::Failed(said()),
            HomeError::Unreachable(said()),
        ];
        for error in errors {
            assert!(matches!(failed(error.clone()), ToolFailure::Failed(_)), "{error:?}");
        }
        assert!(matches!(failed(HomeError::Lost(said())), ToolFailure::Unknown(_)));
    }
}
