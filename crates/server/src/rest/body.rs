//! Request bodies: limited in size, with an error that the client can read.

use std::time::Duration;

use axum::{
    body::{Body, BodyDataStream},
    extract::{FromRequest, Request},
    http::{HeaderMap, header},
};
use futures::StreamExt;
use protocol::{Code, Problem};

use super::invalid;
use crate::{app::AppState, problem::ProblemResponse};

/// Many clients read the answer only after they have sent the body. So an excess body is read and
/// discarded, up to this time and size.
const DRAIN_TIME: Duration = Duration::from_secs(5);
const DRAIN_BYTES_MAX: usize = 128 * 1024 * 1024;

/// The maximum body size of a route, if it differs from the default.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyMax(pub(crate) usize);

/// A body as raw bytes.
pub(crate) struct RawBody(pub(crate) Vec<u8>);

impl FromRequest<AppState> for RawBody {
    type Rejection = ProblemResponse;

    async fn from_request(request: Request, app: &AppState) -> Result<Self, ProblemResponse> {
        let max = request.extensions().get::<BodyMax>().map_or(app.limits.frame_bytes_max, |BodyMax(max)| *max);
        let (parts, body) = request.into_parts();
        if declared(&parts.headers).is_some_and(|bytes| bytes > max as u64) {
            refuse(&parts.headers, body).await;
            return Err(ProblemResponse(too_large(max)));
        }
        let (mut bytes, mut pieces) = (Vec::new(), body.into_data_stream());
        while let Some(piece) = pieces.next().await {
            let piece = piece.map_err(|error| invalid(format!("the body ended early: {error}")))?;
            if piece.len() > max - bytes.len() {
                drain(pieces).await;
                return Err(ProblemResponse(too_large(max)));
            }
            bytes.extend_from_slice(&piece);
        }
        Ok(Self(bytes))
    }
}

/// The declared length of the body.
pub(crate) fn declared(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.trim().parse().ok()
}

/// Makes sure that the client can read why its body is refused.
pub(crate) async fn refuse(headers: &HeaderMap, body: Body) {
    // A client that sent `Expect: 100-continue` sends no body once it is answered.
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
    // The answer is the same whether or not the body was read to its end.
    let _ = tokio::time::timeout(DRAIN_TIME, reading).await;
}

/// The answer to a body that is too large.
pub(crate) fn too_large(max: usize) -> Problem {
    let message = format!("the body has more than {max} bytes");
    Problem::new(Code::TooLarge, message, "Send less at once, in several requests.")
}
