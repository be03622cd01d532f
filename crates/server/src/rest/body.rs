//! Bodies of requests: so many bytes and no more, and an answer that the client gets to read.

use std::time::Duration;

use axum::{
    body::{Body, BodyDataStream},
    extract::{FromRequest, Request},
    http::{HeaderMap, header},
};
use futures::StreamExt;
use protocol::{Code, Problem};

use super::invalid;
use crate::{app::App, problem::Failure};

/// A client reads the answer when it has sent its body. What is too much is read and dropped for this long, up to this much.
const DRAIN_TIME: Duration = Duration::from_secs(5);
const DRAIN_BYTES_MAX: usize = 128 * 1024 * 1024;

/// How many bytes a route takes, where that is not what all take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyMax(pub(crate) usize);

/// A body as it was sent.
pub(crate) struct Raw(pub(crate) Vec<u8>);

impl FromRequest<App> for Raw {
    type Rejection = Failure;

    async fn from_request(request: Request, app: &App) -> Result<Self, Failure> {
        let max = request.extensions().get::<BodyMax>().map_or(app.limits.frame_bytes_max, |BodyMax(max)| *max);
        let (parts, body) = request.into_parts();
        if declared(&parts.headers).is_some_and(|bytes| bytes > max as u64) {
            refuse(&parts.headers, body).await;
            return Err(Failure(too_large(max)));
        }
        let (mut bytes, mut pieces) = (Vec::new(), body.into_data_stream());
        while let Some(piece) = pieces.next().await {
            let piece = piece.map_err(|error| invalid(format!("the body broke off: {error}")))?;
            if piece.len() > max - bytes.len() {
                drain(pieces).await;
                return Err(Failure(too_large(max)));
            }
            bytes.extend_from_slice(&piece);
        }
        Ok(Self(bytes))
    }
}

/// How many bytes the client says it will send.
pub(crate) fn declared(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.trim().parse().ok()
}

/// Sees to it that the client can read why its body is not taken.
pub(crate) async fn refuse(headers: &HeaderMap, body: Body) {
    // A client that asks first sends nothing once it is answered.
    if !headers.contains_key(header::EXPECT) {
        drain(body.into_data_stream()).await;
    }
}

async fn drain(mut pieces: BodyDataStream) {
    let reading = async {
        let mut left = DRAIN_BYTES_MAX;
        while let Some(Ok(piece)) = pieces.next().await {
            match left.checked_sub(piece.len()) {
                Some(rest) => left = rest,
                None => return,
            }
        }
    };
    // Whether it came to its end makes no difference to the answer.
    let _ = tokio::time::timeout(DRAIN_TIME, reading).await;
}

/// The answer to a body that is too large.
pub(crate) fn too_large(max: usize) -> Problem {
    let message = format!("the body has more than the {max} bytes that are taken at once");
    Problem::new(Code::TooLarge, message, "Send less at once, in several requests.")
}
