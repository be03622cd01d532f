//! What every message is wrapped in.

use serde::Deserialize;
use serde_json::value::RawValue;

/// What Home Assistant says before it knows who asks, and when it does.
#[derive(Debug, Deserialize)]
#[serde(tag = "type")]
pub(in crate::assistant) enum Greeting {
    /// It wants to know.
    #[serde(rename = "auth_required")]
    Asks,
    /// It lets in.
    #[serde(rename = "auth_ok")]
    LetsIn {
        /// Its version.
        #[serde(default)]
        ha_version: Option<String>,
    },
    /// It does not.
    #[serde(rename = "auth_invalid")]
    Refuses,
}

/// A message: an answer or an event, told apart by what it carries.
#[derive(Debug, Deserialize)]
pub(in crate::assistant) struct Envelope<'a> {
    /// Of which command.
    #[serde(default)]
    pub(in crate::assistant) id: u64,
    #[serde(rename = "type")]
    pub(in crate::assistant) kind: &'a str,
    /// Of an answer: whether it was done.
    #[serde(default)]
    pub(in crate::assistant) success: Option<bool>,
    #[serde(borrow, default)]
    pub(in crate::assistant) result: Option<&'a RawValue>,
    #[serde(default)]
    pub(in crate::assistant) error: Option<Fault>,
    #[serde(borrow, default)]
    pub(in crate::assistant) event: Option<&'a RawValue>,
}

/// Why something was not done.
#[derive(Debug, Clone, Default, Deserialize)]
pub(in crate::assistant) struct Fault {
    /// A word for programs; versions before 2024 had numbers here.
    #[serde(default, deserialize_with = "super::lenient::or_default")]
    pub(in crate::assistant) code: String,
    /// Words for people.
    #[serde(default, deserialize_with = "super::lenient::or_default")]
    pub(in crate::assistant) message: String,
}

/// The messages in a text: one, or several that were put together.
pub(in crate::assistant) fn envelopes(text: &str) -> Result<Vec<Envelope<'_>>, serde_json::Error> {
    if text.trim_start().starts_with('[') {
        serde_json::from_str(text)
    } else {
        serde_json::from_str(text).map(|one| vec![one])
    }
}
