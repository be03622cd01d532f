//! Judges whether the text after a cue is a secret.

use super::{
    DetectedSecret, Detection,
    cue::Cue,
    key::{self, SecretFamily},
    prose,
    tail::{self, CharClass, Quote, SecretTail},
};

/// A longer value is judged by its beginning.
const VALUE_BYTES_MAX: usize = 128;

/// A longer text is not a password in a URL.
const USERINFO_BYTES_MAX: usize = 256;

/// Letters alone are a secret from this length on: no word is that long.
const WORD_BYTES_MAX: usize = 20;

/// Judges the text after a cue.
pub fn judge(cue: Cue, ahead: &str, whole: bool) -> Detection {
    match cue {
        Cue::Url => in_url(ahead, whole),
        Cue::Prose { told, is_plain } => prose::judge(told, is_plain, ahead, whole),
        Cue::Mentioned { .. } => prose::judge_mentioned(ahead, whole),
        Cue::Scheme { is_sure } => run(ahead, whole, CharClass::Credential, SecretFamily::Authorization, |value| {
            if is_sure { !key::is_placeholder(value) } else { is_random(value, 8) }
        }),
        // It may be the first half of an escaped quote.
        Cue::Value { .. } if ahead == "\\" && !whole => Detection::Wait,
        Cue::Value { family, is_sure } => match Quote::at(ahead) {
            Some(quote) => quoted(ahead, whole, quote, family),
            None if ahead.starts_with(['=', '>', '~']) => Detection::No,
            None if is_sure => run(ahead, whole, CharClass::Value, family, |value| is_value(value, family)),
            None => run(ahead, whole, CharClass::Value, family, |value| is_likely(value, family)),
        },
    }
}

/// The part of the value that is judged, and whether it is complete.
pub fn window(value: &str, whole: bool) -> (&str, bool) {
    if value.len() < VALUE_BYTES_MAX {
        return (value, whole);
    }
    (&value[..value.floor_char_boundary(VALUE_BYTES_MAX)], true)
}

/// Judges the run of characters of this class, once its end or enough of it is there.
fn run(
    ahead: &str,
    whole: bool,
    class: CharClass,
    family: SecretFamily,
    is_secret: impl Fn(&str) -> bool,
) -> Detection {
    let (window, is_all) = window(ahead, whole);
    let length = class.run(window);
    if length == window.len() && !is_all {
        return Detection::Wait;
    }
    let is_called = window.as_bytes().get(length) == Some(&b'(');
    if is_called || !is_secret(&window[..length]) {
        return Detection::No;
    }
    DetectedSecret::with_tail(family.kind(), SecretTail::Run(class))
}

/// Judges a quoted string: a secret whatever it looks like, unless it is a placeholder.
pub fn quoted(ahead: &str, whole: bool, quote: Quote, family: SecretFamily) -> Detection {
    let skip = quote.length();
    let (window, is_all) = window(&ahead[skip..], whole);
    let value = match tail::closing(window, quote, is_all) {
        Some(end) => &window[..end],
        None if is_all => window,
        None => return Detection::Wait,
    };
    if key::is_placeholder(value) {
        return Detection::No;
    }
    Detection::Secret(DetectedSecret { skip, length: 0, kind: family.kind(), rest: Some(SecretTail::Quoted(quote)) })
}

/// Whether `name=value` holds a secret, which is nearly always the case.
fn is_value(value: &str, family: SecretFamily) -> bool {
    let is_count = family == SecretFamily::Token && value.len() < 8 && value.bytes().all(|byte| byte.is_ascii_digit());
    !key::is_placeholder(value) && !is_count
}

/// Whether `name: value`, which also occurs in prose, holds a secret.
fn is_likely(value: &str, family: SecretFamily) -> bool {
    if key::is_placeholder(value) || is_code(value) {
        return false;
    }
    let is_password = family == SecretFamily::Password
        && (value.bytes().all(|byte| byte.is_ascii_digit()) || (value.len() >= 6 && value.contains(is_symbol)));
    is_password || is_random(value, 6)
}

/// Whether it looks random: letters mixed with digits, or one very long word.
pub fn is_random(value: &str, bytes_min: usize) -> bool {
    let has = |is: fn(&u8) -> bool| value.bytes().any(|byte| is(&byte));
    let is_mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
    let is_long = value.split(|char: char| !char.is_ascii_alphanumeric()).any(|part| part.len() >= WORD_BYTES_MAX);
    value.len() >= bytes_min && (is_mixed || is_long)
}

/// Whether it is a path in program code, as in `config.database.password1`.
fn is_code(value: &str) -> bool {
    let is_name =
        |part: &str| part.len() < 16 && part.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_');
    value.contains('.') && value.trim_end_matches('.').split('.').all(is_name)
}

pub fn is_symbol(char: char) -> bool {
    "!@#$%^&*+?".contains(char)
}

/// `password@` rather than a port: only then the text before the colon was a user name.
fn in_url(ahead: &str, whole: bool) -> Detection {
    let window = &ahead[..ahead.floor_char_boundary(USERINFO_BYTES_MAX)];
    let length = CharClass::Userinfo.run(window);
    if length == ahead.len() && !whole && ahead.len() < USERINFO_BYTES_MAX {
        return Detection::Wait;
    }
    let userinfo = &window[..length];
    match userinfo.rfind('@') {
        Some(length) if length > 0 && !userinfo.starts_with("[redacted") && !userinfo.starts_with("**") => {
            Detection::Secret(DetectedSecret { skip: 0, length, kind: SecretFamily::Password.kind(), rest: None })
        }
        _ => Detection::No,
    }
}
