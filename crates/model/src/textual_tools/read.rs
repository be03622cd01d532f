//! Parses a block into calls. An invalid one becomes a call that fails, so that the model gets an
//! error message.

use serde_json::{Value, json};

use crate::Call;

/// The tool name of a block without one: no such tool exists, and the model is told so.
const NAMELESS: &str = "tool_call";
/// The longest name of a tool.
const NAME_CHARS_MAX: usize = 128;

/// The calls in a block, numbered consecutively.
pub(super) fn calls(block: &str, made: &mut usize) -> Vec<Call> {
    let values = serde_json::Deserializer::from_str(block).into_iter::<Value>().collect::<Result<Vec<Value>, _>>();
    let read = match values {
        Ok(values) => values
            .into_iter()
            .flat_map(|value| match value {
                Value::Array(values) => values,
                value => vec![value],
            })
            .map(read)
            .collect(),
        Err(_) => vec![unreadable(block)],
    };
    let numbered = |(tool, arguments): (String, Value)| {
        *made += 1;
        Call { id: format!("call_{made}"), tool, arguments, signatures: Vec::new() }
    };
    let read = if read.is_empty() { vec![unreadable(block)] } else { read };
    read.into_iter().map(numbered).collect()
}

fn read(value: Value) -> (String, Value) {
    // Some models write OpenAI's form.
    let call = value.get("function").filter(|function| function.is_object()).unwrap_or(&value);
    let name = ["name", "tool", "tool_name"].iter().find_map(|field| call[*field].as_str());
    let Some(name) = name else { return (NAMELESS.to_owned(), Value::String(value.to_string())) };
    let arguments = ["arguments", "parameters", "args", "input"].iter().find_map(|field| call.get(*field));
    let arguments = match arguments {
        None | Some(Value::Null) => json!({}),
        Some(Value::String(text)) => serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone())),
        Some(other) => other.clone(),
    };
    (name.to_owned(), arguments)
}

/// Text that is not JSON becomes a call of the tool it names, which reports the error.
fn unreadable(block: &str) -> (String, Value) {
    let named = block.split_once("\"name\"").and_then(|(_, rest)| rest.split('"').nth(1));
    let named = named.filter(|name| !name.is_empty() && name.chars().count() <= NAME_CHARS_MAX);
    (named.unwrap_or(NAMELESS).to_owned(), Value::String(block.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(block: &str) -> Vec<(String, Value)> {
        calls(block, &mut 0).into_iter().map(|call| (call.tool, call.arguments)).collect()
    }

    #[test]
    fn calls_are_read_in_the_forms_that_models_write() {
        let one = |tool: &str, arguments: Value| vec![(tool.to_owned(), arguments)];
        for block in [
            r#"{"name": "note", "arguments": {"text": "a"}}"#,
            "\n{\"name\": \"note\",\n \"parameters\": {\"text\": \"a\"}}\n",
            r#"{"name": "note", "arguments": "{\"text\": \"a\"}"}"#,
            r#"{"type": "function", "function": {"name": "note", "arguments": {"text": "a"}}}"#,
            r#"[{"tool": "note", "args": {"text": "a"}}]"#,
        ] {
            assert_eq!(read(block), one("note", json!({ "text": "a" })), "{block}");
        }
        assert_eq!(read(r#"{"name": "now"}"#), one("now", json!({})));
        let two = calls(r#"{"name": "a"} {"name": "b"}"#, &mut 3);
        assert_eq!(two.iter().map(|call| call.id.as_str()).collect::<Vec<_>>(), ["call_4", "call_5"]);
    }

    #[test]
    fn what_cannot_be_read_is_a_call_that_fails() {
        assert_eq!(read("{\"name\": \"note\", oops}")[0], ("note".to_owned(), json!("{\"name\": \"note\", oops}")));
        assert_eq!(read("note(text)")[0], ("tool_call".to_owned(), json!("note(text)")));
        assert_eq!(read("")[0], ("tool_call".to_owned(), json!("")));
        assert_eq!(read("{\"text\": 1}")[0].0, "tool_call");
    }
}
