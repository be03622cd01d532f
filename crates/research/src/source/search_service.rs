//! Requests to a search service, limited in time and size.

use std::time::Duration;

use reqwest::{Client, RequestBuilder, Url};
use serde::de::DeserializeOwned;
use std::sync::Arc;
use tools::net::{SystemResolver, guarded_client};

use super::SourceError;

/// Maximum time for a response.
const TIME_MAX: Duration = Duration::from_secs(10);
/// Maximum size of a response in bytes.
const BYTES_MAX: usize = 2 * 1024 * 1024;
/// Maximum length of an excerpt in characters.
const SNIPPET_CHARS_MAX: usize = 500;

/// A service at a URL configured by the operator. It follows no redirects, so that a question goes
/// to no other server.
pub(super) struct SearchService {
    /// Its name in errors, for example `the SearXNG at http://…`.
    pub(super) name: String,
    pub(super) base: Url,
    client: Client,
}

impl SearchService {
    /// A service with its name and URL.
    pub(super) fn new(name: &str, base: &str) -> Result<Self, SourceError> {
        let wrong = |reason: &str| SourceError(format!("`{base}` is not a valid URL of {name}: {reason}"));
        let mut url = Url::parse(base.trim()).map_err(|error| wrong(&error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(wrong("it begins with neither http:// nor https://"));
        }
        // Without a slash at the end, the last segment of the path would be replaced.
        if !url.path().ends_with('/') {
            url.set_path(&format!("{}/", url.path()));
        }
        let client = guarded_client(&url, true, Arc::new(SystemResolver), TIME_MAX)
            .ok()
            .and_then(|builder| builder.timeout(TIME_MAX).build().ok())
            .ok_or_else(|| wrong("no client can be made for it"))?;
        // Errors must not contain credentials.
        let mut shown = url.clone();
        let _ = (shown.set_username(""), shown.set_password(None));
        let name = format!("{name} at {}", shown.as_str().trim_end_matches('/'));
        Ok(Self { name, base: url, client })
    }

    /// A request to a path below the URL.
    pub(super) fn get(&self, path: &str, query: &[(&str, &str)]) -> Result<RequestBuilder, SourceError> {
        let mut url = self.base.join(path).map_err(|_| SourceError(format!("{} has no {path}", self.name)))?;
        url.query_pairs_mut().extend_pairs(query);
        Ok(self.client.get(url).header("accept", "application/json"))
    }

    /// Sends the request and parses the response. `refused` describes an error status.
    pub(super) async fn ask<T: DeserializeOwned>(
        &self,
        request: RequestBuilder,
        refused: impl FnOnce(u16) -> Option<String>,
    ) -> Result<T, SourceError> {
        let mut response = request.send().await.map_err(|error| self.silent(&error))?;
        let status = response.status();
        if !status.is_success() {
            let words = refused(status.as_u16());
            return Err(SourceError(words.unwrap_or_else(|| format!("{} answered with status {status}", self.name))));
        }
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| self.silent(&error))? {
            if bytes.len() + chunk.len() > BYTES_MAX {
                return Err(SourceError(format!("{} answered with more than {BYTES_MAX} bytes", self.name)));
            }
            bytes.extend_from_slice(&chunk);
        }
        serde_json::from_slice(&bytes)
            .map_err(|_| SourceError(format!("{} did not answer with search results in JSON", self.name)))
    }

    /// An error without the library's own message, which contains the URL and with it the question.
    fn silent(&self, error: &reqwest::Error) -> SourceError {
        let what = if error.is_timeout() { "did not answer in time" } else { "cannot be reached" };
        SourceError(format!("{} {what}", self.name))
    }
}

/// An excerpt as plain text: without tags, with entities decoded.
pub(super) fn plain(html: &str) -> String {
    let mut words = String::with_capacity(html.len());
    let mut rest = html;
    while let Some((before, tag)) = rest.split_once('<') {
        words.push_str(before);
        let is_tag = tag.starts_with(|char: char| char.is_ascii_alphabetic() || char == '/');
        match tag.split_once('>').filter(|_| is_tag) {
            Some((_, after)) => rest = after,
            None => {
                words.push('<');
                rest = tag;
            }
        }
    }
    words.push_str(rest);
    let words = unescaped(&words);
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(SNIPPET_CHARS_MAX).collect()
}

fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        let known = after.split_once(';').and_then(|(name, after)| Some((entity(name)?, after)));
        match known {
            Some((char, after)) => {
                out.push(char);
                rest = after;
            }
            None => {
                out.push('&');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

fn entity(name: &str) -> Option<char> {
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        "hellip" => '…',
        "ndash" => '–',
        "mdash" => '—',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code).filter(|char| !char.is_control())?
        }
    })
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn snippets_become_plain_words() {
        for (html, words) in [
            ("The <strong>pump</strong> draws 1,200&nbsp;W", "The pump draws 1,200 W"),
            ("a &lt;b&gt; &amp;amp; &#39;c&#x27; &copy &unknown; <", "a <b> &amp; 'c' &copy &unknown; <"),
            ("3 < 4\n\n and 5 > 4", "3 < 4 and 5 > 4"),
            ("<script", "<script"),
        ] {
            assert_eq!(plain(html), words);
        }
    }
}
