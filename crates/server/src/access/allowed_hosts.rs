//! Host and Origin: a foreign page must not reach this server through the user's browser.

use axum::{
    extract::Request,
    http::{HeaderMap, HeaderName, Method, Uri, header},
};
use protocol::{Code, Problem};

use super::{
    cors::AllowedOrigins,
    ingress::{ThroughIngress, is_of_page},
};

/// The header in which a browser says which site caused a request.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The names under which this server may be addressed, and the pages of other origins that may use
/// it.
pub(crate) struct AllowedHosts {
    hosts: Vec<String>,
    origins: AllowedOrigins,
}

/// Names of this machine that no foreign page can claim.
const LOOPBACK: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

impl AllowedHosts {
    /// Loopback, and the names that the operator has configured (`name` or `name:port`).
    pub(crate) fn new(configured: &[String], origins: AllowedOrigins) -> Self {
        let hosts = LOOPBACK.iter().map(|host| (*host).to_owned()).chain(configured.iter().cloned());
        Self { hosts: hosts.map(|host| host.to_ascii_lowercase()).collect(), origins }
    }

    /// The pages of other origins.
    pub(super) const fn origins(&self) -> &AllowedOrigins {
        &self.origins
    }

    /// Refuses a request that is addressed to another host, or that a foreign page has sent.
    pub(crate) fn check(&self, request: &Request) -> Result<(), Problem> {
        // Through ingress the host is that of Home Assistant, which has checked it.
        let is_ingress = request.extensions().get::<ThroughIngress>().is_some();
        let host = host(request).filter(|host| is_ingress || self.knows(host));
        let Some(host) = host else {
            return Err(forbidden("the Host is not a name of this server"));
        };
        match single(request.headers(), header::ORIGIN) {
            Ok(None) => Ok(()),
            Ok(Some(origin)) if is_ingress && is_of_page(&origin, request.headers()) => Ok(()),
            Ok(Some(origin)) if !is_ingress && (self.is_ours(&origin, &host) || self.origins.list(&origin)) => Ok(()),
            // The frame of an app has the origin `null`, which browsers send when it loads its
            // other files.
            Ok(Some(origin)) if origin == "null" && super::is_of_apps(request.method(), request.uri().path()) => Ok(()),
            _ => Err(forbidden("the Origin is foreign")),
        }
    }

    fn knows(&self, host: &str) -> bool {
        let name = without_port(host);
        self.hosts.iter().any(|known| known == host || known == name)
    }

    /// An origin is ours if it is the address that the request was sent to, or another configured
    /// one.
    fn is_ours(&self, origin: &str, host: &str) -> bool {
        let Some(place) = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://")) else {
            return false;
        };
        let place = place.to_ascii_lowercase();
        place == host || self.hosts.iter().skip(LOOPBACK.len()).any(|known| *known == place)
    }

    /// Refuses requests that a browser sends for a foreign page, because it adds our cookie to
    /// those too. An `Origin` header was checked before. `SameSite` cookies do not help, since
    /// another port of this machine is the same site to a browser. So requests that change
    /// something need an `Origin`, and the others must not have `Sec-Fetch-Site` of another page.
    /// A page of a listed origin may use the cookie only if the operator has said so.
    pub(super) fn check_page(&self, request: &Request, needs_origin: bool) -> Result<(), Problem> {
        let hint = "Cookies are for Dwell's own page; a program sends `Authorization: Bearer TOKEN`.";
        let foreign = Problem::new(Code::Forbidden, "the request comes from another page", hint);
        match single(request.headers(), header::ORIGIN) {
            Ok(None) if needs_origin => return Err(Problem::new(Code::Forbidden, "the Origin is missing", hint)),
            Ok(Some(origin)) if self.origins.list(&origin) => {
                return if self.origins.with_cookies() { Ok(()) } else { Err(foreign) };
            }
            _ => {}
        }
        match single(request.headers(), FETCH_SITE).as_ref().map(Option::as_deref) {
            Ok(None | Some("same-origin" | "none")) => Ok(()),
            _ => Err(foreign),
        }
    }
}

/// Whether a request only reads.
pub(super) fn is_reading(method: &Method) -> bool {
    method == Method::GET || method == Method::HEAD
}

fn host(request: &Request) -> Option<String> {
    let header = single(request.headers(), header::HOST).ok()?;
    let from_uri = |uri: &Uri| uri.authority().map(|authority| authority.as_str().to_owned());
    header.or_else(|| from_uri(request.uri())).map(|host| host.to_ascii_lowercase())
}

/// The value of a header that may occur only once.
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
        let hosts = AllowedHosts::new(&["dwell.example".to_owned()], AllowedOrigins::default());
        hosts.check(&request.body(axum::body::Body::empty()).unwrap()).is_ok()
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
    fn a_frame_without_an_origin_gets_the_files_of_apps_and_nothing_else() {
        let hosts = AllowedHosts::new(&[], AllowedOrigins::default());
        let check = |method: &str, path: &str, origin: &str| {
            let request = Request::builder().method(method).uri(path).header(header::HOST, "localhost");
            let request = request.header(header::ORIGIN, origin).body(axum::body::Body::empty()).unwrap();
            hosts.check(&request).is_ok()
        };
        assert!(check("GET", "/apps/timer/bridge.js", "null"));
        assert!(!check("GET", "/apps/timer/bridge.js", "http://evil.example"));
        assert!(!check("POST", "/apps/timer/bridge.js", "null"));
        for path in ["/", "/ws", "/api/v1/entry", "/api/v1/sessions", "/apps", "/assets/x.js"] {
            assert!(!check("GET", path, "null"), "{path}");
        }
    }

    #[test]
    fn a_header_given_twice_is_refused() {
        let request = Request::builder()
            .uri("/ws")
            .header(header::HOST, "localhost")
            .header(header::ORIGIN, "http://localhost")
            .header(header::ORIGIN, "http://evil.example");
        let hosts = AllowedHosts::new(&[], AllowedOrigins::default());
        assert!(hosts.check(&request.body(axum::body::Body::empty()).unwrap()).is_err());
    }

    #[test]
    fn a_page_is_ours_by_its_origin_and_by_what_the_browser_says() {
        let check = |origin: bool, sites: &[&str], needs_origin| {
            let mut request = Request::builder().uri("/ws");
            if origin {
                request = request.header(header::ORIGIN, "http://localhost");
            }
            for site in sites {
                request = request.header(FETCH_SITE, *site);
            }
            let hosts = AllowedHosts::new(&[], AllowedOrigins::default());
            hosts.check_page(&request.body(axum::body::Body::empty()).unwrap(), needs_origin).is_ok()
        };
        for site in [&[][..], &["same-origin"], &["none"]] {
            assert!(check(false, site, false) && check(true, site, false) && check(true, site, true), "{site:?}");
            assert!(!check(false, site, true), "{site:?}");
        }
        for site in [&["same-site"][..], &["cross-site"], &[""], &["Same-Origin"], &["none", "none"]] {
            assert!(!check(true, site, true) && !check(true, site, false), "{site:?}");
        }
    }

    #[test]
    fn a_page_of_a_listed_origin_is_let_in_and_uses_cookies_only_if_it_may() {
        let check = |origin: &str, with_cookies| {
            let request =
                Request::builder().uri("/ws").header(header::HOST, "localhost").header(header::ORIGIN, origin);
            let request = request.body(axum::body::Body::empty()).unwrap();
            let origins = AllowedOrigins::new(["https://app.example"], with_cookies).unwrap();
            let hosts = AllowedHosts::new(&[], origins);
            (hosts.check(&request).is_ok(), hosts.check_page(&request, true).is_ok())
        };
        assert_eq!(check("https://app.example", false), (true, false));
        assert_eq!(check("https://app.example", true), (true, true));
        assert!(!check("http://app.example", true).0, "another scheme is another origin");
        assert!(!check("https://app.example:8443", true).0);
    }
}
