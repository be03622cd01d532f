//! AWS secret access keys: 40 characters without a prefix, so they are only detected near words
//! that mention AWS.

use super::{
    DetectedSecret, Detection,
    tail::{CharClass, SecretTail},
};

/// The kind in the marker.
pub const KIND: &str = "aws";
/// The length of such a key.
const LENGTH: usize = 40;
/// The minimum number of changes between lower case, upper case, digits and symbols. A random key
/// has about 25 of 39 possible changes; a path of words has a few.
const CHANGES_MIN: usize = 12;
/// Words that appear near such keys.
const NEAR: [&str; 5] = ["aws", "amazon", "access key", "access_key", "secret key"];

/// Judges a possible key. `is_near` tells whether the text mentions AWS; it is only called when
/// needed.
pub fn judge(ahead: &str, whole: bool, is_near: impl FnOnce() -> bool) -> Detection {
    let length = CharClass::Base64.run(&ahead[..ahead.floor_char_boundary(LENGTH + 1)]);
    let is_over = length < ahead.len() || whole;
    if length > LENGTH || (is_over && length < LENGTH) || ahead[length..].starts_with('=') || !is_near() {
        return Detection::No;
    }
    if !is_over {
        return Detection::Wait;
    }
    if !is_key(&ahead[..length]) {
        return Detection::No;
    }
    DetectedSecret::with_tail(KIND, SecretTail::Run(CharClass::Base64))
}

/// Whether a key can begin after this text: not in the middle of a longer run. An escaped line
/// break does not count as part of it.
pub fn can_begin(before: &[u8]) -> bool {
    match before {
        [.., b'\\', _] => true,
        [.., last] => !CharClass::Base64.has(*last),
        [] => true,
    }
}

/// Whether the text mentions AWS.
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
