//! Secrets in documents: in their strings, and under keys that name one.

use serde_json::Value;

use super::{
    Redactor,
    forms::key::{Family, family, is_placeholder},
};

/// The document without its secrets.
pub fn redact(redactor: &Redactor, value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(redactor.redact(&text).into_owned()),
        Value::Array(items) => items.into_iter().map(|item| redact(redactor, item)).collect(),
        Value::Object(fields) => {
            let fields = fields.into_iter().map(|(key, value)| {
                let value = match family(&key) {
                    Some(family) => hide(redactor, value, family),
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
