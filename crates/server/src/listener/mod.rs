//! Accepting connections: limited in total, per peer and per owner, with timeouts for silent ones.
//!
//! `connection_table` decides which connections are admitted and which are displaced.
//! `connection_phase` tracks the phase of a connection and its timeouts. `socket` sets the system's
//! socket options. `tls` has the certificate, and `stream` is a connection with or without TLS; the
//! handshake is part of the time that the head of the first request may take.

mod answer;
mod connection_phase;
mod connection_table;
mod connections;
mod socket;
mod stream;
mod tls;

use std::{
    convert::Infallible,
    future::poll_fn,
    io,
    net::SocketAddr,
    pin::{Pin, pin},
    sync::Arc,
    task::Poll,
    time::Duration,
};

use axum::{Router, body::Body, extract::ConnectInfo};
use hyper::{Request, body::Incoming, server::conn::http1, service::Service};
use hyper_util::{rt::TokioIo, service::TowerToHyperService};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    time::{Instant, sleep_until, timeout},
};
use tokio_rustls::TlsAcceptor;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

pub use self::tls::{TlsCertificate, TlsError};
use self::{
    answer::{AnswerBody, RequestGuard},
    connection_phase::{ConnectionPhase, ConnectionTimeouts},
    socket::ConnectionSocket,
    stream::ServerStream,
};
pub(crate) use self::{
    connection_table::LimitScope,
    connections::{ConnectionHandle, ConnectionPermit, Connections},
    socket::prepare,
};
use crate::{Limits, access::OverTls, problem};

/// Most bytes of a request's head; a longer one is refused.
const BUFFER_BYTES_MAX: usize = 64 * 1024;
/// How long to wait before accepting again when the system cannot open another connection.
const BREATH: Duration = Duration::from_millis(50);
/// Refused connections that get an answer at the same time; more are closed without one.
const REFUSALS_MAX: usize = 64;
/// How long a refused client may take to read the answer.
const REFUSAL_TIME: Duration = Duration::from_secs(1);

/// What the connections of the listener share.
pub(crate) struct HttpServer {
    pub(crate) router: Router,
    pub(crate) connections: Arc<Connections>,
    pub(crate) limits: Limits,
    pub(crate) stopping: CancellationToken,
    /// The side of TLS, if the server speaks it.
    pub(crate) tls: Option<TlsAcceptor>,
}

impl HttpServer {
    /// Serves connections until the server stops and every one has ended.
    pub(crate) async fn serve(self, listener: TcpListener) {
        let server = Arc::new(self);
        let (tasks, refusals) = (TaskTracker::new(), Arc::new(Semaphore::new(REFUSALS_MAX)));
        loop {
            let accepted = tokio::select! {
                biased;
                () = server.stopping.cancelled() => break,
                accepted = listener.accept() => accepted,
            };
            let (stream, address) = match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    server.recover(&error).await;
                    continue;
                }
            };
            match server.connections.admit(address.ip()) {
                Ok(permit) => drop(tasks.spawn(server.clone().serve_one(stream, address, permit))),
                Err(full) => server.refuse(stream, full, &refusals),
            }
        }
        drop(listener);
        tasks.close();
        tasks.wait().await;
    }

    /// Recovers after a connection could not be accepted.
    async fn recover(&self, error: &io::Error) {
        use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
        if matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset) {
            return;
        }
        tracing::warn!(%error, "a connection could not be accepted");
        self.connections.displace();
        tokio::time::sleep(BREATH).await;
    }

    /// Answers why a connection is refused, unless many refusals are being answered already.
    fn refuse(&self, stream: TcpStream, full: LimitScope, refusals: &Arc<Semaphore>) {
        // A handshake only to refuse would cost more than the connection that is refused.
        if self.tls.is_some() {
            return;
        }
        let Ok(permit) = refusals.clone().try_acquire_owned() else { return };
        let answer = problem::raw(&self.connections.problem(full));
        tokio::spawn(async move {
            // A peer that does not read is disconnected all the same.
            let _ = timeout(REFUSAL_TIME, say(stream, &answer)).await;
            drop(permit);
        });
    }

    async fn serve_one(self: Arc<Self>, stream: TcpStream, address: SocketAddr, permit: ConnectionPermit) {
        let Self { router, connections, limits, stopping, .. } = &*self;
        socket::prepare(&stream, limits);
        let (connection_phase, displaced, handle) =
            (ConnectionPhase::new(Instant::now()), permit.displaced(), permit.handle());
        let patience = ConnectionTimeouts { header: limits.header, idle: limits.idle };
        let socket = ConnectionSocket::new(stream, limits.slow_reader, connection_phase.clone(), permit);
        let Some(stream) = self.open(socket, &displaced, address).await else { return };
        let (router, is_tls) = (TowerToHyperService::new(router.clone()), stream.is_tls());
        let (phase, socket) = (connection_phase.clone(), TokioIo::new(stream));
        let requests = RequestService { router, address, is_tls, handle: handle.clone(), connection_phase: phase };
        // Our own timer distinguishes the head of a request from the idle time between two
        // requests.
        let mut http = http1::Builder::new();
        http.header_read_timeout(None).max_buf_size(BUFFER_BYTES_MAX);
        let mut connection = pin!(http.serve_connection(socket, requests).with_upgrades());
        let (mut displaced, mut stopping) = (pin!(displaced.cancelled()), pin!(stopping.cancelled()));
        let mut alarm = pin!(sleep_until(Instant::now() + patience.header));
        let mut is_stopping = false;
        let ended = poll_fn(|cx| {
            if let Poll::Ready(done) = connection.as_mut().poll(cx) {
                return Poll::Ready(ConnectionOutcome::Done(done));
            }
            if displaced.as_mut().poll(cx).is_ready() {
                return Poll::Ready(ConnectionOutcome::Displaced);
            }
            if !is_stopping && stopping.as_mut().poll(cx).is_ready() {
                is_stopping = true;
                connection.as_mut().graceful_shutdown();
                // Polls again, to see the effect.
                cx.waker().wake_by_ref();
            }
            if is_stopping && connection_phase.is_incomplete() {
                return Poll::Ready(ConnectionOutcome::Done(Ok(())));
            }
            let Some(due) = connection_phase.due(&patience, handle.is_known()) else { return Poll::Pending };
            if alarm.deadline() != due {
                alarm.as_mut().reset(due);
            }
            alarm.as_mut().poll(cx).map(|()| ConnectionOutcome::TimedOut)
        });
        match ended.await {
            ConnectionOutcome::Done(Ok(())) => {}
            ConnectionOutcome::Done(Err(error)) => tracing::debug!(%address, %error, "a connection broke"),
            ConnectionOutcome::Displaced => say_displaced(address),
            ConnectionOutcome::TimedOut => {
                connections.count_timed_out();
                tracing::debug!(%address, "a connection was closed: no request arrived in time");
            }
        }
    }

    /// Makes the handshake, if the server speaks TLS, within the time that a head may take.
    async fn open(
        &self,
        socket: ConnectionSocket,
        displaced: &CancellationToken,
        address: SocketAddr,
    ) -> Option<ServerStream> {
        let opening = timeout(self.limits.header, ServerStream::open(socket, self.tls.as_ref()));
        let opened = tokio::select! {
            biased;
            () = self.stopping.cancelled() => return None,
            () = displaced.cancelled() => {
                say_displaced(address);
                return None;
            }
            opened = opening => opened,
        };
        match opened {
            Ok(Ok(stream)) => Some(stream),
            Ok(Err(error)) => {
                tracing::debug!(%address, %error, "a TLS handshake failed");
                None
            }
            Err(_) => {
                self.connections.count_timed_out();
                tracing::debug!(%address, "a connection was closed: its TLS handshake took too long");
                None
            }
        }
    }
}

fn say_displaced(address: SocketAddr) {
    tracing::debug!(%address, "a connection without a credential was closed for a newer one");
}

/// How a connection ended.
enum ConnectionOutcome {
    Done(hyper::Result<()>),
    Displaced,
    TimedOut,
}

/// Sends a peer the refusal, and waits until it has closed its end: closing a socket with unread
/// bytes would discard the answer.
async fn say(mut stream: TcpStream, answer: &[u8]) -> io::Result<()> {
    stream.write_all(answer).await?;
    stream.shutdown().await?;
    let mut rest = [0; 1024];
    while stream.read(&mut rest).await? > 0 {}
    Ok(())
}

/// The service for the requests of a connection.
struct RequestService {
    router: TowerToHyperService<Router>,
    address: SocketAddr,
    is_tls: bool,
    handle: ConnectionHandle,
    connection_phase: ConnectionPhase,
}

impl Service<Request<Incoming>> for RequestService {
    type Response = axum::http::Response<AnswerBody>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let answering = RequestGuard::begin(self.connection_phase.clone(), self.handle.clone());
        let mut request = request.map(Body::new);
        let extensions = request.extensions_mut();
        extensions.insert(ConnectInfo(self.address));
        extensions.insert(self.handle.clone());
        if self.is_tls {
            extensions.insert(OverTls);
        }
        let answered = self.router.call(request);
        Box::pin(async move { Ok(answered.await?.map(|body| AnswerBody::new(body, answering))) })
    }
}
