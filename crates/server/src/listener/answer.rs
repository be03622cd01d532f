//! The body of a response, which notes when the response is finished.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use axum::body::{Body as AnyBody, Bytes};
use hyper::body::{Body, Frame, SizeHint};
use tokio::time::Instant;

use super::{ConnectionHandle, connection_phase::ConnectionPhase};

/// A request that is being answered. When it is dropped, the connection waits for the next one.
pub(super) struct RequestGuard {
    connection_phase: ConnectionPhase,
    connection: ConnectionHandle,
}

impl RequestGuard {
    pub(super) fn begin(connection_phase: ConnectionPhase, connection: ConnectionHandle) -> Self {
        connection_phase.begin();
        Self { connection_phase, connection }
    }
}

impl Drop for RequestGuard {
    fn drop(&mut self) {
        self.connection_phase.end(Instant::now());
        self.connection.complete();
    }
}

/// The body of a response; the request counts as being answered until it is dropped.
pub(super) struct AnswerBody {
    inner: AnyBody,
    _answering: RequestGuard,
}

impl AnswerBody {
    pub(super) fn new(inner: AnyBody, answering: RequestGuard) -> Self {
        Self { inner, _answering: answering }
    }
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.inner).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
