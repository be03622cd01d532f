//! Accepting connections: only so many in all, from one peer and of one owner, and none that keeps its place by silence.
//!
//! `table` decides who gets a place and who gives way. `pace` knows how far a connection is with its request and how long
//! it may take. `socket` is what the system is told of a connection.

mod answer;
mod connections;
mod pace;
mod socket;
mod table;

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
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use self::{
    answer::{AnswerBody, Answering},
    pace::{Pace, Patience},
    socket::Socket,
};
pub(crate) use self::{
    connections::{ConnectionHandle, ConnectionPermit, Connections},
    socket::prepare,
    table::Full,
};
use crate::{Limits, problem};

/// Bytes of a request that are held until they are understood: a head that is longer is refused.
const BUFFER_BYTES_MAX: usize = 64 * 1024;
/// How long to wait before accepting again when the system has no room for one more connection.
const BREATH: Duration = Duration::from_millis(50);
/// Connections at once that are told why they are refused; more are closed without a word.
const REFUSALS_MAX: usize = 64;
/// How long one that is refused has to take in why.
const REFUSAL_TIME: Duration = Duration::from_secs(1);

/// What the connections of the listener share.
pub(crate) struct HttpServer {
    pub(crate) router: Router,
    pub(crate) connections: Arc<Connections>,
    pub(crate) limits: Limits,
    pub(crate) stopping: CancellationToken,
}

impl HttpServer {
    /// Serves connections until it is told to stop and every one has ended.
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

    /// Goes on after a connection could not be accepted.
    async fn recover(&self, error: &io::Error) {
        use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
        if matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset) {
            return;
        }
        tracing::warn!(%error, "a connection could not be accepted");
        self.connections.displace();
        tokio::time::sleep(BREATH).await;
    }

    /// Says why a connection is refused, unless many are being told already.
    fn refuse(&self, stream: TcpStream, full: Full, refusals: &Arc<Semaphore>) {
        let Ok(permit) = refusals.clone().try_acquire_owned() else { return };
        let answer = problem::raw(&self.connections.problem(full));
        tokio::spawn(async move {
            // A peer that does not listen is closed all the same.
            let _ = timeout(REFUSAL_TIME, say(stream, &answer)).await;
            drop(permit);
        });
    }

    async fn serve_one(self: Arc<Self>, stream: TcpStream, address: SocketAddr, permit: ConnectionPermit) {
        let Self { router, connections, limits, stopping } = &*self;
        socket::prepare(&stream, limits);
        let (pace, displaced, handle) = (Pace::new(Instant::now()), permit.displaced(), permit.handle());
        let patience = Patience { header: limits.header, idle: limits.idle };
        let socket = TokioIo::new(Socket::new(stream, limits.slow_reader, pace.clone(), permit));
        let router = TowerToHyperService::new(router.clone());
        let requests = Requests { router, address, handle: handle.clone(), pace: pace.clone() };
        // There is a timer of our own, which tells the head of a request from the silence between two of them.
        let mut http = http1::Builder::new();
        http.header_read_timeout(None).max_buf_size(BUFFER_BYTES_MAX);
        let mut connection = pin!(http.serve_connection(socket, requests).with_upgrades());
        let (mut displaced, mut stopping) = (pin!(displaced.cancelled()), pin!(stopping.cancelled()));
        let mut alarm = pin!(sleep_until(Instant::now() + patience.header));
        let mut is_stopping = false;
        let ended = poll_fn(|cx| {
            if let Poll::Ready(done) = connection.as_mut().poll(cx) {
                return Poll::Ready(Ended::Done(done));
            }
            if displaced.as_mut().poll(cx).is_ready() {
                return Poll::Ready(Ended::Displaced);
            }
            if !is_stopping && stopping.as_mut().poll(cx).is_ready() {
                is_stopping = true;
                connection.as_mut().graceful_shutdown();
                // What that did is seen by looking again.
                cx.waker().wake_by_ref();
            }
            if is_stopping && pace.is_incomplete() {
                return Poll::Ready(Ended::Done(Ok(())));
            }
            let Some(due) = pace.due(&patience, handle.is_known()) else { return Poll::Pending };
            if alarm.deadline() != due {
                alarm.as_mut().reset(due);
            }
            alarm.as_mut().poll(cx).map(|()| Ended::TimedOut)
        });
        match ended.await {
            Ended::Done(Ok(())) => {}
            Ended::Done(Err(error)) => tracing::debug!(%address, %error, "a connection broke"),
            Ended::Displaced => tracing::debug!(%address, "a connection without a credential gave way to a newer one"),
            Ended::TimedOut => {
                connections.count_timed_out();
                tracing::debug!(%address, "a connection was closed: no request came in time");
            }
        }
    }
}

/// How a connection has ended.
enum Ended {
    Done(hyper::Result<()>),
    Displaced,
    TimedOut,
}

/// Tells a peer why it is refused, and waits until it has hung up: closing a socket with unread bytes takes the answer back.
async fn say(mut stream: TcpStream, answer: &[u8]) -> io::Result<()> {
    stream.write_all(answer).await?;
    stream.shutdown().await?;
    let mut rest = [0; 1024];
    while stream.read(&mut rest).await? > 0 {}
    Ok(())
}

/// What answers the requests of a connection.
struct Requests {
    router: TowerToHyperService<Router>,
    address: SocketAddr,
    handle: ConnectionHandle,
    pace: Pace,
}

impl Service<Request<Incoming>> for Requests {
    type Response = axum::http::Response<AnswerBody>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let answering = Answering::begin(self.pace.clone(), self.handle.clone());
        let mut request = request.map(Body::new);
        let extensions = request.extensions_mut();
        extensions.insert(ConnectInfo(self.address));
        extensions.insert(self.handle.clone());
        let answered = self.router.call(request);
        Box::pin(async move { Ok(answered.await?.map(|body| AnswerBody::new(body, answering))) })
    }
}
