//! The WebSocket: one connection for any number of the owner's sessions.

mod connection;
mod desktop;
mod dispatch;
mod followers;
mod home;
mod memory;
mod outbox;

use axum::{
    extract::{
        State,
        ws::{WebSocketUpgrade, rejection::WebSocketUpgradeRejection},
    },
    http::HeaderMap,
    response::Response,
};
use connection::Connection;

use crate::{
    access::{BEARER_PROTOCOL, Pass, Way},
    app::App,
    problem::Outcome,
    rest::invalid,
};

/// The subprotocol a client may offer beside the one that carries its token.
const PROTOCOL: &str = "dwell";

/// What a connection keeps ready to read into; a longer message makes it grow. Most connections wait most of the time.
const READ_BUFFER_BYTES: usize = 4 * 1024;

pub(crate) async fn upgrade(
    State(app): State<App>,
    pass: Pass,
    Way(way): Way,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Outcome<Response> {
    let upgrade = upgrade.map_err(|error| invalid(error.body_text()))?;
    let permit = app.stream_permit(&pass.owner)?;
    let limit = app.limits.frame_bytes_max;
    let upgrade = upgrade
        .max_message_size(limit)
        .max_frame_size(limit)
        .read_buffer_size(READ_BUFFER_BYTES)
        .protocols(answerable(&headers));
    Ok(upgrade.on_upgrade(move |socket| async move {
        let _permit = permit;
        Connection::run(app, pass, way, socket).await;
    }))
}

/// A browser gives up unless one of the subprotocols it offered is chosen; ours is preferred to the token's.
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
