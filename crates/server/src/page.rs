//! The page: its files, with their cache and security headers.

use std::borrow::Cow;

use axum::{
    Extension,
    body::Bytes,
    extract::State,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use protocol::{Code, Problem};

use crate::{access::ThroughIngress, app::AppState, problem::HttpResult, rest::PathId};

/// A file of the page.
pub struct PageFile {
    /// Its content, compressed if `encoding` is set.
    pub bytes: Cow<'static, [u8]>,
    /// Its media type.
    pub media_type: &'static str,
    /// How it is compressed.
    pub encoding: Option<&'static str>,
    /// Its entity tag, including the quotes.
    pub etag: String,
    /// Whether its name contains a hash of its content.
    pub is_hashed: bool,
}

/// The page.
#[derive(Clone, Copy)]
pub struct Page {
    /// A file, by its path and the accepted encodings.
    pub file: fn(&str, &str) -> Option<PageFile>,
    /// The content security policy of every file.
    pub policy: &'static str,
}

const INDEX: &str = "index.html";
/// The page's service worker. It governs the paths below its own, so it is not in `/assets/`.
pub(crate) const SERVICE_WORKER: &str = "/service-worker.js";
/// How the page is installed as an app.
pub(crate) const MANIFEST: &str = "/manifest.webmanifest";
/// Browsers must revalidate the page, since there may be a newer version.
const ASK_AGAIN: &str = "no-cache";
/// A hashed file never changes.
const KEEP: &str = "public, max-age=31536000, immutable";
const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
const PERMISSIONS_POLICY: HeaderName = HeaderName::from_static("permissions-policy");
/// All browser permissions are denied, except writing to the clipboard, and the microphone for
/// voice input. The browser asks the user before the page hears anything.
const PERMISSIONS: &str = "accelerometer=(), autoplay=(), camera=(), clipboard-read=(), \
     clipboard-write=(self), display-capture=(), encrypted-media=(), fullscreen=(), gamepad=(), geolocation=(), \
     gyroscope=(), hid=(), identity-credentials-get=(), idle-detection=(), local-fonts=(), magnetometer=(), \
     microphone=(self), midi=(), otp-credentials=(), payment=(), picture-in-picture=(), \
     publickey-credentials-create=(), publickey-credentials-get=(), screen-wake-lock=(), serial=(), \
     storage-access=(), usb=(), window-management=(), xr-spatial-tracking=()";

/// Which pages may show the page in a frame: none, except Home Assistant's through its ingress.
const NO_FRAMES: &str = "frame-ancestors 'none'";
const OWN_FRAMES: &str = "frame-ancestors 'self'";

pub(crate) async fn index(
    State(app): State<AppState>,
    ingress: Option<Extension<ThroughIngress>>,
    headers: HeaderMap,
) -> HttpResult<Response> {
    let file = (app.page.file)(INDEX, accepted(&headers)).ok_or_else(|| {
        let hint = "Start Dwell with `./run`, which builds the page and needs Node.";
        Problem::new(Code::NotFound, "the page is not built into this program", hint)
    })?;
    Ok(answer(file, &policy(&app, ingress.is_some()), &headers))
}

pub(crate) async fn asset(
    State(app): State<AppState>,
    ingress: Option<Extension<ThroughIngress>>,
    headers: HeaderMap,
    PathId(name): PathId<String>,
) -> HttpResult<Response> {
    named(&app, &format!("assets/{name}"), ingress.is_some(), &headers)
}

pub(crate) async fn service_worker(
    State(app): State<AppState>,
    ingress: Option<Extension<ThroughIngress>>,
    headers: HeaderMap,
) -> HttpResult<Response> {
    named(&app, SERVICE_WORKER.trim_start_matches('/'), ingress.is_some(), &headers)
}

pub(crate) async fn manifest(
    State(app): State<AppState>,
    ingress: Option<Extension<ThroughIngress>>,
    headers: HeaderMap,
) -> HttpResult<Response> {
    named(&app, MANIFEST.trim_start_matches('/'), ingress.is_some(), &headers)
}

/// A file for a frame without an origin, which the page was built with: under the policy of apps.
pub(crate) fn frame_file(app: &AppState, name: &str, file: &str, headers: &HeaderMap) -> Option<Response> {
    let file = (app.page.file)(&format!("apps/{name}/{file}"), accepted(headers))?;
    Some(answer(file, app.apps.policy, headers))
}

fn named(app: &AppState, path: &str, is_ingress: bool, headers: &HeaderMap) -> HttpResult<Response> {
    let file = (app.page.file)(path, accepted(headers)).ok_or_else(|| {
        let hint = "Reload the page: files of other versions are gone.";
        Problem::new(Code::NotFound, "the page has no such file", hint)
    })?;
    Ok(answer(file, &policy(app, is_ingress), headers))
}

fn policy(app: &AppState, is_ingress: bool) -> Cow<'static, str> {
    let policy = app.page.policy;
    if is_ingress { policy.replace(NO_FRAMES, OWN_FRAMES).into() } else { policy.into() }
}

fn accepted(headers: &HeaderMap) -> &str {
    headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

fn answer(file: PageFile, policy: &str, asked: &HeaderMap) -> Response {
    let headers = [
        (header::CACHE_CONTROL, if file.is_hashed { KEEP } else { ASK_AGAIN }),
        (header::VARY, "accept-encoding"),
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (OPENER_POLICY, "same-origin"),
        (PERMISSIONS_POLICY, PERMISSIONS),
    ];
    let is_known = has(asked, &file.etag);
    let headers = (headers, [(header::ETAG, file.etag)]);
    if is_known {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    let bytes = match file.bytes {
        Cow::Borrowed(bytes) => Bytes::from_static(bytes),
        Cow::Owned(bytes) => Bytes::from(bytes),
    };
    let mut response = (headers, bytes).into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(file.media_type));
    if let Some(encoding) = file.encoding {
        response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
    }
    response
}

/// Whether the client already has this version.
fn has(asked: &HeaderMap, etag: &str) -> bool {
    let values = asked.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let mut tags = values.flat_map(|value| value.split(',')).map(str::trim);
    tags.any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == etag)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(is_hashed: bool, asked: &[(HeaderName, &'static str)]) -> Response {
        let file = PageFile {
            bytes: Cow::Borrowed(b"compressed"),
            media_type: "text/javascript; charset=utf-8",
            encoding: Some("br"),
            etag: "\"one\"".to_owned(),
            is_hashed,
        };
        let asked = asked.iter().map(|(name, value)| (name.clone(), HeaderValue::from_static(value))).collect();
        answer(file, "default-src 'none'", &asked)
    }

    #[test]
    fn what_has_its_hash_in_its_name_is_kept_and_the_rest_asked_for_again() {
        assert_eq!(answered(true, &[]).headers()[header::CACHE_CONTROL], "public, max-age=31536000, immutable");
        assert_eq!(answered(false, &[]).headers()[header::CACHE_CONTROL], "no-cache");
    }

    #[test]
    fn every_answer_says_what_the_file_is_and_what_it_may_do() {
        let response = answered(false, &[]);
        assert_eq!(response.status(), StatusCode::OK);
        for (name, value) in [
            ("content-type", "text/javascript; charset=utf-8"),
            ("content-encoding", "br"),
            ("vary", "accept-encoding"),
            ("etag", "\"one\""),
            ("content-security-policy", "default-src 'none'"),
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-opener-policy", "same-origin"),
        ] {
            assert_eq!(response.headers()[name], value, "{name}");
        }
        let permissions = response.headers()[PERMISSIONS_POLICY].to_str().unwrap().split(", ");
        let kept: Vec<_> = permissions.filter(|feature| !feature.ends_with("=()")).collect();
        assert_eq!(kept, ["clipboard-write=(self)", "microphone=(self)"]);
    }

    #[test]
    fn a_version_that_is_there_already_is_not_sent_again() {
        for (tags, status) in [
            ("\"one\"", 304),
            ("W/\"one\"", 304),
            ("\"zero\", \"one\"", 304),
            ("*", 304),
            ("\"zero\"", 200),
            ("one", 200),
            ("", 200),
        ] {
            let response = answered(false, &[(header::IF_NONE_MATCH, tags)]);
            assert_eq!(response.status(), status, "{tags}");
            assert_eq!(response.headers()[header::ETAG], "\"one\"");
            assert_eq!(response.headers().contains_key(header::CONTENT_TYPE), status == 200);
        }
    }
}
