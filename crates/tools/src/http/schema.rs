//! A subset of JSON Schema that catches the usual mistakes of models.
//!
//! It is written by hand because full validators are larger than the rest of this crate. It checks
//! `type`, `required`, `enum`, `const`, `properties`, `items` and `additionalProperties = false`;
//! the endpoint has to check everything else.

use serde_json::{Map, Value};

const TYPES: [&str; 7] = ["object", "array", "string", "number", "integer", "boolean", "null"];

/// Checks the schema itself, as far as it is used.
pub fn check(schema: &Value) -> Result<(), String> {
    let Some(object) = schema.as_object() else {
        return if schema.is_boolean() { Ok(()) } else { Err("contains a schema that is not a table".to_owned()) };
    };
    for kind in types(object) {
        if !kind.as_str().is_some_and(|kind| TYPES.contains(&kind)) {
            return Err(format!("has the type {kind}, which does not exist"));
        }
    }
    let required = object.get("required");
    if required.is_some_and(|list| !list.as_array().is_some_and(|list| list.iter().all(Value::is_string))) {
        return Err("has a `required` that is not a list of names".to_owned());
    }
    if object.get("enum").is_some_and(|list| !list.is_array()) {
        return Err("has an `enum` that is not a list".to_owned());
    }
    match object.get("properties") {
        Some(Value::Object(properties)) => properties.values().try_for_each(check)?,
        Some(_) => return Err("has `properties` that are not a table".to_owned()),
        None => {}
    }
    object.get("items").map_or(Ok(()), check)
}

/// Checks a value; the error says what is wrong and where.
pub fn validate(schema: &Value, value: &Value) -> Result<(), String> {
    at("", schema, value)
}

fn at(path: &str, schema: &Value, value: &Value) -> Result<(), String> {
    let Some(schema) = schema.as_object() else { return Ok(()) };
    let place = if path.is_empty() { "the arguments".to_owned() } else { format!("`{path}`") };
    let kinds: Vec<&str> = types(schema).filter_map(Value::as_str).collect();
    if !kinds.is_empty() && !kinds.iter().any(|kind| is_a(kind, value)) {
        return Err(format!("{place} must be of the type {}", kinds.join(" or ")));
    }
    let choices = schema.get("enum").and_then(Value::as_array);
    if let Some(choices) = choices.filter(|choices| !choices.iter().any(|choice| equal(choice, value))) {
        let choices: Vec<String> = choices.iter().map(Value::to_string).collect();
        return Err(format!("{place} must be one of {}", choices.join(", ")));
    }
    if let Some(only) = schema.get("const").filter(|only| !equal(only, value)) {
        return Err(format!("{place} must be {only}"));
    }
    match value {
        Value::Object(fields) => object(path, schema, fields),
        Value::Array(items) => match schema.get("items") {
            Some(each) => {
                items.iter().enumerate().try_for_each(|(index, item)| at(&format!("{path}[{index}]"), each, item))
            }
            None => Ok(()),
        },
        _ => Ok(()),
    }
}

fn object(path: &str, schema: &Map<String, Value>, fields: &Map<String, Value>) -> Result<(), String> {
    let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    for name in required {
        if !fields.contains_key(name) {
            return Err(format!("`{}` is missing", below(name)));
        }
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, value) in fields {
        match properties.and_then(|properties| properties.get(name)) {
            Some(schema) => at(&below(name), schema, value)?,
            None if schema.get("additionalProperties") == Some(&Value::Bool(false)) => {
                return Err(format!("there is no `{}`", below(name)));
            }
            None => {}
        }
    }
    Ok(())
}

/// The types a schema names: one, several, or none.
fn types(schema: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    let (one, several) = match schema.get("type") {
        Some(Value::Array(several)) => (None, several.as_slice()),
        one => (one, [].as_slice()),
    };
    one.into_iter().chain(several)
}

fn is_a(kind: &str, value: &Value) -> bool {
    match value {
        Value::Null => kind == "null",
        Value::Bool(_) => kind == "boolean",
        Value::String(_) => kind == "string",
        Value::Array(_) => kind == "array",
        Value::Object(_) => kind == "object",
        // In JSON Schema, 2.0 is an integer too.
        Value::Number(number) => {
            kind == "number"
                || (kind == "integer"
                    && (!number.is_f64() || number.as_f64().is_some_and(|number| number.fract() == 0.0)))
        }
    }
}

/// Equality as JSON Schema defines it: 2 and 2.0 are the same number.
fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left == right || left.as_f64() == right.as_f64(),
        _ => left == right,
    }
}
