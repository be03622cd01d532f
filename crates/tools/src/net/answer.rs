//! Reads the response to a fetch: its headers, and the body up to the limit.

use std::time::Duration;

use reqwest::{
    Response, Url,
    header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, LAST_MODIFIED},
};

use super::{FetchError, FetchLimits, host_of};

/// The result of a fetch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchResponse {
    /// The URL that answered after all redirects.
    pub final_url: String,
    /// The HTTP status.
    pub status: u16,
    /// The media type of the body, such as `text/html`, without parameters.
    pub media_type: String,
    /// The charset, if the headers name one.
    pub charset: Option<String>,
    /// The `Last-Modified` header, verbatim.
    pub last_modified: Option<String>,
    /// Whether the response forbids caching.
    pub no_store: bool,
    /// How long the response may be cached, if it says so.
    pub max_age: Option<Duration>,
    /// The body.
    pub bytes: Vec<u8>,
    /// Whether the body was longer and is truncated.
    pub is_cut: bool,
}

/// Reads a response. The body of an unwanted media type is not read.
pub(super) async fn read(url: Url, mut response: Response, limits: FetchLimits) -> Result<FetchResponse, FetchError> {
    let mut fetched = head(&url, &response);
    if !limits.takes(&fetched.media_type) {
        // For an error response, the status matters more than the media type.
        return match response.status().is_success() {
            true => Err(FetchError::WrongType { host: host_of(&url), media_type: fetched.media_type }),
            false => Ok(fetched),
        };
    }
    // The request did not accept any encoding, so the body cannot be decoded.
    if let Some(encoding) = text(response.headers(), CONTENT_ENCODING).filter(|encoding| *encoding != "identity") {
        let media_type = format!("{} compressed by {encoding}", fetched.media_type);
        return Err(FetchError::WrongType { host: host_of(&url), media_type });
    }
    while let Some(chunk) = response.chunk().await.map_err(|_| FetchError::Broken { host: host_of(&url) })? {
        let space = limits.bytes_max - fetched.bytes.len();
        fetched.bytes.extend_from_slice(&chunk[..chunk.len().min(space)]);
        if chunk.len() > space {
            fetched.is_cut = true;
            break;
        }
    }
    Ok(fetched)
}

fn head(url: &Url, response: &Response) -> FetchResponse {
    let headers = response.headers();
    let content_type = text(headers, CONTENT_TYPE).unwrap_or("application/octet-stream");
    let (media_type, parameters) = content_type.split_once(';').unwrap_or((content_type, ""));
    let (no_store, max_age) = keeping(headers);
    FetchResponse {
        final_url: url.to_string(),
        status: response.status().as_u16(),
        media_type: media_type.trim().to_ascii_lowercase(),
        charset: charset(parameters),
        last_modified: text(headers, LAST_MODIFIED).map(str::to_owned),
        no_store,
        max_age,
        bytes: Vec::new(),
        is_cut: false,
    }
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

fn charset(parameters: &str) -> Option<String> {
    let mut pairs = parameters.split(';').filter_map(|pair| pair.split_once('='));
    let (_, value) = pairs.find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"))?;
    let value = value.trim().trim_matches(['"', '\'']).to_ascii_lowercase();
    (!value.is_empty()).then_some(value)
}

/// Whether caching is forbidden, and for how long it is allowed.
fn keeping(headers: &HeaderMap) -> (bool, Option<Duration>) {
    let (mut no_store, mut max_age) = (false, None);
    let lines = headers.get_all(CACHE_CONTROL).iter().filter_map(|value| value.to_str().ok());
    for directive in lines.flat_map(|line| line.split(',')) {
        let directive = directive.trim().to_ascii_lowercase();
        match directive.split_once('=') {
            Some(("max-age", seconds)) => {
                max_age = seconds.trim_matches('"').parse().ok().map(Duration::from_secs).or(max_age);
            }
            None if directive == "no-store" => no_store = true,
            // It may be cached but must be revalidated, which has the same effect here.
            None if directive == "no-cache" => max_age = Some(Duration::ZERO),
            _ => {}
        }
    }
    (no_store, max_age)
}
