//! The digest that an approval is bound to: one tool with exactly these arguments.

use serde_json::Value;
use sha2::{Digest, Sha256};

/// SHA-256 in hex of the tool and its arguments in canonical form: keys sorted on every level, no
/// whitespace.
pub fn digest(tool: &str, arguments: &Value) -> String {
    let mut text = String::from("{\"arguments\":");
    write(arguments, &mut text);
    text.push_str(",\"tool\":");
    write(&Value::from(tool), &mut text);
    text.push('}');
    hex(&Sha256::digest(text.as_bytes()))
}

/// Bytes as lower-case hex digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]).map(|digit| char::from(DIGITS[usize::from(digit)])).collect()
}

fn write(value: &Value, text: &mut String) {
    match value {
        Value::Array(items) => {
            text.push('[');
            for (n, item) in items.iter().enumerate() {
                if n > 0 {
                    text.push(',');
                }
                write(item, text);
            }
            text.push(']');
        }
        Value::Object(fields) => {
            // Sorted here and not by the map, whose order depends on how serde_json was built.
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by_key(|(key, _)| *key);
            text.push('{');
            for (n, (key, field)) in fields.into_iter().enumerate() {
                if n > 0 {
                    text.push(',');
                }
                write(&Value::from(key.as_str()), text);
                text.push(':');
                write(field, text);
            }
            text.push('}');
        }
        plain => text.push_str(&plain.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_order_of_keys_does_not_matter() {
        let one: Value = serde_json::from_str(r#"{"b": [1, {"d": null, "c": "x"}], "a": 1.5}"#).unwrap();
        let other: Value = serde_json::from_str(r#"{"a":1.5,"b":[1,{"c":"x","d":null}]}"#).unwrap();
        let mut text = String::new();
        write(&one, &mut text);
        assert_eq!(text, r#"{"a":1.5,"b":[1,{"c":"x","d":null}]}"#);
        assert_eq!(digest("t", &one), digest("t", &other));
    }

    #[test]
    fn everything_else_does() {
        let digests = [
            digest("a", &json!({})),
            digest("b", &json!({})),
            digest("a", &json!(null)),
            digest("a", &json!({"x": 1})),
            digest("a", &json!({"x": "1"})),
            digest("a", &json!({"x": 1.5})),
            digest("a", &json!({"x": [1]})),
            digest("a", &json!({"x": [1, 2]})),
            digest("a", &json!({"x": [2, 1]})),
            digest("a", &json!({"x\":1,\"y": 1})),
        ];
        for (n, digest) in digests.iter().enumerate() {
            assert!(digest.len() == 64 && !digests[..n].contains(digest), "{n}");
        }
    }

    /// Approvals are stored, so the digest of a call must not change between releases.
    #[test]
    fn it_stays_what_it_is() {
        let expected = hex(&Sha256::digest(br#"{"arguments":{"a":1},"tool":"t"}"#));
        assert_eq!(digest("t", &json!({"a": 1})), expected);
        assert_eq!(hex(&[0, 0x0f, 0xa5, 0xff]), "000fa5ff");
    }
}
