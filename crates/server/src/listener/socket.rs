//! A socket that was accepted: what the system is told of it, and one that takes nothing for too long is cut off.

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

use super::{ConnectionPermit, pace::Pace};
use crate::Limits;

/// Probes without an answer after which the system gives a peer up.
const PROBES_MAX: u32 = 3;

/// Has small messages leave at once, and has the system notice a peer that is gone without a word: by probes while nothing is
/// sent, and by what stays unacknowledged otherwise.
pub(crate) fn prepare(stream: &TcpStream, limits: &Limits) {
    if let Err(error) = stream.set_nodelay(true).and_then(|()| watch(stream, limits)) {
        tracing::debug!(%error, "a connection was gone before it was accepted");
    }
}

fn watch(stream: &TcpStream, limits: &Limits) -> io::Result<()> {
    let socket = SockRef::from(stream);
    // The system counts whole seconds.
    let every = limits.keep_alive.max(Duration::from_secs(1));
    let probes = TcpKeepalive::new().with_time(every).with_interval(every / 2);
    socket.set_tcp_keepalive(&probes.with_retries(PROBES_MAX))?;
    #[cfg(target_os = "linux")]
    // A client that reads slowly is there as well, and has its own limit.
    socket.set_tcp_user_timeout(Some((every * 2).max(limits.slow_reader)))?;
    Ok(())
}

/// The socket of a connection. It holds the connection's place, whatever protocol is spoken over it in the end.
pub(super) struct Socket {
    stream: Pin<Box<TimeoutStream<TcpStream>>>,
    pace: Pace,
    _permit: ConnectionPermit,
}

impl Socket {
    pub(super) fn new(stream: TcpStream, slow_reader: Duration, pace: Pace, permit: ConnectionPermit) -> Self {
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(slow_reader));
        Self { stream: Box::pin(stream), pace, _permit: permit }
    }

    fn note(&self, written: &Poll<io::Result<usize>>) {
        if matches!(written, Poll::Ready(Ok(1..))) {
            self.pace.told(Instant::now());
        }
    }
}

impl AsyncRead for Socket {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let read = self.stream.as_mut().poll_read(cx, buf);
        if buf.filled().len() > before {
            self.pace.heard(Instant::now());
        }
        read
    }
}

impl AsyncWrite for Socket {
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
