//! The format of raw audio, and its events.

use std::fmt;

use serde_json::{Map, Value, json};

use super::super::frame::{AUDIO_CHUNK, WyomingEvent};

/// The format that services for speech recognition take: they were trained with it.
pub(super) const RECOGNITION: AudioFormat = AudioFormat { rate: 16_000, channels: 1 };
/// Bytes of a sample. No other width is taken: microphones and voices use this one.
const WIDTH: u64 = 2;
const RATES: std::ops::RangeInclusive<u64> = 8_000..=96_000;
const CHANNELS: std::ops::RangeInclusive<u64> = 1..=8;

/// A format of audio with samples of 16 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AudioFormat {
    /// Samples in a second.
    pub(super) rate: u32,
    pub(super) channels: u16,
}

/// A format that cannot be taken.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}; Dwell takes 16-bit samples (`width` 2), 8,000 to 96,000 in a second (`rate`), in 1 to 8 `channels`")]
pub(super) struct BadFormat(String);

impl AudioFormat {
    /// Reads the format of an event's data.
    pub(super) fn of(data: &Map<String, Value>) -> Result<Self, BadFormat> {
        let field = |name: &str| data.get(name).and_then(Value::as_u64);
        let (rate, width, channels) = (field("rate"), field("width"), field("channels"));
        match (rate, width, channels) {
            (Some(rate), Some(WIDTH), Some(channels)) if RATES.contains(&rate) && CHANNELS.contains(&channels) => {
                // Both fit, since they are in range.
                Ok(Self { rate: rate as u32, channels: channels as u16 })
            }
            _ => {
                let shown = |value: Option<u64>| value.map_or("none".to_owned(), |value| value.to_string());
                let (rate, width, channels) = (shown(rate), shown(width), shown(channels));
                Err(BadFormat(format!("the audio has rate {rate}, width {width}, channels {channels}")))
            }
        }
    }

    /// The event that starts audio of this format.
    pub(super) fn start(self) -> WyomingEvent {
        WyomingEvent::new("audio-start", self.data())
    }

    /// A chunk of audio.
    pub(super) fn chunk(self, samples: &[i16]) -> WyomingEvent {
        let bytes = samples.iter().flat_map(|sample| sample.to_le_bytes()).collect();
        WyomingEvent::new(AUDIO_CHUNK, self.data()).with_payload(bytes)
    }

    fn data(self) -> Value {
        json!({ "rate": self.rate, "width": WIDTH, "channels": self.channels })
    }
}

impl fmt::Display for AudioFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} Hz, {} channels", self.rate, self.channels)
    }
}

/// The event that ends audio. Older services fail without its data.
pub(super) fn stop() -> WyomingEvent {
    WyomingEvent::new("audio-stop", json!({ "timestamp": null }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(data: Value) -> Result<AudioFormat, BadFormat> {
        AudioFormat::of(data.as_object().unwrap())
    }

    #[test]
    fn formats_of_16_bits_are_taken_and_others_named() {
        let read = format(json!({ "rate": 22050, "width": 2, "channels": 1, "timestamp": 5 }));
        assert_eq!(read.unwrap(), AudioFormat { rate: 22_050, channels: 1 });
        for wrong in [
            json!({}),
            json!({ "rate": 16000, "width": 4, "channels": 1 }),
            json!({ "rate": 16000, "width": 2, "channels": 0 }),
            json!({ "rate": 400_000, "width": 2, "channels": 1 }),
            json!({ "rate": "16000", "width": 2, "channels": 1 }),
        ] {
            assert!(format(wrong).unwrap_err().to_string().contains("16-bit"));
        }
    }
}
