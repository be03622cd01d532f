//! The route of the Model Context Protocol, which has one path for everything.

use axum::{
    http::Method,
    routing::{delete, get, post},
};

use super::{Route, route};
use crate::mcp;

pub(super) fn of_mcp() -> Vec<Route> {
    const PATH: &str = "/mcp";
    vec![
        route(Method::POST, PATH, "Model Context Protocol: requests and notifications as JSON-RPC.", || {
            post(mcp::handle)
        })
        .answers_with(200, "application/json, text/event-stream"),
        route(
            Method::GET,
            PATH,
            "Model Context Protocol: messages from the server, for clients with a session.",
            || get(mcp::handle),
        )
        .answers_with(200, "text/event-stream"),
        route(Method::DELETE, PATH, "Model Context Protocol: ends a client's MCP session.", || delete(mcp::handle))
            .answers_with(202, "text/plain"),
    ]
}
