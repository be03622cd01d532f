//! JSON schemas in Markdown: a type in few words, and the fields or values of one. Named types are
//! links to types.md.

use serde_json::Value;

use super::markdown::table;

/// The page that describes the named types.
const TYPES: &str = "types.md";

/// A type in few words.
pub fn kind(schema: &Value) -> String {
    if let Some(name) = reference(schema) {
        return format!("[`{name}`]({TYPES}#{})", anchor(name));
    }
    if let Some(value) = schema.get("const") {
        return format!("`{value}`");
    }
    if let Some(choices) = choices(schema) {
        let kinds: Vec<String> = choices.iter().map(kind).filter(|kind| kind != "null").collect();
        return kinds.join(" or ");
    }
    match &schema["type"] {
        Value::String(name) => named(name, schema),
        Value::Array(names) => {
            let names = names.iter().filter_map(Value::as_str).filter(|name| *name != "null");
            names.map(|name| named(name, schema)).collect::<Vec<_>>().join(" or ")
        }
        _ => "any JSON".to_owned(),
    }
}

/// A JSON type by its name, with what is inside it.
fn named(name: &str, schema: &Value) -> String {
    match (name, schema.get("items"), schema.get("additionalProperties")) {
        ("array", Some(items), _) => format!("array of {}", kind(items)),
        ("object", _, Some(values)) if values.is_object() => format!("object, each value {}", kind(values)),
        _ => match schema["properties"].as_object() {
            Some(fields) if name == "object" => {
                let fields = fields.iter().map(|(name, field)| format!("`{name}`: {}", kind(field)));
                format!("object of {}", fields.collect::<Vec<_>>().join(", "))
            }
            _ => name.to_owned(),
        },
    }
}

/// The name of the type that a schema refers to.
pub fn reference(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.rsplit('/').next()
}

/// The link target of a heading, as both GitHub and mdBook make it.
pub fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

pub fn choices(schema: &Value) -> Option<&Vec<Value>> {
    schema["oneOf"].as_array().or_else(|| schema["anyOf"].as_array())
}

pub fn description(schema: &Value) -> &str {
    schema["description"].as_str().unwrap_or_default()
}

/// What a schema consists of: a table of fields, of values or of variants; else its kind in a line.
pub fn details(schema: &Value) -> String {
    match choices(schema) {
        Some(choices) if choices.iter().all(is_value) => values(choices),
        Some(choices) => variants(choices),
        None if schema["properties"].is_object() => fields(schema),
        None => format!("Type: {}.\n", plain(schema)),
    }
}

/// A type without fields, with the pattern of its text.
fn plain(schema: &Value) -> String {
    match schema["pattern"].as_str() {
        Some(pattern) => format!("{} that matches `{pattern}`", kind(schema)),
        None => kind(schema),
    }
}

/// A table of an object's fields.
pub fn fields(schema: &Value) -> String {
    let rows = rows(schema);
    if rows.is_empty() { "No fields.\n".to_owned() } else { table(&["field", "type", "meaning"], &rows) }
}

fn rows(schema: &Value) -> Vec<Vec<String>> {
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let fields = schema["properties"].as_object().into_iter().flatten();
    fields
        .map(|(name, field)| {
            let mark = if required.contains(&name.as_str()) { "" } else { "?" };
            vec![format!("`{name}`{mark}"), kind(field), meaning(field)]
        })
        .collect()
}

/// The description, with the default where it says something.
fn meaning(field: &Value) -> String {
    let description = description(field);
    match &field["default"] {
        Value::String(default) if !default.is_empty() => format!("{description} Default: `\"{default}\"`."),
        default @ (Value::Number(_) | Value::Bool(true)) => format!("{description} Default: `{default}`."),
        _ => description.to_owned(),
    }
}

fn is_value(choice: &Value) -> bool {
    choice.get("const").is_some()
}

fn values(choices: &[Value]) -> String {
    let rows: Vec<_> = choices.iter().map(|choice| vec![kind(choice), description(choice).to_owned()]).collect();
    table(&["value", "meaning"], &rows)
}

/// One row for each form that a value may have.
fn variants(choices: &[Value]) -> String {
    let rows: Vec<_> = choices
        .iter()
        .map(|choice| {
            let fields: Vec<String> =
                rows(choice).into_iter().filter(|row| row[0] != "`type`").map(|row| field(&row)).collect();
            let form = form(choice);
            vec![form, description(choice).to_owned(), fields.join("; ")]
        })
        .collect();
    table(&["form", "meaning", "fields"], &rows)
}

/// What tells a variant from the others: its `type`, its one value, or its only field.
fn form(choice: &Value) -> String {
    let tag = &choice["properties"]["type"];
    if let Some(name) = tag["const"].as_str() {
        let form = format!("`\"type\": \"{name}\"`");
        return match reference(choice) {
            Some(_) => format!("{form} and the fields of {}", kind(&only_reference(choice))),
            None => form,
        };
    }
    match choice["properties"].as_object() {
        Some(_) => "object".to_owned(),
        None => kind(choice),
    }
}

fn only_reference(choice: &Value) -> Value {
    serde_json::json!({ "$ref": choice["$ref"] })
}

/// A field on one line.
fn field(row: &[String]) -> String {
    match row {
        [name, kind, meaning] if meaning.is_empty() => format!("{name}: {kind}"),
        [name, kind, meaning] => format!("{name}: {kind}, {}", lower_first(meaning.trim_end_matches('.'))),
        _ => String::new(),
    }
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    let (first, second) = (chars.next(), chars.clone().next());
    match first {
        // An abbreviation or a name such as `Host` keeps its capitals.
        Some(first) if !second.is_some_and(char::is_uppercase) => first.to_lowercase().chain(chars).collect(),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn types_are_told_in_few_words() {
        let check = |schema: Value, expected: &str| assert_eq!(kind(&schema), expected);
        check(json!({ "$ref": "#/components/schemas/TurnId" }), "[`TurnId`](types.md#turnid)");
        check(
            json!({ "anyOf": [{ "$ref": "#/components/schemas/TurnId" }, { "type": "null" }] }),
            "[`TurnId`](types.md#turnid)",
        );
        check(json!({ "type": ["integer", "null"] }), "integer");
        check(json!({ "type": ["array", "null"], "items": { "type": "string" } }), "array of string");
        check(json!({ "type": "object", "additionalProperties": { "type": "string" } }), "object, each value string");
        check(json!(true), "any JSON");
        check(json!({ "const": "a" }), "`\"a\"`");
    }

    #[test]
    fn fields_say_what_may_be_left_out() {
        let schema = json!({
            "type": "object",
            "properties": {
                "a": { "type": "string", "description": "The first." },
                "b": { "type": "integer", "description": "How many.", "default": 5 },
            },
            "required": ["a"],
        });
        let expected = "| field | type | meaning |\n|---|---|---|\n| `a` | string | The first. |\n\
                        | `b`? | integer | How many. Default: `5`. |\n";
        assert_eq!(details(&schema), expected);
        assert_eq!(details(&json!({ "type": "object", "properties": {} })), "No fields.\n");
    }

    #[test]
    fn values_and_variants_are_rows() {
        let values = json!({ "oneOf": [{ "const": "on", "description": "It shines." }] });
        assert_eq!(details(&values), "| value | meaning |\n|---|---|\n| `\"on\"` | It shines. |\n");
        let variants = json!({ "oneOf": [{
            "type": "object",
            "description": "A plan.",
            "properties": { "type": { "const": "plan" }, "detail": { "type": "string", "description": "The words." } },
            "required": ["type", "detail"],
        }] });
        let expected = "| form | meaning | fields |\n|---|---|---|\n| `\"type\": \"plan\"` | A plan. | `detail`: string, the words |\n";
        assert_eq!(details(&variants), expected);
    }

    #[test]
    fn anchors_are_those_of_the_sites() {
        assert_eq!(anchor("SessionView"), "sessionview");
        assert_eq!(anchor("GET /api/v1/ask"), "get-apiv1ask");
        assert_eq!(anchor("chat.send"), "chatsend");
    }
}
