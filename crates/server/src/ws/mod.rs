//! The WebSocket: one connection for any number of the owner's sessions.

mod connection;
mod desktop;
mod dispatch;
mod followers;
mod home;
mod memory;
mod outbox;
mod plans;
mod tool_worker;

use axum::{
    extract::{
        State,
        ws::{WebSocketUpgrade, rejection::WebSocketUpgradeRejection},
    },
    http::HeaderMap,
    response::Response,
};
use connection::WebSocketConnection;

use crate::{
    access::{AccessGrant, BEARER_PROTOCOL, RequestWay},
    app::AppState,
    problem::HttpResult,
    rest::invalid,
};

/// The subprotocol that a client may offer besides the one with its token.
const PROTOCOL: &str = "dwell";

/// Initial size of a connection's read buffer, which grows with longer messages. It is small, since
/// most connections are idle.
const READ_BUFFER_BYTES: usize = 4 * 1024;

pub(crate) async fn upgrade(
    State(app): State<AppState>,
    grant: AccessGrant,
    RequestWay(way): RequestWay,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> HttpResult<Response> {
    let upgrade = upgrade.map_err(|error| invalid(error.body_text()))?;
    let permit = app.stream_permit(&grant.owner)?;
    let limit = app.limits.frame_bytes_max;
    let upgrade = upgrade
        .max_message_size(limit)
        .max_frame_size(limit)
        .read_buffer_size(READ_BUFFER_BYTES)
        .protocols(answerable(&headers));
    // The connection is a task of its own, and belongs to the trace of the request that opened it.
    let parent = observe::current();
    Ok(upgrade.on_upgrade(move |socket| async move {
        let _permit = permit;
        observe::scope_maybe(parent, WebSocketConnection::run(app, grant, way, socket)).await;
    }))
}

/// The subprotocols to choose from. A browser closes the connection unless one of its subprotocols
/// is chosen; ours is preferred to the one with the token.
fn answerable(headers: &HeaderMap) -> Vec<String> {
    let offered = headers.get_all("sec-websocket-protocol").iter().filter_map(|value| value.to_str().ok());
    let mut protocols: Vec<String> = offered
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .filter(|protocol| *protocol == PROTOCOL || protocol.starts_with(BEARER_PROTOCOL))
        .map(str::to_owned)
        .collect();
    protocols.sort_by_key(|protocol| protocol != PROTOCOL);
    protocols
}
