//! What a voice run is asked to do.

use std::net::IpAddr;

use serde_json::{Map, Value, json};

use super::{
    super::{connection::PeerLink, frame::WyomingEvent},
    VoiceSettings,
    audio::AudioFormat,
    error::VoiceError,
    speakers::SpokenOrder,
};

/// Where a run starts.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RunStart {
    /// With speech. `finds_end`: the end of the sentence is found here.
    Speech { finds_end: bool },
    /// With a text that is spoken.
    Text(String),
}

/// Where a run ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
pub(super) enum RunEnd {
    /// With the text of what was said.
    Transcript,
    /// With the text of the answer.
    Answer,
    /// With the spoken answer.
    Speech,
}

/// A request for a run.
#[derive(Debug)]
pub(in crate::wyoming) struct RunRequest {
    pub(super) peer: IpAddr,
    pub(super) start: RunStart,
    pub(super) end: RunEnd,
    pub(super) language: Option<String>,
    /// The voice that a `synthesize` event asks for.
    pub(super) voice: Option<Value>,
    /// What is known of the place, in the form that transcripts have it.
    pub(super) context: Value,
    /// The format in which the peer plays audio.
    pub(super) plays: Option<AudioFormat>,
    /// The name of the place in logs.
    pub(super) place: String,
}

impl RunRequest {
    /// Reads a request from the event that starts a run.
    pub(super) fn read(
        peer: &PeerLink<'_>,
        event: &WyomingEvent,
        settings: &VoiceSettings,
    ) -> Result<Self, VoiceError> {
        let (start, end) = match event.kind.as_str() {
            "transcribe" => (RunStart::Speech { finds_end: false }, RunEnd::Transcript),
            "synthesize" => (RunStart::Text(event.text("text").unwrap_or_default().to_owned()), RunEnd::Speech),
            _ => stages(event)?,
        };
        let own = peer.satellite.and_then(|satellite| satellite.language.clone());
        let language = event.text("language").map(str::to_owned).or(own).or_else(|| settings.language.clone());
        let plays = event.data.get("snd_format").and_then(Value::as_object).map(AudioFormat::of).transpose()?;
        let place = peer.satellite.map_or_else(|| peer.address.to_string(), |satellite| satellite.name.clone());
        Ok(Self {
            peer: peer.address,
            start,
            end,
            language,
            voice: event.data.get("voice").filter(|voice| voice.is_object()).cloned(),
            context: context(peer, event),
            plays,
            place,
        })
    }
}

/// The format of wyoming-satellite's loudspeaker, as long as a satellite has not named its own.
const LOUDSPEAKER: AudioFormat = AudioFormat { rate: 22_050, channels: 1 };

impl RunRequest {
    /// A sentence that a satellite speaks without having asked. `run` is the latest run that the
    /// satellite has started, which names the format of its loudspeaker.
    pub(in crate::wyoming) fn spoken(
        peer: &PeerLink<'_>,
        order: &SpokenOrder,
        run: Option<&WyomingEvent>,
        settings: &VoiceSettings,
    ) -> Self {
        let format = run.and_then(|run| run.data.get("snd_format")).and_then(Value::as_object).map(AudioFormat::of);
        let own = peer.satellite.and_then(|satellite| satellite.language.clone());
        Self {
            peer: peer.address,
            start: RunStart::Text(order.text.clone()),
            end: RunEnd::Speech,
            language: order.language.clone().or(own).or_else(|| settings.language.clone()),
            voice: None,
            context: Value::Null,
            plays: Some(format.and_then(Result::ok).unwrap_or(LOUDSPEAKER)),
            place: peer.satellite.map_or_else(String::new, |satellite| satellite.name.clone()),
        }
    }
}

fn stages(event: &WyomingEvent) -> Result<(RunStart, RunEnd), VoiceError> {
    let stage = |name: &str| event.text(name).unwrap_or_default();
    let (start, end) = (stage("start_stage"), stage("end_stage"));
    let wrong = || VoiceError::Stages(start.to_owned(), end.to_owned());
    let end = match end {
        "asr" => RunEnd::Transcript,
        "intent" | "handle" => RunEnd::Answer,
        "tts" => RunEnd::Speech,
        _ => return Err(wrong()),
    };
    match start {
        "asr" => Ok((RunStart::Speech { finds_end: true }, end)),
        "wake" => Err(VoiceError::NoWakeWord),
        "tts" if end == RunEnd::Speech => {
            let text = event.text("announce_text").ok_or_else(wrong)?;
            Ok((RunStart::Text(text.to_owned()), end))
        }
        _ => Err(wrong()),
    }
}

/// The context of the sentence: a satellite's own name and area, or what the peer says of itself.
fn context(peer: &PeerLink<'_>, event: &WyomingEvent) -> Value {
    let Some(satellite) = peer.satellite else { return event.data.get("context").cloned().unwrap_or(Value::Null) };
    let mut context = Map::from_iter([("satellite_id".to_owned(), json!(satellite.name))]);
    if let Some(area) = &satellite.area {
        context.insert("area".to_owned(), json!(area));
    }
    Value::Object(context)
}
