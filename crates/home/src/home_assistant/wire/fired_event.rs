//! An event that Home Assistant has fired.

use ports::HomeEvent;
use serde::Deserialize;
use serde_json::{Map, Value, value::RawValue};

/// An event, as `zha_event`.
#[derive(Debug, Deserialize)]
pub(in crate::home_assistant) struct FiredEvent {
    pub(in crate::home_assistant) event_type: String,
    #[serde(default)]
    data: Map<String, Value>,
    #[serde(default)]
    time_fired: String,
    #[serde(default)]
    context: EventContext,
}

#[derive(Debug, Default, Deserialize)]
struct EventContext {
    #[serde(default)]
    id: String,
}

impl FiredEvent {
    pub(in crate::home_assistant) fn read(event: &RawValue) -> Result<Self, serde_json::Error> {
        serde_json::from_str(event.get())
    }
}

impl From<FiredEvent> for HomeEvent {
    fn from(fired: FiredEvent) -> Self {
        let FiredEvent { event_type, data, time_fired, context } = fired;
        // What one action has caused has one context, and each event its own time.
        Self { id: format!("{time_fired}/{}", context.id), event_type, data }
    }
}
