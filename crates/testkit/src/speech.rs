//! Wyoming services that recognize and speak by a script, and a satellite: real connections, with
//! audio that says nothing.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};

use crate::WyomingClient;

/// The version of the services' library.
const VERSION: &str = "1.7.2";
/// The format of a microphone.
const MICROPHONE: (u32, u32) = (16_000, 1);
/// Samples in a chunk of a microphone.
const CHUNK: usize = 1_024;

/// What a scripted service does with a request.
#[derive(Debug, Clone)]
pub enum SpeechReply {
    /// It recognizes this text, or speaks what it was given.
    Text(String),
    /// It recognizes this text in this language.
    In(String, String),
    /// It reports an error.
    Error(String),
    /// It closes the connection.
    Close,
}

impl From<&str> for SpeechReply {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

#[derive(Default)]
struct Script {
    replies: VecDeque<SpeechReply>,
    requests: Vec<Value>,
    /// Bytes of audio that were received.
    audio_bytes: usize,
    format: Value,
}

/// A service that recognizes speech (`transcribe`) and speaks (`synthesize`).
pub struct SpeechService {
    uri: String,
    script: Arc<Mutex<Script>>,
    accepting: tokio::task::JoinHandle<()>,
}

impl SpeechService {
    /// Starts it. Without a script it recognizes nothing, and speaks everything.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let uri = format!("tcp://{}", listener.local_addr().expect("an address"));
        let script = Arc::<Mutex<Script>>::default();
        let shared = script.clone();
        let accepting = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, shared.clone()));
            }
        });
        Self { uri, script, accepting }
    }

    /// Its address.
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// What it does next.
    pub fn push(&self, reply: impl Into<SpeechReply>) {
        self.script.lock().expect("no panic").replies.push_back(reply.into());
    }

    /// The data of all requests so far.
    pub fn requests(&self) -> Vec<Value> {
        self.script.lock().expect("no panic").requests.clone()
    }

    /// The bytes of audio that were received since the last call, and their format.
    pub fn take_audio(&self) -> (usize, Value) {
        let mut script = self.script.lock().expect("no panic");
        (std::mem::take(&mut script.audio_bytes), script.format.clone())
    }
}

impl Drop for SpeechService {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn serve(stream: TcpStream, script: Arc<Mutex<Script>>) {
    let mut peer = WyomingClient::on(stream, VERSION);
    while let Some((kind, data)) = peer.try_next().await {
        match kind.as_str() {
            "transcribe" => script.lock().expect("no panic").requests.push(data),
            "audio-start" => script.lock().expect("no panic").format = data,
            "audio-chunk" => script.lock().expect("no panic").audio_bytes += peer.payload().len(),
            "audio-stop" => {
                let reply = script.lock().expect("no panic").replies.pop_front();
                match reply.unwrap_or_else(|| "".into()) {
                    SpeechReply::Text(text) => peer.send("transcript", json!({ "text": text })).await,
                    SpeechReply::In(text, language) => {
                        peer.send("transcript", json!({ "text": text, "language": language })).await;
                    }
                    SpeechReply::Error(text) => peer.send("error", json!({ "text": text })).await,
                    SpeechReply::Close => return,
                }
            }
            "synthesize" => {
                let text = data["text"].as_str().unwrap_or_default().to_owned();
                let reply = {
                    let mut script = script.lock().expect("no panic");
                    script.requests.push(data);
                    script.replies.pop_front()
                };
                match reply {
                    Some(SpeechReply::Error(text)) => peer.send("error", json!({ "text": text })).await,
                    Some(SpeechReply::Close) => return,
                    _ => speak(&mut peer, &text).await,
                }
            }
            _ => {}
        }
    }
}

/// Speaks a text: a tenth of a second for every word, at the rate of Piper's voices.
async fn speak(peer: &mut WyomingClient, text: &str) {
    let format = json!({ "rate": 22_050, "width": 2, "channels": 1 });
    peer.send("audio-start", format.clone()).await;
    for _ in text.split_whitespace() {
        let bytes: Vec<u8> = speech(138).iter().take(2_205).flat_map(|sample| sample.to_le_bytes()).collect();
        peer.send_payload("audio-chunk", format.clone(), &bytes).await;
    }
    peer.send("audio-stop", json!({})).await;
}

/// Samples of a microphone that hears a voice for so many milliseconds.
pub fn speech(ms: usize) -> Vec<i16> {
    (0..ms * 16).map(|at| if at % 40 < 20 { 3_000 } else { -3_000 }).collect()
}

/// Samples of a microphone that hears almost nothing for so many milliseconds.
pub fn silence(ms: usize) -> Vec<i16> {
    (0..ms * 16).map(|at| if at % 2 == 0 { 8 } else { -8 }).collect()
}

/// A satellite: it listens for a server, as the real one does.
pub struct ScriptedSatellite {
    listener: TcpListener,
    uri: String,
}

impl ScriptedSatellite {
    /// Starts it.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let uri = format!("tcp://{}", listener.local_addr().expect("an address"));
        Self { listener, uri }
    }

    /// Its address.
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// The next connection of a server, once it is ready to run pipelines.
    pub async fn connected(&self) -> WyomingClient {
        let (stream, _) = self.listener.accept().await.expect("the server connects");
        let mut server = WyomingClient::on(stream, VERSION);
        assert_eq!(server.next().await.0, "describe");
        let satellite = json!({ "name": "scripted", "area": null, "installed": true });
        server.send("info", json!({ "satellite": satellite })).await;
        assert_eq!(server.next().await.0, "run-satellite");
        server
    }
}

impl WyomingClient {
    /// Starts a run, as a satellite does after its wake word.
    pub async fn run_pipeline(&mut self, end_stage: &str, snd_rate: u32) {
        let snd_format = json!({ "rate": snd_rate, "width": 2, "channels": 1 });
        let run = json!({
            "start_stage": "asr", "end_stage": end_stage, "restart_on_end": false, "snd_format": snd_format,
        });
        self.send("run-pipeline", run).await;
    }

    /// Sends samples of a microphone.
    pub async fn send_audio(&mut self, samples: &[i16]) {
        let (rate, channels) = MICROPHONE;
        for chunk in samples.chunks(CHUNK) {
            let bytes: Vec<u8> = chunk.iter().flat_map(|sample| sample.to_le_bytes()).collect();
            let format = json!({ "rate": rate, "width": 2, "channels": channels, "timestamp": 0 });
            self.send_payload("audio-chunk", format, &bytes).await;
        }
    }

    /// Says a sentence as a microphone hears it, with silence around.
    pub async fn say_aloud(&mut self) {
        self.send_audio(&[silence(200), speech(900), silence(1_500)].concat()).await;
    }

    /// The next event but pings, which are answered.
    pub async fn heard(&mut self) -> (String, Value) {
        loop {
            match self.next().await {
                (kind, data) if kind == "ping" => {
                    assert!(data["text"].is_string(), "older satellites fail without it");
                    self.send("pong", data).await;
                }
                (kind, _) if kind == "pong" => {}
                other => return other,
            }
        }
    }

    /// All events up to one of this type, with the bytes of audio among them.
    pub async fn heard_until(&mut self, last: &str) -> (Vec<(String, Value)>, usize) {
        let (mut events, mut audio_bytes) = (Vec::new(), 0);
        loop {
            let (kind, data) = self.heard().await;
            if kind == "audio-chunk" {
                audio_bytes += self.payload().len();
                continue;
            }
            let is_last = kind == last;
            events.push((kind, data));
            if is_last {
                return (events, audio_bytes);
            }
        }
    }
}
