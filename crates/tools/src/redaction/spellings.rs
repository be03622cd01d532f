//! The spellings of a secret: verbatim, and encoded in JSON, URLs and base64.

use std::{collections::BTreeSet, fmt::Write};

/// A shorter spelling would match text that is not a secret.
const BYTES_MIN: usize = 8;

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL_SAFE: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// All spellings of the secret, without duplicates.
pub fn of(secret: &str) -> BTreeSet<String> {
    let mut spellings = BTreeSet::from([secret.to_owned()]);
    let escaped = json(secret);
    spellings.insert(escaped.replace('/', "\\/"));
    spellings.insert(ascii(&escaped));
    // Arguments of tools are JSON documents inside JSON strings.
    spellings.insert(json(&escaped));
    spellings.insert(escaped);
    for keep in ["-_.~", "-_.!~*'()", "*-._"] {
        for upper in [true, false] {
            let spelled = percent(secret, keep, upper);
            spellings.insert(spelled.replace("%20", "+"));
            spellings.insert(spelled);
        }
    }
    for alphabet in [STANDARD, URL_SAFE] {
        spellings.insert(padded(secret.as_bytes(), alphabet));
        spellings.extend((0..3).map(|offset| base64(secret.as_bytes(), offset, alphabet)));
    }
    spellings.retain(|spelling| spelling.len() >= BYTES_MIN);
    spellings
}

/// Escaped as a JSON string, without the quotes.
fn json(secret: &str) -> String {
    let quoted = serde_json::Value::from(secret).to_string();
    quoted.get(1..quoted.len() - 1).unwrap_or_default().to_owned()
}

/// Escaped by a JSON writer that emits ASCII only.
fn ascii(escaped: &str) -> String {
    let mut out = String::new();
    for char in escaped.chars() {
        if char.is_ascii() {
            out.push(char);
            continue;
        }
        for unit in char.encode_utf16(&mut [0; 2]) {
            let _ = write!(out, "\\u{unit:04x}");
        }
    }
    out
}

/// Percent-encoded; writers differ in the characters that they keep.
fn percent(secret: &str, keep: &str, upper: bool) -> String {
    let mut out = String::new();
    for byte in secret.bytes() {
        if byte.is_ascii_alphanumeric() || keep.as_bytes().contains(&byte) {
            out.push(char::from(byte));
        } else if upper {
            let _ = write!(out, "%{byte:02X}");
        } else {
            let _ = write!(out, "%{byte:02x}");
        }
    }
    out
}

/// The base64 characters that depend on the secret alone when `offset` other bytes come before it,
/// as in `base64("user:secret")`. Any bytes may follow.
fn base64(secret: &[u8], offset: usize, alphabet: &[u8; 64]) -> String {
    let first = (offset * 8).div_ceil(6);
    let end = (offset + secret.len()) * 8 / 6;
    let bit = |at: usize| secret.get(at / 8 - offset).is_some_and(|byte| byte >> (7 - at % 8) & 1 == 1);
    let sextet = |group: usize| (group * 6..group * 6 + 6).fold(0, |value, at| value << 1 | usize::from(bit(at)));
    (first..end).map(|group| char::from(alphabet[sextet(group)])).collect()
}

/// The whole secret in base64, with padding.
fn padded(secret: &[u8], alphabet: &[u8; 64]) -> String {
    // Zero padding to a multiple of three bytes determines the last character.
    let mut bytes = secret.to_vec();
    bytes.resize(secret.len().next_multiple_of(3), 0);
    let mut out = base64(&bytes, 0, alphabet);
    let padding = bytes.len() - secret.len();
    out.truncate(out.len() - padding);
    out.extend(std::iter::repeat_n('=', padding));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_spelled_as_others_would_write_it() {
        let spellings = of("p4ss wörd/\"x\"");
        for expected in [
            "p4ss wörd/\"x\"",
            "p4ss wörd/\\\"x\\\"",
            "p4ss wörd\\/\\\"x\\\"",
            "p4ss w\\u00f6rd/\\\"x\\\"",
            "p4ss%20w%C3%B6rd%2F%22x%22",
            "p4ss%20w%c3%b6rd%2f%22x%22",
            "p4ss+w%C3%B6rd%2F%22x%22",
            "cDRzcyB3w7ZyZC8ieCI=",
        ] {
            assert!(spellings.contains(expected), "{expected} is not among {spellings:?}");
        }
    }

    #[test]
    fn base64_is_found_at_any_offset() {
        // The output of `printf 'user:hunter2!!' | base64` and the like.
        let spellings = of("hunter2!!");
        for whole in ["aHVudGVyMiEh", "eDpodW50ZXIyISE=", "eGh1bnRlcjIhIQ==", "dXNlcjpodW50ZXIyISE="] {
            assert!(spellings.iter().any(|spelling| whole.contains(spelling.as_str())), "{whole}");
        }
    }
}
