//! URLs of pages, and which of them refer to the same page.

use reqwest::Url;
use tools::net::FetchError;

/// Maximum length of a URL in bytes.
const BYTES_MAX: usize = 8 * 1024;

/// Parses a URL. The fragment is never sent to a server, so it is dropped.
pub(super) fn parse(text: &str) -> Result<Url, FetchError> {
    let bad = |reason: &str| FetchError::BadUrl {
        // The error repeats neither a password nor a long text.
        url: text.rsplit_once('@').map_or(text, |(_, after)| after).chars().take(200).collect(),
        reason: reason.to_owned(),
    };
    if text.len() > BYTES_MAX {
        return Err(bad("it is too long"));
    }
    let mut url = Url::parse(text.trim()).map_err(|error| bad(&error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(bad("only http and https are"));
    }
    url.set_fragment(None);
    Ok(url)
}

/// A key for the page that a URL refers to. It ignores the fragment, a slash at the end and
/// tracking parameters. `None` if it is not the URL of a page.
pub(crate) fn same(address: &str) -> Option<String> {
    let mut url = parse(address).ok()?;
    let kept: Vec<(String, String)> = url
        .query_pairs()
        .filter(|(name, _)| !is_tracking(name))
        .map(|(name, value)| (name.into(), value.into()))
        .collect();
    match kept.is_empty() {
        true => url.set_query(None),
        false => {
            url.query_pairs_mut().clear().extend_pairs(kept);
        }
    }
    let path = url.path().trim_end_matches('/').to_owned();
    url.set_path(&path);
    let text = url.to_string();
    Some(text.trim_end_matches('/').to_owned())
}

fn is_tracking(name: &str) -> bool {
    name.starts_with("utm_")
        || matches!(name, "fbclid" | "gclid" | "dclid" | "msclkid" | "mc_cid" | "mc_eid" | "igshid")
}

#[cfg(test)]
mod tests {
    use super::same;

    #[test]
    fn addresses_of_one_page_are_one() {
        let page = same("https://example.org/a");
        for other in
            ["https://example.org/a/", "https://EXAMPLE.org:443/a#part", "https://example.org/a?utm_source=x&gclid=1"]
        {
            assert_eq!(same(other), page, "{other}");
        }
        for other in
            ["http://example.org/a", "https://example.org/A", "https://example.org/a?b=1", "https://example.org/"]
        {
            assert_ne!(same(other), page, "{other}");
        }
        assert_eq!(same("https://example.org/?a=1&utm_medium=y&b=2"), same("https://example.org?a=1&b=2"));
        for no_page in ["ftp://example.org/", "javascript:alert(1)", "data:text/html,x", "example.org", ""] {
            assert_eq!(same(no_page), None, "{no_page}");
        }
    }
}
