//! Fixtures that ask the client with requests of their own, as the 2025-11-25 version of the
//! protocol does.

use rmcp::{
    ErrorData, RoleServer,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CreateMessageRequestParams,
        ElicitRequestParams, ElicitationSchema, SamplingMessage, Tool,
    },
    service::RequestContext,
};
use serde_json::{Value, json};

use super::content::{object, text};

pub(super) fn tools() -> Vec<Tool> {
    let asking = |name: &'static str, field: &str| {
        let schema = json!({ "type": "object", "properties": { field: { "type": "string" } }, "required": [field] });
        Tool::new(name, format!("The suite's fixture {name}."), object(schema))
    };
    vec![
        asking("test_sampling", "prompt"),
        asking("test_elicitation", "message"),
        super::content::plain("test_elicitation_sep1034_defaults"),
        super::content::plain("test_elicitation_sep1330_enums"),
    ]
}

pub(super) async fn call(
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let argument = |name: &str| {
        let all = request.arguments.as_ref();
        all.and_then(|all| all.get(name)).and_then(Value::as_str).unwrap_or("?").to_owned()
    };
    if request.name == "test_sampling" {
        let asked = CreateMessageRequestParams::new(vec![SamplingMessage::user_text(argument("prompt"))], 100);
        let said = context.peer.create_message(asked).await.map_err(|error| failed(&error))?;
        let first = said.message.content.first().and_then(|content| content.as_text()).map(|said| said.text.clone());
        return Ok(text(format!("LLM response: {}", first.unwrap_or_default())).into());
    }
    let (message, properties, required) = match request.name.as_ref() {
        "test_elicitation" => {
            let properties = json!({
                "username": { "type": "string", "description": "User's response" },
                "email": { "type": "string", "description": "User's email address" },
            });
            (argument("message"), properties, json!(["username", "email"]))
        }
        "test_elicitation_sep1034_defaults" => {
            let properties = json!({
                "name": { "type": "string", "default": "John Doe" },
                "age": { "type": "integer", "default": 30 },
                "score": { "type": "number", "default": 95.5 },
                "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
                "verified": { "type": "boolean", "default": true },
            });
            ("Everything has a default.".to_owned(), properties, json!([]))
        }
        _ => {
            let options = json!(["option1", "option2", "option3"]);
            let titled = |kind: &str| {
                json!([
                    { "const": "value1", "title": format!("First {kind}") },
                    { "const": "value2", "title": format!("Second {kind}") },
                    { "const": "value3", "title": format!("Third {kind}") },
                ])
            };
            let properties = json!({
                "untitledSingle": { "type": "string", "enum": options },
                "titledSingle": { "type": "string", "oneOf": titled("Option") },
                "legacyEnum": {
                    "type": "string", "enum": ["opt1", "opt2", "opt3"],
                    "enumNames": ["Option One", "Option Two", "Option Three"],
                },
                "untitledMulti": { "type": "array", "items": { "type": "string", "enum": options } },
                "titledMulti": { "type": "array", "items": { "anyOf": titled("Choice") } },
            });
            ("Choose.".to_owned(), properties, json!([]))
        }
    };
    let schema = json!({ "type": "object", "properties": properties, "required": required });
    let requested_schema: ElicitationSchema = serde_json::from_value(schema).unwrap();
    let form = ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema };
    let said = context.peer.create_elicitation(form).await.map_err(|error| failed(&error))?;
    let said = serde_json::to_value(said).unwrap();
    let content = said.get("content").cloned().unwrap_or_default();
    let words = format!("action={}, content={content}", said["action"].as_str().unwrap_or("?"));
    Ok(CallToolResult::success(vec![ContentBlock::text(words)]).into())
}

fn failed(error: &rmcp::ServiceError) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}
