//! Host and Origin: a page from elsewhere must not talk to us through somebody's browser.

use axum::{
    extract::Request,
    http::{HeaderMap, HeaderName, Uri, header},
};
use protocol::{Code, Problem};

/// The names under which this server may be addressed.
pub(crate) struct Places {
    hosts: Vec<String>,
}

/// Names of this machine that no foreign page can claim.
const LOOPBACK: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

impl Places {
    /// Loopback, and what the operator has configured (`name` or `name:port`).
    pub(crate) fn new(configured: &[String]) -> Self {
        let hosts = LOOPBACK.iter().map(|host| (*host).to_owned()).chain(configured.iter().cloned());
        Self { hosts: hosts.map(|host| host.to_ascii_lowercase()).collect() }
    }

    /// Refuses a request that was addressed to somebody else, or that a foreign page has sent.
    pub(crate) fn check(&self, request: &Request) -> Result<(), Problem> {
        let host = host(request).filter(|host| self.knows(host));
        let Some(host) = host else {
            return Err(forbidden("the Host is not a name of this server"));
        };
        match single(request.headers(), header::ORIGIN) {
            Ok(None) => Ok(()),
            Ok(Some(origin)) if self.is_ours(&origin, &host) => Ok(()),
            _ => Err(forbidden("the Origin is foreign")),
        }
    }

    fn knows(&self, host: &str) -> bool {
        let name = without_port(host);
        self.hosts.iter().any(|known| known == host || known == name)
    }

    /// An origin is ours when it is the very address the request was sent to, or another that is configured.
    fn is_ours(&self, origin: &str, host: &str) -> bool {
        let Some(place) = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://")) else {
            return false;
        };
        let place = place.to_ascii_lowercase();
        place == host || self.hosts.iter().skip(LOOPBACK.len()).any(|known| *known == place)
    }
}

fn host(request: &Request) -> Option<String> {
    let header = single(request.headers(), header::HOST).ok()?;
    let from_uri = |uri: &Uri| uri.authority().map(|authority| authority.as_str().to_owned());
    header.or_else(|| from_uri(request.uri())).map(|host| host.to_ascii_lowercase())
}

/// The value of a header that may be there once; twice is as bad as wrong.
fn single(headers: &HeaderMap, name: HeaderName) -> Result<Option<String>, ()> {
    let mut values = headers.get_all(name).iter();
    let first = values.next();
    if values.next().is_some() {
        return Err(());
    }
    first.map(|value| value.to_str().map(str::to_owned).map_err(|_| ())).transpose()
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

fn forbidden(message: &str) -> Problem {
    let hint = "Use the address the server printed, or add the name to `server.hosts` in the configuration.";
    Problem::new(Code::Forbidden, message, hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(host: &str, origin: Option<&str>) -> bool {
        let mut request = Request::builder().uri("/ws").header(header::HOST, host);
        if let Some(origin) = origin {
            request = request.header(header::ORIGIN, origin);
        }
        let places = Places::new(&["dwell.example".to_owned()]);
        places.check(&request.body(axum::body::Body::empty()).unwrap()).is_ok()
    }

    #[test]
    fn our_own_names_are_let_in() {
        for host in ["127.0.0.1:7437", "localhost:7437", "LOCALHOST", "[::1]:80", "dwell.example", "dwell.example:8443"]
        {
            assert!(check(host, None), "{host}");
            assert!(check(host, Some(&format!("http://{host}"))), "{host}");
        }
        assert!(check("127.0.0.1:7437", Some("https://dwell.example")));
    }

    #[test]
    fn everybody_else_stays_outside() {
        for host in ["", "evil.example", "127.0.0.1.evil.example", "localhost.evil.example:7437", "127.0.0.1:", "[::1"]
        {
            assert!(!check(host, None), "{host}");
        }
        for origin in [
            "null",
            "",
            "http://evil.example",
            "http://localhost.evil.example",
            "http://localhost:7437.evil.example",
            "http://localhost:9999",
            "http://localhost",
            "http://127.0.0.1:7437",
            "http://user@localhost:7437",
            "http://localhost:7437/",
            "file://localhost:7437",
            "localhost:7437",
        ] {
            assert!(!check("localhost:7437", Some(origin)), "{origin}");
        }
    }

    #[test]
    fn a_header_given_twice_is_refused() {
        let request = Request::builder()
            .uri("/ws")
            .header(header::HOST, "localhost")
            .header(header::ORIGIN, "http://localhost")
            .header(header::ORIGIN, "http://evil.example");
        let places = Places::new(&[]);
        assert!(places.check(&request.body(axum::body::Body::empty()).unwrap()).is_err());
    }
}
