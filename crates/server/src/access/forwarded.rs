//! What a trusted proxy says of its client: `Forwarded` (RFC 7239), or `X-Forwarded-For`, `-Proto`
//! and `-Host`.
//!
//! Any client can send these headers, so they count only on connections from the addresses that the
//! operator trusts. The client's address is the last one in the chain that is no trusted proxy:
//! what stands before it is that client's own claim. The host still has to be one of the server's
//! names. A request is changed to what its client sent, so that everything after this needs to know
//! of no proxies.

use std::net::{IpAddr, SocketAddr};

use axum::{
    extract::{ConnectInfo, Request},
    http::{Extensions, HeaderMap, HeaderName, HeaderValue, header},
};

use crate::AllowedPeers;

const FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");
const HOST: HeaderName = HeaderName::from_static("x-forwarded-host");

/// Most proxies in a chain that are looked at.
const CHAIN_MAX: usize = 32;

/// Marks a request that its client sent over TLS, to this server or to a trusted proxy.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OverTls;

/// Whether the client of a request used TLS.
pub(crate) fn is_over_tls(extensions: &Extensions) -> bool {
    extensions.get::<OverTls>().is_some()
}

/// The proxies whose headers are believed.
pub(crate) struct TrustedProxies {
    proxies: AllowedPeers,
}

/// What one proxy says of the one before it in the chain.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Hop {
    /// `None` if it is hidden or no address.
    address: Option<IpAddr>,
    is_https: Option<bool>,
    host: Option<String>,
}

impl TrustedProxies {
    pub(crate) const fn new(proxies: AllowedPeers) -> Self {
        Self { proxies }
    }

    /// Changes a request that a trusted proxy passed on to what its client sent.
    pub(super) fn apply(&self, request: &mut Request) {
        let Some(ConnectInfo(peer)) = request.extensions().get::<ConnectInfo<SocketAddr>>().copied() else { return };
        if !self.proxies.list(peer.ip()) {
            return;
        }
        let Some(client) = self.client(request.headers()) else { return };
        let extensions = request.extensions_mut();
        if let Some(address) = client.address {
            // The port is the proxy's: that of the client is not known.
            extensions.insert(ConnectInfo(SocketAddr::new(address, peer.port())));
        }
        // The connection of the proxy says nothing of that of its client.
        if client.is_https == Some(true) {
            extensions.insert(OverTls);
        } else if client.is_https == Some(false) {
            extensions.remove::<OverTls>();
        }
        if let Some(host) = client.host.and_then(|host| HeaderValue::from_str(&host).ok()) {
            request.headers_mut().insert(header::HOST, host);
        }
    }

    /// The hop of the client: the last in the chain that is no trusted proxy, or else the first.
    fn client(&self, headers: &HeaderMap) -> Option<Hop> {
        let mut chain = if headers.contains_key(header::FORWARDED) { standard(headers) } else { usual(headers) };
        let is_proxy = |hop: &Hop| hop.address.is_some_and(|address| self.proxies.list(address));
        let at = chain.iter().rposition(|hop| !is_proxy(hop)).unwrap_or(0);
        (at < chain.len()).then(|| chain.swap_remove(at))
    }
}

/// The chain of `Forwarded`.
fn standard(headers: &HeaderMap) -> Vec<Hop> {
    let mut chain: Vec<Hop> = values(headers, &header::FORWARDED).map(|element| hop(&element)).collect();
    keep_last(&mut chain);
    chain
}

fn hop(element: &str) -> Hop {
    let mut hop = Hop::default();
    for (name, value) in element.split(';').filter_map(|pair| pair.split_once('=')) {
        let value = value.trim().trim_matches('"');
        match name.trim().to_ascii_lowercase().as_str() {
            "for" => hop.address = address(value),
            "proto" => hop.is_https = scheme(value),
            "host" => hop.host = Some(value.to_owned()),
            _ => {}
        }
    }
    hop
}

/// The chain of `X-Forwarded-For`. The other two headers usually have one value, of the last proxy
/// that set them; if they have as many as there are addresses, each is of its own hop.
fn usual(headers: &HeaderMap) -> Vec<Hop> {
    let mut chain: Vec<Hop> =
        values(headers, &FOR).map(|text| Hop { address: address(&text), ..Hop::default() }).collect();
    if chain.is_empty() && (headers.contains_key(PROTO) || headers.contains_key(HOST)) {
        chain.push(Hop::default());
    }
    let (protos, hosts): (Vec<String>, Vec<String>) =
        (values(headers, &PROTO).collect(), values(headers, &HOST).collect());
    let count = chain.len();
    for (at, hop) in chain.iter_mut().enumerate() {
        let of_hop = |texts: &[String]| if texts.len() == count { texts.get(at) } else { texts.last() }.cloned();
        hop.is_https = of_hop(&protos).as_deref().and_then(scheme);
        hop.host = of_hop(&hosts);
    }
    keep_last(&mut chain);
    chain
}

/// The proxy nearest to this server is the last.
fn keep_last(chain: &mut Vec<Hop>) {
    chain.drain(..chain.len().saturating_sub(CHAIN_MAX));
}

/// The values of a header that is a list, also if it is given several times.
fn values<'h>(headers: &'h HeaderMap, name: &HeaderName) -> impl Iterator<Item = String> + 'h {
    let lines = headers.get_all(name).into_iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
}

/// An address, with or without a port.
fn address(text: &str) -> Option<IpAddr> {
    let address = text.parse().ok().or_else(|| text.parse::<SocketAddr>().ok().map(|address| address.ip()));
    address.or_else(|| text.strip_prefix('[')?.strip_suffix(']')?.parse().ok())
}

fn scheme(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "https" | "wss" => Some(true),
        "http" | "ws" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    /// The address, whether it used TLS, and the host, for a server that trusts 10.0.0.0/8.
    fn seen(peer: &str, headers: &[(&str, &str)]) -> (String, bool, String) {
        let mut request = Request::builder().uri("/").header(header::HOST, "inner");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut request = request.body(Body::empty()).unwrap();
        request.extensions_mut().insert(ConnectInfo(SocketAddr::new(peer.parse().unwrap(), 4)));
        TrustedProxies::new(AllowedPeers::new(["10.0.0.0/8"]).unwrap()).apply(&mut request);
        let ConnectInfo(address) = request.extensions().get::<ConnectInfo<SocketAddr>>().unwrap();
        let host = request.headers()[header::HOST].to_str().unwrap().to_owned();
        (address.ip().to_string(), is_over_tls(request.extensions()), host)
    }

    #[test]
    fn only_a_trusted_proxy_is_believed() {
        let headers =
            [("x-forwarded-for", "203.0.113.7"), ("x-forwarded-proto", "https"), ("x-forwarded-host", "dwell.example")];
        assert_eq!(seen("10.0.0.1", &headers), ("203.0.113.7".to_owned(), true, "dwell.example".to_owned()));
        assert_eq!(seen("192.0.2.1", &headers), ("192.0.2.1".to_owned(), false, "inner".to_owned()));
        assert_eq!(seen("10.0.0.1", &[]), ("10.0.0.1".to_owned(), false, "inner".to_owned()));
    }

    #[test]
    fn what_the_client_claims_itself_is_not_its_address() {
        for (chain, address) in [
            ("1.1.1.1, 203.0.113.7", "203.0.113.7"),
            ("1.1.1.1, 203.0.113.7, 10.2.2.2", "203.0.113.7"),
            ("10.9.9.9, 203.0.113.7, 10.2.2.2, 10.3.3.3", "203.0.113.7"),
            ("10.9.9.9, 10.2.2.2", "10.9.9.9"),
            ("203.0.113.7:4711", "203.0.113.7"),
            ("[2001:db8::7]:4711", "2001:db8::7"),
            ("2001:db8::7", "2001:db8::7"),
            ("unknown", "10.0.0.1"),
            ("203.0.113.7, unknown", "10.0.0.1"),
        ] {
            assert_eq!(seen("10.0.0.1", &[("x-forwarded-for", chain)]).0, address, "{chain}");
        }
        let twice = [("x-forwarded-for", "1.1.1.1"), ("x-forwarded-for", "203.0.113.7")];
        assert_eq!(seen("10.0.0.1", &twice).0, "203.0.113.7");
    }

    #[test]
    fn the_standard_header_wins_over_the_usual_ones() {
        let headers = [
            ("forwarded", r#"for=1.1.1.1;proto=http, For="[2001:db8::7]:99";Proto=https;host="a.example:8443""#),
            ("x-forwarded-for", "9.9.9.9"),
            ("x-forwarded-proto", "http"),
        ];
        assert_eq!(seen("10.0.0.1", &headers), ("2001:db8::7".to_owned(), true, "a.example:8443".to_owned()));
        let hidden = [("forwarded", "for=_hidden;proto=https")];
        assert_eq!(seen("10.0.0.1", &hidden), ("10.0.0.1".to_owned(), true, "inner".to_owned()));
    }

    #[test]
    fn the_scheme_is_that_of_the_clients_hop() {
        let each = [("x-forwarded-for", "203.0.113.7, 10.2.2.2"), ("x-forwarded-proto", "https, http")];
        assert!(seen("10.0.0.1", &each).1);
        let last = [("x-forwarded-for", "1.1.1.1, 203.0.113.7, 10.2.2.2"), ("x-forwarded-proto", "https, http")];
        assert!(!seen("10.0.0.1", &last).1, "what cannot be told apart is what the last proxy says");
    }
}
