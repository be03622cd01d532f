//! Has a text spoken: the audio comes back chunk by chunk.

use std::time::Duration;

use serde_json::{Map, Value};

use super::{
    super::frame::{AUDIO_CHUNK, WyomingEvent},
    ServiceAddress,
    audio::AudioFormat,
    convert::Converter,
    link::{LinkError, ServiceLink},
};

/// A text that is being spoken.
pub(super) struct Synthesizer {
    link: ServiceLink,
    /// The format that the listener wants; without it, what the service has.
    wanted: Option<AudioFormat>,
    converter: Option<Converter>,
}

/// The voice that is asked for.
pub(super) fn voice(speaker: Option<&str>, language: Option<&str>) -> Option<Value> {
    let fields = [("name", speaker), ("language", language)];
    let fields: Map<String, Value> =
        fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.into()))).collect();
    (!fields.is_empty()).then_some(Value::Object(fields))
}

impl Synthesizer {
    /// Connects and asks for the audio of a text.
    pub(super) async fn open(
        address: &ServiceAddress,
        synthesize: WyomingEvent,
        wanted: Option<AudioFormat>,
        patience: Duration,
    ) -> Result<Self, LinkError> {
        let mut link = ServiceLink::open(address, patience).await?;
        link.send(synthesize).await?;
        Ok(Self { link, wanted, converter: None })
    }

    /// The next piece of audio with its format; `None` at the end.
    pub(super) async fn next(&mut self) -> Result<Option<(AudioFormat, Vec<i16>)>, LinkError> {
        loop {
            let event = self.link.next().await?;
            match event.kind.as_str() {
                AUDIO_CHUNK => {
                    let spoken = AudioFormat::of(&event.data)
                        .map_err(|why| LinkError::Format { address: self.link.address.clone(), why })?;
                    let wanted = self.wanted.unwrap_or(spoken);
                    let known = self.converter.take().filter(|converter| converter.takes(spoken));
                    let mut converter = known.unwrap_or_else(|| Converter::new(spoken, wanted));
                    let samples = converter.convert(&event.payload);
                    self.converter = Some(converter);
                    return Ok(Some((wanted, samples)));
                }
                "audio-stop" => return Ok(None),
                _ => {}
            }
        }
    }
}
