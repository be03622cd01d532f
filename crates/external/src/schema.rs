//! The JSON schemas of a server: compiled once, so that invalid arguments are not sent.

use jsonschema::{PatternOptions, Validator};
use serde_json::Value;

use crate::sanitize::remark;

/// The largest schema in bytes; larger ones would fill a prompt.
const BYTES_MAX: usize = 32 * 1024;
/// The maximum nesting depth.
const DEPTH_MAX: usize = 24;
/// The number of backtracking steps after which a pattern counts as not matching.
const BACKTRACKS_MAX: usize = 100_000;
/// The number of errors reported at once.
const MISTAKES_MAX: usize = 3;

/// A compiled schema.
pub(crate) struct Schema {
    validator: Validator,
}

impl Schema {
    /// Compiles a schema. The error says why it cannot be used, as in "its schema …".
    pub(crate) fn new(schema: &Value) -> Result<Self, String> {
        if schema.to_string().len() > BYTES_MAX {
            return Err(format!("is larger than {} KiB", BYTES_MAX / 1024));
        }
        check(schema, 0)?;
        let options = jsonschema::options()
            .offline()
            .with_pattern_options(PatternOptions::fancy_regex().backtrack_limit(BACKTRACKS_MAX));
        let validator = options.build(schema).map_err(|error| format!("is wrong: {}", remark(&error.to_string())))?;
        Ok(Self { validator })
    }

    /// Checks a value; the error says what is wrong and where.
    pub(crate) fn validate(&self, value: &Value) -> Result<(), String> {
        let mistakes: Vec<String> = self
            .validator
            .iter_errors(value)
            .take(MISTAKES_MAX)
            .map(|error| match error.instance_path().to_string().as_str() {
                "" => remark(&error.to_string()),
                path => format!("`{}`: {}", remark(path.trim_start_matches('/')), remark(&error.to_string())),
            })
            .collect();
        if mistakes.is_empty() { Ok(()) } else { Err(mistakes.join("; ")) }
    }
}

/// Refuses external references, which would be fetched, and excessive nesting.
fn check(schema: &Value, depth: usize) -> Result<(), String> {
    if depth > DEPTH_MAX {
        return Err(format!("is nested deeper than {DEPTH_MAX}"));
    }
    match schema {
        Value::Array(items) => items.iter().try_for_each(|item| check(item, depth + 1)),
        Value::Object(fields) => fields.iter().try_for_each(|(key, value)| match (key.as_str(), value) {
            ("$ref" | "$dynamicRef" | "$recursiveRef", Value::String(to)) if !to.starts_with('#') => {
                Err(format!("refers to `{}`, and external references are not fetched", remark(to)))
            }
            (_, value) => check(value, depth + 1),
        }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_does_not_fit_is_told_with_its_place() {
        let schema = Schema::new(&json!({
            "type": "object",
            "properties": { "day": { "type": "string", "pattern": "^\\d+$" }, "seats": { "$ref": "#/$defs/seats" } },
            "required": ["day"],
            "additionalProperties": false,
            "$defs": { "seats": { "type": "integer", "maximum": 8 } },
        }))
        .unwrap();
        schema.validate(&json!({ "day": "12", "seats": 4 })).unwrap();
        for (value, expected) in [
            (json!({}), "\"day\" is a required property"),
            (json!({ "day": "x" }), "`day`: "),
            (json!({ "day": "1", "seats": 9 }), "`seats`: 9 is greater than"),
            (json!({ "day": "1", "more": true }), "'more' was unexpected"),
        ] {
            let told = schema.validate(&value).unwrap_err();
            assert!(told.contains(expected), "{told}");
        }
    }

    #[test]
    fn schemas_that_cannot_be_used_say_why() {
        let mut deep = json!({});
        for _ in 0..40 {
            deep = json!({ "items": deep });
        }
        for (schema, expected) in [
            (json!({ "type": "objekt" }), "is wrong"),
            (json!({ "properties": { "a": { "pattern": "(" } } }), "is wrong"),
            (json!({ "$ref": "https://schemas.example/a.json" }), "refers to `https://schemas.example/a.json`"),
            (json!({ "properties": { "a": { "$ref": "file:///etc/passwd" } } }), "refers to `file:///etc/passwd`"),
            (json!({ "$ref": "#/$defs/missing" }), "is wrong"),
            (json!({ "description": "x".repeat(40_000) }), "is larger than 32 KiB"),
            (deep, "is nested deeper"),
        ] {
            let told = Schema::new(&schema).err().unwrap_or_else(|| panic!("{schema} was taken"));
            assert!(told.contains(expected), "{told}");
        }
    }
}
