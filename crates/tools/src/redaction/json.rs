//! Redacts JSON documents: secrets in their strings, and values under keys that name a secret.

use serde_json::Value;

use super::{
    Redactor,
    forms::key::{SecretFamily, family, is_placeholder},
};

/// The replacement for a code.
const CODE: &str = "[redacted:code]";
/// The number of characters of a code.
const CODE_CHARS: std::ops::RangeInclusive<usize> = 4..=12;

/// The document without its secrets.
pub fn redact(redactor: &Redactor, value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(redactor.redact(&text).into_owned()),
        Value::Array(items) => items.into_iter().map(|item| redact(redactor, item)).collect(),
        Value::Object(fields) => {
            let fields = fields.into_iter().map(|(key, value)| {
                let value = match family(&key) {
                    Some(family) => hide(redactor, value, family),
                    None if names_a_code(&key) => hide_code(redactor, value),
                    None => redact(redactor, value),
                };
                (redactor.redact(&key).into_owned(), value)
            });
            Value::Object(fields.collect())
        }
        plain => plain,
    }
}

/// Redacts the value of a key that names a secret. An object has keys of its own: a schema, for
/// example, describes a password but holds none.
fn hide(redactor: &Redactor, value: Value, family: SecretFamily) -> Value {
    match value {
        Value::String(text) if !is_placeholder(&text) => Value::String(format!("[redacted:{}]", family.kind())),
        // A number under a token key is a count of tokens.
        Value::Number(_) if family != SecretFamily::Token => Value::String(format!("[redacted:{}]", family.kind())),
        Value::Array(items) => items.into_iter().map(|item| hide(redactor, item, family)).collect(),
        value => redact(redactor, value),
    }
}

/// Whether the key is the name of a lock or alarm code. Longer names that end in `code` mean other
/// things.
fn names_a_code(key: &str) -> bool {
    key.eq_ignore_ascii_case("code") || key.eq_ignore_ascii_case("pin")
}

/// Redacts a code for a lock or an alarm. A program, a country, a currency and an error are codes
/// as well: those are longer, shorter, or not a plain word.
fn hide_code(redactor: &Redactor, value: Value) -> Value {
    match value {
        Value::String(text) if is_code(&text) => Value::String(CODE.to_owned()),
        Value::Number(number) if is_code(&number.to_string()) => Value::String(CODE.to_owned()),
        Value::Array(items) => items.into_iter().map(|item| hide_code(redactor, item)).collect(),
        value => redact(redactor, value),
    }
}

/// Whether the text is digits, grouped or not, or one word, of the usual length of a code.
fn is_code(text: &str) -> bool {
    let is_gap = |char: char| matches!(char, ' ' | '-');
    let text = text.trim();
    let digits = text.chars().filter(|char| !is_gap(*char));
    // A leading minus makes it a number.
    let is_digits = !text.starts_with('-') && digits.clone().all(char::is_numeric);
    let chars = if is_digits { digits.count() } else { text.chars().count() };
    CODE_CHARS.contains(&chars) && (is_digits || text.chars().all(char::is_alphanumeric)) && !is_placeholder(text)
}
