//! The service `intent`: recognizes what a sentence asks of a home, without doing it.

use std::net::IpAddr;

use serde_json::{Value, json};

use super::{WyomingService, frame::WyomingEvent, sessions::UtteranceSource};

/// Answers `recognize`.
pub(super) fn recognise(service: &WyomingService, peer: IpAddr, asked: &WyomingEvent) -> WyomingEvent {
    let text = asked.text("text").unwrap_or_default();
    let source = UtteranceSource::of(asked, peer, &service.areas);
    // A sentence that needs a follow-up question counts as not recognised.
    let understood = service.hub.understand(text, source.language(), source.area()).filter(|reflex| !reflex.asks_back);
    let Some(reflex) = understood else {
        return WyomingEvent::new("not-recognized", json!({ "text": "I did not understand that." }));
    };
    let slots = reflex.slots.into_iter();
    let entities: Vec<Value> = slots.map(|(name, value)| json!({ "name": name, "value": value })).collect();
    let mut data = json!({ "name": reflex.intent, "entities": entities });
    if let Some(answer) = reflex.answer {
        data["text"] = json!(answer);
    }
    WyomingEvent::new("intent", data)
}
