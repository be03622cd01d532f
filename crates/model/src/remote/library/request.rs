//! From a prompt to the library's request.

use genai::chat::{
    Binary, ChatMessage, ChatOptions, ChatRequest, ContentPart, CustomPart, ReasoningEffort, Tool, ToolCall, ToolName,
    ToolResponse,
};
use serde_json::{Map, Value, json};

use super::super::turns::{Answered, Turn, turns};
use crate::{Call, Choice, Image, Kind, Prompt, Provider, ToolSpec};

/// The library takes a tool of this name for Anthropic's own.
const ANTHROPIC_OWN_TOOL: &str = "web_search";
/// Stands in where a conversation begins with the model's words: Anthropic and Gemini want the user's first.
const BEFORE: &str = "(The conversation began earlier.)";

/// What stands in for the signature of a call that Gemini has not made itself: its newer models refuse one without.
const UNSIGNED: &str = "skip_thought_signature_validator";

/// What is asked, in the form that this kind of provider wants.
pub(super) fn request(kind: &Kind, model: &str, prompt: Prompt) -> ChatRequest {
    let mut turns = turns(prompt.messages);
    let user_first = matches!(kind, Kind::Anthropic | Kind::Gemini);
    if user_first && !matches!(turns.first(), None | Some(Turn::User { .. })) {
        turns.insert(0, Turn::User { text: BEFORE.to_owned(), images: Vec::new() });
    }
    let mut messages: Vec<ChatMessage> = Vec::with_capacity(turns.len());
    let mut turns = turns.into_iter().peekable();
    while let Some(turn) = turns.next() {
        messages.push(match turn {
            Turn::User { text, images } => ChatMessage::user(user(text, images)),
            Turn::Assistant { text, calls } => ChatMessage::assistant(assistant(kind, model, text, calls)),
            Turn::Results(results) => {
                let mut parts: Vec<ContentPart> = results.into_iter().map(result).collect();
                // For Anthropic results are the user's words too, and go first.
                match turns.next_if(|next| *kind == Kind::Anthropic && matches!(next, Turn::User { .. })) {
                    Some(Turn::User { text, images }) => {
                        parts.extend(user(text, images));
                        ChatMessage::user(parts)
                    }
                    _ => ChatMessage::tool(parts),
                }
            }
        });
    }
    let mut request = ChatRequest::from_messages(messages);
    if !prompt.system.is_empty() {
        request = request.with_system(prompt.system);
    }
    if !prompt.tools.is_empty() {
        request = request.with_tools(prompt.tools.into_iter().map(tool));
    }
    request
}

/// How it is asked.
pub(super) fn options(provider: &Provider, model: &str, prompt: &Prompt) -> ChatOptions {
    let options = ChatOptions::default().with_capture_usage(true).with_capture_tool_calls(true);
    match provider.kind {
        Kind::OpenAi | Kind::Azure { .. } | Kind::Ollama => {
            // A budget means nothing on this wire, but keeps the library from reading an effort out of the model's
            // name: `mistral-medium` would become `mistral`.
            let options = options.with_reasoning_effort(ReasoningEffort::Budget(0));
            let mut body = Map::new();
            body.extend(prompt.output_tokens_max.map(|max| (output_field(provider).to_owned(), json!(max))));
            body.extend(must_call(provider, prompt));
            with_body(options, body)
        }
        Kind::Anthropic => {
            let mut options = options.with_capture_reasoning_content(true);
            options.max_tokens = output_max(prompt);
            let mut body = Map::new();
            if prompt.tools.iter().any(|tool| tool.name == ANTHROPIC_OWN_TOOL) {
                body.insert("tools".to_owned(), prompt.tools.iter().map(anthropic_tool).collect());
            }
            body.extend(must_call(provider, prompt));
            with_body(options, body)
        }
        Kind::Gemini => {
            // Models before these refuse to be asked for their thoughts.
            let thinks = ["gemini-2.5", "gemini-3"].iter().any(|family| model.starts_with(family));
            let mut options = options.with_capture_reasoning_content(thinks);
            options.max_tokens = output_max(prompt);
            let mut body = Map::new();
            body.extend(must_call(provider, prompt));
            with_body(options, body)
        }
    }
}

/// What makes a model call a tool, as its provider says it.
fn must_call(provider: &Provider, prompt: &Prompt) -> Option<(String, Value)> {
    let name = match &prompt.choice {
        Choice::Free => return None,
        Choice::Some => None,
        Choice::Tool(name) => Some(name),
    };
    let (field, value) = match (&provider.kind, name) {
        (Kind::Anthropic, None) => ("tool_choice", json!({ "type": "any" })),
        (Kind::Anthropic, Some(name)) => ("tool_choice", json!({ "type": "tool", "name": name })),
        (Kind::Gemini, None) => ("toolConfig", json!({ "functionCallingConfig": { "mode": "ANY" } })),
        (Kind::Gemini, Some(name)) => {
            ("toolConfig", json!({ "functionCallingConfig": { "mode": "ANY", "allowedFunctionNames": [name] } }))
        }
        (_, None) => ("tool_choice", json!("required")),
        (_, Some(name)) => ("tool_choice", json!({ "type": "function", "function": { "name": name } })),
    };
    Some((field.to_owned(), value))
}

fn with_body(options: ChatOptions, body: Map<String, Value>) -> ChatOptions {
    if body.is_empty() { options } else { options.with_extra_body(Value::Object(body)) }
}

/// OpenAI renamed the limit and refuses the old name for newer models; most others know only the old one.
fn output_field(provider: &Provider) -> &'static str {
    let renamed = matches!(provider.kind, Kind::Azure { .. }) || provider.base_url.contains("//api.openai.com");
    if renamed { "max_completion_tokens" } else { "max_tokens" }
}

fn output_max(prompt: &Prompt) -> Option<u32> {
    prompt.output_tokens_max.map(|max| u32::try_from(max).unwrap_or(u32::MAX))
}

fn user(text: String, images: Vec<Image>) -> Vec<ContentPart> {
    // An empty text beside a picture is refused.
    let text = Some(text).filter(|text| !text.is_empty()).map(ContentPart::Text);
    let images =
        images.into_iter().map(|image| ContentPart::Binary(Binary::from_base64(image.media_type, image.data, None)));
    text.into_iter().chain(images).collect()
}

fn assistant(kind: &Kind, model: &str, text: String, calls: Vec<Call>) -> Vec<ContentPart> {
    // Of calls made at once only the first is signed.
    let must_sign = *kind == Kind::Gemini
        && model.starts_with("gemini-3")
        && calls.first().is_some_and(|call| call.signatures.iter().all(|text| thinking(text).is_some()));
    let thoughts = calls.iter().flat_map(|call| &call.signatures).filter(|_| *kind == Kind::Anthropic);
    let mut parts: Vec<ContentPart> = thoughts.filter_map(|thought| thinking(thought)).collect();
    if !text.is_empty() {
        parts.push(ContentPart::Text(text));
    }
    parts.extend(calls.into_iter().enumerate().map(|(index, call)| {
        let mut signatures: Vec<String> = call.signatures.into_iter().filter(|text| thinking(text).is_none()).collect();
        if must_sign && index == 0 {
            signatures.push(UNSIGNED.to_owned());
        }
        let own = *kind == Kind::Gemini && !signatures.is_empty();
        ContentPart::ToolCall(ToolCall {
            call_id: call.id,
            fn_name: call.tool,
            fn_arguments: call.arguments,
            thought_signatures: own.then_some(signatures),
        })
    }));
    parts
}

/// A signed thought of Anthropic's, which is kept as its JSON; Gemini's signatures are no JSON.
fn thinking(signature: &str) -> Option<ContentPart> {
    let data: Value = serde_json::from_str(signature).ok()?;
    let known = matches!(data["type"].as_str(), Some("thinking" | "redacted_thinking"));
    known.then_some(ContentPart::Custom(CustomPart { model_iden: None, data }))
}

fn result(answered: Answered) -> ContentPart {
    let Answered { call_id, tool, text } = answered;
    ContentPart::ToolResponse(ToolResponse::new(call_id, text).with_fn_name(tool))
}

fn tool(spec: ToolSpec) -> Tool {
    let mut tool = Tool::new(ToolName::Custom(spec.name));
    tool.description = Some(spec.description);
    tool.schema = Some(spec.input);
    tool
}

fn anthropic_tool(spec: &ToolSpec) -> Value {
    json!({ "name": spec.name, "description": spec.description, "input_schema": spec.input })
}
