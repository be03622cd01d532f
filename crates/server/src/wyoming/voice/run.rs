//! One voice run: from speech to text, to an answer, to speech.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use tokio_util::task::AbortOnDropHandle;

use super::{
    super::{
        WyomingService,
        answer::{NoWords, reply_of, run_turn},
        connection::PeerLink,
        frame::WyomingEvent,
    },
    audio,
    error::VoiceError,
    listening::SentenceListener,
    request::{RunEnd, RunRequest, RunStart},
    speakers::{SpeakError, SpokenOrder},
    synthesizer::{self, Synthesizer},
};

/// Chunks of audio that wait for the service, and events that wait for the peer. Beyond that, the
/// other side has to wait.
const WAITING_MAX: usize = 4;

/// A run that goes on beside its connection. Dropping it ends it; a turn that has begun goes on.
pub(in crate::wyoming) struct VoiceRun {
    audio: mpsc::Sender<WyomingEvent>,
    events: mpsc::Receiver<WyomingEvent>,
    /// Whether the peer is being sent audio.
    is_playing: bool,
    /// What is being spoken without having been asked for, and how that has ended.
    order: Option<(SpokenOrder, oneshot::Receiver<Result<(), VoiceError>>)>,
    _task: AbortOnDropHandle<()>,
}

impl VoiceRun {
    /// Starts a run as the event asks for it.
    pub(in crate::wyoming) fn start(service: &Arc<WyomingService>, peer: &PeerLink<'_>, event: &WyomingEvent) -> Self {
        let (audio, heard) = mpsc::channel(WAITING_MAX);
        let (send, events) = mpsc::channel(WAITING_MAX);
        let request = RunRequest::read(peer, event, &service.voice);
        let place = peer.satellite.map_or_else(|| peer.address.to_string(), |satellite| satellite.name.clone());
        let service = service.clone();
        let task = tokio::spawn(async move {
            let done = match request {
                Ok(request) => RunningStages { service: &service, request: &request, events: &send }.run(heard).await,
                Err(error) => Err(error),
            };
            if let Err(error) = done {
                if error.is_worth_a_warning() {
                    tracing::warn!(place, code = error.code(), %error, "a voice run failed");
                } else {
                    tracing::debug!(place, code = error.code(), %error, "a voice run ended early");
                }
                // The peer may be gone.
                let _ = send.send(error.event()).await;
            }
        });
        Self { audio, events, is_playing: false, order: None, _task: AbortOnDropHandle::new(task) }
    }

    /// Speaks at a satellite without having been asked.
    pub(in crate::wyoming) fn speak(service: &Arc<WyomingService>, request: RunRequest, order: SpokenOrder) -> Self {
        let (audio, _) = mpsc::channel(1);
        let (send, events) = mpsc::channel(WAITING_MAX);
        let (ended, outcome) = oneshot::channel();
        let (service, ring) = (service.clone(), order.ring());
        let task = tokio::spawn(async move {
            let stages = RunningStages { service: &service, request: &request, events: &send };
            let is_rung = ring.is_some();
            if let Some(ring) = ring {
                stages.send(ring).await;
            }
            let RunStart::Text(text) = &request.start else { return };
            let spoken = match stages.speak(text, request.language.as_deref()).await {
                // The satellite rings by itself.
                Err(VoiceError::NoSynthesizer) if is_rung => Ok(()),
                spoken => spoken,
            };
            if let Err(error) = &spoken {
                tracing::warn!(place = request.place, code = error.code(), %error, "an alert was not spoken");
            }
            // The connection may be gone.
            let _ = ended.send(spoken);
        });
        Self { audio, events, is_playing: false, order: Some((order, outcome)), _task: AbortOnDropHandle::new(task) }
    }

    /// The event that ends the audio of a run that is replaced.
    pub(in crate::wyoming) fn cut(&self) -> Option<WyomingEvent> {
        self.is_playing.then(audio::stop)
    }

    /// The run is over, and all of its events are sent.
    pub(in crate::wyoming) fn end(self) {
        let Some((order, mut outcome)) = self.order else { return };
        match outcome.try_recv() {
            Ok(spoken) => order.end(spoken.map_err(|error| SpeakError::NotSpoken(error.to_string()))),
            // Its task has crashed: the order is dropped, and its sender is in doubt.
            Err(_) => drop(order),
        }
    }

    /// Passes audio on, or its end. Waits while the service is behind.
    pub(in crate::wyoming) async fn hear(&self, event: WyomingEvent) {
        // Audio after the end of the sentence is not needed.
        let _ = self.audio.send(event).await;
    }

    /// The next event for the peer; `None` when the run is over.
    pub(in crate::wyoming) async fn next(&mut self) -> Option<WyomingEvent> {
        let event = self.events.recv().await?;
        match event.kind.as_str() {
            "audio-start" => self.is_playing = true,
            "audio-stop" => self.is_playing = false,
            _ => {}
        }
        Some(event)
    }
}

/// The stages of a run.
struct RunningStages<'a> {
    service: &'a WyomingService,
    request: &'a RunRequest,
    events: &'a mpsc::Sender<WyomingEvent>,
}

impl RunningStages<'_> {
    async fn run(&self, audio: mpsc::Receiver<WyomingEvent>) -> Result<(), VoiceError> {
        let finds_end = match &self.request.start {
            RunStart::Speech { finds_end } => *finds_end,
            RunStart::Text(text) => {
                // Otherwise a peer that sends audio all the same would wait for it to be heard.
                drop(audio);
                return self.speak(text, self.request.language.as_deref()).await;
            }
        };
        let settings = &self.service.voice;
        if finds_end {
            let asked = self.request.language.as_ref().map_or(json!({}), |language| json!({ "language": language }));
            self.say("transcribe", asked).await;
        }
        let language = self.request.language.as_deref();
        let listening = SentenceListener { settings, language, finds_end, events: self.events };
        let recognized = listening.listen(audio).await?;
        let language = recognized.language.as_deref().or(language);
        let transcript = self.transcript(&recognized.text, language);
        if self.request.end == RunEnd::Transcript {
            self.say("transcript", transcript).await;
            return Ok(());
        }
        if recognized.text.is_empty() {
            return Err(VoiceError::NoWords);
        }
        tracing::debug!(place = self.request.place, "a sentence was recognized");
        self.say("transcript", transcript.clone()).await;
        let spoken = WyomingEvent::new("transcript", transcript);
        // Only a listener to single words could fail.
        let Ok(outcome) = run_turn(self.service, self.request.peer, &spoken, &mut NoWords).await else { return Ok(()) };
        let (kind, text) = reply_of(outcome);
        self.say(kind, json!({ "text": text })).await;
        if self.request.end == RunEnd::Speech { self.speak(&text, language).await } else { Ok(()) }
    }

    /// The data of a transcript.
    fn transcript(&self, text: &str, language: Option<&str>) -> Value {
        let mut data = json!({ "text": text });
        if let Some(language) = language {
            data["language"] = json!(language);
        }
        if !self.request.context.is_null() {
            data["context"] = self.request.context.clone();
        }
        data
    }

    /// Has a text spoken, and passes the audio on.
    async fn speak(&self, text: &str, language: Option<&str>) -> Result<(), VoiceError> {
        let settings = &self.service.voice;
        let address = settings.text_to_speech.as_ref().ok_or(VoiceError::NoSynthesizer)?;
        let voice = self.request.voice.clone();
        let voice = voice.or_else(|| synthesizer::voice(settings.speaker.as_deref(), language));
        let mut asked = json!({ "text": text });
        if let Some(voice) = voice {
            asked["voice"] = voice;
        }
        if matches!(self.request.start, RunStart::Speech { .. }) {
            self.say("synthesize", asked.clone()).await;
        }
        let asked = WyomingEvent::new("synthesize", asked);
        let spoken = Synthesizer::open(address, asked, self.request.plays, settings.patience).await;
        let mut spoken = spoken.map_err(VoiceError::Synthesis)?;
        let mut has_begun = false;
        let ended = loop {
            match spoken.next().await {
                Ok(Some((format, samples))) => {
                    if !has_begun {
                        has_begun = true;
                        self.send(format.start()).await;
                    }
                    self.send(format.chunk(&samples)).await;
                }
                Ok(None) => break Ok(()),
                Err(error) => break Err(VoiceError::Synthesis(error)),
            }
        };
        // Also after a failure, so that the satellite does not wait for more.
        if has_begun {
            self.send(audio::stop()).await;
        }
        ended
    }

    async fn say(&self, kind: &str, data: Value) {
        self.send(WyomingEvent::new(kind, data)).await;
    }

    async fn send(&self, event: WyomingEvent) {
        // If the connection is gone, so is this run.
        let _ = self.events.send(event).await;
    }
}
