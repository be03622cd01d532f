//! The form of an answer as each API writes it: plain text, any JSON object, or a JSON Schema.

use protocol::{Problem, ResponseSchema};
use serde_json::Value;

use super::tools::refused;

/// OpenAI's `response_format` of a chat completion: the schema is in `json_schema.schema`.
pub(super) fn of_completion(format: Option<&Value>) -> Result<Option<ResponseSchema>, Problem> {
    of_openai(format, "response_format", |format| &format["json_schema"]["schema"])
}

/// OpenAI's `text.format` of a response: the schema is in `schema`.
pub(super) fn of_response(format: Option<&Value>) -> Result<Option<ResponseSchema>, Problem> {
    of_openai(format, "text.format", |format| &format["schema"])
}

fn of_openai(
    format: Option<&Value>,
    field: &str,
    schema: impl Fn(&Value) -> &Value,
) -> Result<Option<ResponseSchema>, Problem> {
    let Some(format) = format.filter(|format| !format.is_null()) else { return Ok(None) };
    match format["type"].as_str() {
        Some("text") => Ok(None),
        Some("json_object") => Ok(Some(ResponseSchema::any_object())),
        Some("json_schema") => read(schema(format), field).map(Some),
        _ => Err(refused(format!("the `type` of `{field}` must be `text`, `json_object` or `json_schema`"))),
    }
}

/// Ollama's `format`: `json`, or a schema. Some clients send an empty text for none.
pub(super) fn of_ollama(format: Option<&Value>) -> Result<Option<ResponseSchema>, Problem> {
    match format {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if text.is_empty() => Ok(None),
        Some(Value::Array(items)) if items.is_empty() => Ok(None),
        Some(Value::String(text)) if text == "json" => Ok(Some(ResponseSchema::any_object())),
        Some(schema) => read(schema, "format").map(Some),
    }
}

fn read(schema: &Value, field: &str) -> Result<ResponseSchema, Problem> {
    match schema {
        Value::Object(schema) => Ok(ResponseSchema::new(schema.clone())),
        _ => Err(refused(format!("`{field}` has no JSON Schema; a schema is a JSON object"))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_api_writes_it_in_its_own_way() {
        let schema = json!({ "type": "object", "properties": { "city": { "type": "string" } } });
        let any = ResponseSchema::any_object().to_value();
        let read = |read: Result<Option<ResponseSchema>, Problem>| read.unwrap().map(|schema| schema.to_value());
        let completion = json!({ "type": "json_schema", "json_schema": { "name": "city", "schema": schema } });
        assert_eq!(read(of_completion(Some(&completion))), Some(schema.clone()));
        let response = json!({ "type": "json_schema", "name": "city", "schema": schema, "strict": true });
        assert_eq!(read(of_response(Some(&response))), Some(schema.clone()));
        assert_eq!(read(of_ollama(Some(&schema))), Some(schema));
        assert_eq!(read(of_completion(Some(&json!({ "type": "json_object" })))), Some(any.clone()));
        assert_eq!(read(of_ollama(Some(&json!("json")))), Some(any));
        for none in [None, Some(json!(null)), Some(json!({ "type": "text" }))] {
            assert_eq!(read(of_completion(none.as_ref())), None, "{none:?}");
        }
        for none in [None, Some(json!("")), Some(json!([]))] {
            assert_eq!(read(of_ollama(none.as_ref())), None, "{none:?}");
        }
    }

    #[test]
    fn anything_else_is_refused_by_name() {
        for wrong in [json!({ "type": "grammar" }), json!("json"), json!({ "type": "json_schema" })] {
            assert!(of_completion(Some(&wrong)).unwrap_err().message.contains("`response_format`"), "{wrong}");
        }
        assert!(of_ollama(Some(&json!("yaml"))).unwrap_err().message.contains("`format`"));
    }
}
