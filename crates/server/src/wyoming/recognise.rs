//! The service `intent`: what a sentence asks of a home, said without doing it.

use std::net::IpAddr;

use serde_json::{Value, json};

use super::{Door, frame::Event, sessions::Place};

/// Answers `recognize`.
pub(super) fn recognise(door: &Door, peer: IpAddr, asked: &Event) -> Event {
    let text = asked.text("text").unwrap_or_default();
    let place = Place::of(asked, peer, &door.areas);
    // What would have to be asked back about is not recognised.
    let understood = door.hub.understand(text, place.language(), place.area()).filter(|reflex| !reflex.asks_back);
    let Some(reflex) = understood else {
        return Event::new("not-recognized", json!({ "text": "I do not know what that asks for." }));
    };
    let slots = reflex.slots.into_iter();
    let entities: Vec<Value> = slots.map(|(name, value)| json!({ "name": name, "value": value })).collect();
    let mut data = json!({ "name": reflex.intent, "entities": entities });
    if let Some(answer) = reflex.answer {
        data["text"] = json!(answer);
    }
    Event::new("intent", data)
}
