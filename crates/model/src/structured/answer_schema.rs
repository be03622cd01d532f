//! The check of an answer against its schema.

use jsonschema::{PatternOptions, Validator};
use protocol::ResponseSchema;
use serde_json::Value;

/// The largest schema in bytes; larger ones would fill a prompt.
const BYTES_MAX: usize = 64 * 1024;
/// The number of backtracking steps after which a pattern counts as not matching.
const BACKTRACKS_MAX: usize = 100_000;
/// The number of errors reported at once.
const MISTAKES_MAX: usize = 5;
/// Characters of one reported error.
const MISTAKE_CHARS_MAX: usize = 300;

/// A compiled schema of answers.
pub struct AnswerSchema {
    validator: Validator,
}

impl AnswerSchema {
    /// Compiles a schema. The error says why it cannot be used, as in "the schema …".
    pub fn new(schema: &ResponseSchema) -> Result<Self, String> {
        let schema = schema.to_value();
        if schema.to_string().len() > BYTES_MAX {
            return Err(format!("is larger than {} KiB", BYTES_MAX / 1024));
        }
        let options = jsonschema::options()
            // References to other documents are not fetched.
            .offline()
            .with_pattern_options(PatternOptions::fancy_regex().backtrack_limit(BACKTRACKS_MAX));
        let validator = options.build(&schema).map_err(|error| format!("is wrong: {}", short(&error.to_string())))?;
        Ok(Self { validator })
    }

    /// The JSON text of an answer that matches; the error says what is wrong and where.
    pub fn read(&self, answer: &str) -> Result<String, String> {
        let (text, value) = parse(answer)?;
        let mistakes: Vec<String> = self
            .validator
            .iter_errors(&value)
            .take(MISTAKES_MAX)
            .map(|error| match error.instance_path().to_string().as_str() {
                "" => short(&error.to_string()),
                path => format!("`{}`: {}", path.trim_start_matches('/'), short(&error.to_string())),
            })
            .collect();
        if mistakes.is_empty() { Ok(text.to_owned()) } else { Err(mistakes.join("; ")) }
    }
}

/// The JSON value in an answer. Many models write a fence around it, or a sentence before it.
fn parse(answer: &str) -> Result<(&str, Value), String> {
    let whole = answer.trim();
    let error = match serde_json::from_str(whole) {
        Ok(value) => return Ok((whole, value)),
        Err(error) => error,
    };
    let inner = whole.find(['{', '[']).zip(whole.rfind(['}', ']'])).and_then(|(from, to)| whole.get(from..=to));
    match inner.and_then(|inner| Some((inner, serde_json::from_str(inner).ok()?))) {
        Some(found) => Ok(found),
        None if whole.is_empty() => Err("the answer is empty".to_owned()),
        None => Err(format!("the answer is not JSON: {error}")),
    }
}

fn short(text: &str) -> String {
    text.chars().take(MISTAKE_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema(schema: Value) -> Result<AnswerSchema, String> {
        let Value::Object(schema) = schema else { panic!("a schema is an object") };
        AnswerSchema::new(&ResponseSchema::new(schema))
    }

    #[test]
    fn the_json_of_an_answer_is_found_and_checked() {
        let city = schema(json!({
            "type": "object",
            "properties": { "city": { "type": "string" }, "people": { "type": "integer" } },
            "required": ["city"],
            "additionalProperties": false,
        }))
        .unwrap();
        let plain = "{\"city\": \"Ghent\", \"people\": 3}";
        for answer in [
            plain.to_owned(),
            format!("\n  {plain} \n"),
            format!("```json\n{plain}\n```"),
            format!("Here it is:\n\n{plain}\n\nAnything else?"),
        ] {
            assert_eq!(city.read(&answer).as_deref(), Ok(plain), "{answer}");
        }
        for (answer, expected) in [
            ("", "is empty"),
            ("Ghent", "is not JSON"),
            ("{\"city\": \"Gh", "is not JSON"),
            ("{}", "\"city\" is a required property"),
            ("{\"city\": 7}", "`city`: 7 is not of type"),
            ("{\"city\": \"a\", \"x\": 1}", "'x' was unexpected"),
            ("[]", "is not of type \"object\""),
        ] {
            let wrong = city.read(answer).unwrap_err();
            assert!(wrong.contains(expected), "{answer}: {wrong}");
        }
        let numbers = schema(json!({ "type": "array", "items": { "type": "number" } })).unwrap();
        assert_eq!(numbers.read("```\n[1, 2.5]\n```").as_deref(), Ok("[1, 2.5]"));
    }

    #[test]
    fn a_schema_that_cannot_be_used_says_why() {
        for (wrong, expected) in [
            (json!({ "type": "objekt" }), "is wrong"),
            (json!({ "$ref": "https://schemas.example/a.json" }), "is wrong"),
            (json!({ "description": "x".repeat(70_000) }), "is larger than 64 KiB"),
        ] {
            let told = schema(wrong.clone()).err().unwrap_or_else(|| panic!("{wrong} was accepted"));
            assert!(told.contains(expected), "{told}");
        }
    }
}
