//! What a node says to another one of the request that it passes on.
//!
//! The headers count only on the listener for nodes, and only with the nodes' key. Everywhere else
//! they are removed.

use std::net::{IpAddr, SocketAddr};

use axum::{
    extract::{ConnectInfo, Request},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode},
    response::{IntoResponse, Response},
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use protocol::{Code, Problem};
use subtle::ConstantTimeEq;

use crate::access::{OverTls, ThroughIngress, is_over_tls};

pub(super) const KEY: &str = "x-dwell-node-key";
const CLIENT: HeaderName = HeaderName::from_static("x-dwell-client");
const TLS: HeaderName = HeaderName::from_static("x-dwell-client-tls");
const INGRESS: HeaderName = HeaderName::from_static("x-dwell-client-ingress");
/// Marks the answer of a node that does not serve the owner.
const NOT_HERE: HeaderName = HeaderName::from_static("x-dwell-not-here");

/// Marks a request on the listener for nodes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NodeDoor;

/// Marks a request that another node has passed on, and has checked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FromNode;

/// The secret by which nodes know each other.
#[derive(Debug, Clone)]
pub(super) struct NodeKey(pub(super) HeaderValue);

impl NodeKey {
    pub(super) fn new(key: [u8; 32]) -> Self {
        let text = URL_SAFE_NO_PAD.encode(key);
        // That alphabet is valid in headers.
        let mut key = HeaderValue::from_str(&text).unwrap_or_else(|_| HeaderValue::from_static(""));
        key.set_sensitive(true);
        Self(key)
    }

    /// Reads what the other node says, and removes it from the request.
    pub(super) fn admit(&self, request: &mut Request) -> Result<(), Problem> {
        let headers = request.headers_mut();
        let said = [HeaderName::from_static(KEY), CLIENT, TLS, INGRESS].map(|name| headers.remove(name));
        if request.extensions_mut().remove::<NodeDoor>().is_none() {
            return Ok(());
        }
        let [key, client, is_tls, is_ingress] = said;
        let is_node = key.is_some_and(|key| bool::from(key.as_bytes().ct_eq(self.0.as_bytes())));
        if !is_node {
            let hint = "This address is for other nodes of the cluster. Clients use `server.listen`.";
            return Err(Problem::new(Code::Unauthorized, "no valid key of a node", hint));
        }
        let extensions = request.extensions_mut();
        if let Some(address) = client.as_ref().and_then(|client| client.to_str().ok()?.parse::<IpAddr>().ok()) {
            extensions.insert(ConnectInfo(SocketAddr::new(address, 0)));
        }
        if is_tls.is_some() {
            extensions.insert(OverTls);
        }
        if is_ingress.is_some() {
            extensions.insert(ThroughIngress);
        }
        extensions.insert(FromNode);
        Ok(())
    }

    /// Says the same to another node.
    pub(super) fn introduce(&self, request: &mut Request) {
        let client = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| peer.ip());
        let is_tls = is_over_tls(request.extensions());
        let is_ingress = request.extensions().get::<ThroughIngress>().is_some();
        let headers: &mut HeaderMap = request.headers_mut();
        headers.insert(KEY, self.0.clone());
        if let Some(client) = client.and_then(|client| HeaderValue::from_str(&client.to_string()).ok()) {
            headers.insert(CLIENT, client);
        }
        if is_tls {
            headers.insert(TLS, HeaderValue::from_static("1"));
        }
        if is_ingress {
            headers.insert(INGRESS, HeaderValue::from_static("1"));
        }
    }
}

/// The answer of a node that does not serve the owner.
pub(crate) fn not_here() -> Response {
    (StatusCode::MISDIRECTED_REQUEST, [(NOT_HERE, "1")]).into_response()
}

/// Whether an answer is that one.
pub(super) fn is_not_here(response: &axum::http::Response<hyper::body::Incoming>) -> bool {
    response.status() == StatusCode::MISDIRECTED_REQUEST && response.headers().contains_key(NOT_HERE)
}
