//! One connection: events are read and answered one after the other.

use std::net::IpAddr;

use serde_json::{Value, json};
use tokio::{
    io::{self, AsyncWrite, BufReader},
    net::TcpStream,
};

use super::{
    WyomingService, answer,
    frame::{self, FrameError, WyomingEvent},
    recognise,
};
use crate::listener::ConnectionHandle;

/// Serves a peer until either side closes the connection. An idle peer is disconnected; it connects
/// again when needed.
pub(super) async fn serve(
    service: &WyomingService,
    mut stream: TcpStream,
    peer: IpAddr,
    connection: &ConnectionHandle,
) {
    let (from, mut to) = stream.split();
    let mut from = BufReader::new(from);
    loop {
        let event = tokio::select! {
            () = service.stopping.cancelled() => return,
            event = frame::read(&mut from, service.limits.frame_bytes_max, service.idle) => event,
        };
        let done = match event {
            Ok(event) => {
                connection.complete();
                handle(service, peer, &event, &mut to).await
            }
            Err(error) => {
                tracing::debug!(%peer, %error, "a Wyoming connection ended");
                complain(service, &error, &mut to).await;
                return;
            }
        };
        if let Err(error) = done {
            tracing::debug!(%peer, %error, "a Wyoming peer does not read the answer");
            return;
        }
    }
}

async fn handle(
    service: &WyomingService,
    peer: IpAddr,
    event: &WyomingEvent,
    to: &mut (impl AsyncWrite + Unpin),
) -> io::Result<()> {
    let reply = match event.kind.as_str() {
        "transcript" => return answer::answer(service, peer, event, to).await,
        "describe" => service.info.clone(),
        "ping" => WyomingEvent::new("pong", json!({ "text": event.data.get("text").unwrap_or(&Value::Null) })),
        "recognize" => recognise::recognise(service, peer, event),
        "intent" => {
            let why = "Dwell takes sentences, not intents; send them as transcripts.";
            WyomingEvent::new("not-handled", json!({ "text": why }))
        }
        // Audio and unknown events are ignored.
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
