//! An accepted socket: its options, and the timeout for clients that read nothing.

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use socket2::{SockRef, TcpKeepalive};
use tokio::{
    io::{self, AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    time::Instant,
};
use tokio_io_timeout::TimeoutStream;

use super::{ConnectionPermit, connection_phase::ConnectionPhase};
use crate::Limits;

/// Unanswered probes after which the system closes the connection.
const PROBES_MAX: u32 = 3;

/// Sends small messages at once (`TCP_NODELAY`), and detects dead peers: by keep-alive probes while
/// idle, and by unacknowledged data otherwise.
pub(crate) fn prepare(stream: &TcpStream, limits: &Limits) {
    if let Err(error) = stream.set_nodelay(true).and_then(|()| watch(stream, limits)) {
        tracing::debug!(%error, "a connection was gone before it was accepted");
    }
}

fn watch(stream: &TcpStream, limits: &Limits) -> io::Result<()> {
    let socket = SockRef::from(stream);
    // The system uses whole seconds.
    let every = limits.keep_alive.max(Duration::from_secs(1));
    let probes = TcpKeepalive::new().with_time(every).with_interval(every / 2);
    socket.set_tcp_keepalive(&probes.with_retries(PROBES_MAX))?;
    #[cfg(target_os = "linux")]
    // A slow reader is alive as well, and has its own limit.
    socket.set_tcp_user_timeout(Some((every * 2).max(limits.slow_reader)))?;
    Ok(())
}

/// The socket of a connection. It holds the connection's permit, also after an upgrade to another
/// protocol.
pub(super) struct ConnectionSocket {
    stream: Pin<Box<TimeoutStream<TcpStream>>>,
    connection_phase: ConnectionPhase,
    _permit: ConnectionPermit,
}

impl ConnectionSocket {
    pub(super) fn new(
        stream: TcpStream,
        slow_reader: Duration,
        connection_phase: ConnectionPhase,
        permit: ConnectionPermit,
    ) -> Self {
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(slow_reader));
        Self { stream: Box::pin(stream), connection_phase, _permit: permit }
    }

    /// Reads the first bytes and leaves them to be read again.
    pub(super) async fn peek(&self, buf: &mut [u8]) -> io::Result<usize> {
        self.stream.get_ref().peek(buf).await
    }

    fn note(&self, written: &Poll<io::Result<usize>>) {
        if matches!(written, Poll::Ready(Ok(1..))) {
            self.connection_phase.bytes_sent(Instant::now());
        }
    }
}

impl AsyncRead for ConnectionSocket {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let read = self.stream.as_mut().poll_read(cx, buf);
        if buf.filled().len() > before {
            self.connection_phase.bytes_received(Instant::now());
        }
        read
    }
}

impl AsyncWrite for ConnectionSocket {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let written = self.stream.as_mut().poll_write(cx, buf);
        self.note(&written);
        written
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[std::io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = self.stream.as_mut().poll_write_vectored(cx, bufs);
        self.note(&written);
        written
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream.as_mut().poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream.as_mut().poll_shutdown(cx)
    }
}
