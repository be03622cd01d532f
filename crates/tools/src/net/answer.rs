//! What an answer is: what its head says, and the body as far as it is wanted.

use std::time::Duration;

use reqwest::{
    Response, Url,
    header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, LAST_MODIFIED},
};

use super::{FetchError, Limits, host_of};

/// What was fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// The address that answered in the end.
    pub final_url: String,
    /// Its status.
    pub status: u16,
    /// The kind of the body, as in `text/html`, without parameters.
    pub media_type: String,
    /// How its letters are written, as far as the head of the answer says.
    pub charset: Option<String>,
    /// When it was changed last, in the words of the answer.
    pub last_modified: Option<String>,
    /// Whether it asks not to be kept.
    pub no_store: bool,
    /// How long it may be kept, if it says.
    pub max_age: Option<Duration>,
    /// The body.
    pub bytes: Vec<u8>,
    /// Whether the body was longer and is cut off.
    pub is_cut: bool,
}

/// Reads an answer, unless it is of a kind that is not wanted: then not a byte of its body is.
pub(super) async fn read(url: Url, mut response: Response, limits: Limits) -> Result<Fetched, FetchError> {
    let mut fetched = head(&url, &response);
    if !limits.takes(&fetched.media_type) {
        // That it failed matters more than what the failure is written in.
        return match response.status().is_success() {
            true => Err(FetchError::WrongType { host: host_of(&url), media_type: fetched.media_type }),
            false => Ok(fetched),
        };
    }
    // Nobody asked for that, so nobody can read it.
    if let Some(encoding) = text(response.headers(), CONTENT_ENCODING).filter(|encoding| *encoding != "identity") {
        let media_type = format!("{} compressed by {encoding}", fetched.media_type);
        return Err(FetchError::WrongType { host: host_of(&url), media_type });
    }
    while let Some(chunk) = response.chunk().await.map_err(|_| FetchError::Broken { host: host_of(&url) })? {
        let room = limits.bytes_max - fetched.bytes.len();
        fetched.bytes.extend_from_slice(&chunk[..chunk.len().min(room)]);
        if chunk.len() > room {
            fetched.is_cut = true;
            break;
        }
    }
    Ok(fetched)
}

fn head(url: &Url, response: &Response) -> Fetched {
    let headers = response.headers();
    let content_type = text(headers, CONTENT_TYPE).unwrap_or("application/octet-stream");
    let (media_type, parameters) = content_type.split_once(';').unwrap_or((content_type, ""));
    let (no_store, max_age) = keeping(headers);
    Fetched {
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

/// Whether it asks not to be kept, and for how long it may be.
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
            // It may be kept, but not used without asking again, which comes to the same here.
            None if directive == "no-cache" => max_age = Some(Duration::ZERO),
            _ => {}
        }
    }
    (no_store, max_age)
}
