//! Browser sign-in and sign-out.

use axum::{
    Extension, Json,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{AppendHeaders, IntoResponse, Response},
};
use protocol::{OwnerId, Scope, Timestamp};
use schemars::JsonSchema;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};

use super::extract::{ClientPeer, JsonBody};
use crate::{
    access::{AccessGrant, CookieClaims, OverTls, not_in},
    app::AppState,
    cluster,
    problem::HttpResult,
};

/// These answers must not be cached.
const NOT_KEPT: (header::HeaderName, &str) = (header::CACHE_CONTROL, "no-store");

/// An invitation for a browser: the page is opened with it in the URL's fragment, as
/// `#invitation=`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Invitation {
    /// The invitation.
    invitation: String,
    /// When it expires, if it is not used before.
    expires_at: Timestamp,
}

pub(crate) async fn invite(
    State(app): State<AppState>,
    grant: AccessGrant,
    ClientPeer(peer): ClientPeer,
) -> HttpResult<Response> {
    let (secret, expires_at) = app.invitations.issue(grant.clone(), app.hub.now())?;
    app.failures.succeeded(peer, secret.digest());
    let invitation = cluster::hint_owner(&app, secret.text().expose_secret().to_owned(), &grant);
    let answer = Json(Invitation { invitation, expires_at });
    Ok((StatusCode::CREATED, AppendHeaders([NOT_KEPT]), answer).into_response())
}

/// A browser's credential.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Proof {
    /// An invitation, which is used up by this.
    Invitation(#[schemars(with = "String")] SecretString),
    /// The token.
    Token(#[schemars(with = "String")] SecretString),
}

/// The signed-in owner.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EntryView {
    /// The owner of the sessions and memories.
    owner: OwnerId,
    /// What the token may do with which the owner has signed in.
    scope: Scope,
    /// The program's version.
    version: &'static str,
    /// When the cookie expires, if the request has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<Timestamp>,
}

impl EntryView {
    fn new(grant: AccessGrant, expires_at: Option<Timestamp>) -> Self {
        Self { owner: grant.owner, scope: grant.scope, version: env!("CARGO_PKG_VERSION"), expires_at }
    }
}

pub(crate) async fn enter(
    State(app): State<AppState>,
    ClientPeer(peer): ClientPeer,
    over_tls: Option<Extension<OverTls>>,
    headers: HeaderMap,
    JsonBody(proof): JsonBody<Proof>,
) -> HttpResult<impl IntoResponse> {
    let now = app.hub.now();
    let grant = match proof {
        Proof::Token(token) => {
            let token = token.expose_secret().trim();
            let grant = app.failures.attempt(peer, token, |digest| app.tokens.grant_of(digest))?;
            grant.ok_or("the token is not valid")
        }
        Proof::Invitation(invitation) => {
            // An invitation is invalid if the token it was issued with has ended.
            app.tokens.look();
            let redeem = |digest| app.invitations.redeem(digest, now);
            app.failures
                .attempt(peer, cluster::without_hint(invitation.expose_secret()), redeem)?
                .ok_or("the invitation is not valid: each works once, within ten minutes")
        }
    };
    let grant = grant.map_err(not_in)?;
    app.rate.check(&grant.owner)?;
    // A proxy that is not trusted may still speak TLS to the browser, which says so itself.
    let says_tls = |origin: &header::HeaderValue| origin.as_bytes().starts_with(b"https://");
    let is_secure = over_tls.is_some() || headers.get(header::ORIGIN).is_some_and(says_tls);
    let (cookie, entered) = app.cookies.issue(&grant, is_secure, now);
    Ok((with(Some(cookie)), Json(EntryView::new(grant, Some(entered.expires_at)))))
}

pub(crate) async fn view(
    State(app): State<AppState>,
    grant: AccessGrant,
    entered: Option<Extension<CookieClaims>>,
) -> impl IntoResponse {
    let entered = entered.map(|Extension(entered)| entered);
    let renewed = entered.and_then(|entered| app.cookies.renew(&entered, app.hub.now()));
    let (cookie, renewed) = renewed.unzip();
    (with(cookie), Json(EntryView::new(grant, renewed.or(entered).map(|entered| entered.expires_at))))
}

pub(crate) async fn leave(State(app): State<AppState>) -> impl IntoResponse {
    (StatusCode::NO_CONTENT, with(Some(app.cookies.clear())))
}

/// The headers of an answer that may set a cookie.
fn with(cookie: Option<String>) -> AppendHeaders<Vec<(header::HeaderName, String)>> {
    let kept = (NOT_KEPT.0, NOT_KEPT.1.to_owned());
    AppendHeaders(std::iter::once(kept).chain(cookie.map(|cookie| (header::SET_COOKIE, cookie))).collect())
}
