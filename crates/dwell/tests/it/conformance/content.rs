//! Fixtures that return content and ask for nothing.

use rmcp::{
    ErrorData, RoleServer,
    model::{
        AudioContent, CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock,
        GetPromptRequestParams, GetPromptResult, ImageContent, JsonObject, LoggingLevel,
        LoggingMessageNotificationParam, ProgressNotificationParam, Prompt, PromptArgument, PromptMessage,
        ReadResourceResult, Resource, ResourceContents, ResourceTemplate, Role, Tool,
    },
    service::RequestContext,
};
use serde_json::{Value, json};

use super::fixture::Shared;

/// A red pixel and a short silence.
const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const SILENCE: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";
/// A short delay for the fixtures that must take some time.
const MOMENT: std::time::Duration = std::time::Duration::from_millis(50);

pub(super) fn object(value: Value) -> JsonObject {
    value.as_object().cloned().unwrap()
}

pub(super) fn plain(name: &'static str) -> Tool {
    Tool::new(name, format!("The suite's fixture {name}."), object(json!({ "type": "object", "properties": {} })))
}

pub(super) fn text(words: impl Into<String>) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(words)])
}

pub(super) fn tools() -> Vec<Tool> {
    let names = [
        "test_simple_text",
        "test_image_content",
        "test_audio_content",
        "test_embedded_resource",
        "test_multiple_content_types",
        "test_tool_with_logging",
        "test_error_handling",
        "test_tool_with_progress",
        "test_reconnection",
        "test_trigger_tool_change",
        "test_trigger_prompt_change",
        "test_missing_capability",
        "test_logging_tool",
    ];
    let mut tools: Vec<Tool> = names.into_iter().map(plain).collect();
    let header = json!({
        "type": "object", "properties": { "value": { "type": "string", "x-mcp-header": "Value" } }, "required": ["value"],
    });
    tools.push(Tool::new("test_custom_header", "Takes a value that is a header too.", object(header)));
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": { "address": {
            "$anchor": "address",
            "type": "object",
            "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
        } },
        "properties": { "name": { "type": "string" }, "address": { "$ref": "#/$defs/address" } },
        "allOf": [{ "anyOf": [{ "required": ["name"] }, { "required": ["address"] }] }],
        "if": { "required": ["address"] },
        "then": { "properties": { "address": { "required": ["street"] } } },
        "else": { "required": ["name"] },
        "additionalProperties": false,
    });
    tools.push(Tool::new("json_schema_2020_12_tool", "Takes what the newest schemas can say.", object(schema)));
    tools
}

pub(super) async fn call(
    shared: &Shared,
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let argument = |name: &str| request.arguments.as_ref().and_then(|all| all.get(name)).and_then(Value::as_str);
    let embedded = |uri: &str, kind: &str, words: &str| {
        ContentBlock::resource(ResourceContents::TextResourceContents {
            uri: uri.to_owned(),
            mime_type: Some(kind.to_owned()),
            text: words.to_owned(),
            meta: None,
        })
    };
    Ok(match request.name.as_ref() {
        "test_simple_text" => text("This is a simple text response for testing."),
        "test_image_content" => CallToolResult::success(vec![ContentBlock::image(PIXEL, "image/png")]),
        "test_audio_content" => {
            CallToolResult::success(vec![ContentBlock::Audio(AudioContent::new(SILENCE, "audio/wav"))])
        }
        "test_embedded_resource" => CallToolResult::success(vec![embedded(
            "test://embedded-resource",
            "text/plain",
            "This is an embedded resource content.",
        )]),
        "test_multiple_content_types" => CallToolResult::success(vec![
            ContentBlock::text("Multiple content types test:"),
            ContentBlock::image(PIXEL, "image/png"),
            embedded("test://mixed-content-resource", "application/json", r#"{"test":"data","value":123}"#),
        ]),
        "test_tool_with_logging" => {
            for words in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
                log(context, LoggingLevel::Info, words).await;
                tokio::time::sleep(MOMENT).await;
            }
            text("logged")
        }
        "test_logging_tool" => {
            if let Some(level) = context.meta.log_level() {
                log(context, level, "asked for").await;
            }
            text("logged if asked for")
        }
        "test_error_handling" => {
            CallToolResult::error(vec![ContentBlock::text("This tool intentionally returns an error for testing")])
        }
        "test_tool_with_progress" => {
            for done in [0.0, 50.0, 100.0] {
                if let Some(token) = context.meta.get_progress_token() {
                    let progress = ProgressNotificationParam::new(token, done).with_total(100.0);
                    let _ = context.peer.notify_progress(progress).await;
                }
                tokio::time::sleep(MOMENT).await;
            }
            text("progressed")
        }
        "test_reconnection" => {
            tokio::time::sleep(2 * MOMENT).await;
            text("reconnected")
        }
        "test_trigger_tool_change" => {
            for sink in sinks(shared) {
                let _ = sink.notify_tool_list_changed().await;
            }
            text("the tools have changed")
        }
        "test_trigger_prompt_change" => {
            for sink in sinks(shared) {
                let _ = sink.notify_prompt_list_changed().await;
            }
            text("the prompts have changed")
        }
        "test_missing_capability" => {
            let declared = context.meta.client_capabilities().unwrap_or_default();
            if declared.sampling.is_none() {
                let needed = ClientCapabilities::builder().enable_sampling().build();
                return Err(ErrorData::missing_required_client_capability(needed));
            }
            text("declared")
        }
        "test_custom_header" => {
            text(argument("value").ok_or_else(|| ErrorData::invalid_params("`value` is a string", None))?)
        }
        _ => text(format!("Hello, {}!", argument("name").unwrap_or("you"))),
    }
    .into())
}

fn sinks(shared: &Shared) -> Vec<rmcp::service::SubscriptionSink> {
    shared.sinks.lock().unwrap().clone()
}

async fn log(context: &RequestContext<RoleServer>, level: LoggingLevel, words: &str) {
    let _ = context.peer.notify_logging_message(LoggingMessageNotificationParam::new(level, json!(words))).await;
}

pub(super) fn prompts() -> Vec<Prompt> {
    let argument = |name: &str| PromptArgument::new(name).with_description("An argument.").with_required(true);
    let arguments = vec![argument("arg1"), argument("arg2")];
    vec![
        Prompt::new("test_simple_prompt", Some("Words."), None),
        Prompt::new("test_prompt_with_arguments", Some("Words with arguments."), Some(arguments)),
        Prompt::new("test_prompt_with_embedded_resource", Some("Words and a resource."), None),
        Prompt::new("test_prompt_with_image", Some("Words and a picture."), None),
    ]
}

pub(super) fn get_prompt(request: &GetPromptRequestParams) -> Option<GetPromptResult> {
    let argument = |name: &str| {
        let all = request.arguments.as_ref();
        all.and_then(|all| all.get(name)).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let says = |words: String| PromptMessage::new_text(Role::User, words);
    let messages = match request.name.as_str() {
        "test_simple_prompt" => vec![says("This is a simple prompt for testing.".to_owned())],
        "test_prompt_with_arguments" => {
            let words = format!("Prompt with arguments: arg1='{}', arg2='{}'", argument("arg1"), argument("arg2"));
            vec![says(words)]
        }
        "test_prompt_with_embedded_resource" => {
            let uri = Some(argument("resourceUri")).filter(|uri| !uri.is_empty());
            let resource = PromptMessage::new_resource(
                Role::User,
                uri.unwrap_or_else(|| "test://static-text".to_owned()),
                Some("text/plain".to_owned()),
                Some("Embedded resource content for testing.".to_owned()),
                None,
                None,
                None,
            );
            vec![resource, says("Please process the embedded resource above.".to_owned())]
        }
        "test_prompt_with_image" => {
            let picture = ContentBlock::Image(ImageContent::new(PIXEL, "image/png"));
            vec![PromptMessage::new(Role::User, picture), says("Please analyze the image above.".to_owned())]
        }
        _ => return None,
    };
    Some(GetPromptResult::new(messages))
}

pub(super) fn resources() -> Vec<Resource> {
    vec![
        Resource::new("test://static-text", "static text").with_mime_type("text/plain"),
        Resource::new("test://static-binary", "static bytes").with_mime_type("image/png"),
        Resource::new("test://watched-resource", "watched").with_mime_type("text/plain"),
    ]
}

pub(super) fn template() -> ResourceTemplate {
    ResourceTemplate::new("test://template/{id}/data", "a template").with_mime_type("application/json")
}

pub(super) fn read(uri: &str) -> Option<ReadResourceResult> {
    let words = |kind: &str, words: String| ResourceContents::TextResourceContents {
        uri: uri.to_owned(),
        mime_type: Some(kind.to_owned()),
        text: words,
        meta: None,
    };
    let contents = match uri {
        "test://static-text" => words("text/plain", "This is the content of the static text resource.".to_owned()),
        "test://watched-resource" => words("text/plain", "Watched.".to_owned()),
        "test://static-binary" => ResourceContents::BlobResourceContents {
            uri: uri.to_owned(),
            mime_type: Some("image/png".to_owned()),
            blob: PIXEL.to_owned(),
            meta: None,
        },
        _ => {
            let id = uri.strip_prefix("test://template/")?.strip_suffix("/data")?;
            let data = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
            words("application/json", data.to_string())
        }
    };
    Some(ReadResourceResult::new(vec![contents]))
}
