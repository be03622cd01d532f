//! Has speech recognized: audio goes out as it comes in, and the text comes back at the end.

use std::time::Duration;

use serde_json::json;

use super::{
    super::frame::WyomingEvent,
    ServiceAddress,
    audio::{self, RECOGNITION},
    link::{LinkError, ServiceLink},
};

/// Recognized speech.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RecognizedText {
    pub(super) text: String,
    /// The language, if the service names it.
    pub(super) language: Option<String>,
}

/// One sentence on its way to the service.
pub(super) struct Recognizer {
    link: ServiceLink,
}

impl Recognizer {
    /// Connects and announces the audio.
    pub(super) async fn open(
        address: &ServiceAddress,
        language: Option<&str>,
        patience: Duration,
    ) -> Result<Self, LinkError> {
        let mut link = ServiceLink::open(address, patience).await?;
        let asked = language.map_or_else(|| json!({}), |language| json!({ "language": language }));
        link.send(WyomingEvent::new("transcribe", asked)).await?;
        link.send(RECOGNITION.start()).await?;
        Ok(Self { link })
    }

    /// Sends more audio.
    pub(super) async fn hear(&mut self, samples: &[i16]) -> Result<(), LinkError> {
        if samples.is_empty() { Ok(()) } else { self.link.send(RECOGNITION.chunk(samples)).await }
    }

    /// Ends the audio and waits for its text.
    pub(super) async fn finish(mut self) -> Result<RecognizedText, LinkError> {
        self.link.send(audio::stop()).await?;
        loop {
            let event = self.link.next().await?;
            // Newer services announce the text and send it in pieces, and then whole.
            if event.kind == "transcript" {
                let text = event.text("text").unwrap_or_default().trim().to_owned();
                return Ok(RecognizedText { text, language: event.text("language").map(str::to_owned) });
            }
        }
    }
}
