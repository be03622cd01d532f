//! Who may come in: the right host, no foreign origin, and a token.
//!
//! Every request passes [`guard`], whatever its path. Only `/healthz` and the files of apps, which hold nothing of anybody,
//! need no token: a frame cannot bring one. When a token ends, what was opened with it ends too: requests and streams
//! here, WebSockets by their own connection.

mod place;
mod ticket;
mod token;
mod until;

use axum::{
    extract::{Request, State},
    http::{HeaderMap, Method, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
pub(crate) use place::Places;
use protocol::{Code, OwnerId, Problem};
pub(crate) use ticket::{Ticket, Tickets};
pub use token::{BadDigest, Credential, Known, Roster, TokenDigest};
pub(crate) use token::{Pass, Tokens};

use crate::{app::App, chat::Dialect, problem::Failure};

/// The subprotocol by which a browser's WebSocket, which cannot set headers, brings its token.
pub(crate) const BEARER_PROTOCOL: &str = "dwell.bearer.";
/// The path that needs no token.
const OPEN_PATH: &str = "/healthz";
/// Where the files of apps are, which need none either.
const APPS: &str = "/apps/";

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

/// The pass of a request, where it needs one.
fn check(app: &App, request: &mut Request) -> Result<Option<Pass>, Problem> {
    app.places.check(request)?;
    let path = request.uri().path();
    if path == OPEN_PATH || (request.method() == Method::GET && path.starts_with(APPS)) {
        return Ok(None);
    }
    let pass = identify(app, request).ok_or_else(unauthorized)?;
    app.rate.check(&pass.owner)?;
    request.extensions_mut().insert(Principal(pass.owner.clone()));
    request.extensions_mut().insert(pass.clone());
    Ok(Some(pass))
}

fn identify(app: &App, request: &Request) -> Option<Pass> {
    let headers = request.headers();
    if let Some(token) = bearer(headers) {
        return app.tokens.pass(token);
    }
    let path = request.uri().path();
    if let Some((key, _)) = path.strip_prefix(OLLAMA).and_then(|rest| rest.split_once('/')) {
        return app.keys.pass(key);
    }
    let is_socket = path == "/ws";
    if is_socket && let Some(token) = subprotocol(headers) {
        return app.tokens.pass(token);
    }
    if request.method() == Method::GET && (is_socket || path.starts_with("/events/")) {
        let query = request.uri().query().unwrap_or_default();
        let ticket = query.split('&').find_map(|pair| pair.strip_prefix("ticket="))?;
        app.tokens.look();
        return app.tickets.redeem(ticket, app.hub.now());
    }
    None
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
