//! The framing: a JSON line, which gives the lengths of the data (JSON again) and payload that
//! follow.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::{
    io::{self, AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    time::timeout,
};

/// The version of the protocol's library that this implements.
const VERSION: &str = "1.7.0";
/// Most bytes of the header line, which names the event and the lengths.
const LINE_MAX: usize = 64 * 1024;

/// Why nothing more can be read from a peer.
#[derive(Debug, thiserror::Error)]
pub(super) enum FrameError {
    /// It disconnected between two events.
    #[error("the peer disconnected")]
    Closed,
    /// It disconnected in the middle of an event, or the connection broke.
    #[error("the connection broke: {0}")]
    Io(#[from] io::Error),
    /// It sent nothing for too long.
    #[error("the peer sent nothing for {} s", .0.as_secs())]
    Silent(Duration),
    /// Too many bytes.
    #[error("the {part} has more than {max} bytes")]
    TooLarge {
        /// Which part.
        part: &'static str,
        /// How many it may have.
        max: usize,
    },
    /// It is not an event.
    #[error("the {part} is not an event: {why}")]
    Unreadable {
        /// Which part.
        part: &'static str,
        /// What is wrong with it.
        why: serde_json::Error,
    },
}

impl FrameError {
    /// Whether it is the peer's mistake, which is reported to it.
    pub(super) const fn is_mistake(&self) -> bool {
        matches!(self, Self::TooLarge { .. } | Self::Unreadable { .. })
    }
}

/// The event that carries audio, the only one whose payload is kept.
pub(super) const AUDIO_CHUNK: &str = "audio-chunk";

/// An event.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct WyomingEvent {
    pub(super) kind: String,
    pub(super) data: Map<String, Value>,
    /// The samples of a chunk of audio; empty for other events.
    pub(super) payload: Vec<u8>,
    /// The version of the peer's library.
    pub(super) version: Option<String>,
}

impl WyomingEvent {
    /// An event to send.
    pub(super) fn new(kind: &str, data: Value) -> Self {
        let data = if let Value::Object(data) = data { data } else { Map::new() };
        Self { kind: kind.to_owned(), data, payload: Vec::new(), version: None }
    }

    /// The same with a payload.
    pub(super) fn with_payload(self, payload: Vec<u8>) -> Self {
        Self { payload, ..self }
    }

    /// A text field of its data.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.data.get(name).and_then(Value::as_str)
    }

    /// Whether the peer's library supports streamed answers: since 1.7.
    pub(super) fn knows_pieces(&self) -> bool {
        let mut parts = self.version.as_deref().unwrap_or_default().split('.').map(str::parse::<u32>);
        match (parts.next(), parts.next()) {
            (Some(Ok(major)), Some(Ok(minor))) => (major, minor) >= (1, 7),
            _ => false,
        }
    }
}

#[derive(Deserialize)]
struct FrameHeader {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    data: Option<Map<String, Value>>,
    #[serde(default)]
    data_length: Option<u64>,
    #[serde(default)]
    payload_length: Option<u64>,
    #[serde(default)]
    version: Option<String>,
}

/// The next event, which has to arrive completely within the timeout.
pub(super) async fn read(
    from: &mut (impl AsyncBufRead + Unpin),
    part_max: usize,
    patience: Duration,
) -> Result<WyomingEvent, FrameError> {
    timeout(patience, read_whole(from, part_max)).await.unwrap_or(Err(FrameError::Silent(patience)))
}

async fn read_whole(from: &mut (impl AsyncBufRead + Unpin), part_max: usize) -> Result<WyomingEvent, FrameError> {
    let line_max = LINE_MAX.min(part_max);
    let mut line = Vec::new();
    (&mut *from).take(line_max as u64 + 1).read_until(b'\n', &mut line).await?;
    if line.is_empty() {
        return Err(FrameError::Closed);
    }
    if line.len() > line_max {
        return Err(FrameError::TooLarge { part: "line", max: line_max });
    }
    if line.last() != Some(&b'\n') {
        return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
    }
    let line: FrameHeader =
        serde_json::from_slice(&line).map_err(|why| FrameError::Unreadable { part: "line", why })?;
    let mut data = line.data.unwrap_or_default();
    if let Some(length) = size("data", line.data_length, part_max)? {
        let mut bytes = vec![0; length];
        from.read_exact(&mut bytes).await?;
        let more: Map<String, Value> =
            serde_json::from_slice(&bytes).map_err(|why| FrameError::Unreadable { part: "data", why })?;
        data.extend(more);
    }
    let mut payload = Vec::new();
    match size("payload", line.payload_length, part_max)? {
        Some(length) if line.kind == AUDIO_CHUNK => {
            payload.resize(length, 0);
            from.read_exact(&mut payload).await?;
        }
        Some(length) => skip(from, length).await?,
        None => {}
    }
    Ok(WyomingEvent { kind: line.kind, data, payload, version: line.version })
}

fn size(part: &'static str, length: Option<u64>, max: usize) -> Result<Option<usize>, FrameError> {
    let Some(length) = length.filter(|length| *length > 0) else { return Ok(None) };
    usize::try_from(length).ok().filter(|length| *length <= max).map(Some).ok_or(FrameError::TooLarge { part, max })
}

async fn skip(from: &mut (impl AsyncRead + Unpin), length: usize) -> io::Result<()> {
    let skipped = io::copy(&mut from.take(length as u64), &mut io::sink()).await?;
    if skipped == length as u64 { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

/// Writes an event; the peer has to read it within the timeout.
pub(super) async fn write(
    to: &mut (impl AsyncWrite + Unpin),
    event: WyomingEvent,
    patience: Duration,
) -> io::Result<()> {
    let data = if event.data.is_empty() { String::new() } else { Value::Object(event.data).to_string() };
    let mut line = json!({ "type": event.kind, "version": VERSION });
    if !data.is_empty() {
        line["data_length"] = json!(data.len());
    }
    if !event.payload.is_empty() {
        line["payload_length"] = json!(event.payload.len());
    }
    let mut bytes = format!("{line}\n{data}").into_bytes();
    bytes.extend(event.payload);
    let written = timeout(patience, async {
        to.write_all(&bytes).await?;
        to.flush().await
    });
    written.await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}

#[cfg(test)]
mod tests;
