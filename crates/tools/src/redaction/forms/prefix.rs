//! Secrets that say what they are in their first letters.

use super::{
    Secret, Verdict,
    swallow::{Class, Swallow},
};

/// What has not shown itself by then is none.
const BODY_BYTES_MAX: usize = 256;

/// The first part of a signed token is a short document; larger ones are not of this kind.
const HEADER_BYTES_MAX: usize = 512;

struct Prefix {
    begins: &'static str,
    kind: &'static str,
    class: Class,
    /// How much has to follow.
    body_min: usize,
    /// Whether words follow it as well, as in `sk-learn`: then a digit or a very long part makes the difference.
    is_common: bool,
}

const fn prefix(begins: &'static str, kind: &'static str, class: Class, body_min: usize) -> Prefix {
    Prefix { begins, kind, class, body_min, is_common: false }
}

const PREFIXES: [Prefix; 20] = [
    Prefix { begins: "sk-", kind: "api-key", class: Class::Token, body_min: 16, is_common: true },
    prefix("sk_live_", "api-key", Class::Token, 16),
    prefix("sk_test_", "api-key", Class::Token, 16),
    prefix("rk_live_", "api-key", Class::Token, 16),
    prefix("AIza", "api-key", Class::Token, 30),
    prefix("ghp_", "github", Class::Token, 20),
    prefix("gho_", "github", Class::Token, 20),
    prefix("ghs_", "github", Class::Token, 20),
    prefix("ghu_", "github", Class::Token, 20),
    prefix("ghr_", "github", Class::Token, 20),
    prefix("github_pat_", "github", Class::Token, 20),
    prefix("glpat-", "gitlab", Class::Token, 16),
    prefix("AKIA", "aws", Class::Capitals, 16),
    prefix("ASIA", "aws", Class::Capitals, 16),
    prefix("xoxa-", "slack", Class::Token, 10),
    prefix("xoxb-", "slack", Class::Token, 10),
    prefix("xoxe-", "slack", Class::Token, 10),
    prefix("xoxp-", "slack", Class::Token, 10),
    prefix("xoxr-", "slack", Class::Token, 10),
    prefix("xoxs-", "slack", Class::Token, 10),
];

/// Judges a text by its first letters.
pub fn judge(ahead: &str, whole: bool) -> Verdict {
    let first = ahead.as_bytes().first();
    let mut candidates = PREFIXES.iter().filter(|prefix| prefix.begins.as_bytes().first() == first);
    candidates
        .find_map(|prefix| match prefix.judge(ahead, whole) {
            Verdict::No => None,
            verdict => Some(verdict),
        })
        .unwrap_or_else(|| signed(ahead, whole))
}

impl Prefix {
    fn judge(&self, ahead: &str, whole: bool) -> Verdict {
        let Some(body) = ahead.strip_prefix(self.begins) else {
            return if !whole && self.begins.starts_with(ahead) { Verdict::Wait } else { Verdict::No };
        };
        let length = self.class.run(&body[..body.floor_char_boundary(BODY_BYTES_MAX)]);
        if self.is_secret(&body[..length]) {
            Secret::swallowed(self.kind, Swallow::Run(self.class))
        } else if length == body.len() && !whole && length < BODY_BYTES_MAX {
            Verdict::Wait
        } else {
            Verdict::No
        }
    }

    /// Never changes its mind as the body grows.
    fn is_secret(&self, body: &str) -> bool {
        let is_long = || body.split(['-', '_']).any(|part| part.len() >= self.body_min);
        let has_digit = || body.bytes().any(|byte| byte.is_ascii_digit());
        body.len() >= self.body_min && (!self.is_common || has_digit() || is_long())
    }
}

/// A signed token (JWT): parts in base64 joined by dots, of which the first begins with `{"`.
fn signed(ahead: &str, whole: bool) -> Verdict {
    const BEGINS: &str = "eyJ";
    if !ahead.starts_with(BEGINS) {
        return if !whole && BEGINS.starts_with(ahead) { Verdict::Wait } else { Verdict::No };
    }
    let header = Class::Token.run(&ahead[..ahead.floor_char_boundary(HEADER_BYTES_MAX + 1)]);
    if header > HEADER_BYTES_MAX {
        return Verdict::No;
    }
    if header == ahead.len() {
        return if whole { Verdict::No } else { Verdict::Wait };
    }
    let Some(rest) = ahead[header..].strip_prefix('.').filter(|_| header > 10) else { return Verdict::No };
    match Class::Token.run(&rest[..rest.floor_char_boundary(8)]) {
        8.. => Secret::swallowed("jwt", Swallow::Dotted),
        length if length == rest.len() && !whole => Verdict::Wait,
        _ => Verdict::No,
    }
}
