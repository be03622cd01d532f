//! The trace that a request belongs to: the header `traceparent` of W3C, and the same field in the
//! metadata of an MCP request.

use axum::{
    extract::Request,
    http::{HeaderMap, request::Parts},
    middleware::Next,
    response::Response,
};
use observe::{TRACEPARENT, TraceContext};
use rmcp::{RoleServer, service::RequestContext};

/// Handles a request below its client's span. It is only part of the router if traces are on.
pub(crate) async fn adopt(request: Request, next: Next) -> Response {
    let parent = of_headers(request.headers());
    observe::scope_maybe(parent, next.run(request)).await
}

/// The span of an MCP client. MCP requests are handled by tasks of their own, and one connection
/// carries many of them, so that what the message says counts before the header.
pub(crate) fn of_mcp(context: &RequestContext<RoleServer>) -> Option<TraceContext> {
    let said = context.meta.get(TRACEPARENT).and_then(|value| TraceContext::parse(value.as_str()?));
    said.or_else(|| of_headers(&context.extensions.get::<Parts>()?.headers))
}

fn of_headers(headers: &HeaderMap) -> Option<TraceContext> {
    TraceContext::parse(headers.get(TRACEPARENT)?.to_str().ok()?)
}
