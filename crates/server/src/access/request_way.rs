//! The channel of a request, for handlers that have to know whether a person sent it.

use std::convert::Infallible;

use axum::{
    extract::FromRequestParts,
    http::{header, request::Parts},
};
use protocol::{MessageChannel, MessageTrust, Origin};

use super::{AccessGrant, CookieClaims, ThroughIngress};

/// The channel of a request: the page, as proven by its origin and a cookie or ingress, or a token.
#[derive(Debug, Clone, Default)]
pub(crate) struct RequestWay(pub(crate) MessageTrust);

impl<S: Sync> FromRequestParts<S> for RequestWay {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Infallible> {
        // For requests that change something, a cookie is accepted only together with our own
        // origin, and so is ingress. A program may still send its token through ingress.
        let extensions = &parts.extensions;
        let is_ingress =
            extensions.get::<ThroughIngress>().is_some() && !parts.headers.contains_key(header::AUTHORIZATION);
        let is_page = is_ingress || extensions.get::<CookieClaims>().is_some();
        let via = if is_page { MessageChannel::Page } else { MessageChannel::Token };
        let reads_only = extensions.get::<AccessGrant>().is_some_and(AccessGrant::reads_only);
        Ok(Self(MessageTrust { origin: Origin::Trusted, via, reads_only }))
    }
}
