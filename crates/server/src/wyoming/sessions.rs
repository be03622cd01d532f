//! Which session a sentence belongs to.
//!
//! A conversation that the peer names is a session of that name, as long as the peer uses it. Home
//! Assistant up to 2025.4 sends no name (its library omits it). Without a name, sentences from the
//! same place continue the same session until there is a pause.

use std::{collections::BTreeMap, net::IpAddr};

use engine::Error;
use protocol::{SessionId, SessionList, SessionName, SessionRef, SessionStart, SessionStatus, SessionView, Update};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{Areas, WyomingService, frame::WyomingEvent, pending_questions::SpeakerKey};

/// Prefixes of the names of named and unnamed conversations. They keep these sessions apart, so
/// that a peer cannot reach other sessions by naming them.
const NAMED: &str = "wyoming:";
const UNNAMED: &str = "wyoming at ";
/// Most characters of the name of a conversation or place.
const WORDS_MAX: usize = 120;
/// Sessions that are searched for one to continue; a session used within the pause is among the
/// newest.
const LOOKED_AT: u32 = 50;
/// Preferences that store where a session takes place. Turns read the area and the language.
const SATELLITE: &str = "satellite";
const DEVICE: &str = "device";
const LANGUAGE: &str = "language";
const AREA: &str = "area";

/// Where a sentence was spoken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UtteranceSource {
    /// The peer's name for the conversation.
    conversation: Option<String>,
    /// The peer's address.
    peer: IpAddr,
    /// The satellite or device, or else the peer itself.
    at: String,
    /// What is known about the place, to store in the session's preferences.
    known: BTreeMap<String, Value>,
}

impl UtteranceSource {
    /// Extracts the source of a transcript.
    pub(super) fn of(transcript: &WyomingEvent, peer: IpAddr, areas: &Areas) -> Self {
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

    /// The language of the sentence, if the peer sends it.
    pub(super) fn language(&self) -> Option<&str> {
        self.known.get(LANGUAGE)?.as_str()
    }

    /// The language of the sentence, or else that of the session.
    pub(super) fn language_in<'a>(&'a self, session: &'a SessionView) -> Option<&'a str> {
        self.language().or_else(|| session.settings.preferences.get(LANGUAGE)?.as_str())
    }

    /// The area in which it was spoken, if known.
    pub(super) fn area(&self) -> Option<&str> {
        self.known.get(AREA)?.as_str()
    }

    /// The key of the speaker in a session.
    pub(super) fn speaker_key(&self, session_id: SessionId) -> SpeakerKey {
        let is_named =
            self.conversation.is_some() || [SATELLITE, DEVICE].iter().any(|name| self.known.contains_key(*name));
        SpeakerKey { session_id, peer: self.peer, at: self.at.clone(), is_named }
    }

    /// The preferences that differ from the stored ones.
    fn changes(&self, kept: &BTreeMap<String, Value>) -> BTreeMap<String, Value> {
        let differs = |name: &str| self.known.get(name).is_some_and(|value| kept.get(name) != Some(value));
        let names = [SATELLITE, DEVICE, LANGUAGE, AREA].into_iter().filter(|name| differs(name));
        let mut changes: BTreeMap<String, Value> =
            names.filter_map(|name| Some((name.to_owned(), self.known.get(name)?.clone()))).collect();
        // The old area does not apply to another place.
        if (differs(SATELLITE) || differs(DEVICE)) && self.area().is_none() && kept.contains_key(AREA) {
            changes.insert(AREA.to_owned(), Value::Null);
        }
        changes
    }
}

/// Updates the stored place and language of a session, if they have changed.
pub(super) async fn update_preferences(
    service: &WyomingService,
    session: &SessionView,
    place: &UtteranceSource,
) -> Result<(), Error> {
    let preferences = place.changes(&session.settings.preferences);
    if !preferences.is_empty() {
        let change = Update { preferences, ..Update::default() };
        service.hub.update(&service.owner, &session.session_id.into(), change).await?;
    }
    Ok(())
}

/// The session of a place; a new one is created if there is none to continue.
pub(super) async fn find(service: &WyomingService, place: &UtteranceSource) -> Result<SessionView, Error> {
    let Some(conversation) = &place.conversation else { return unnamed(service, place).await };
    let key = key(name(NAMED, conversation))?;
    let named = SessionRef { session_id: None, conversation_id: Some(key.clone()) };
    match service.hub.session(&service.owner, &named).await {
        Err(Error::NoSession) => start(service, place, key).await,
        found => found,
    }
}

async fn unnamed(service: &WyomingService, place: &UtteranceSource) -> Result<SessionView, Error> {
    let list = SessionList { limit: Some(LOOKED_AT), ..SessionList::default() };
    let sessions = service.hub.sessions(&service.owner, &list).await?;
    let prefix = format!("{}:", name(UNNAMED, &place.at));
    let now = service.hub.now();
    let goes_on = |view: &&SessionView| {
        view.status == SessionStatus::Active
            && view.key.as_ref().is_some_and(|key| key.as_str().starts_with(&prefix))
            && (!view.open_turns.is_empty() || now.since(view.updated_at) < service.pause)
    };
    match sessions.data.iter().find(goes_on) {
        Some(view) => Ok(view.clone()),
        None => start(service, place, key(format!("{prefix}{}", service.hub.ulid()))?).await,
    }
}

async fn start(service: &WyomingService, place: &UtteranceSource, key: SessionName) -> Result<SessionView, Error> {
    let asked = SessionStart { key: Some(key), preferences: place.known.clone(), ..SessionStart::default() };
    match service.hub.start(&service.owner, asked).await {
        // Two simultaneous sentences have created it, one of them in another language.
        Err(Error::NameConflict(existing)) => service.hub.session(&service.owner, &existing.into()).await,
        started => started,
    }
}

/// A session's name; text that is too long or invalid for a name is replaced by its digest.
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

    fn place(data: Value) -> UtteranceSource {
        let areas = Areas::new(["assist_satellite.attic=attic", "192.168.1.7=hall"]).unwrap();
        UtteranceSource::of(&WyomingEvent::new("transcript", data), "192.168.1.7".parse().unwrap(), &areas)
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
            let event = WyomingEvent::new("transcript", json!({ "context": context, "language": language }));
            UtteranceSource::of(&event, "192.168.1.7".parse().unwrap(), &Areas::default())
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
        assert_eq!(unsaid.changes(&kitchen.known), BTreeMap::new(), "values set by hand stay");
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
