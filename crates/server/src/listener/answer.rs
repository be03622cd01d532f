//! The body of an answer, which says when the answer is through.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use axum::body::{Body as AnyBody, Bytes};
use hyper::body::{Body, Frame, SizeHint};
use tokio::time::Instant;

use super::{ConnectionHandle, pace::Pace};

/// A request that is being answered. When it is dropped, the connection waits for the next one.
pub(super) struct Answering {
    pace: Pace,
    connection: ConnectionHandle,
}

impl Answering {
    pub(super) fn begin(pace: Pace, connection: ConnectionHandle) -> Self {
        pace.begin();
        Self { pace, connection }
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.pace.end(Instant::now());
        self.connection.complete();
    }
}

/// The body of an answer; the request is being answered until it is gone.
pub(super) struct AnswerBody {
    inner: AnyBody,
    _answering: Answering,
}

impl AnswerBody {
    pub(super) fn new(inner: AnyBody, answering: Answering) -> Self {
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
