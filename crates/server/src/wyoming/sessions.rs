//! Which session a sentence belongs to.
//!
//! A conversation that the peer has named is a session of that name, for as long as the peer uses it. Home Assistant up to
//! 2025.4 sends no name (the library it speaks with leaves it out), so that without one, what comes from the same place goes
//! on where it was, until there is a pause.

use std::{collections::BTreeMap, net::IpAddr};

use engine::Error;
use protocol::{SessionId, SessionList, SessionName, SessionRef, SessionStatus, SessionView, Start, Update};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{Areas, Door, asked::Partner, frame::Event};

/// Conversations with a name and without, apart from all other sessions: nobody reaches those by naming them.
const NAMED: &str = "wyoming:";
const UNNAMED: &str = "wyoming at ";
/// Characters of a conversation's or a place's name at most.
const WORDS_MAX: usize = 120;
/// Sessions looked at to find one to go on with; one that was spoken to within the pause is among the newest.
const LOOKED_AT: u32 = 50;
/// What is kept with a session of where it goes on, as preferences. Turns read the area and the language.
const SATELLITE: &str = "satellite";
const DEVICE: &str = "device";
const LANGUAGE: &str = "language";
const AREA: &str = "area";

/// What was said where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The peer's name for the conversation.
    conversation: Option<String>,
    /// Who said it.
    peer: IpAddr,
    /// The satellite or device it was said to, or else the peer itself.
    at: String,
    /// What is known of it, to be kept with the session.
    known: BTreeMap<String, Value>,
}

impl Place {
    /// Reads off a transcript where it was said.
    pub(super) fn of(transcript: &Event, peer: IpAddr, areas: &Areas) -> Self {
        let context = transcript.data.get("context").and_then(Value::as_object);
        let named = |names: [&str; 2]| {
            let found = names.iter().find_map(|name| context?.get(*name)?.as_str());
            found.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
        };
        let conversation = named(["conversation_id", "conversation"]);
        let satellite = named(["satellite_id", "satellite"]);
        let device = named(["device_id", "device"]);
        let language = transcript.text("language").map(str::to_owned);
        let set = || {
            let by_name = [&satellite, &device].into_iter().flatten().find_map(|name| areas.of_name(name));
            by_name.or_else(|| areas.of_peer(peer)).map(str::to_owned)
        };
        let area = named(["area_id", "area"]).or_else(set);
        let at = satellite.clone().or_else(|| device.clone()).unwrap_or_else(|| peer.to_canonical().to_string());
        let known = [(SATELLITE, satellite), (DEVICE, device), (LANGUAGE, language), (AREA, area)];
        let known = known.into_iter().filter_map(|(name, value)| Some((name.to_owned(), json!(value?))));
        Self { conversation, peer, at, known: known.chain([("door".to_owned(), json!("wyoming"))]).collect() }
    }

    /// The language it was said in, if the peer says it.
    pub(super) fn language(&self) -> Option<&str> {
        self.known.get(LANGUAGE)?.as_str()
    }

    /// The same, or else the one that the session is in.
    pub(super) fn language_in<'a>(&'a self, session: &'a SessionView) -> Option<&'a str> {
        self.language().or_else(|| session.settings.preferences.get(LANGUAGE)?.as_str())
    }

    /// The area it was said in, as far as it is known.
    pub(super) fn area(&self) -> Option<&str> {
        self.known.get(AREA)?.as_str()
    }

    /// Whoever speaks there, in a session.
    pub(super) fn partner(&self, session_id: SessionId) -> Partner {
        Partner { session_id, peer: self.peer, at: self.at.clone() }
    }

    /// What has to be kept otherwise than it is.
    fn changes(&self, kept: &BTreeMap<String, Value>) -> BTreeMap<String, Value> {
        let differs = |name: &str| self.known.get(name).is_some_and(|value| kept.get(name) != Some(value));
        let names = [SATELLITE, DEVICE, LANGUAGE, AREA].into_iter().filter(|name| differs(name));
        let mut changes: BTreeMap<String, Value> =
            names.filter_map(|name| Some((name.to_owned(), self.known.get(name)?.clone()))).collect();
        // Somewhere else is not where it was.
        if (differs(SATELLITE) || differs(DEVICE)) && self.area().is_none() && kept.contains_key(AREA) {
            changes.insert(AREA.to_owned(), Value::Null);
        }
        changes
    }
}

/// Keeps with a session where and in which language it goes on, if that has changed.
pub(super) async fn go_on(door: &Door, session: &SessionView, place: &Place) -> Result<(), Error> {
    let preferences = place.changes(&session.settings.preferences);
    if !preferences.is_empty() {
        let change = Update { preferences, ..Update::default() };
        door.hub.update(&door.owner, &session.session_id.into(), change).await?;
    }
    Ok(())
}

/// The session of a place, which is made if there is none to go on with.
pub(super) async fn find(door: &Door, place: &Place) -> Result<SessionView, Error> {
    let Some(conversation) = &place.conversation else { return unnamed(door, place).await };
    let key = key(name(NAMED, conversation))?;
    let named = SessionRef { session_id: None, conversation_id: Some(key.clone()) };
    match door.hub.session(&door.owner, &named).await {
        Err(Error::NoSession) => start(door, place, key).await,
        found => found,
    }
}

async fn unnamed(door: &Door, place: &Place) -> Result<SessionView, Error> {
    let list = SessionList { limit: Some(LOOKED_AT), ..SessionList::default() };
    let sessions = door.hub.sessions(&door.owner, &list).await?;
    let prefix = format!("{}:", name(UNNAMED, &place.at));
    let now = door.hub.now();
    let goes_on = |view: &&SessionView| {
        view.status == SessionStatus::Active
            && view.key.as_ref().is_some_and(|key| key.as_str().starts_with(&prefix))
            && (!view.open_turns.is_empty() || now.since(view.updated_at) < door.pause)
    };
    match sessions.data.iter().find(goes_on) {
        Some(view) => Ok(view.clone()),
        None => start(door, place, key(format!("{prefix}{}", door.hub.ulid()))?).await,
    }
}

async fn start(door: &Door, place: &Place, key: SessionName) -> Result<SessionView, Error> {
    let asked = Start { key: Some(key), preferences: place.known.clone(), ..Start::default() };
    match door.hub.start(&door.owner, asked).await {
        // Two sentences at once have begun it, one of them in another language.
        Err(Error::NameConflict(existing)) => door.hub.session(&door.owner, &existing.into()).await,
        started => started,
    }
}

/// A session's name; words that are too long for one, or cannot stand in one, are known by their digest.
fn name(prefix: &str, words: &str) -> String {
    let is_plain = words.chars().count() <= WORDS_MAX && !words.chars().any(char::is_control);
    if is_plain {
        return format!("{prefix}{words}");
    }
    let digest = Sha256::digest(words);
    let digest: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    format!("{prefix}#{digest}")
}

fn key(name: String) -> Result<SessionName, Error> {
    SessionName::try_from(name).map_err(|error| Error::Invalid(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(data: Value) -> Place {
        let areas = Areas::new(["assist_satellite.attic=attic", "192.168.1.7=hall"]).unwrap();
        Place::of(&Event::new("transcript", data), "192.168.1.7".parse().unwrap(), &areas)
    }

    #[test]
    fn a_place_is_named_by_what_the_peer_says_of_it() {
        let whole = place(json!({
            "text": "hi", "language": "de",
            "context": { "conversation_id": "c1", "satellite_id": "assist_satellite.kitchen", "device_id": "d1" },
        }));
        assert_eq!((whole.conversation.as_deref(), whole.at.as_str()), (Some("c1"), "assist_satellite.kitchen"));
        let known = json!({
            "door": "wyoming", "device": "d1", "language": "de", "satellite": "assist_satellite.kitchen", "area": "hall",
        });
        assert_eq!(json!(whole.known), known);

        for nothing in [json!({}), json!({ "context": null }), json!({ "context": { "conversation_id": " " } })] {
            let bare = place(nothing);
            assert_eq!((bare.conversation, bare.at.as_str()), (None, "192.168.1.7"));
        }
    }

    #[test]
    fn the_area_is_the_peers_word_or_else_that_of_the_settings() {
        for (context, area) in [
            (json!({ "area_id": "cellar", "satellite_id": "assist_satellite.attic" }), "cellar"),
            (json!({ "satellite_id": "assist_satellite.attic" }), "attic"),
            (json!({ "satellite_id": "assist_satellite.other" }), "hall"),
            (json!({}), "hall"),
        ] {
            assert_eq!(place(json!({ "context": context })).area(), Some(area));
        }
    }

    #[test]
    fn only_what_has_changed_is_kept_anew() {
        let at = |context: Value, language: &str| {
            let event = Event::new("transcript", json!({ "context": context, "language": language }));
            Place::of(&event, "192.168.1.7".parse().unwrap(), &Areas::default())
        };
        let kitchen = at(json!({ "satellite_id": "s1", "area": "kitchen" }), "en");
        assert_eq!(kitchen.changes(&kitchen.known), BTreeMap::new());
        let speaks = at(json!({ "satellite_id": "s1", "area": "kitchen" }), "de");
        assert_eq!(json!(speaks.changes(&kitchen.known)), json!({ "language": "de" }));
        let attic = at(json!({ "satellite_id": "s2", "area": "attic" }), "en");
        assert_eq!(json!(attic.changes(&kitchen.known)), json!({ "satellite": "s2", "area": "attic" }));
        let somewhere = at(json!({ "satellite_id": "s3" }), "en");
        assert_eq!(json!(somewhere.changes(&kitchen.known)), json!({ "satellite": "s3", "area": null }));
        let unsaid = at(json!({}), "en");
        assert_eq!(unsaid.changes(&kitchen.known), BTreeMap::new(), "what was set by hand stays");
    }

    #[test]
    fn any_conversation_has_a_name_of_its_own() {
        assert_eq!(name(NAMED, "c1"), "wyoming:c1");
        let (long, other) = ("x".repeat(5_000), "x".repeat(5_001));
        assert_ne!(name(NAMED, &long), name(NAMED, &other));
        for words in [long.as_str(), "a\nb", "ok"] {
            assert!(key(name(NAMED, words)).is_ok());
        }
    }
}
