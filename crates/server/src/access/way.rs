//! The way by which a request came in, for those who have to know whether a person sent it.

use std::convert::Infallible;

use axum::{extract::FromRequestParts, http::request::Parts};
use protocol::{Origin, Via, WayIn};

use super::Entered;

/// The way by which a request came in: by the page, where its own origin and its cookie have proven that, or by a token.
#[derive(Debug, Clone, Default)]
pub(crate) struct Way(pub(crate) WayIn);

impl<S: Sync> FromRequestParts<S> for Way {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Infallible> {
        // A cookie is let through only with an origin of ours, wherever something is changed by it.
        let via = if parts.extensions.get::<Entered>().is_some() { Via::Page } else { Via::Token };
        Ok(Self(WayIn { origin: Origin::Trusted, via }))
    }
}
