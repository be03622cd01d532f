//! Speech in and out, through Wyoming services for both (as faster-whisper and Piper).
//!
//! A voice run listens (`listening`), has the audio recognized (`recognizer`), runs the turn like
//! any other sentence, and has the answer spoken (`synthesizer`). It starts with the event
//! `run-pipeline`, from a peer that has connected or from a satellite that Dwell has connected to
//! (`satellites`). What Dwell says there by itself comes from `speakers` and `timers`. Audio is
//! streamed through: no more of it is held than a few chunks.

mod audio;
mod convert;
mod endpoint;
mod error;
mod link;
mod listening;
mod recognizer;
mod request;
mod run;
mod satellites;
mod service_address;
mod speakers;
mod synthesizer;
mod timers;

use std::time::Duration;

pub(super) use request::RunRequest;
pub(super) use run::VoiceRun;
pub(super) use satellites::keep_connected;
pub use service_address::{BadServiceAddress, ServiceAddress};
pub(super) use speakers::{SatelliteOrder, SatelliteQueue};
pub use speakers::{SatelliteSpeakers, SpeakError};
pub(super) use timers::tell_timers;

/// The services for speech, and the satellites.
#[derive(Debug, Clone)]
pub struct VoiceSettings {
    /// The service that recognizes speech.
    pub speech_to_text: Option<ServiceAddress>,
    /// The service that speaks.
    pub text_to_speech: Option<ServiceAddress>,
    /// The language that is spoken, unless a satellite has its own. Without it the service decides.
    pub language: Option<String>,
    /// The name of the voice that speaks. Without it the service decides.
    pub speaker: Option<String>,
    /// The satellites to connect to.
    pub satellites: Vec<Satellite>,
    /// Silence after which a sentence has ended.
    pub silence: Duration,
    /// The longest sentence; a longer one is not handled.
    pub sentence_max: Duration,
    /// How long a service may take for its next event.
    pub patience: Duration,
}

impl Default for VoiceSettings {
    fn default() -> Self {
        Self {
            speech_to_text: None,
            text_to_speech: None,
            language: None,
            speaker: None,
            satellites: Vec::new(),
            silence: Duration::from_millis(800),
            sentence_max: Duration::from_secs(30),
            patience: Duration::from_secs(30),
        }
    }
}

/// A satellite to connect to.
#[derive(Debug, Clone)]
pub struct Satellite {
    /// Its name, by which its conversations and questions are told apart.
    pub name: String,
    /// Where it listens.
    pub address: ServiceAddress,
    /// The area of the home that it is in.
    pub area: Option<String>,
    /// The language that is spoken there.
    pub language: Option<String>,
}
