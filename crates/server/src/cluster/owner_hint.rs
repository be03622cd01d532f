//! Whose a request is that has no credential which every node could check.
//!
//! Tickets and invitations are redeemed by the node that has issued them, which is the one that
//! serves their owner. So they name the owner, and every node passes them on to that one.

use axum::{
    body::{Body, HttpBody},
    extract::Request,
    http::Method,
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use protocol::{OwnerId, ScheduleId};
use serde::Deserialize;

use crate::{
    access::{AccessGrant, ENTRY, query_ticket},
    app::AppState,
    hooks,
};

/// The longest body that can be the sign-in of a browser.
const SIGN_IN_BYTES_MAX: u64 = 4 * 1024;

/// A request, and its owner, if there are other nodes and the request names one.
pub(crate) async fn hinted_owner(app: &AppState, request: Request) -> (Request, Option<OwnerId>) {
    if app.cluster.is_none() {
        return (request, None);
    }
    let (method, path) = (request.method(), request.uri().path());
    if let Some(id) = path.strip_prefix(hooks::PATH).filter(|_| method == Method::POST) {
        let owner = match id.parse::<ScheduleId>() {
            Ok(id) => app.hub.schedule_owner(id).await.ok().flatten(),
            Err(_) => None,
        };
        return (request, owner);
    }
    if path == ENTRY && method == Method::POST {
        return of_invitation(app, request).await;
    }
    let owner = query_ticket(&request).and_then(|ticket| named_owner(app, ticket));
    (request, owner)
}

/// A ticket or an invitation that names its owner, if there are other nodes.
pub(crate) fn hint_owner(app: &AppState, secret: String, grant: &AccessGrant) -> String {
    if app.cluster.is_none() {
        return secret;
    }
    format!("{secret}.{}", URL_SAFE_NO_PAD.encode(grant.owner.as_str()))
}

/// The secret of a ticket or an invitation, without the name of its owner.
pub(crate) fn without_hint(presented: &str) -> &str {
    presented.split_once('.').map_or(presented, |(secret, _)| secret)
}

/// The owner whom a ticket or an invitation names.
fn named_owner(app: &AppState, presented: &str) -> Option<OwnerId> {
    let (_, hint) = presented.split_once('.')?;
    let name = String::from_utf8(URL_SAFE_NO_PAD.decode(hint).ok()?).ok()?;
    // Anyone can write a name there, and no node should begin to serve owners that do not exist.
    name.parse().ok().filter(|owner| app.tokens.has_owner(owner))
}

/// The part of a sign-in that says whose it is.
#[derive(Deserialize)]
struct SignIn {
    invitation: String,
}

/// A sign-in of a browser, and the owner whom its invitation names.
async fn of_invitation(app: &AppState, request: Request) -> (Request, Option<OwnerId>) {
    if request.body().size_hint().exact().is_none_or(|size| size > SIGN_IN_BYTES_MAX) {
        return (request, None);
    }
    let (parts, body) = request.into_parts();
    // A client that breaks off gets no answer, whatever is made of the rest.
    let limit = usize::try_from(SIGN_IN_BYTES_MAX).unwrap_or(usize::MAX);
    let bytes = axum::body::to_bytes(body, limit).await.unwrap_or_default();
    let owner = serde_json::from_slice::<SignIn>(&bytes).ok().and_then(|sign_in| named_owner(app, &sign_in.invitation));
    (Request::from_parts(parts, Body::from(bytes)), owner)
}
