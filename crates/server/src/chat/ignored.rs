//! Fields of a request that have no effect, and the header that lists them. A client that relies on
//! such a field can see that it was read over.

use std::collections::BTreeSet;

use axum::{
    http::{HeaderName, HeaderValue},
    response::Response,
};
use serde_json::{Map, Value};

/// The header: the names of the ignored fields, separated by commas.
const IGNORED: HeaderName = HeaderName::from_static("x-dwell-ignored");
/// Most bytes of the header; clients limit the size of all headers together.
const BYTES_MAX: usize = 1024;

/// The names of the fields that have no effect.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct IgnoredFields(BTreeSet<String>);

impl IgnoredFields {
    /// The fields that a request has beside those that were read. Fields without a value are left
    /// out: many clients send all fields they know.
    pub(super) fn of(rest: &Map<String, Value>) -> Self {
        let mut ignored = Self::default();
        ignored.add_fields("", rest);
        ignored
    }

    /// Adds the fields of an object in the request. `path` names the object and ends with a dot.
    pub(super) fn add_fields(&mut self, path: &str, fields: &Map<String, Value>) {
        let has_value = |value: &Value| match value {
            Value::Null => false,
            Value::Array(items) => !items.is_empty(),
            Value::Object(fields) => !fields.is_empty(),
            _ => true,
        };
        self.0.extend(fields.iter().filter(|(_, value)| has_value(value)).map(|(name, _)| format!("{path}{name}")));
    }

    /// Adds one field.
    pub(super) fn add(&mut self, name: &str) {
        self.0.insert(name.to_owned());
    }

    /// Adds the header to a response, unless nothing was ignored.
    pub(super) fn tell(&self, mut response: Response) -> Response {
        if let Some(value) = self.header() {
            response.headers_mut().insert(IGNORED, value);
        }
        response
    }

    fn header(&self) -> Option<HeaderValue> {
        let mut text = String::new();
        // Names that fit into no header are names of no known field.
        let is_plain = |name: &&String| name.bytes().all(|byte| byte.is_ascii_graphic() && byte != b',');
        for name in self.0.iter().filter(is_plain) {
            if text.len() + name.len() + 1 > BYTES_MAX {
                break;
            }
            if !text.is_empty() {
                text.push(',');
            }
            text.push_str(name);
        }
        if text.is_empty() { None } else { HeaderValue::from_str(&text).ok() }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn header(rest: Value) -> Option<String> {
        let header = IgnoredFields::of(rest.as_object().unwrap()).header();
        header.map(|value| value.to_str().unwrap().to_owned())
    }

    #[test]
    fn only_fields_with_a_value_are_listed() {
        let rest = json!({ "service_tier": "auto", "include": [], "prompt": null, "extra": {}, "seed": 0 });
        assert_eq!(header(rest).as_deref(), Some("seed,service_tier"));
        assert_eq!(header(json!({ "include": [] })), None);
    }

    #[test]
    fn parts_of_objects_are_listed_with_their_path() {
        let mut ignored = IgnoredFields::default();
        ignored.add_fields("reasoning.", json!({ "summary": "auto" }).as_object().unwrap());
        ignored.add("store");
        assert_eq!(ignored.header().unwrap(), "reasoning.summary,store");
    }

    #[test]
    fn names_that_no_header_can_have_are_left_out_and_the_rest_has_a_limit() {
        assert_eq!(header(json!({ "a\nb": 1, "ü": 1, "a,b": 1, "ok": 1 })).as_deref(), Some("ok"));
        let many: Map<String, Value> = (0..500).map(|index| (format!("field_{index}"), json!(1))).collect();
        assert!(header(Value::Object(many)).unwrap().len() <= BYTES_MAX);
    }
}
