//! Timeouts for request bodies that stall or trickle; the client gets an error.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use axum::{
    body::{Body as AnyBody, Bytes},
    extract::{Request, State},
    http::{HeaderValue, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use hyper::body::{Body, Frame, SizeHint};
use protocol::{Code, Problem};
use tokio::time::{Instant, Sleep, sleep};

use crate::{Limits, app::AppState, chat::Dialect, problem::ProblemResponse};

/// How many times the stall timeout a body may take, regardless of its rate.
const GRACE: u32 = 3;

/// Fails a request whose body does not arrive in time.
pub(crate) async fn watch(State(app): State<AppState>, request: Request, next: Next) -> Response {
    if request.body().is_end_stream() {
        return next.run(request).await;
    }
    let (dialect, is_stalled) = (Dialect::of(request.uri().path()), Arc::new(AtomicBool::new(false)));
    let request = request.map(|body| AnyBody::new(UploadBody::new(body, &app.limits, is_stalled.clone())));
    let response = next.run(request).await;
    if !is_stalled.load(Ordering::Relaxed) {
        return response;
    }
    let problem = timed_out(&app.limits);
    let mut response = match dialect {
        Some(dialect) => dialect.refuse(&problem),
        None => ProblemResponse(problem).into_response(),
    };
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}

fn timed_out(limits: &Limits) -> Problem {
    let message = format!(
        "the body did not arrive in time: nothing for {} ms (`limits.body_ms`), or less than {} bytes per second \
         (`limits.body_bytes_per_second_min`)",
        limits.body.as_millis(),
        limits.body_bytes_per_second_min
    );
    Problem::new(Code::RequestTimeout, message, "Send the request again, or raise the setting.")
}

/// The error of a body that timed out.
#[derive(Debug, thiserror::Error)]
#[error("the body did not arrive in time")]
struct UploadTimeout;

/// How long a body may take. Only the time during which the server waited for it counts.
#[derive(Debug, Clone, Copy)]
struct Allowance {
    silence: Duration,
    bytes_per_second_min: u32,
    bytes: u64,
    waited: Duration,
}

impl Allowance {
    /// How long the next bytes may take.
    fn next(&self) -> Duration {
        let by_rate = Duration::from_secs(self.bytes / u64::from(self.bytes_per_second_min));
        let whole = self.silence.saturating_mul(GRACE).saturating_add(by_rate);
        self.silence.min(whole.saturating_sub(self.waited))
    }
}

/// A request body that fails if it does not arrive in time.
struct UploadBody {
    inner: AnyBody,
    allowance: Allowance,
    /// Since when the server waits for more, if it does.
    waiting: Option<(Instant, Pin<Box<Sleep>>)>,
    is_stalled: Arc<AtomicBool>,
}

impl UploadBody {
    fn new(inner: AnyBody, limits: &Limits, is_stalled: Arc<AtomicBool>) -> Self {
        let bytes_per_second_min = limits.body_bytes_per_second_min.get();
        let allowance = Allowance { silence: limits.body, bytes_per_second_min, bytes: 0, waited: Duration::ZERO };
        Self { inner, allowance, waiting: None, is_stalled }
    }
}

impl Body for UploadBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = &mut *self;
        if let Poll::Ready(frame) = Pin::new(&mut this.inner).poll_frame(cx) {
            if let Some((since, _)) = this.waiting.take() {
                this.allowance.waited += since.elapsed();
            }
            if let Some(bytes) = frame.as_ref().and_then(|frame| frame.as_ref().ok()?.data_ref()) {
                this.allowance.bytes += bytes.len() as u64;
            }
            return Poll::Ready(frame);
        }
        let next = this.allowance.next();
        let (_, alarm) = this.waiting.get_or_insert_with(|| (Instant::now(), Box::pin(sleep(next))));
        alarm.as_mut().poll(cx).map(|()| {
            this.is_stalled.store(true, Ordering::Relaxed);
            Some(Err(axum::Error::new(UploadTimeout)))
        })
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(bytes: u64, waited_s: u64) -> u64 {
        let (silence, waited) = (Duration::from_secs(10), Duration::from_secs(waited_s));
        Allowance { silence, bytes_per_second_min: 1_024, bytes, waited }.next().as_secs()
    }

    #[test]
    fn silence_has_a_length_and_so_has_a_trickle() {
        assert_eq!((next(0, 0), next(0, 20), next(0, 25), next(0, 31)), (10, 10, 5, 0));
        assert_eq!(next(500, 31), 0, "a few bytes at a time do not keep it open");
    }

    #[test]
    fn a_slow_and_steady_upload_has_all_the_time_it_needs() {
        let whole = 64 * 1024 * 1024;
        assert_eq!(next(whole, 60 * 60), 10, "64 MiB at 18 KiB a second");
        assert_eq!(next(whole / 2, 9 * 60 * 60), 10);
    }
}
