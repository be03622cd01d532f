//! The channel of a request, for handlers that have to know whether a person sent it.

use std::convert::Infallible;

use axum::{extract::FromRequestParts, http::request::Parts};
use protocol::{MessageChannel, MessageTrust, Origin};

use super::CookieClaims;

/// The channel of a request: the page, as proven by its origin and cookie, or a token.
#[derive(Debug, Clone, Default)]
pub(crate) struct RequestWay(pub(crate) MessageTrust);

impl<S: Sync> FromRequestParts<S> for RequestWay {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Infallible> {
        // For requests that change something, a cookie is accepted only together with our own
        // origin.
        let via =
            if parts.extensions.get::<CookieClaims>().is_some() { MessageChannel::Page } else { MessageChannel::Token };
        Ok(Self(MessageTrust { origin: Origin::Trusted, via }))
    }
}
