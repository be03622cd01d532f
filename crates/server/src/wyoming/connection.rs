//! One connection: events are read and answered one after the other. A voice run goes on beside
//! that, since its audio arrives while it answers.

use std::{fmt, future::pending, net::IpAddr, sync::Arc, time::Duration};

use serde_json::{Value, json};
use tokio::{
    io::{self, AsyncWrite, BufReader},
    net::TcpStream,
    time::{Interval, MissedTickBehavior, interval},
};

use super::{
    WyomingService, answer,
    frame::{self, FrameError, WyomingEvent},
    recognise,
    voice::{RunRequest, Satellite, SatelliteOrder, SatelliteQueue, VoiceRun},
};
use crate::listener::ConnectionHandle;

/// The event that starts a voice run.
const RUN_PIPELINE: &str = "run-pipeline";
/// How often a satellite is pinged.
const PING_EVERY: Duration = Duration::from_secs(5);
/// How long a satellite may send nothing, not even an answer to pings.
const SATELLITE_SILENCE: Duration = Duration::from_secs(20);

/// The other side of a connection.
#[derive(Clone, Copy)]
pub(super) struct PeerLink<'a> {
    pub(super) address: IpAddr,
    /// The satellite that Dwell has connected to.
    pub(super) satellite: Option<&'a Satellite>,
    /// The place among the connections of the listener.
    place: Option<&'a ConnectionHandle>,
}

/// Why a connection ended.
#[derive(Debug)]
pub(super) enum ConnectionEnd {
    /// The server stops.
    Stopping,
    /// Nothing more can be read.
    Unreadable(FrameError),
    /// The peer does not read.
    Unread(io::Error),
}

impl fmt::Display for ConnectionEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopping => f.write_str("the server stops"),
            Self::Unreadable(error) => error.fmt(f),
            Self::Unread(error) => write!(f, "the peer does not read what is sent: {error}"),
        }
    }
}

/// Serves a peer that has connected. An idle peer is disconnected; it connects again when needed.
pub(super) async fn serve_peer(
    service: &Arc<WyomingService>,
    mut stream: TcpStream,
    address: IpAddr,
    place: &ConnectionHandle,
) {
    let peer = PeerLink { address, satellite: None, place: Some(place) };
    let end = serve(service, &mut stream, peer, None).await;
    tracing::debug!(%address, %end, "a Wyoming connection ended");
}

/// Serves a satellite that Dwell has connected to.
pub(super) async fn serve_satellite(
    service: &Arc<WyomingService>,
    mut stream: TcpStream,
    satellite: &Satellite,
) -> ConnectionEnd {
    let address = match stream.peer_addr() {
        Ok(address) => address.ip(),
        Err(error) => return ConnectionEnd::Unread(error),
    };
    for kind in ["describe", "run-satellite"] {
        let event = WyomingEvent::new(kind, json!({}));
        if let Err(error) = frame::write(&mut stream, event, service.limits.slow_reader).await {
            return ConnectionEnd::Unread(error);
        }
    }
    let peer = PeerLink { address, satellite: Some(satellite), place: None };
    let orders = service.speakers.join(&satellite.name);
    let end = serve(service, &mut stream, peer, Some(orders)).await;
    if matches!(end, ConnectionEnd::Stopping) {
        // The satellite may be gone already.
        let pause = WyomingEvent::new("pause-satellite", json!({}));
        let _ = frame::write(&mut stream, pause, service.limits.slow_reader).await;
    }
    end
}

/// Serves the other side until either closes the connection.
async fn serve(
    service: &Arc<WyomingService>,
    stream: &mut TcpStream,
    peer: PeerLink<'_>,
    mut orders: Option<SatelliteQueue>,
) -> ConnectionEnd {
    let (from, mut to) = stream.split();
    let mut from = BufReader::new(from);
    let mut run: Option<VoiceRun> = None;
    // The latest run that the peer has started.
    let mut started: Option<WyomingEvent> = None;
    let mut pings = peer.satellite.map(|_| ticking());
    loop {
        let event = {
            let patience = patience(service, &peer, run.is_some());
            let read = frame::read(&mut from, service.limits.frame_bytes_max, patience);
            // It stays the same read while other things are sent, so that no byte is lost.
            tokio::pin!(read);
            loop {
                let is_free = run.is_none();
                let sent = tokio::select! {
                    () = service.stopping.cancelled() => return ConnectionEnd::Stopping,
                    event = &mut read => break event,
                    event = next_of(&mut run) => event,
                    // Not in the middle of a sentence.
                    order = next_order(&mut orders), if is_free => match order {
                        SatelliteOrder::Tell(event) => Some(event),
                        SatelliteOrder::Speak(order) => {
                            if order.is_wanted() {
                                let request = RunRequest::spoken(&peer, &order, started.as_ref(), &service.voice);
                                run = Some(VoiceRun::speak(service, request, order));
                            }
                            continue;
                        }
                    },
                    // Older satellites fail on a ping without data.
                    () = tick(&mut pings) => Some(WyomingEvent::new("ping", json!({ "text": "dwell" }))),
                };
                match sent {
                    Some(event) => {
                        if let Err(error) = frame::write(&mut to, event, service.limits.slow_reader).await {
                            return ConnectionEnd::Unread(error);
                        }
                    }
                    None => {
                        if let Some(run) = run.take() {
                            run.end();
                        }
                    }
                }
            }
        };
        match event {
            Ok(event) => {
                if let Some(place) = peer.place {
                    place.complete();
                }
                if event.kind == RUN_PIPELINE {
                    started = Some(event.clone());
                }
                if let Err(error) = handle(service, &peer, event, &mut run, &mut to).await {
                    return ConnectionEnd::Unread(error);
                }
            }
            Err(error) => {
                complain(service, &error, &mut to).await;
                return ConnectionEnd::Unreadable(error);
            }
        }
    }
}

/// How long to wait for the next event. A peer sends nothing while it waits for an answer.
fn patience(service: &WyomingService, peer: &PeerLink<'_>, has_run: bool) -> Duration {
    match peer.satellite {
        Some(_) => SATELLITE_SILENCE,
        None if has_run => service.idle + service.patience + service.voice.patience * 2,
        None => service.idle,
    }
}

fn ticking() -> Interval {
    let mut pings = interval(PING_EVERY);
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    pings
}

async fn tick(pings: &mut Option<Interval>) {
    match pings {
        Some(pings) => {
            pings.tick().await;
        }
        None => pending().await,
    }
}

/// The next order for a satellite.
async fn next_order(orders: &mut Option<SatelliteQueue>) -> SatelliteOrder {
    match orders {
        Some(orders) => orders.next().await,
        None => pending().await,
    }
}

/// The next event of a voice run; `None` if it has ended.
async fn next_of(run: &mut Option<VoiceRun>) -> Option<WyomingEvent> {
    match run {
        Some(run) => run.next().await,
        None => pending().await,
    }
}

async fn handle(
    service: &Arc<WyomingService>,
    peer: &PeerLink<'_>,
    event: WyomingEvent,
    run: &mut Option<VoiceRun>,
    to: &mut (impl AsyncWrite + Unpin + Send),
) -> io::Result<()> {
    let reply = match event.kind.as_str() {
        "transcript" => return answer::answer(service, peer.address, &event, to).await,
        "describe" => service.info.clone(),
        "ping" => WyomingEvent::new("pong", json!({ "text": event.data.get("text").unwrap_or(&Value::Null) })),
        "recognize" => recognise::recognise(service, peer.address, &event),
        "intent" => {
            let why = "Dwell takes sentences, not intents; send them as transcripts.";
            WyomingEvent::new("not-handled", json!({ "text": why }))
        }
        RUN_PIPELINE | "transcribe" | "synthesize" => {
            // A new run replaces the one before: the user has spoken again.
            let cut = run.take().and_then(|run| run.cut());
            *run = Some(VoiceRun::start(service, peer, &event));
            match cut {
                Some(stop) => stop,
                None => return Ok(()),
            }
        }
        frame::AUDIO_CHUNK | "audio-stop" => {
            if let Some(run) = run {
                run.hear(event).await;
            }
            return Ok(());
        }
        // Other events are ignored.
        _ => return Ok(()),
    };
    frame::write(to, reply, service.limits.slow_reader).await
}

/// Reports a framing error to the peer. Later bytes cannot be parsed, so the connection ends.
async fn complain(service: &WyomingService, error: &FrameError, to: &mut (impl AsyncWrite + Unpin)) {
    if error.is_mistake() {
        let event = WyomingEvent::new("error", json!({ "text": error.to_string(), "code": "invalid-event" }));
        // The peer may be gone already.
        let _ = frame::write(to, event, service.limits.slow_reader).await;
    }
}
