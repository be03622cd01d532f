//! Protected resource metadata (RFC 9728) of `/mcp`, which says how clients get a token.
//!
//! Dwell issues its tokens itself and has no authorization server, so a client is configured with
//! the token. Where an authorization server in front hands out such tokens, the operator names it
//! in the configuration, and clients that speak OAuth find it here.

use axum::{
    Json,
    extract::{Request, State},
    http::{HeaderValue, StatusCode, header},
    response::Response,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{access::is_over_tls, app::AppState};

/// The path of the endpoint that the metadata describes.
pub(crate) const ENDPOINT: &str = "/mcp";
/// The path of the metadata of the whole server; the metadata of a path is below it.
const METADATA: &str = "/.well-known/oauth-protected-resource";

/// How to get access to a protected resource.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct ResourceMetadata {
    /// The address of the resource.
    resource: String,
    /// The name of the resource.
    resource_name: &'static str,
    /// The authorization servers that hand out tokens, if the operator has configured some.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    authorization_servers: Vec<String>,
    /// How a token is sent: in the `Authorization` header.
    bearer_methods_supported: [&'static str; 1],
}

pub(crate) async fn resource_metadata(State(app): State<AppState>, request: Request) -> Json<ResourceMetadata> {
    let endpoint = request.uri().path().strip_prefix(METADATA).unwrap_or_default();
    Json(ResourceMetadata {
        resource: format!("{}{endpoint}", origin(&request)),
        resource_name: "Dwell",
        authorization_servers: app.authorization_servers.clone(),
        bearer_methods_supported: ["header"],
    })
}

/// Whether a path is that of metadata.
pub(crate) fn is_metadata(path: &str) -> bool {
    path.strip_prefix(METADATA).is_some_and(|rest| rest.is_empty() || rest == ENDPOINT)
}

/// The challenge for a request without a valid token, if it is for the MCP endpoint.
pub(crate) fn challenge(request: &Request) -> Option<HeaderValue> {
    let (uri, headers) = (request.uri(), request.headers());
    if uri.path() != ENDPOINT {
        return None;
    }
    let error = if headers.contains_key(header::AUTHORIZATION) { r#"error="invalid_token", "# } else { "" };
    let metadata = format!("{}{METADATA}{ENDPOINT}", origin(request));
    HeaderValue::from_str(&format!(r#"Bearer {error}resource_metadata="{metadata}""#)).ok()
}

/// Puts the challenge into an answer that refuses access.
pub(crate) fn with_challenge(mut response: Response, challenge: Option<HeaderValue>) -> Response {
    if let Some(challenge) = challenge.filter(|_| response.status() == StatusCode::UNAUTHORIZED) {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    }
    response
}

/// The address of this server as the client knows it. The host is one of the allowed names, and a
/// trusted proxy has its word on both.
fn origin(request: &Request) -> String {
    let (uri, headers) = (request.uri(), request.headers());
    let host = headers.get(header::HOST).and_then(|value| value.to_str().ok());
    let host = host.or_else(|| uri.authority().map(|authority| authority.as_str()));
    let scheme = if is_over_tls(request.extensions()) { "https" } else { "http" };
    format!("{scheme}://{}", host.unwrap_or("localhost"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(path: &str, headers: &[(&'static str, &'static str)]) -> Request {
        let mut request = Request::builder().uri(path).header(header::HOST, "dwell.example:8443");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(axum::body::Body::empty()).unwrap()
    }

    #[test]
    fn only_the_endpoint_has_a_challenge_and_it_names_the_metadata() {
        assert_eq!(challenge(&request("/api/v1/sessions", &[])), None);
        let plain = challenge(&request("/mcp", &[])).unwrap();
        assert_eq!(
            plain.to_str().unwrap(),
            r#"Bearer resource_metadata="http://dwell.example:8443/.well-known/oauth-protected-resource/mcp""#
        );
        let mut proxied = request("/mcp", &[("authorization", "Bearer wrong")]);
        proxied.extensions_mut().insert(crate::access::OverTls);
        let proxied = challenge(&proxied).unwrap();
        assert!(
            proxied.to_str().unwrap().starts_with(r#"Bearer error="invalid_token", resource_metadata="https://dwell"#)
        );
    }
}
