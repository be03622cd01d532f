//! Cross-origin requests (CORS) of the pages that the operator has listed. Without a list there are
//! none: no header is sent, and a foreign `Origin` is refused.

use axum::{
    extract::Request,
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header},
    response::{IntoResponse, Response},
};

const METHODS: HeaderValue = HeaderValue::from_static("GET, HEAD, POST, PUT, PATCH, DELETE");
/// Response headers that scripts of these pages may read.
const EXPOSED: HeaderValue = HeaderValue::from_static(
    "content-disposition, etag, mcp-session-id, request-id, retry-after, www-authenticate, x-dwell-ignored, \
     x-dwell-session, x-dwell-turn, x-request-id",
);
/// Seconds for which a browser may remember the answer to a preflight.
const MAX_AGE: HeaderValue = HeaderValue::from_static("600");
const YES: HeaderValue = HeaderValue::from_static("true");

/// The pages of other origins that may use this server.
#[derive(Debug, Clone, Default)]
pub struct AllowedOrigins {
    origins: Vec<String>,
    with_cookies: bool,
}

/// A text that is not an origin.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an origin: write it as `https://app.example` or `http://localhost:3000`, without a path")]
pub struct BadOrigin(String);

impl AllowedOrigins {
    /// Reads origins. `with_cookies`: their pages may use the cookie of a signed-in browser.
    pub fn new<S: AsRef<str>>(texts: impl IntoIterator<Item = S>, with_cookies: bool) -> Result<Self, BadOrigin> {
        let read = |text: S| read(text.as_ref()).ok_or_else(|| BadOrigin(text.as_ref().to_owned()));
        Ok(Self { origins: texts.into_iter().map(read).collect::<Result<_, _>>()?, with_cookies })
    }

    /// Whether an origin is listed.
    pub(super) fn list(&self, origin: &str) -> bool {
        self.origins.iter().any(|known| known.eq_ignore_ascii_case(origin))
    }

    pub(super) const fn with_cookies(&self) -> bool {
        self.with_cookies
    }

    /// The listed origin of a request.
    pub(super) fn of(&self, headers: &HeaderMap) -> Option<HeaderValue> {
        let mut origins = headers.get_all(header::ORIGIN).iter();
        let origin = origins.next()?;
        let is_listed = origins.next().is_none() && origin.to_str().is_ok_and(|origin| self.list(origin));
        is_listed.then(|| origin.clone())
    }

    /// Lets the page of a request read its answer, and caches know that answers differ by origin.
    pub(super) fn share(&self, mut response: Response, origin: Option<HeaderValue>) -> Response {
        if self.origins.is_empty() {
            return response;
        }
        let headers = response.headers_mut();
        headers.append(header::VARY, HeaderValue::from_static("origin"));
        if let Some(origin) = origin {
            self.allow(headers, origin);
            headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
        }
        response
    }

    /// The answer to a browser that asks whether a page may send a request.
    pub(super) fn preflight(&self, request: &HeaderMap, origin: HeaderValue) -> Response {
        let mut response = StatusCode::NO_CONTENT.into_response();
        let headers = response.headers_mut();
        self.allow(headers, origin);
        headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, METHODS);
        // The page may send what it wants: it is trusted, and no header means more because of it.
        if let Some(asked) = request.get(header::ACCESS_CONTROL_REQUEST_HEADERS) {
            headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, asked.clone());
        }
        headers.insert(header::ACCESS_CONTROL_MAX_AGE, MAX_AGE);
        headers.append(header::VARY, HeaderValue::from_static("origin, access-control-request-headers"));
        response
    }

    fn allow(&self, headers: &mut HeaderMap, origin: HeaderValue) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        if self.with_cookies {
            headers.insert(header::ACCESS_CONTROL_ALLOW_CREDENTIALS, YES);
        }
    }
}

/// Whether a browser asks for permission before a request.
pub(super) fn is_preflight(request: &Request) -> bool {
    const METHOD: HeaderName = header::ACCESS_CONTROL_REQUEST_METHOD;
    request.method() == Method::OPTIONS && request.headers().contains_key(METHOD)
}

fn read(text: &str) -> Option<String> {
    let text = text.trim().to_ascii_lowercase();
    let place = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"))?;
    let authority: axum::http::uri::Authority = place.parse().ok()?;
    let is_plain = authority.as_str() == place && !place.contains('@') && !authority.host().is_empty();
    is_plain.then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_has_a_scheme_and_a_host_and_nothing_else() {
        for good in ["https://app.example", "http://localhost:3000", " HTTPS://App.Example:8443 ", "http://[::1]:80"] {
            assert!(AllowedOrigins::new([good], false).is_ok(), "{good}");
        }
        for bad in
            ["", "*", "app.example", "https://", "https://app.example/", "https://u@app.example", "null", "ws://a"]
        {
            assert_eq!(AllowedOrigins::new([bad], false).unwrap_err(), BadOrigin(bad.to_owned()), "{bad}");
        }
    }

    #[test]
    fn nothing_is_said_without_a_list() {
        let none = AllowedOrigins::default();
        let origin = HeaderMap::from_iter([(header::ORIGIN, HeaderValue::from_static("https://app.example"))]);
        assert_eq!(none.of(&origin), None);
        assert!(none.share(StatusCode::OK.into_response(), None).headers().get(header::VARY).is_none());
    }

    #[test]
    fn cookies_are_allowed_only_where_they_are_asked_for() {
        for with_cookies in [false, true] {
            let list = AllowedOrigins::new(["https://app.example"], with_cookies).unwrap();
            let origin =
                list.of(&HeaderMap::from_iter([(header::ORIGIN, HeaderValue::from_static("https://app.example"))]));
            let answer = list.share(StatusCode::OK.into_response(), origin);
            assert_eq!(answer.headers()[header::ACCESS_CONTROL_ALLOW_ORIGIN], "https://app.example");
            let credentials = answer.headers().contains_key(header::ACCESS_CONTROL_ALLOW_CREDENTIALS);
            assert_eq!(credentials, with_cookies);
        }
    }
}
