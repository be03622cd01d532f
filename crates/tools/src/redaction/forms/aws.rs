//! Secret access keys of Amazon: 40 characters with nothing to know them by, so they are looked for where AWS is spoken of.

use super::{
    Secret, Verdict,
    swallow::{Class, Swallow},
};

/// What is put in its place.
pub const KIND: &str = "aws";
/// How long such a key is.
const LENGTH: usize = 40;
/// How often its characters change between small letters, capitals, digits and symbols, at the least. Of 39 changes chance makes
/// about 25; a path of words has a few.
const CHANGES_MIN: usize = 12;
/// What is said where such keys are.
const NEAR: [&str; 5] = ["aws", "amazon", "access key", "access_key", "secret key"];

/// Judges what may be such a key. `is_near` says whether AWS is spoken of, and is asked only where it matters.
pub fn judge(ahead: &str, whole: bool, is_near: impl FnOnce() -> bool) -> Verdict {
    let length = Class::Base64.run(&ahead[..ahead.floor_char_boundary(LENGTH + 1)]);
    let is_over = length < ahead.len() || whole;
    if length > LENGTH || (is_over && length < LENGTH) || ahead[length..].starts_with('=') || !is_near() {
        return Verdict::No;
    }
    if !is_over {
        return Verdict::Wait;
    }
    if !is_key(&ahead[..length]) {
        return Verdict::No;
    }
    Secret::swallowed(KIND, Swallow::Run(Class::Base64))
}

/// Whether a key can begin after this: it is not the rest of something longer. An escaped line break is no part of it.
pub fn can_begin(before: &[u8]) -> bool {
    match before {
        [.., b'\\', _] => true,
        [.., last] => !Class::Base64.has(*last),
        [] => true,
    }
}

/// Whether AWS is spoken of.
pub fn is_spoken_of(before: &str) -> bool {
    let plain = before.to_ascii_lowercase();
    NEAR.iter().any(|word| plain.contains(word))
}

fn is_key(text: &str) -> bool {
    let kind = |byte: u8| match byte {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    let kinds: Vec<u8> = text.bytes().map(kind).collect();
    let count = |wanted: u8| kinds.iter().filter(|kind| **kind == wanted).count();
    let changes = kinds.windows(2).filter(|pair| pair[0] != pair[1]).count();
    count(0) >= 4 && count(1) >= 4 && count(2) + count(3) >= 1 && changes >= CHANGES_MIN
}
