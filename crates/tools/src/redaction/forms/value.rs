//! Whether what follows a cue is a secret.

use super::{
    Secret, Verdict,
    cue::Cue,
    key::{self, Family},
    swallow::{self, Class, Quote, Swallow},
    told,
};

/// A value this long is judged by its beginning.
const VALUE_BYTES_MAX: usize = 128;

/// Longer than this is no password in a URL.
const USERINFO_BYTES_MAX: usize = 256;

/// Letters alone are a secret from this length on: no word is that long.
const WORD_BYTES_MAX: usize = 20;

/// Judges what follows the cue.
pub fn judge(cue: Cue, ahead: &str, whole: bool) -> Verdict {
    match cue {
        Cue::Url => in_url(ahead, whole),
        Cue::Told { told, is_plain } => told::judge(told, is_plain, ahead, whole),
        Cue::Mentioned { .. } => told::judge_mentioned(ahead, whole),
        Cue::Scheme { is_sure } => run(ahead, whole, Class::Credential, Family::Authorization, |value| {
            if is_sure { !key::is_placeholder(value) } else { is_random(value, 8) }
        }),
        // It may be the first half of an escaped quote.
        Cue::Value { .. } if ahead == "\\" && !whole => Verdict::Wait,
        Cue::Value { family, is_sure } => match Quote::at(ahead) {
            Some(quote) => quoted(ahead, whole, quote, family),
            None if ahead.starts_with(['=', '>', '~']) => Verdict::No,
            None if is_sure => run(ahead, whole, Class::Value, family, |value| is_value(value, family)),
            None => run(ahead, whole, Class::Value, family, |value| is_likely(value, family)),
        },
    }
}

/// The beginning of the value that is looked at, and whether there is no more to wait for.
pub fn window(value: &str, whole: bool) -> (&str, bool) {
    if value.len() < VALUE_BYTES_MAX {
        return (value, whole);
    }
    (&value[..value.floor_char_boundary(VALUE_BYTES_MAX)], true)
}

/// Judges the run of characters of this class, once its end or enough of it is there.
fn run(ahead: &str, whole: bool, class: Class, family: Family, is_secret: impl Fn(&str) -> bool) -> Verdict {
    let (window, is_all) = window(ahead, whole);
    let length = class.run(window);
    if length == window.len() && !is_all {
        return Verdict::Wait;
    }
    let is_called = window.as_bytes().get(length) == Some(&b'(');
    if is_called || !is_secret(&window[..length]) {
        return Verdict::No;
    }
    Secret::swallowed(family.kind(), Swallow::Run(class))
}

/// Judges a string: a secret whatever it looks like, unless it stands in for one.
pub fn quoted(ahead: &str, whole: bool, quote: Quote, family: Family) -> Verdict {
    let skip = quote.length();
    let (window, is_all) = window(&ahead[skip..], whole);
    let value = match swallow::closing(window, quote, is_all) {
        Some(end) => &window[..end],
        None if is_all => window,
        None => return Verdict::Wait,
    };
    if key::is_placeholder(value) {
        return Verdict::No;
    }
    Verdict::Secret(Secret { skip, length: 0, kind: family.kind(), rest: Some(Swallow::Quoted(quote)) })
}

/// Whether `name=value` holds a secret: nearly always.
fn is_value(value: &str, family: Family) -> bool {
    let is_count = family == Family::Token && value.len() < 8 && value.bytes().all(|byte| byte.is_ascii_digit());
    !key::is_placeholder(value) && !is_count
}

/// Whether `name: value`, which prose writes too, holds a secret.
fn is_likely(value: &str, family: Family) -> bool {
    if key::is_placeholder(value) || is_code(value) {
        return false;
    }
    let is_password = family == Family::Password
        && (value.bytes().all(|byte| byte.is_ascii_digit()) || (value.len() >= 6 && value.contains(is_symbol)));
    is_password || is_random(value, 6)
}

/// Whether it looks like chance: letters with digits, or one long word of nothing.
pub fn is_random(value: &str, bytes_min: usize) -> bool {
    let has = |is: fn(&u8) -> bool| value.bytes().any(|byte| is(&byte));
    let is_mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
    let is_long = value.split(|char: char| !char.is_ascii_alphanumeric()).any(|part| part.len() >= WORD_BYTES_MAX);
    value.len() >= bytes_min && (is_mixed || is_long)
}

/// Whether it is a path through a program, as in `config.database.password1`.
fn is_code(value: &str) -> bool {
    let is_name =
        |part: &str| part.len() < 16 && part.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_');
    value.contains('.') && value.trim_end_matches('.').split('.').all(is_name)
}

pub fn is_symbol(char: char) -> bool {
    "!@#$%^&*+?".contains(char)
}

/// `password@` rather than a port: only then the colon stood before a password.
fn in_url(ahead: &str, whole: bool) -> Verdict {
    let window = &ahead[..ahead.floor_char_boundary(USERINFO_BYTES_MAX)];
    let length = Class::Userinfo.run(window);
    if length == ahead.len() && !whole && ahead.len() < USERINFO_BYTES_MAX {
        return Verdict::Wait;
    }
    let userinfo = &window[..length];
    match userinfo.rfind('@') {
        Some(length) if length > 0 && !userinfo.starts_with("[redacted") && !userinfo.starts_with("**") => {
            Verdict::Secret(Secret { skip: 0, length, kind: Family::Password.kind(), rest: None })
        }
        _ => Verdict::No,
    }
}
