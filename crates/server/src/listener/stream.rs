//! The bytes of a connection: as they are, or inside of TLS.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
};

use protocol::{Code, Problem};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio_rustls::{TlsAcceptor, server::TlsStream};

use super::socket::ConnectionSocket;
use crate::problem;

/// The first byte of a TLS handshake.
const HANDSHAKE: u8 = 0x16;

/// The bytes of a connection.
pub(super) enum ServerStream {
    Plain(ConnectionSocket),
    Tls(Box<TlsStream<ConnectionSocket>>),
}

impl ServerStream {
    /// Makes a connection of an accepted socket, with the handshake if the server speaks TLS.
    pub(super) async fn open(mut socket: ConnectionSocket, tls: Option<&TlsAcceptor>) -> io::Result<Self> {
        let Some(tls) = tls else { return Ok(Self::Plain(socket)) };
        let mut first = [0];
        let is_plain = socket.peek(&mut first).await? > 0 && first[0] != HANDSHAKE;
        if is_plain {
            // A client that wrote `http://` by mistake can read why that does not work.
            let problem = Problem::new(
                Code::InvalidRequest,
                "this server speaks TLS, and the request came without it",
                "Use the same address with `https://`, or `wss://` for the WebSocket.",
            );
            socket.write_all(&problem::raw(&problem)).await?;
            socket.shutdown().await?;
            // Closing a socket with unread bytes would discard the answer.
            let mut rest = [0; 1024];
            while socket.read(&mut rest).await? > 0 {}
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a request without TLS"));
        }
        Ok(Self::Tls(Box::new(tls.accept(socket).await?)))
    }

    pub(super) const fn is_tls(&self) -> bool {
        matches!(self, Self::Tls(_))
    }
}

impl AsyncRead for ServerStream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_read(cx, buf),
            Self::Tls(stream) => Pin::new(stream).poll_read(cx, buf),
        }
    }
}

impl AsyncWrite for ServerStream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write(cx, buf),
            Self::Tls(stream) => Pin::new(stream).poll_write(cx, buf),
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write_vectored(cx, bufs),
            Self::Tls(stream) => Pin::new(stream).poll_write_vectored(cx, bufs),
        }
    }

    fn is_write_vectored(&self) -> bool {
        match self {
            Self::Plain(stream) => stream.is_write_vectored(),
            Self::Tls(stream) => stream.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_flush(cx),
            Self::Tls(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Tls(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}
