//! Long answers end when the token of their request ends.

use axum::{
    body::{Body, HttpBody},
    response::Response,
};
use futures::StreamExt;

use super::AccessGrant;

/// Why an answer was aborted.
#[derive(Debug, thiserror::Error)]
#[error("the token is no longer valid")]
struct ExpiredToken;

/// The same answer, aborted if the grant ends first. The body fails instead of ending normally, so
/// that the client notices that it is incomplete.
pub(super) fn end_with_token(mut grant: AccessGrant, response: Response) -> Response {
    if response.body().size_hint().exact().is_some() {
        // The whole body is in memory already.
        return response;
    }
    response.map(|body| {
        Body::from_stream(async_stream::stream! {
            let mut body = body.into_data_stream();
            loop {
                let bytes = tokio::select! {
                    biased;
                    () = grant.ended() => {
                        yield Err(axum::Error::new(ExpiredToken));
                        return;
                    }
                    bytes = body.next() => bytes,
                };
                match bytes {
                    Some(bytes) => yield bytes,
                    None => return,
                }
            }
        })
    })
}
