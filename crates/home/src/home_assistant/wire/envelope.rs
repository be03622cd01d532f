//! The envelope of every message.

use serde::Deserialize;
use serde_json::value::RawValue;

/// The messages of the authentication phase.
#[derive(Debug, Deserialize)]
#[serde(tag = "type")]
pub(in crate::home_assistant) enum AuthMessage {
    /// Authentication is required.
    #[serde(rename = "auth_required")]
    Required,
    /// Authentication succeeded.
    #[serde(rename = "auth_ok")]
    Ok {
        /// Its version.
        #[serde(default)]
        ha_version: Option<String>,
    },
    /// Authentication failed.
    #[serde(rename = "auth_invalid")]
    Invalid,
}

/// A message: a result or an event, by the fields it has.
#[derive(Debug, Deserialize)]
pub(in crate::home_assistant) struct Envelope<'a> {
    /// The id of the command.
    #[serde(default)]
    pub(in crate::home_assistant) id: u64,
    #[serde(rename = "type")]
    pub(in crate::home_assistant) kind: &'a str,
    /// For a result: whether the command succeeded.
    #[serde(default)]
    pub(in crate::home_assistant) success: Option<bool>,
    #[serde(borrow, default)]
    pub(in crate::home_assistant) result: Option<&'a RawValue>,
    #[serde(default)]
    pub(in crate::home_assistant) error: Option<WireError>,
    #[serde(borrow, default)]
    pub(in crate::home_assistant) event: Option<&'a RawValue>,
}

impl Envelope<'_> {
    /// Whether the command succeeded, if this is a result.
    pub(in crate::home_assistant) fn is_done(&self) -> bool {
        self.success.unwrap_or(self.error.is_none())
    }
}

/// Why a command failed.
#[derive(Debug, Clone, Default, Deserialize)]
pub(in crate::home_assistant) struct WireError {
    /// An error code; versions before 2024 had numbers here.
    #[serde(default, deserialize_with = "super::lenient::or_default")]
    pub(in crate::home_assistant) code: String,
    /// The message for people.
    #[serde(default, deserialize_with = "super::lenient::or_default")]
    pub(in crate::home_assistant) message: String,
}

/// The messages in a text, one or several in a list, and each as it came.
pub(in crate::home_assistant) fn envelopes(text: &str) -> Result<Vec<(Envelope<'_>, &RawValue)>, serde_json::Error> {
    let messages: Vec<&RawValue> = if text.trim_start().starts_with('[') {
        serde_json::from_str(text)?
    } else {
        vec![serde_json::from_str(text)?]
    };
    messages.into_iter().map(|message| Ok((serde_json::from_str(message.get())?, message))).collect()
}
