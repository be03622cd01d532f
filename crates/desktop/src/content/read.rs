//! Parses window content from a model's JSON. Errors name the path of what is wrong and what would
//! be right.

use protocol::{Component, WindowContent};
use serde_json::{Map, Value, json};

use super::shape::{COMPONENTS, CONTENTS, FieldShape, OPTION, ObjectKind, ValueShape};

/// The number of characters quoted of a wrong value.
const QUOTED_CHARS_MAX: usize = 40;

/// Parses window content. It is not validated yet: see [`super::check`].
pub fn read(content: Value) -> Result<WindowContent, String> {
    let content = match content {
        // Some models write the object as a JSON string.
        Value::String(text) => match serde_json::from_str(&text) {
            Ok(object @ Value::Object(_)) => object,
            _ => return Err("content: has to be an object, as in {\"type\":\"text\",\"text\":\"…\"}".to_owned()),
        },
        content => content,
    };
    let content = of_kind(content, "content", "content", CONTENTS)?;
    serde_json::from_value(content).map_err(|error| format!("content: {error}"))
}

/// Parses the fields of a question.
pub(crate) fn fields(fields: Vec<Value>) -> Result<Vec<Component>, String> {
    let fields = fitting(Value::Array(fields), &ValueShape::List(&ValueShape::Component), "fields")?;
    serde_json::from_value(fields).map_err(|error| format!("fields: {error}"))
}

/// Fits a value to its shape.
fn fitting(value: Value, shape: &ValueShape, path: &str) -> Result<Value, String> {
    let is_right = match shape {
        ValueShape::Text => value.is_string(),
        ValueShape::Flag => value.is_boolean(),
        ValueShape::Number => value.is_number(),
        ValueShape::Count => value.as_u64().is_some_and(|count| count <= u64::from(u8::MAX)),
        ValueShape::Word(words) => return word(value, words, path),
        ValueShape::List(of) => return list(value, of, path),
        ValueShape::Object(noun, fields) => return object(value, noun, fields, path),
        ValueShape::Choice => return choice(value, path),
        ValueShape::Component => return of_kind(value, path, "component", COMPONENTS),
        ValueShape::Any => true,
    };
    let wanted = match shape {
        ValueShape::Text => "a text",
        ValueShape::Flag => "true or false",
        ValueShape::Number => "a number",
        _ => "a small whole number",
    };
    if is_right { Ok(value) } else { Err(format!("{path}: has to be {wanted}, not {}", noun(&value))) }
}

fn word(value: Value, words: &[&str], path: &str) -> Result<Value, String> {
    match value.as_str() {
        Some(text) if words.contains(&text) => Ok(value),
        Some(text) => Err(format!("{path}: there is no `{}`; it is one of {}", quoted(text), words.join(", "))),
        None => Err(format!("{path}: has to be one of {}, not {}", words.join(", "), noun(&value))),
    }
}

fn list(value: Value, of: &ValueShape, path: &str) -> Result<Value, String> {
    let Value::Array(items) = value else {
        return Err(format!("{path}: has to be a list, not {}", noun(&value)));
    };
    let items = items.into_iter().enumerate();
    items.map(|(n, item)| fitting(item, of, &format!("{path}[{n}]"))).collect::<Result<Vec<_>, _>>().map(Value::Array)
}

/// Models often write an option as a plain string.
fn choice(value: Value, path: &str) -> Result<Value, String> {
    match value {
        Value::String(text) => Ok(json!({"value": text, "label": text})),
        value => fitting(value, &OPTION, path),
    }
}

fn of_kind(value: Value, path: &str, what: &str, kinds: &[ObjectKind]) -> Result<Value, String> {
    let Value::Object(mut fields) = value else {
        return Err(format!("{path}: has to be an object, not {}", noun(&value)));
    };
    let names = || kinds.iter().map(|kind| kind.name).collect::<Vec<_>>().join(", ");
    let Some(name) = fields.remove("type") else {
        return Err(format!("{path}: needs `type`, one of {}", names()));
    };
    let Some(kind) = kinds.iter().find(|kind| name == kind.name) else {
        let told = name.as_str().map_or_else(|| noun(&name).to_owned(), |name| format!("`{}`", quoted(name)));
        return Err(format!("{path}.type: there is no {what} {told}; it is one of {}", names()));
    };
    let noun = if what == "content" { format!("{} content", kind.name) } else { with_article(kind.name) };
    let mut fields = object(Value::Object(fields), &noun, kind.fields, path)?;
    fields["type"] = name;
    Ok(fields)
}

fn object(value: Value, noun_of: &str, known: &[FieldShape], path: &str) -> Result<Value, String> {
    let Value::Object(mut given) = value else {
        return Err(format!("{path}: has to be an object, not {}", noun(&value)));
    };
    let mut fields = Map::new();
    for field in known {
        match given.remove(field.name) {
            // Models that fill in every field write `null` for absent ones.
            None | Some(Value::Null) if !field.is_needed => {}
            None => return Err(format!("{path}: {noun_of} needs `{}`", field.name)),
            Some(value) => {
                let value = fitting(value, &field.shape, &format!("{path}.{}", field.name))?;
                fields.insert(field.name.to_owned(), value);
            }
        }
    }
    if let Some(unknown) = given.keys().next() {
        let names: Vec<&str> = known.iter().map(|field| field.name).collect();
        return Err(format!("{path}: {noun_of} has no `{}`; it has {}", quoted(unknown), names.join(", ")));
    }
    Ok(Value::Object(fields))
}

fn with_article(name: &str) -> String {
    let article = if name.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {name}")
}

const fn noun(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn quoted(text: &str) -> String {
    text.chars().take(QUOTED_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_that_the_protocol_has_is_read() {
        let components = json!([
            {"type": "text", "text": "t"},
            {"type": "button", "label": "l", "action": "a", "parallel": true, "tone": "danger"},
            {"type": "input", "name": "n", "label": "l", "value": "v", "placeholder": "p", "multiline": true},
            {"type": "select", "name": "s", "options": ["a", {"value": "b", "label": "B"}], "value": "a"},
            {"type": "checkbox", "name": "c", "label": "l", "checked": true},
            {"type": "badge", "text": "t", "tone": "info"},
            {"type": "progress", "label": "l", "percent": 12.5},
            {"type": "image", "source": "artifact:X", "alt": "a"},
            {"type": "form", "name": "f", "components": [{"type": "text", "text": "t"}]},
            {"type": "columns", "columns": [[{"type": "text", "text": "t"}], []]},
        ]);
        for content in [
            json!({"type": "markdown", "text": "t"}),
            json!({"type": "html", "html": "h"}),
            json!({"type": "text", "text": "t"}),
            json!({"type": "table", "columns": ["a"], "rows": [[1], [null]]}),
            json!({"type": "chart", "kind": "bar", "labels": ["a"], "series": [{"name": "n", "values": [1]}]}),
            json!({"type": "components", "columns": 2, "components": components}),
            json!({"type": "app", "app": "timer", "params": {"a": 1}}),
        ] {
            let kind = content["type"].as_str().unwrap_or_default().to_owned();
            assert_eq!(read(content).unwrap().kind(), kind);
        }
    }

    #[test]
    fn what_is_left_empty_and_what_is_written_as_a_text_is_understood() {
        let expected = read(json!({"type": "components", "components": []})).unwrap();
        assert_eq!(read(json!({"type": "components", "columns": null, "components": []})).unwrap(), expected);
        assert_eq!(read(json!("{\"type\": \"components\", \"components\": []}")).unwrap(), expected);
    }

    #[test]
    fn errors_name_the_place_and_what_would_be_right() {
        let components =
            |component: Value| json!({"type": "components", "components": [{"type": "text", "text": ""}, component]});
        for (content, expected) in [
            (json!("hello"), "content: has to be an object, as in {\"type\":\"text\",\"text\":\"…\"}"),
            (json!([1]), "content: has to be an object, not a list"),
            (json!({"text": "x"}), "content: needs `type`, one of markdown, html, text, table, chart, components, app"),
            (
                json!({"type": "pdf"}),
                "content.type: there is no content `pdf`; it is one of markdown, html, text, table, chart, components, app",
            ),
            (json!({"type": "text"}), "content: text content needs `text`"),
            (json!({"type": "text", "text": 3}), "content.text: has to be a text, not a number"),
            (json!({"type": "text", "text": "", "html": ""}), "content: text content has no `html`; it has text"),
            (
                json!({"type": "chart", "kind": "donut", "labels": [], "series": []}),
                "content.kind: there is no `donut`; it is one of bar, line, area, pie, scatter",
            ),
            (
                json!({"type": "chart", "kind": "bar", "labels": [], "series": [{"name": "a", "values": [1, "2"]}]}),
                "content.series[0].values[1]: has to be a number, not a text",
            ),
            (components(json!({"type": "button", "label": "Go"})), "content.components[1]: a button needs `action`"),
            (components(json!({"type": "image", "url": "x"})), "content.components[1]: an image needs `source`"),
            (
                components(json!({"type": "form", "name": "f", "components": [{"type": "inptu"}]})),
                "content.components[1].components[0].type: there is no component `inptu`; it is one of text, button, input, \
                 select, checkbox, badge, progress, image, form, columns",
            ),
            (
                components(json!({"type": "select", "name": "s", "options": [{"value": "a"}]})),
                "content.components[1].options[0]: an option needs `label`",
            ),
            (components(json!("x")), "content.components[1]: has to be an object, not a text"),
            (
                json!({"type": "components", "columns": 1.5, "components": []}),
                "content.columns: has to be a small whole number, not a number",
            ),
        ] {
            assert_eq!(read(content).unwrap_err(), expected);
        }
    }
}
