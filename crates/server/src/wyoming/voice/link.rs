//! A connection to a Wyoming service.

use std::time::Duration;

use tokio::{
    io::{self, BufReader},
    net::{
        TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    time::timeout,
};

use super::{
    super::frame::{self, FrameError, WyomingEvent},
    ServiceAddress,
};

/// How long connecting and one write may take. A satellite gives up after five seconds without an
/// answer to its pings.
const SHORT: Duration = Duration::from_secs(3);
/// Most bytes of an event.
const EVENT_BYTES_MAX: usize = 1024 * 1024;
/// Most characters of a service's error that are repeated.
const ERROR_CHARS_MAX: usize = 200;

/// Why a service is of no use at the moment.
#[derive(Debug, thiserror::Error)]
pub(super) enum LinkError {
    #[error("{address} cannot be reached: {why}")]
    Unreachable { address: ServiceAddress, why: io::Error },
    #[error("the connection to {address} was lost: {why}")]
    Lost { address: ServiceAddress, why: FrameError },
    #[error("{address} reports: {text}")]
    Reported { address: ServiceAddress, text: String },
    #[error("{address} sent audio that cannot be played: {why}")]
    Format { address: ServiceAddress, why: super::audio::BadFormat },
}

/// A connection to a service.
pub(super) struct ServiceLink {
    pub(super) address: ServiceAddress,
    from: BufReader<OwnedReadHalf>,
    to: OwnedWriteHalf,
    patience: Duration,
}

/// Opens a connection within a short time.
pub(super) async fn connect(address: &ServiceAddress) -> io::Result<TcpStream> {
    let stream = timeout(SHORT, TcpStream::connect(address.authority())).await;
    let stream = stream.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))?;
    // Small events should not wait for more.
    stream.set_nodelay(true)?;
    Ok(stream)
}

impl ServiceLink {
    /// Connects. `patience` is how long the service may take for its next event.
    pub(super) async fn open(address: &ServiceAddress, patience: Duration) -> Result<Self, LinkError> {
        let stream = connect(address).await;
        let stream = stream.map_err(|why| LinkError::Unreachable { address: address.clone(), why })?;
        let (from, to) = stream.into_split();
        Ok(Self { address: address.clone(), from: BufReader::new(from), to, patience })
    }

    pub(super) async fn send(&mut self, event: WyomingEvent) -> Result<(), LinkError> {
        let sent = frame::write(&mut self.to, event, SHORT).await;
        sent.map_err(|why| LinkError::Lost { address: self.address.clone(), why: why.into() })
    }

    /// The next event; an error that the service reports is one.
    pub(super) async fn next(&mut self) -> Result<WyomingEvent, LinkError> {
        let event = frame::read(&mut self.from, EVENT_BYTES_MAX, self.patience).await;
        let event = event.map_err(|why| LinkError::Lost { address: self.address.clone(), why })?;
        if event.kind == "error" {
            let text = event.text("text").unwrap_or("an error without a text");
            let text = text.chars().take(ERROR_CHARS_MAX).collect();
            return Err(LinkError::Reported { address: self.address.clone(), text });
        }
        Ok(event)
    }
}
