//! Shorter JSON schemas for models. A tool's schema is sent with every request, so each token
//! counts.

use serde_json::{Map, Value};

/// The schema without what a model does not need: empty defaults, number formats, nullability and
/// `additionalProperties`. Arguments that fit the brief schema also fit the full one, which is what
/// they are checked against.
pub(crate) fn brief(schema: &Value) -> Value {
    match schema {
        Value::Object(members) => Value::Object(brief_members(members)),
        // `true` allows anything. Some servers accept only the empty object for that.
        _ => Value::Object(Map::new()),
    }
}

fn brief_members(members: &Map<String, Value>) -> Map<String, Value> {
    let mut kept: Map<String, Value> = Map::new();
    for (name, value) in members {
        match (name.as_str(), value) {
            ("$schema" | "$id" | "format", _) | ("additionalProperties", Value::Bool(_)) => {}
            ("default", value) if says_nothing(value) => {}
            // A reference to another document cannot be resolved here.
            ("$ref", Value::String(place)) if !place.starts_with("#/") => {}
            ("minimum", least) if least.as_f64() == Some(0.0) => {}
            ("type", Value::Array(types)) => drop(kept.insert(name.clone(), without_null(types))),
            // The names of properties may be keywords of JSON Schema themselves.
            ("properties" | "$defs" | "definitions" | "patternProperties", Value::Object(named)) => {
                let named = named.iter().map(|(name, schema)| (name.clone(), brief(schema))).collect();
                kept.insert(name.clone(), Value::Object(named));
            }
            ("items", inner) => {
                let mut inner = brief(inner);
                // The description of the list also covers its items.
                if let Some(inner) = inner.as_object_mut().filter(|_| members.contains_key("description")) {
                    inner.remove("description");
                }
                kept.insert(name.clone(), inner);
            }
            ("additionalProperties" | "not", inner) => drop(kept.insert(name.clone(), brief(inner))),
            ("oneOf" | "anyOf", Value::Array(ways)) => keep_ways(&mut kept, name, ways),
            ("allOf", Value::Array(all)) => drop(kept.insert(name.clone(), all.iter().map(brief).collect())),
            _ => drop(kept.insert(name.clone(), value.clone())),
        }
    }
    kept
}

fn says_nothing(default: &Value) -> bool {
    match default {
        Value::Null => true,
        Value::Object(members) => members.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

/// `["string", "null"]` is a string that may be left out.
fn without_null(types: &[Value]) -> Value {
    let others: Vec<&Value> = types.iter().filter(|kind| *kind != "null").collect();
    match others.as_slice() {
        [one] => (*one).clone(),
        _ => types.iter().cloned().collect(),
    }
}

fn keep_ways(kept: &mut Map<String, Value>, name: &str, ways: &[Value]) {
    let ways: Vec<&Value> = ways.iter().filter(|way| way["type"] != "null").collect();
    let words: Option<Vec<Value>> =
        ways.iter().map(|way| way.get("const").filter(|word| word.is_string()).cloned()).collect();
    match (words, ways.as_slice()) {
        // Enum values explain themselves.
        (Some(words), [_, _, ..]) => {
            kept.insert("type".to_owned(), "string".into());
            kept.insert("enum".to_owned(), Value::Array(words));
        }
        (_, [Value::Object(one)]) => {
            let described = kept.contains_key("description");
            let members = brief_members(one).into_iter();
            kept.extend(members.filter(|(name, _)| !described || name != "description"));
        }
        _ => drop(kept.insert(name.to_owned(), ways.into_iter().map(brief).collect())),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_says_nothing_is_left_out() {
        let full = json!({
            "type": "object",
            "additionalProperties": false,
            "properties": {
                "limit": { "type": ["integer", "null"], "format": "uint", "minimum": 0, "description": "At most so many.", "default": null },
                "format": { "type": "string", "default": "plain" },
                "rows": { "type": "array", "items": { "type": ["string", "null"], "default": null, "description": "A row." }, "description": "Rows." },
                "either": { "type": ["string", "number"] },
                "kind": { "oneOf": [{ "type": "string", "const": "bar", "description": "Bars." }, { "type": "string", "const": "pie" }], "description": "How." },
                "target": { "anyOf": [{ "type": "object", "description": "Where.", "additionalProperties": true }, { "type": "null" }], "description": "Which." },
            },
            "required": ["format"],
        });
        let expected = json!({
            "type": "object",
            "properties": {
                "limit": { "type": "integer", "description": "At most so many." },
                "format": { "type": "string", "default": "plain" },
                "rows": { "type": "array", "items": { "type": "string" }, "description": "Rows." },
                "either": { "type": ["string", "number"] },
                "kind": { "type": "string", "enum": ["bar", "pie"], "description": "How." },
                "target": { "type": "object", "description": "Which." },
            },
            "required": ["format"],
        });
        assert_eq!(brief(&full), expected);
    }

    #[test]
    fn what_some_servers_cannot_read_is_said_otherwise() {
        assert_eq!(brief(&json!({})), json!({}));
        let cells = json!({ "type": "array", "items": { "type": "array", "items": true } });
        assert_eq!(brief(&cells), json!({ "type": "array", "items": { "type": "array", "items": {} } }));
        assert_eq!(brief(&json!({ "$ref": "other.json#/x", "type": "object" })), json!({ "type": "object" }));
    }
}
