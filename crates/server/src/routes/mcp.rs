//! The route of the Model Context Protocol, which has one path for everything.

use axum::{
    http::Method,
    routing::{delete, get, post},
};
use serde_json::{Map, Value};

use super::{Route, route};
use crate::mcp::{self, ENDPOINT as PATH, ResourceMetadata};

pub(super) fn of_mcp() -> Vec<Route> {
    vec![
        route(Method::POST, PATH, "Model Context Protocol: requests and notifications as JSON-RPC.", || {
            post(mcp::handle)
        })
        .answers::<Map<String, Value>>(200)
        .or_with("text/event-stream"),
        route(
            Method::GET,
            PATH,
            "Model Context Protocol: messages from the server, for clients with a session.",
            || get(mcp::handle),
        )
        .answers_with(200, "text/event-stream"),
        route(Method::DELETE, PATH, "Model Context Protocol: ends a client's MCP session.", || delete(mcp::handle))
            .answers_empty(204),
        route(
            Method::GET,
            "/.well-known/oauth-protected-resource",
            "OAuth protected resource metadata of the server. Needs no token.",
            || get(mcp::resource_metadata),
        )
        .answers::<ResourceMetadata>(200),
        route(
            Method::GET,
            "/.well-known/oauth-protected-resource/mcp",
            "OAuth protected resource metadata of the Model Context Protocol's endpoint. Needs no token.",
            || get(mcp::resource_metadata),
        )
        .answers::<ResourceMetadata>(200),
    ]
}
