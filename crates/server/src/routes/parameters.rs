//! The parameters of a route, from its path and its query.

use axum::http::Method;
use protocol::{
    ProviderName,
    patterns::{LINE, NO_CONTROL, NOT_BLANK},
};
use serde_json::{Value, json};

use super::Route;

/// An id.
const ULID: &str = "^[0-7][0-9A-HJKMNP-TV-Z]{25}$";
/// A place in a list, as the server gives it out.
const CURSOR: &str = r"^-?[0-9]{1,18}\.[0-7][0-9A-HJKMNP-TV-Z]{25}$";
/// A number as text.
const NUMBER: &str = "^[0-9]{1,19}$";
/// Levels of memory, separated by commas.
const LEVELS: &str = "^(pin|profile|fact|entry|context)?(,(pin|profile|fact|entry|context)?)*$";
/// The name of a window.
const WINDOW: &str = "^[a-z0-9][a-z0-9_-]{0,47}$";

/// The parameters as OpenAPI describes them.
pub(crate) fn of(route: &Route) -> Vec<Value> {
    let in_path = route.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')).map(|name| {
        let name = name.trim_start_matches('*');
        json!({ "name": name, "in": "path", "required": true, "schema": in_path(route, name) })
    });
    let in_query = route.query.iter().map(|(name, kind, meaning)| {
        let (is_required, kind) = kind.strip_prefix("required ").map_or((false, *kind), |kind| (true, kind));
        json!({ "name": name, "in": "query", "required": is_required, "description": meaning, "schema": in_query(kind) })
    });
    in_path.chain(in_query).collect()
}

fn in_path(route: &Route, name: &str) -> Value {
    match name {
        "app" | "file" | "model" => json!({ "type": "string", "minLength": 1 }),
        // Only a new key has to be fit for one; the others are just not found.
        "key" if route.method == Method::PUT => json!({ "type": "string", "maxLength": 100, "pattern": LINE }),
        "key" => json!({ "type": "string", "minLength": 1 }),
        // Ids of OpenAI's API have a prefix.
        "conversation_id" => json!({ "type": "string", "minLength": 1, "pattern": "^(conv_)?[^/]+$" }),
        "response_id" => json!({ "type": "string", "minLength": 1 }),
        "provider" => json!({ "type": "string", "enum": ProviderName::ALL.map(ProviderName::as_str) }),
        "version" => json!({ "type": "integer", "minimum": 0, "maximum": u32::MAX }),
        "window_id" => json!({ "type": "string", "pattern": WINDOW }),
        _ => json!({ "type": "string", "pattern": ULID }),
    }
}

/// The schema of a query parameter. Its kind is a type or the name of a form, optionally with a
/// range of the value or the length (`integer 1-200`, `string 0-256`), or lists the possible values
/// (`newest|oldest`). `required` may precede it.
fn in_query(kind: &str) -> Value {
    if kind.contains('|') {
        return json!({ "type": "string", "enum": kind.split('|').collect::<Vec<_>>() });
    }
    let (name, range) = kind.split_once(' ').unwrap_or((kind, ""));
    let (mut schema, limits) = match name {
        "integer" => (json!({ "type": name, "minimum": 0, "maximum": u64::MAX }), ["minimum", "maximum"]),
        _ => (json!({ "type": "string" }), ["minLength", "maxLength"]),
    };
    let pattern = match name {
        "boolean" => return json!({ "type": name }),
        "time" => return json!({ "type": "string", "format": "date-time" }),
        "id" => Some(ULID),
        "cursor" => Some(CURSOR),
        "number" => Some(NUMBER),
        "levels" => Some(LEVELS),
        "text" => Some(NOT_BLANK),
        "name" => Some(NO_CONTROL),
        _ => None,
    };
    if let Some(pattern) = pattern {
        schema["pattern"] = json!(pattern);
    }
    for (limit, value) in limits.into_iter().zip(range.split('-')) {
        if let Ok(value) = value.parse::<u64>() {
            schema[limit] = json!(value);
        }
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_says_what_is_taken() {
        assert_eq!(in_query("integer"), json!({ "type": "integer", "minimum": 0, "maximum": u64::MAX }));
        assert_eq!(in_query("integer 1-200"), json!({ "type": "integer", "minimum": 1, "maximum": 200 }));
        assert_eq!(in_query("string 0-256"), json!({ "type": "string", "minLength": 0, "maxLength": 256 }));
        assert_eq!(in_query("newest|oldest"), json!({ "type": "string", "enum": ["newest", "oldest"] }));
        assert_eq!(in_query("boolean"), json!({ "type": "boolean" }));
        assert_eq!(in_query("time"), json!({ "type": "string", "format": "date-time" }));
        assert!(in_query("id")["pattern"].is_string());
    }
}
