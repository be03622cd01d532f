//! Checks addresses in window content: inline images, artifacts, and links that only a click
//! follows.

use base64::{Engine, engine::general_purpose::STANDARD};
use protocol::ArtifactId;

/// The largest inline image in bytes.
pub const PICTURE_BYTES_MAX: usize = 48 * 1024;

/// Image types that cannot contain scripts. SVG can.
const KINDS: [&str; 4] = ["png", "jpeg", "gif", "webp"];

/// Why an address is not an inline image or an artifact; `None` if it is.
pub(super) fn refusal(source: &str) -> Option<String> {
    if let Some(id) = source.strip_prefix("artifact:") {
        return id.parse::<ArtifactId>().err().map(|error| error.to_string());
    }
    let Some(data) = source.strip_prefix("data:image/") else {
        return Some("is `artifact:ID`, or the picture itself as `data:image/png;base64,…`".to_owned());
    };
    let base64 = KINDS.iter().find_map(|kind| data.strip_prefix(kind)?.strip_prefix(";base64,"));
    let Some(base64) = base64 else {
        return Some(format!("as a data: address a picture is base64 of {}", KINDS.join(", ")));
    };
    if base64.len() > PICTURE_BYTES_MAX.div_ceil(3) * 4 {
        return Some(format!("the picture has more than {PICTURE_BYTES_MAX} bytes: save it as an artifact"));
    }
    STANDARD.decode(base64).err().map(|error| format!("the picture's base64 is broken: {error}"))
}

/// Whether it is an image in a `data:` URL.
pub(super) fn is_inline(source: &str) -> bool {
    source.starts_with("data:") && refusal(source).is_none()
}

/// Whether an address may be used as a link: `http`, `https` or `mailto`.
pub(crate) fn is_link(address: &str) -> bool {
    // Characters that browsers strip from an address could hide its scheme.
    let is_clean = !address.chars().any(|char| char.is_control() || char.is_whitespace());
    let scheme = address.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
    is_clean && scheme.is_some_and(|scheme| matches!(scheme.as_str(), "http" | "https" | "mailto"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pictures_that_are_here_already_are_pictures() {
        for source in ["artifact:01ARZ3NDEKTSV4RRFFQ69G5FAV", "data:image/png;base64,iVBORw0KGgo="] {
            assert_eq!(refusal(source), None, "{source}");
        }
        for (source, why) in [
            ("https://example.org/a.png", "is `artifact:ID`"),
            ("artifact:../secret", "is not a ULID"),
            ("data:image/svg+xml;base64,PHN2Zz4=", "base64 of png"),
            ("data:text/html;base64,PHN2Zz4=", "is `artifact:ID`"),
            ("data:image/png,abc", "base64 of png"),
            ("data:image/png;base64,a b", "is broken"),
            (&format!("data:image/gif;base64,{}", "A".repeat(65_540)), "more than 49152 bytes"),
        ] {
            assert!(refusal(source).is_some_and(|refusal| refusal.contains(why)), "{source:.40}");
        }
    }

    #[test]
    fn links_lead_to_pages_and_letters() {
        for address in ["https://example.org/?q=1", "HTTP://x", "mailto:ada@example.org"] {
            assert!(is_link(address), "{address}");
        }
        for address in
            ["javascript:alert(1)", "java\tscript:x", " https://x", "/rest", "//x.org", "data:text/html,x", ""]
        {
            assert!(!is_link(address), "{address}");
        }
    }
}
