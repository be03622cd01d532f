//! Protected resource metadata (RFC 9728) of `/mcp`, which says how clients get a token.
//!
//! Dwell issues its tokens itself and has no authorization server, so a client is configured with
//! the token. Where an authorization server in front hands out such tokens, the operator names it
//! in the configuration, and clients that speak OAuth find it here.

use axum::{
    Json,
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, Uri, header},
    response::Response,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::AppState;

/// The path of the endpoint that the metadata describes.
pub(crate) const ENDPOINT: &str = "/mcp";
/// The path of the metadata of the whole server; the metadata of a path is below it.
const METADATA: &str = "/.well-known/oauth-protected-resource";
/// The scheme that a reverse proxy was addressed with.
const FORWARDED_PROTO: &str = "x-forwarded-proto";

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
    let (uri, headers) = (request.uri(), request.headers());
    let endpoint = uri.path().strip_prefix(METADATA).unwrap_or_default();
    Json(ResourceMetadata {
        resource: format!("{}{endpoint}", origin(headers, uri)),
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
    let metadata = format!("{}{METADATA}{ENDPOINT}", origin(headers, uri));
    HeaderValue::from_str(&format!(r#"Bearer {error}resource_metadata="{metadata}""#)).ok()
}

/// Puts the challenge into an answer that refuses access.
pub(crate) fn with_challenge(mut response: Response, challenge: Option<HeaderValue>) -> Response {
    if let Some(challenge) = challenge.filter(|_| response.status() == StatusCode::UNAUTHORIZED) {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    }
    response
}

/// The address of this server as the client knows it. The host is one of the allowed names. What a
/// client itself states about the scheme goes only into its own answer.
fn origin(headers: &HeaderMap, uri: &Uri) -> String {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let host = text(header::HOST.as_str()).or_else(|| uri.authority().map(|authority| authority.as_str()));
    let is_secure = text(FORWARDED_PROTO).is_some_and(|scheme| {
        // Each proxy adds a value; the first one is the client's.
        scheme.split(',').next().is_some_and(|first| first.trim().eq_ignore_ascii_case("https"))
    });
    format!("{}://{}", if is_secure { "https" } else { "http" }, host.unwrap_or("localhost"))
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
        let proxied = [("x-forwarded-proto", "https, http"), ("authorization", "Bearer wrong")];
        let proxied = challenge(&request("/mcp", &proxied)).unwrap();
        assert!(
            proxied.to_str().unwrap().starts_with(r#"Bearer error="invalid_token", resource_metadata="https://dwell"#)
        );
    }
}
