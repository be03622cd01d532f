//! Settings of speech: the services for it, and the satellites.

use std::{collections::BTreeMap, num::NonZeroU64};

use serde::{Deserialize, Serialize};

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct VoiceConfig {
    pub(crate) speech_to_text: String,
    pub(crate) text_to_speech: String,
    pub(crate) language: String,
    pub(crate) speaker: String,
    pub(crate) satellites: BTreeMap<String, SatelliteConfig>,
    pub(crate) silence_ms: NonZeroU64,
    pub(crate) sentence_max_ms: NonZeroU64,
    pub(crate) patience_ms: NonZeroU64,
}

/// A satellite, by its name.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SatelliteConfig {
    pub(crate) uri: String,
    #[serde(default)]
    pub(crate) area: Option<String>,
    #[serde(default)]
    pub(crate) language: Option<String>,
}
