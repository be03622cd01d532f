//! Who may come in: the right host, no foreign origin, and a token.
//!
//! Every request passes [`guard`], whatever its path. What holds nothing of anybody needs no token: `/healthz`, the page, and
//! the files of apps, since a frame cannot bring one; nor does coming in itself. A browser brings a cookie instead of the token
//! (`entry`), to what the page needs and nowhere else. When a token ends, what was opened with it ends too: requests and streams
//! here, WebSockets by their own connection.

mod entry;
mod failures;
mod place;
mod ticket;
mod token;
mod until;
mod way;

use axum::{
    extract::{Request, State},
    http::{HeaderMap, Method, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use entry::Cookie;
pub(crate) use entry::{Cookies, Entered};
pub(crate) use failures::{Failures, Peer};
pub(crate) use place::Places;
use place::{check_page, is_reading};
use protocol::{Code, OwnerId, Problem};
pub(crate) use ticket::{INVITATION_LIFETIME, STREAM_LIFETIME, Ticket, Tickets};
pub use token::{Credential, Known, Roster};
pub(crate) use token::{Pass, Tokens};
pub(crate) use way::Way;

use crate::{app::App, chat::Dialect, listener::ConnectionHandle, problem::Failure};

/// The subprotocol by which a browser's WebSocket, which cannot set headers, brings its token.
pub(crate) const BEARER_PROTOCOL: &str = "dwell.bearer.";
/// The WebSocket.
const SOCKET: &str = "/ws";
/// Where a browser comes in.
const ENTRY: &str = "/api/v1/entry";

/// Where Ollama's clients, which seldom can send a token, bring a key that opens nothing else.
const OLLAMA: &str = "/ollama/";

/// The owner behind a request, as its credential says.
#[derive(Debug, Clone)]
pub(crate) struct Principal(pub(crate) OwnerId);

/// Lets a request through, or says why not.
pub(crate) async fn guard(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let dialect = Dialect::of(request.uri().path());
    let refuse = |problem: Problem| match dialect {
        Some(dialect) => dialect.refuse(&problem),
        None => Failure(problem).into_response(),
    };
    let pass = match check(&app, &mut request) {
        Ok(pass) => pass.filter(Pass::can_end),
        Err(problem) => return refuse(problem),
    };
    let Some(mut pass) = pass else { return next.run(request).await };
    tokio::select! {
        biased;
        // Whoever asks may leave at any time; that their right to ask ends is no different.
        () = pass.ended() => refuse(unauthorized()),
        response = next.run(request) => until::ended(pass.clone(), response),
    }
}

/// Whether a path needs no token for this method.
pub(crate) fn is_open(method: &Method, path: &str) -> bool {
    match path {
        "/healthz" => true,
        ENTRY => method == Method::POST,
        _ => (is_reading(method) && (path == "/" || path.starts_with("/assets/"))) || is_of_apps(method, path),
    }
}

/// Whether it is a file of an app that is read.
fn is_of_apps(method: &Method, path: &str) -> bool {
    is_reading(method) && path.starts_with("/apps/")
}

/// Whether a cookie counts there: where the page looks, and at none of the doors for other programs.
fn takes_cookies(path: &str) -> bool {
    [SOCKET, "/openapi.json", "/readyz"].contains(&path) || path.starts_with("/api/v1/") || path.starts_with("/events/")
}

/// The pass of a request, where it needs one.
fn check(app: &App, request: &mut Request) -> Result<Option<Pass>, Problem> {
    app.places.check(request)?;
    let path = request.uri().path();
    if is_open(request.method(), path) {
        if path == ENTRY {
            // Else a foreign page could let somebody in as whom it likes.
            check_page(request, true)?;
        }
        return Ok(None);
    }
    let (pass, entered) = match identify(app, request)? {
        Brought::Proof(pass) => (pass, None),
        Brought::Nothing => by_cookie(app, request)?.map_or((None, None), |(pass, entered)| (pass, Some(entered))),
    };
    let pass = pass.ok_or_else(|| if path == ENTRY { not_in("nobody has come in here") } else { unauthorized() })?;
    let extensions = request.extensions_mut();
    if let Some(connection) = extensions.get::<ConnectionHandle>() {
        connection.know(&pass.owner)?;
    }
    app.rate.check(&pass.owner)?;
    extensions.insert(Principal(pass.owner.clone()));
    extensions.insert(pass.clone());
    if let Some(entered) = entered {
        extensions.insert(entered);
    }
    Ok(Some(pass))
}

/// What a request brings beside cookies.
enum Brought {
    /// A token, a key or a ticket, and what it is good for.
    Proof(Option<Pass>),
    /// None of them.
    Nothing,
}

fn identify(app: &App, request: &Request) -> Result<Brought, Problem> {
    let (headers, peer) = (request.headers(), Peer::of(request));
    let by_token = |token| app.failures.attempt(peer, token, |digest| app.tokens.pass_of(digest)).map(Brought::Proof);
    if let Some(token) = bearer(headers) {
        return by_token(token);
    }
    let path = request.uri().path();
    if let Some((key, _)) = path.strip_prefix(OLLAMA).and_then(|rest| rest.split_once('/')) {
        return app.failures.attempt(peer, key, |digest| app.keys.pass_of(digest)).map(Brought::Proof);
    }
    let is_socket = path == SOCKET;
    if is_socket && let Some(token) = subprotocol(headers) {
        return by_token(token);
    }
    if request.method() == Method::GET && (is_socket || path.starts_with("/events/")) {
        let query = request.uri().query().unwrap_or_default();
        if let Some(ticket) = query.split('&').find_map(|pair| pair.strip_prefix("ticket=")) {
            app.tokens.look();
            let redeem = |digest| app.tickets.redeem(digest, app.hub.now());
            return app.failures.attempt(peer, ticket, redeem).map(Brought::Proof);
        }
    }
    Ok(Brought::Nothing)
}

/// What the cookie of a request is good for, if it has one that is in time.
fn by_cookie(app: &App, request: &Request) -> Result<Option<(Option<Pass>, Entered)>, Problem> {
    let (path, headers) = (request.uri().path(), request.headers());
    if !takes_cookies(path) {
        return Ok(None);
    }
    let cookie = app.cookies.read(headers, app.hub.now());
    if !matches!(cookie, Cookie::None) {
        check_page(request, path == SOCKET || !is_reading(request.method()))?;
    }
    match cookie {
        Cookie::None | Cookie::Ended => Ok(None),
        Cookie::Good(entered) => Ok(Some((app.tokens.pass_of(entered.digest), entered))),
        Cookie::Forged => app.failures.attempt(Peer::of(request), "", |_| None),
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

/// The answer to a browser that is not let in.
pub(crate) fn not_in(why: &str) -> Problem {
    let hint = "`dwell open` gives a new link; or paste the token: it is in the file `token` of the data folder, or what \
                `dwell owners add` printed.";
    Problem::new(Code::Unauthorized, why, hint)
}
