//! Why a voice run failed, as it is logged and sent to the peer.

use std::time::Duration;

use serde_json::json;

use super::{super::frame::WyomingEvent, audio::BadFormat, link::LinkError};

/// Why a voice run failed. The codes are those of Home Assistant where it has one, since satellites
/// know these.
#[derive(Debug, thiserror::Error)]
pub(super) enum VoiceError {
    #[error(
        "there is no service for speech recognition; set `voice.speech_to_text`, for example to tcp://127.0.0.1:10300"
    )]
    NoRecognizer,
    #[error("there is no service that speaks; set `voice.text_to_speech`, for example to tcp://127.0.0.1:10200")]
    NoSynthesizer,
    #[error(
        "the satellite wants Dwell to find its wake word; let the satellite do it (`--wake-uri` of wyoming-satellite), so that \
         it sends audio only after that"
    )]
    NoWakeWord,
    #[error("there is no run from `{0}` to `{1}`; it starts at `asr` or `tts`, and ends at `asr`, `handle` or `tts`")]
    Stages(String, String),
    #[error(transparent)]
    Format(#[from] BadFormat),
    #[error("no words were heard")]
    NoWords,
    #[error("the sentence is longer than {} s (`voice.sentence_max_ms`)", .0.as_secs())]
    TooLong(Duration),
    #[error("the audio stopped for {} s in the middle of a sentence", .0.as_secs())]
    Stopped(Duration),
    #[error("failed to recognize speech: {0}")]
    Recognition(LinkError),
    #[error("failed to speak: {0}")]
    Synthesis(LinkError),
}

impl VoiceError {
    pub(super) const fn code(&self) -> &'static str {
        match self {
            Self::NoRecognizer => "stt-provider-missing",
            Self::NoSynthesizer => "tts-not-supported",
            Self::NoWakeWord => "wake-provider-missing",
            Self::Stages(..) => "unsupported-stages",
            Self::Format(_) => "stt-provider-unsupported-metadata",
            Self::NoWords => "stt-no-text-recognized",
            Self::TooLong(_) | Self::Stopped(_) | Self::Recognition(_) => "stt-stream-failed",
            Self::Synthesis(_) => "tts-failed",
        }
    }

    /// Whether the operator can do something about it; silence is everyday.
    pub(super) const fn is_worth_a_warning(&self) -> bool {
        !matches!(self, Self::NoWords)
    }

    /// The event that reports it.
    pub(super) fn event(&self) -> WyomingEvent {
        WyomingEvent::new("error", json!({ "text": self.to_string(), "code": self.code() }))
    }
}
