//! Plays a reply to a client, and counts connections and responses.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;
use std::vec;

use axum::body::{Body, Bytes};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER};
use axum::http::response;
use axum::response::Response;
use futures::stream;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::reply::{CompletionEnd, ResponseKind};
use super::{Reply, Request, json, sse};

/// Counts of the connections, of the responses under way and of those the client dropped.
#[derive(Default)]
pub(super) struct Traffic {
    connections: AtomicUsize,
    in_flight: AtomicUsize,
    aborted: AtomicUsize,
    change: Notify,
}

/// A response in flight; it counts as aborted if it is dropped too early.
pub(super) struct InFlightResponse {
    traffic: Arc<Traffic>,
    complete: bool,
}

impl Traffic {
    pub(super) fn enter(traffic: &Arc<Self>) -> InFlightResponse {
        traffic.in_flight.fetch_add(1, SeqCst);
        InFlightResponse { traffic: Arc::clone(traffic), complete: false }
    }

    pub(super) fn connected(&self) {
        self.connections.fetch_add(1, SeqCst);
        self.changed();
    }

    pub(super) fn connections(&self) -> usize {
        self.connections.load(SeqCst)
    }

    pub(super) fn in_flight(&self) -> usize {
        self.in_flight.load(SeqCst)
    }

    pub(super) fn aborted(&self) -> usize {
        self.aborted.load(SeqCst)
    }

    pub(super) fn changed(&self) {
        self.change.notify_waiters();
    }

    pub(super) async fn until(&self, condition: impl Fn() -> bool) {
        loop {
            // Registers before the check, or a change in between would be missed.
            let mut change = pin!(self.change.notified());
            change.as_mut().enable();
            if condition() {
                return;
            }
            change.await;
        }
    }
}

impl Drop for InFlightResponse {
    fn drop(&mut self) {
        if !self.complete {
            self.traffic.aborted.fetch_add(1, SeqCst);
        }
        self.traffic.in_flight.fetch_sub(1, SeqCst);
        self.traffic.changed();
    }
}

/// A body in one buffer, with the positions and times at which to split it.
#[derive(Default)]
pub(super) struct PacedFrames {
    bytes: Vec<u8>,
    frames: Vec<PacedFrame>,
}

struct PacedFrame {
    pause: Duration,
    end: usize,
}

impl PacedFrames {
    fn whole(bytes: Vec<u8>) -> Self {
        let mut frames = Self { bytes, frames: Vec::new() };
        frames.end_frame();
        frames
    }

    pub(super) fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    pub(super) fn end_frame(&mut self) {
        self.end_frame_after(Duration::ZERO);
    }

    /// Ends a frame that holds everything since the last one and is sent after a pause.
    pub(super) fn end_frame_after(&mut self, pause: Duration) {
        let end = self.bytes.len();
        self.frames.push(PacedFrame { pause, end });
    }
}

/// Answers the request; all waiting ends when the server stops.
pub(super) async fn play(
    reply: &Reply,
    request: &Request,
    passage: InFlightResponse,
    stop: CancellationToken,
) -> Response {
    if let Err(error) = first_byte(reply, request, &stop).await {
        // Hyper writes nothing of a response whose body fails at once.
        return Response::new(Body::from_stream(stream::iter([Err::<Bytes, _>(error)])));
    }
    let (head, frames) = respond(reply, request);
    let playback = Playback {
        rest: Bytes::from(frames.bytes),
        sent: 0,
        frames: frames.frames.into_iter(),
        ending: reply.ending,
        passage,
        stop,
    };
    let body = Body::from_stream(stream::unfold(playback, Playback::next));
    head.body(body).expect("a status from 100 to 999")
}

/// Waits until the response starts.
async fn first_byte(reply: &Reply, request: &Request, stop: &CancellationToken) -> io::Result<()> {
    wait(reply.after, stop).await?;
    if matches!(reply.kind, ResponseKind::Hang) {
        stop.cancelled().await;
        return Err(gone());
    }
    if !request.stream() {
        wait(sse::duration(reply), stop).await?;
    }
    Ok(())
}

fn respond(reply: &Reply, request: &Request) -> (response::Builder, PacedFrames) {
    let head = Response::builder();
    if let ResponseKind::Error { status, message, retry_after_s } = &reply.kind {
        let mut head = head.status(*status).header(CONTENT_TYPE, json::CONTENT_TYPE);
        if let Some(seconds) = retry_after_s {
            head = head.header(RETRY_AFTER, *seconds);
        }
        let body = json::error(*status, message.as_deref());
        (head, PacedFrames::whole(body))
    } else if request.stream() {
        let head = head.header(CONTENT_TYPE, sse::CONTENT_TYPE).header(CACHE_CONTROL, "no-cache");
        (head, sse::events(reply, request))
    } else {
        let mut body = json::completion(reply, request);
        if reply.ending != CompletionEnd::Complete {
            body.truncate(body.len() / 2);
        }
        let head = head.header(CONTENT_TYPE, json::CONTENT_TYPE);
        (head, PacedFrames::whole(body))
    }
}

/// The body of a response in flight.
struct Playback {
    rest: Bytes,
    sent: usize,
    frames: vec::IntoIter<PacedFrame>,
    ending: CompletionEnd,
    passage: InFlightResponse,
    stop: CancellationToken,
}

impl Playback {
    async fn next(mut self) -> Option<(io::Result<Bytes>, Self)> {
        let Some(frame) = self.frames.next() else {
            return self.end().await.err().map(|error| (Err(error), self));
        };
        if let Err(error) = wait(frame.pause, &self.stop).await {
            return Some((Err(error), self));
        }
        let bytes = self.rest.split_to(frame.end - self.sent);
        self.sent = frame.end;
        // Marked before the last bytes are sent: a client may hang up on reading them, which can
        // drop the body before it is polled again.
        self.passage.complete = self.frames.len() == 0 && !matches!(self.ending, CompletionEnd::Stall(_));
        Some((Ok(bytes), self))
    }

    /// What comes after the last frame.
    async fn end(&self) -> io::Result<()> {
        match self.ending {
            CompletionEnd::Complete | CompletionEnd::Early(_) => Ok(()),
            CompletionEnd::Cut(_) => {
                // Hyper flushes when a body has nothing ready; without this
                // the connection would close on chunks still in its buffer.
                tokio::task::yield_now().await;
                Err(io::Error::from(io::ErrorKind::ConnectionReset))
            }
            CompletionEnd::Stall(_) => {
                self.stop.cancelled().await;
                Err(gone())
            }
        }
    }
}

async fn wait(delay: Duration, stop: &CancellationToken) -> io::Result<()> {
    if delay.is_zero() {
        return Ok(());
    }
    tokio::select! {
        () = tokio::time::sleep(delay) => Ok(()),
        () = stop.cancelled() => Err(gone()),
    }
}

fn gone() -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionAborted, "the model server stopped")
}
