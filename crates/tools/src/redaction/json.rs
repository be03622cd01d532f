//! Secrets in documents: in their strings, and under keys that name one.

use serde_json::Value;

use super::{
    Redactor,
    forms::key::{Family, family, is_placeholder},
};

/// What is put in the place of a code.
const CODE: &str = "[redacted:code]";
/// Characters of a code.
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

/// Hides the value of a key that names a secret. What is inside an object has keys of its own: a schema, say, describes
/// a password and holds none.
fn hide(redactor: &Redactor, value: Value, family: Family) -> Value {
    match value {
        Value::String(text) if !is_placeholder(&text) => Value::String(format!("[redacted:{}]", family.kind())),
        // A token under a number is a count.
        Value::Number(_) if family != Family::Token => Value::String(format!("[redacted:{}]", family.kind())),
        Value::Array(items) => items.into_iter().map(|item| hide(redactor, item, family)).collect(),
        value => redact(redactor, value),
    }
}

/// What opens a door or ends an alarm is called just this. Other names that end so are names of other things.
fn names_a_code(key: &str) -> bool {
    key.eq_ignore_ascii_case("code") || key.eq_ignore_ascii_case("pin")
}

/// Hides what somebody would type into a lock. A program is code as well, and so are a country, a currency and an error:
/// those are longer, shorter, or no plain word.
fn hide_code(redactor: &Redactor, value: Value) -> Value {
    match value {
        Value::String(text) if is_code(&text) => Value::String(CODE.to_owned()),
        Value::Number(number) if is_code(&number.to_string()) => Value::String(CODE.to_owned()),
        Value::Array(items) => items.into_iter().map(|item| hide_code(redactor, item)).collect(),
        value => redact(redactor, value),
    }
}

/// Whether this is digits, in groups or not, or one word, and about as long as codes are.
fn is_code(text: &str) -> bool {
    let is_gap = |char: char| matches!(char, ' ' | '-');
    let text = text.trim();
    let digits = text.chars().filter(|char| !is_gap(*char));
    // What begins with a minus is a number.
    let is_digits = !text.starts_with('-') && digits.clone().all(char::is_numeric);
    let chars = if is_digits { digits.count() } else { text.chars().count() };
    CODE_CHARS.contains(&chars) && (is_digits || text.chars().all(char::is_alphanumeric)) && !is_placeholder(text)
}
