//! Listens to one sentence, and has it recognized while it is spoken.

use std::time::Duration;

use serde_json::json;
use tokio::{sync::mpsc, time::timeout};

use super::{
    super::frame::{AUDIO_CHUNK, WyomingEvent},
    VoiceSettings,
    audio::{AudioFormat, RECOGNITION},
    convert::Converter,
    endpoint::{Endpoint, SpeechChange, time_of},
    error::VoiceError,
    recognizer::{RecognizedText, Recognizer},
};

/// How long the audio may stop.
const STOPPED_MAX: Duration = Duration::from_secs(10);

/// Listens to a sentence until it ends, and returns its text.
pub(super) struct SentenceListener<'a> {
    pub(super) settings: &'a VoiceSettings,
    pub(super) language: Option<&'a str>,
    /// Whether the end of the sentence is found here; otherwise the peer marks it.
    pub(super) finds_end: bool,
    /// Where it is told that words began and ended.
    pub(super) events: &'a mpsc::Sender<WyomingEvent>,
}

impl SentenceListener<'_> {
    /// The text of the sentence. When it returns, no more audio is taken.
    pub(super) async fn listen(self, mut audio: mpsc::Receiver<WyomingEvent>) -> Result<RecognizedText, VoiceError> {
        let address = self.settings.speech_to_text.as_ref().ok_or(VoiceError::NoRecognizer)?;
        let recognizer = Recognizer::open(address, self.language, self.settings.patience).await;
        let mut recognizer = recognizer.map_err(VoiceError::Recognition)?;
        self.hear(&mut audio, &mut recognizer).await?;
        drop(audio);
        recognizer.finish().await.map_err(VoiceError::Recognition)
    }

    async fn hear(
        &self,
        audio: &mut mpsc::Receiver<WyomingEvent>,
        recognizer: &mut Recognizer,
    ) -> Result<(), VoiceError> {
        let mut endpoint = Endpoint::new(self.settings.silence);
        let mut converter: Option<Converter> = None;
        let mut heard = 0;
        loop {
            let event = timeout(STOPPED_MAX, audio.recv()).await.map_err(|_| VoiceError::Stopped(STOPPED_MAX))?;
            let Some(event) = event.filter(|event| event.kind == AUDIO_CHUNK) else { break };
            let format = AudioFormat::of(&event.data)?;
            let known = converter.take().filter(|converter| converter.takes(format));
            let samples =
                converter.insert(known.unwrap_or_else(|| Converter::new(format, RECOGNITION))).convert(&event.payload);
            heard += samples.len();
            if time_of(heard) > self.settings.sentence_max {
                return Err(VoiceError::TooLong(self.settings.sentence_max));
            }
            recognizer.hear(&samples).await.map_err(VoiceError::Recognition)?;
            if !self.finds_end {
                continue;
            }
            match endpoint.hear(&samples) {
                SpeechChange::Same => {}
                SpeechChange::Began => self.say("voice-started", heard).await,
                SpeechChange::Ended => {
                    self.say("voice-stopped", heard).await;
                    return Ok(());
                }
                SpeechChange::Nothing => return Err(VoiceError::NoWords),
            }
        }
        if self.finds_end && !endpoint.has_begun() { Err(VoiceError::NoWords) } else { Ok(()) }
    }

    async fn say(&self, kind: &str, heard: usize) {
        let at = u64::try_from(time_of(heard).as_millis()).unwrap_or(u64::MAX);
        // If the peer is gone, so is this run.
        let _ = self.events.send(WyomingEvent::new(kind, json!({ "timestamp": at }))).await;
    }
}
