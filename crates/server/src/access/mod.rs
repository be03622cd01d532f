//! Access control: the right host, no foreign origin, and a valid token.
//!
//! Every request passes [`guard`], whatever its path. Resources without private data need no token:
//! `/healthz`, the page, and the files of apps, since a frame cannot send a token. Signing in needs
//! none either. A browser sends a cookie instead of the token (`cookie`), which is accepted only
//! for the page's own API. When a token ends, everything that was opened with it ends too: requests
//! and streams here, WebSockets by their own connection. Home Assistant signs its users in by
//! itself (`ingress`). What a token may do is its scope (`scopes`); what a proxy says of its client
//! is read by `forwarded`, and `cors` is about the pages of other origins.

mod allowed_hosts;
mod cookie;
mod cors;
mod expiry;
mod failures;
mod forwarded;
mod ingress;
mod request_way;
mod scoped_tokens;
pub(crate) mod scopes;
mod ticket;
mod token;

pub(crate) use allowed_hosts::AllowedHosts;
use allowed_hosts::is_reading;
use axum::{
    extract::{MatchedPath, Request, State},
    http::{HeaderMap, Method, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use cookie::CookieState;
pub(crate) use cookie::{CookieClaims, Cookies};
pub use cors::{AllowedOrigins, BadOrigin};
pub(crate) use failures::{AuthFailures, Peer};
pub(crate) use forwarded::{OverTls, TrustedProxies, is_over_tls};
pub(crate) use ingress::{Ingress, ThroughIngress};
use protocol::{Code, OwnerId, Problem};
pub(crate) use request_way::RequestWay;
pub(crate) use scoped_tokens::ScopedTokens;
pub use scoped_tokens::{TokenChange, TokenFile, TokenRecord};
pub(crate) use ticket::{INVITATION_LIFETIME, STREAM_LIFETIME, Ticket, Tickets};
pub(crate) use token::{AccessGrant, Tokens};
pub use token::{Credential, OwnerDigest, Roster};

use crate::{
    app::AppState,
    chat::Dialect,
    cluster::{self, FromNode, Routing},
    hooks,
    listener::ConnectionHandle,
    mcp, metrics,
    page::{MANIFEST, SERVICE_WORKER},
    problem::{NotDone, ProblemResponse},
};

/// The subprotocol that carries the token of a browser's WebSocket, which cannot set headers.
pub(crate) const BEARER_PROTOCOL: &str = "dwell.bearer.";
/// The path of the WebSocket.
const SOCKET: &str = "/ws";
/// The path where a browser signs in.
pub(crate) const ENTRY: &str = "/api/v1/entry";

/// The path for Ollama's clients, which can seldom send a token; it contains a key that is valid
/// only there.
const OLLAMA: &str = "/ollama/";

/// The header in which clients of Anthropic's API send the token. It is read on the paths of that
/// API only.
const API_KEY: &str = "x-api-key";

/// The authenticated owner of a request.
#[derive(Debug, Clone)]
pub(crate) struct Principal(pub(crate) OwnerId);

/// Admits a request, or answers why not. Pages of listed origins may read the answer.
pub(crate) async fn guard(State(app): State<AppState>, mut request: Request, next: Next) -> Response {
    if let Some(cluster) = &app.cluster
        && let Err(problem) = cluster.admit(&mut request)
    {
        return ProblemResponse(problem).into_response();
    }
    // Otherwise another node has looked at them.
    if request.extensions().get::<FromNode>().is_none() {
        if app.ingress.has_passed(&request) {
            request.extensions_mut().insert(ThroughIngress);
        }
        app.trusted_proxies.apply(&mut request);
    }
    let origins = app.allowed_hosts.origins();
    let origin = origins.of(request.headers());
    if let Some(origin) = &origin
        && cors::is_preflight(&request)
        && app.allowed_hosts.check(&request).is_ok()
    {
        return origins.preflight(request.headers(), origin.clone());
    }
    let is_passed_on = request.extensions().get::<FromNode>().is_some();
    let response = admit(&app, request, next).await;
    if is_passed_on && response.extensions().get::<NotDone>().is_some() {
        return cluster::not_here();
    }
    origins.share(response, origin)
}

async fn admit(app: &AppState, mut request: Request, next: Next) -> Response {
    let dialect = Dialect::of_request(request.uri().path(), request.headers());
    let challenge = mcp::challenge(&request);
    let refuse = |problem: Problem| match dialect {
        Some(dialect) => dialect.refuse(&problem),
        None => mcp::with_challenge(ProblemResponse(problem).into_response(), challenge.clone()),
    };
    let (asked, hinted) = cluster::hinted_owner(app, request).await;
    request = asked;
    if let Some(owner) = hinted {
        match cluster::route_to_owner(app, &owner, request).await {
            Ok(Routing::Here(own, _)) => request = *own,
            Ok(Routing::Answered(response)) => return response,
            Err(problem) => return refuse(problem),
        }
    }
    let grant = match check(app, &mut request) {
        Ok(Some(grant)) => grant,
        Ok(None) => return next.run(request).await,
        Err(problem) => return refuse(problem),
    };
    let mut grant = match cluster::route(app, &grant.owner, request).await {
        Ok(Routing::Here(own, hold)) => {
            request = *own;
            let grant = grant.served_by(hold);
            request.extensions_mut().insert(grant.clone());
            grant
        }
        Ok(Routing::Answered(response)) => return response,
        Err(problem) => return refuse(problem),
    };
    if !grant.can_end() {
        return next.run(request).await;
    }
    tokio::select! {
        biased;
        // Clients may disconnect at any time; a revoked token has the same effect.
        () = grant.ended() => if grant.is_moved() { cluster::moved() } else { refuse(unauthorized()) },
        response = next.run(request) => expiry::end_with_token(grant.clone(), response),
    }
}

/// Whether a path needs no token for this method.
pub(crate) fn is_open(method: &Method, path: &str) -> bool {
    match path {
        "/healthz" => true,
        // Clients without a token find out here how to get one.
        _ if mcp::is_metadata(path) => is_reading(method),
        ENTRY => method == Method::POST,
        // Its signature is its credential.
        _ if path.starts_with(hooks::PATH) => method == Method::POST,
        // Browsers fetch these two without a cookie.
        SERVICE_WORKER | MANIFEST => is_reading(method),
        _ => (is_reading(method) && (path == "/" || path.starts_with("/assets/"))) || is_of_apps(method, path),
    }
}

/// Whether the request reads a file of an app.
fn is_of_apps(method: &Method, path: &str) -> bool {
    is_reading(method) && path.starts_with("/apps/")
}

/// Whether a cookie is accepted for a path: for the page's own API, not for the APIs of other
/// programs.
fn takes_cookies(path: &str) -> bool {
    [SOCKET, "/openapi.json", "/readyz"].contains(&path) || path.starts_with("/api/v1/") || path.starts_with("/events/")
}

/// The access grant of a request, if it needs one.
fn check(app: &AppState, request: &mut Request) -> Result<Option<AccessGrant>, Problem> {
    if request.extensions().get::<FromNode>().is_none() {
        app.allowed_hosts.check(request)?;
    }
    let path = request.uri().path();
    if is_open(request.method(), path) {
        if path == ENTRY {
            // Otherwise a foreign page could sign the user in as another owner.
            app.allowed_hosts.check_page(request, true)?;
        }
        return Ok(None);
    }
    let (grant, entered) = match identify(app, request)? {
        RequestCredential::Proof(grant) => (grant, None),
        RequestCredential::Nothing => match by_ingress(app, request)? {
            Some(grant) => (Some(grant), None),
            None => by_cookie(app, request)?.map_or((None, None), |(grant, entered)| (grant, Some(entered))),
        },
    };
    let grant =
        grant.ok_or_else(|| if path == ENTRY { not_in("this browser is not signed in") } else { unauthorized() })?;
    // Without a route there is nothing that a scope would be needed for.
    if let Some(route) = request.extensions().get::<MatchedPath>() {
        scopes::check(grant.scope, scopes::of_route(request.method(), route.as_str()))?;
    }
    let extensions = request.extensions_mut();
    if let Some(connection) = extensions.get::<ConnectionHandle>() {
        connection.identify(&grant.owner)?;
    }
    app.rate.check(&grant.owner)?;
    extensions.insert(Principal(grant.owner.clone()));
    extensions.insert(grant.clone());
    if let Some(entered) = entered {
        extensions.insert(entered);
    }
    Ok(Some(grant))
}

/// The credential of a request, apart from cookies.
enum RequestCredential {
    /// A token, a key or a ticket, and the grant that it gives.
    Proof(Option<AccessGrant>),
    /// There is none.
    Nothing,
}

fn identify(app: &AppState, request: &Request) -> Result<RequestCredential, Problem> {
    let (headers, peer) = (request.headers(), Peer::of(request));
    let by_token =
        |token| app.failures.attempt(peer, token, |digest| app.tokens.grant_of(digest)).map(RequestCredential::Proof);
    let path = request.uri().path();
    if let Some(token) = bearer(headers) {
        if path == metrics::PATH {
            let of_scraper = |digest| app.scrapers.grant_of(digest).or_else(|| app.tokens.grant_of(digest));
            return app.failures.attempt(peer, token, of_scraper).map(RequestCredential::Proof);
        }
        return by_token(token);
    }
    let is_anthropic = Dialect::of_request(path, headers) == Some(Dialect::Anthropic);
    if is_anthropic && let Some(token) = headers.get(API_KEY).and_then(|value| value.to_str().ok()) {
        return by_token(token.trim());
    }
    if let Some((key, _)) = path.strip_prefix(OLLAMA).and_then(|rest| rest.split_once('/')) {
        return app.failures.attempt(peer, key, |digest| app.keys.grant_of(digest)).map(RequestCredential::Proof);
    }
    let is_socket = path == SOCKET;
    if is_socket && let Some(token) = subprotocol(headers) {
        return by_token(token);
    }
    if let Some(ticket) = query_ticket(request) {
        app.tokens.look();
        let redeem = |digest| app.tickets.redeem(digest, app.hub.now());
        return app.failures.attempt(peer, cluster::without_hint(ticket), redeem).map(RequestCredential::Proof);
    }
    Ok(RequestCredential::Nothing)
}

/// The ticket of a stream.
pub(crate) fn query_ticket(request: &Request) -> Option<&str> {
    let path = request.uri().path();
    if request.method() != Method::GET || !(path == SOCKET || path.starts_with("/events/")) {
        return None;
    }
    request.uri().query()?.split('&').find_map(|pair| pair.strip_prefix("ticket="))
}

/// The grant of a request that came through ingress, if it is for the page's own API. A browser
/// adds Home Assistant's cookie to all requests, so they are checked like those with ours.
fn by_ingress(app: &AppState, request: &Request) -> Result<Option<AccessGrant>, Problem> {
    let path = request.uri().path();
    if request.extensions().get::<ThroughIngress>().is_none() || !takes_cookies(path) {
        return Ok(None);
    }
    app.allowed_hosts.check_page(request, path == SOCKET || !is_reading(request.method()))?;
    Ok(app.ingress.digest().and_then(|digest| app.tokens.grant_of(digest)))
}

/// The grant that the cookie of a request gives, if the cookie has not expired.
fn by_cookie(app: &AppState, request: &Request) -> Result<Option<(Option<AccessGrant>, CookieClaims)>, Problem> {
    let (path, headers) = (request.uri().path(), request.headers());
    if !takes_cookies(path) {
        return Ok(None);
    }
    let cookie = app.cookies.read(headers, app.hub.now());
    if !matches!(cookie, CookieState::None) {
        app.allowed_hosts.check_page(request, path == SOCKET || !is_reading(request.method()))?;
    }
    match cookie {
        CookieState::None | CookieState::Ended => Ok(None),
        CookieState::Good(entered) => Ok(Some((app.tokens.grant_of(entered.digest), entered))),
        CookieState::Forged => app.failures.attempt(Peer::of(request), "", |_| None),
    }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

fn subprotocol(headers: &HeaderMap) -> Option<&str> {
    let offered = headers.get_all(header::SEC_WEBSOCKET_PROTOCOL).iter().filter_map(|value| value.to_str().ok());
    offered.flat_map(|value| value.split(',')).find_map(|protocol| protocol.trim().strip_prefix(BEARER_PROTOCOL))
}

fn unauthorized() -> Problem {
    Problem::new(
        Code::Unauthorized,
        "no valid token",
        "Send `Authorization: Bearer TOKEN`; the token is in the file `token` of the data folder, or what \
         `dwell owners add` printed.",
    )
}

/// The answer to a browser that is not signed in.
pub(crate) fn not_in(why: &str) -> Problem {
    let hint = "`dwell open` gives a new link; or paste the token: it is in the file `token` of the data folder, or what \
                `dwell owners add` printed.";
    Problem::new(Code::Unauthorized, why, hint)
}
