//! Answers that go on for a while end when the token they were asked for with does.

use axum::{
    body::{Body, HttpBody},
    response::Response,
};
use futures::StreamExt;

use super::Pass;

/// Why an answer was cut off.
#[derive(Debug, thiserror::Error)]
#[error("the token is no longer valid")]
struct Ended;

/// The same answer, cut off if the pass ends before it does. It breaks rather than ends, since what it said is not all.
pub(super) fn ended(mut pass: Pass, response: Response) -> Response {
    if response.body().size_hint().exact().is_some() {
        // It is there already.
        return response;
    }
    response.map(|body| {
        Body::from_stream(async_stream::stream! {
            let mut body = body.into_data_stream();
            loop {
                let bytes = tokio::select! {
                    biased;
                    () = pass.ended() => {
                        yield Err(axum::Error::new(Ended));
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
