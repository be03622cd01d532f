//! Secrets with a known prefix.

use super::{
    DetectedSecret, Detection,
    tail::{CharClass, SecretTail},
};

/// The number of bytes after which a verdict is final.
const BODY_BYTES_MAX: usize = 256;

/// The header of a JWT is a short document; longer ones are not a JWT.
const HEADER_BYTES_MAX: usize = 512;

struct Prefix {
    begins: &'static str,
    kind: &'static str,
    class: CharClass,
    /// The minimum length of the body.
    body_min: usize,
    /// Whether ordinary words have this prefix too, as in `sk-learn`. Then a digit or a very long
    /// part is required.
    is_common: bool,
}

const fn prefix(begins: &'static str, kind: &'static str, class: CharClass, body_min: usize) -> Prefix {
    Prefix { begins, kind, class, body_min, is_common: false }
}

const PREFIXES: [Prefix; 20] = [
    Prefix { begins: "sk-", kind: "api-key", class: CharClass::Token, body_min: 16, is_common: true },
    prefix("sk_live_", "api-key", CharClass::Token, 16),
    prefix("sk_test_", "api-key", CharClass::Token, 16),
    prefix("rk_live_", "api-key", CharClass::Token, 16),
    prefix("AIza", "api-key", CharClass::Token, 30),
    prefix("ghp_", "github", CharClass::Token, 20),
    prefix("gho_", "github", CharClass::Token, 20),
    prefix("ghs_", "github", CharClass::Token, 20),
    prefix("ghu_", "github", CharClass::Token, 20),
    prefix("ghr_", "github", CharClass::Token, 20),
    prefix("github_pat_", "github", CharClass::Token, 20),
    prefix("glpat-", "gitlab", CharClass::Token, 16),
    prefix("AKIA", "aws", CharClass::Capitals, 16),
    prefix("ASIA", "aws", CharClass::Capitals, 16),
    prefix("xoxa-", "slack", CharClass::Token, 10),
    prefix("xoxb-", "slack", CharClass::Token, 10),
    prefix("xoxe-", "slack", CharClass::Token, 10),
    prefix("xoxp-", "slack", CharClass::Token, 10),
    prefix("xoxr-", "slack", CharClass::Token, 10),
    prefix("xoxs-", "slack", CharClass::Token, 10),
];

/// Judges a text by its prefix.
pub fn judge(ahead: &str, whole: bool) -> Detection {
    let first = ahead.as_bytes().first();
    let mut candidates = PREFIXES.iter().filter(|prefix| prefix.begins.as_bytes().first() == first);
    candidates
        .find_map(|prefix| match prefix.judge(ahead, whole) {
            Detection::No => None,
            verdict => Some(verdict),
        })
        .unwrap_or_else(|| signed(ahead, whole))
}

impl Prefix {
    fn judge(&self, ahead: &str, whole: bool) -> Detection {
        let Some(body) = ahead.strip_prefix(self.begins) else {
            return if !whole && self.begins.starts_with(ahead) { Detection::Wait } else { Detection::No };
        };
        let length = self.class.run(&body[..body.floor_char_boundary(BODY_BYTES_MAX)]);
        if self.is_secret(&body[..length]) {
            DetectedSecret::with_tail(self.kind, SecretTail::Run(self.class))
        } else if length == body.len() && !whole && length < BODY_BYTES_MAX {
            Detection::Wait
        } else {
            Detection::No
        }
    }

    /// The result never changes from yes to no as the body grows.
    fn is_secret(&self, body: &str) -> bool {
        let is_long = || body.split(['-', '_']).any(|part| part.len() >= self.body_min);
        let has_digit = || body.bytes().any(|byte| byte.is_ascii_digit());
        body.len() >= self.body_min && (!self.is_common || has_digit() || is_long())
    }
}

/// A JWT: base64 parts joined by dots, of which the first begins with `{"`.
fn signed(ahead: &str, whole: bool) -> Detection {
    const BEGINS: &str = "eyJ";
    if !ahead.starts_with(BEGINS) {
        return if !whole && BEGINS.starts_with(ahead) { Detection::Wait } else { Detection::No };
    }
    let header = CharClass::Token.run(&ahead[..ahead.floor_char_boundary(HEADER_BYTES_MAX + 1)]);
    if header > HEADER_BYTES_MAX {
        return Detection::No;
    }
    if header == ahead.len() {
        return if whole { Detection::No } else { Detection::Wait };
    }
    let Some(rest) = ahead[header..].strip_prefix('.').filter(|_| header > 10) else { return Detection::No };
    match CharClass::Token.run(&rest[..rest.floor_char_boundary(8)]) {
        8.. => DetectedSecret::with_tail("jwt", SecretTail::Dotted),
        length if length == rest.len() && !whole => Detection::Wait,
        _ => Detection::No,
    }
}
