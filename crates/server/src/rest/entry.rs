//! How a browser comes in, is known, and leaves.

use axum::{
    Extension, Json,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{AppendHeaders, IntoResponse, Response},
};
use protocol::{OwnerId, Timestamp};
use schemars::JsonSchema;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};

use super::extract::{Body, Origin};
use crate::{
    access::{Entered, Pass, Principal, not_in},
    app::App,
    problem::Outcome,
};

/// What concerns one browser at one moment is kept nowhere on the way.
const NOT_KEPT: (header::HeaderName, &str) = (header::CACHE_CONTROL, "no-store");

/// By what a browser comes in: the page is opened with it in the address, behind `#invitation=`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Invitation {
    /// The invitation.
    invitation: String,
    /// Until when it is good, if nobody uses it before.
    expires_at: Timestamp,
}

pub(crate) async fn invite(State(app): State<App>, pass: Pass, Origin(peer): Origin) -> Outcome<Response> {
    let (secret, expires_at) = app.invitations.issue(pass, app.hub.now())?;
    app.failures.succeeded(peer, secret.digest());
    let invitation = secret.text().expose_secret().to_owned();
    let answer = Json(Invitation { invitation, expires_at });
    Ok((StatusCode::CREATED, AppendHeaders([NOT_KEPT]), answer).into_response())
}

/// What a browser comes in by.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Proof {
    /// An invitation, which is used up by it.
    Invitation(#[schemars(with = "String")] SecretString),
    /// The token.
    Token(#[schemars(with = "String")] SecretString),
}

/// Who has come in.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EntryView {
    /// Whose sessions and memories are shown.
    owner: OwnerId,
    /// The program's version.
    version: &'static str,
    /// Until when the cookie is good, if it is by a cookie.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<Timestamp>,
}

impl EntryView {
    fn new(owner: OwnerId, expires_at: Option<Timestamp>) -> Self {
        Self { owner, version: env!("CARGO_PKG_VERSION"), expires_at }
    }
}

pub(crate) async fn enter(
    State(app): State<App>,
    Origin(peer): Origin,
    headers: HeaderMap,
    Body(proof): Body<Proof>,
) -> Outcome<impl IntoResponse> {
    let now = app.hub.now();
    let pass = match proof {
        Proof::Token(token) => {
            let token = token.expose_secret().trim();
            let pass = app.failures.attempt(peer, token, |digest| app.tokens.pass_of(digest))?;
            pass.ok_or("the token is not valid")
        }
        Proof::Invitation(invitation) => {
            // One that was given by a token that has ended is worth nothing.
            app.tokens.look();
            let redeem = |digest| app.invitations.redeem(digest, now);
            app.failures
                .attempt(peer, invitation.expose_secret(), redeem)?
                .ok_or("the invitation is not valid: each is good once, and for ten minutes")
        }
    };
    let pass = pass.map_err(not_in)?;
    app.rate.check(&pass.owner)?;
    let is_secure = headers.get(header::ORIGIN).is_some_and(|origin| origin.as_bytes().starts_with(b"https://"));
    let (cookie, entered) = app.cookies.issue(&pass, is_secure, now);
    Ok((with(Some(cookie)), Json(EntryView::new(pass.owner, Some(entered.expires_at)))))
}

pub(crate) async fn view(
    State(app): State<App>,
    Principal(owner): Principal,
    entered: Option<Extension<Entered>>,
) -> impl IntoResponse {
    let entered = entered.map(|Extension(entered)| entered);
    let renewed = entered.and_then(|entered| app.cookies.renew(&entered, app.hub.now()));
    let (cookie, renewed) = renewed.unzip();
    (with(cookie), Json(EntryView::new(owner, renewed.or(entered).map(|entered| entered.expires_at))))
}

pub(crate) async fn leave(State(app): State<App>) -> impl IntoResponse {
    (StatusCode::NO_CONTENT, with(Some(app.cookies.clear())))
}

/// The headers of an answer that may set a cookie.
fn with(cookie: Option<String>) -> AppendHeaders<Vec<(header::HeaderName, String)>> {
    let kept = (NOT_KEPT.0, NOT_KEPT.1.to_owned());
    AppendHeaders(std::iter::once(kept).chain(cookie.map(|cookie| (header::SET_COOKIE, cookie))).collect())
}
