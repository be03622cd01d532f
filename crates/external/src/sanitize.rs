//! Sanitizes the texts of external servers: bounded length, and no invisible characters.

use serde_json::{Map, Value};

/// Characters of a tool's description.
pub(crate) const DESCRIPTION_CHARS_MAX: usize = 2_000;
/// Characters of short texts: errors, log lines, names.
pub(crate) const REMARK_CHARS_MAX: usize = 300;
/// Characters of a description inside a schema.
const FIELD_CHARS_MAX: usize = 500;

/// The text without invisible characters, truncated to the limit.
pub(crate) fn clean(text: &str, chars_max: usize) -> String {
    let seen = text.chars().filter(|char| is_seen(*char));
    let mut cleaned: String = seen.clone().take(chars_max).collect();
    if seen.count() > chars_max {
        cleaned.push('…');
    }
    cleaned.trim().to_owned()
}

/// A text on one line.
pub(crate) fn remark(text: &str) -> String {
    let line: Vec<&str> = text.split_whitespace().collect();
    clean(&line.join(" "), REMARK_CHARS_MAX)
}

/// Whether a character is visible. Control characters, direction marks and tags can carry
/// instructions to a model that a person does not see.
fn is_seen(char: char) -> bool {
    match char {
        '\n' | '\t' => true,
        '\u{ad}'
        | '\u{61c}'
        | '\u{180e}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}' => false,
        other => !other.is_control(),
    }
}

/// The schema as a model sees it: descriptions and titles sanitized, comments and schema ids
/// dropped. Arguments are validated against the original schema.
pub(crate) fn shown_schema(schema: &Value) -> Value {
    match schema {
        Value::Object(fields) => Value::Object(shown_fields(fields)),
        Value::Array(items) => Value::Array(items.iter().map(shown_schema).collect()),
        other => other.clone(),
    }
}

fn shown_fields(fields: &Map<String, Value>) -> Map<String, Value> {
    let mut shown = Map::new();
    for (key, value) in fields {
        match (key.as_str(), value) {
            ("$schema" | "$id" | "$comment", Value::String(_)) => {}
            ("description" | "title", Value::String(text)) => {
                shown.insert(key.clone(), clean(text, FIELD_CHARS_MAX).into());
            }
            // Here keys are names of fields, which may be `title` as well.
            ("properties" | "$defs" | "definitions" | "patternProperties", Value::Object(named)) => {
                let named = named.iter().map(|(name, schema)| (name.clone(), shown_schema(schema)));
                shown.insert(key.clone(), Value::Object(named.collect()));
            }
            ("enum" | "const" | "default" | "examples" | "required", value) => {
                shown.insert(key.clone(), value.clone());
            }
            (_, value) => {
                shown.insert(key.clone(), shown_schema(value));
            }
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn what_cannot_be_seen_is_dropped() {
        assert_eq!(clean("Reads\u{0} a \u{202e}file\u{200b}.\u{e0041}\n", 100), "Reads a file.");
        assert_eq!(clean("abcdef", 3), "abc…");
        assert_eq!(remark("a\n  b\tc"), "a b c");
    }

    #[test]
    fn a_shown_schema_keeps_what_counts() {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "title": "A\u{7}rgs",
            "properties": {
                "title": { "type": "string", "description": "x".repeat(600) },
                "$id": { "enum": ["a\u{7}b"] },
            },
            "required": ["title"],
        });
        let shown = shown_schema(&schema);
        assert_eq!((&shown["title"], &shown["$schema"]), (&json!("Args"), &Value::Null));
        assert_eq!(shown["properties"]["title"]["description"].as_str().unwrap().chars().count(), 501);
        assert_eq!(shown["properties"]["$id"]["enum"], json!(["a\u{7}b"]), "values are what they are");
        assert_eq!(shown["required"], json!(["title"]));
    }

    proptest! {
        #[test]
        fn cleaned_texts_are_short_and_clean_already(text in ".{0,60}", max in 1usize..40) {
            let once = clean(&text, max);
            prop_assert!(once.chars().count() <= max + 1);
            prop_assert_eq!(clean(&once, max + 1), once.clone());
            prop_assert!(once.chars().all(is_seen));
        }
    }
}
