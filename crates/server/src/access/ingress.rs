//! Home Assistant's ingress: a proxy that has signed the user in already.
//!
//! The Supervisor passes requests on only for users of Home Assistant, and marks them with the path
//! under which their browser sees the page. The header alone proves nothing, since any client can
//! send it; it counts only from the addresses that the operator has configured. Such a request is
//! the owner's, for the page's own API. The `Host` is Home Assistant's then, whatever its name is,
//! but an `Origin` must still be that of the same page.

use std::net::SocketAddr;

use axum::{
    extract::{ConnectInfo, Request},
    http::{HeaderMap, HeaderName, header},
};
use secret::SecretDigest;

use crate::AllowedPeers;

/// The path under which the browser sees the page.
const INGRESS_PATH: HeaderName = HeaderName::from_static("x-ingress-path");
/// The host that the browser has addressed, if a proxy in front of Home Assistant changes it.
const FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");

/// The ingress of this server.
pub(crate) struct Ingress {
    proxies: AllowedPeers,
    /// The token whose owner the users act for.
    digest: Option<SecretDigest>,
}

/// Marks a request that came through ingress.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ThroughIngress;

impl Ingress {
    pub(crate) const fn new(proxies: AllowedPeers, digest: Option<SecretDigest>) -> Self {
        Self { proxies, digest }
    }

    /// The digest of the token that signs the users in.
    pub(super) const fn digest(&self) -> Option<SecretDigest> {
        self.digest
    }

    /// Whether a request came through ingress.
    pub(super) fn has_passed(&self, request: &Request) -> bool {
        let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
        let is_proxy = peer.is_some_and(|ConnectInfo(address)| self.proxies.list(address.ip()));
        is_proxy && has_path(request.headers())
    }
}

fn has_path(headers: &HeaderMap) -> bool {
    let mut paths = headers.get_all(INGRESS_PATH).iter();
    let is_path = |value: &[u8]| value.len() > 1 && value.starts_with(b"/") && !value.starts_with(b"//");
    paths.next().is_some_and(|path| is_path(path.as_bytes())) && paths.next().is_none()
}

/// Whether an origin is that of the page which the browser sees.
pub(super) fn is_of_page(origin: &str, headers: &HeaderMap) -> bool {
    let Some(place) = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://")) else { return false };
    [header::HOST, FORWARDED_HOST].into_iter().any(|name| {
        let mut values = headers.get_all(name).iter();
        let is_same = values.next().is_some_and(|host| host.as_bytes().eq_ignore_ascii_case(place.as_bytes()));
        is_same && values.next().is_none()
    })
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    fn passed(peer: &str, paths: &[&str]) -> bool {
        let mut request = Request::builder().uri("/");
        for path in paths {
            request = request.header(INGRESS_PATH, *path);
        }
        let mut request = request.body(Body::empty()).unwrap();
        let address: SocketAddr = peer.parse().unwrap();
        request.extensions_mut().insert(ConnectInfo(address));
        Ingress::new(AllowedPeers::new(["172.30.32.2"]).unwrap(), None).has_passed(&request)
    }

    #[test]
    fn only_the_configured_proxy_passes_requests_on() {
        assert!(passed("172.30.32.2:40000", &["/api/hassio_ingress/abc"]));
        assert!(passed("[::ffff:172.30.32.2]:40000", &["/api/hassio_ingress/abc"]), "as a dual-stack socket sees it");
        assert!(!passed("172.30.32.3:40000", &["/api/hassio_ingress/abc"]));
        for paths in [&[][..], &[""], &["/"], &["//evil.example"], &["api"], &["/a", "/b"]] {
            assert!(!passed("172.30.32.2:40000", paths), "{paths:?}");
        }
        let request = Request::builder().uri("/").header(INGRESS_PATH, "/a").body(Body::empty()).unwrap();
        assert!(!Ingress::new(AllowedPeers::default(), None).has_passed(&request), "an empty list is no proxy");
    }

    #[test]
    fn the_origin_is_the_host_that_the_browser_sees() {
        let headers = HeaderMap::from_iter([
            (header::HOST, "homeassistant.local:8123".parse().unwrap()),
            (FORWARDED_HOST, "home.example".parse().unwrap()),
        ]);
        for (origin, is_same) in [
            ("http://homeassistant.local:8123", true),
            ("https://Home.example", true),
            ("http://homeassistant.local", false),
            ("http://evil.example", false),
            ("null", false),
        ] {
            assert_eq!(is_of_page(origin, &headers), is_same, "{origin}");
        }
    }
}
