//! One connection: events are read and answered one after the other.

use std::net::IpAddr;

use serde_json::{Value, json};
use tokio::{
    io::{self, AsyncWrite, BufReader},
    net::TcpStream,
};

use super::{
    Door, answer,
    frame::{self, Event, FrameError},
    recognise,
};
use crate::listener::ConnectionHandle;

/// Serves a peer until one of the two sides has enough. One that says nothing for too long is let go; it connects again when
/// it has something to say.
pub(super) async fn serve(door: &Door, mut stream: TcpStream, peer: IpAddr, place: &ConnectionHandle) {
    let (from, mut to) = stream.split();
    let mut from = BufReader::new(from);
    loop {
        let event = tokio::select! {
            () = door.stopping.cancelled() => return,
            event = frame::read(&mut from, door.limits.frame_bytes_max, door.idle) => event,
        };
        let done = match event {
            Ok(event) => {
                place.complete();
                handle(door, peer, &event, &mut to).await
            }
            Err(error) => {
                tracing::debug!(%peer, %error, "a wyoming connection ends");
                complain(door, &error, &mut to).await;
                return;
            }
        };
        if let Err(error) = done {
            tracing::debug!(%peer, %error, "a wyoming peer takes no answer");
            return;
        }
    }
}

async fn handle(door: &Door, peer: IpAddr, event: &Event, to: &mut (impl AsyncWrite + Unpin)) -> io::Result<()> {
    let reply = match event.kind.as_str() {
        "transcript" => return answer::answer(door, peer, event, to).await,
        "describe" => door.info.clone(),
        "ping" => Event::new("pong", json!({ "text": event.data.get("text").unwrap_or(&Value::Null) })),
        "recognize" => recognise::recognise(door, peer, event),
        "intent" => {
            let why = "Dwell takes sentences, not intents; send them as transcripts.";
            Event::new("not-handled", json!({ "text": why }))
        }
        // Sound, and whatever later versions may bring, is for others.
        _ => return Ok(()),
    };
    frame::write(to, reply, door.limits.slow_reader).await
}

/// Tells a peer of its mistake. What it sent after that cannot be told apart any more, so the connection ends.
async fn complain(door: &Door, error: &FrameError, to: &mut (impl AsyncWrite + Unpin)) {
    if error.is_mistake() {
        let event = Event::new("error", json!({ "text": error.to_string(), "code": "invalid-event" }));
        // It may not be listening; then there is nobody to tell.
        let _ = frame::write(to, event, door.limits.slow_reader).await;
    }
}
