//! Converts a prompt to the library's request.

use genai::chat::{
    Binary, CacheControl, ChatMessage, ChatRequest, ContentPart, CustomPart, Tool, ToolCall, ToolName, ToolResponse,
};

use super::super::{
    reasoning::ReasoningRecord,
    turns::{CallResult, ChatTurn, turns},
};
use crate::{Call, Image, Prompt, Provider, ProviderKind, ToolSpec};

/// Inserted where a conversation begins with the model's message: Anthropic and Gemini want the
/// user's first.
const BEFORE: &str = "(The conversation began earlier.)";

/// The placeholder signature of a call that Gemini has not made itself: its newer models refuse a
/// call without one.
const UNSIGNED: &str = "skip_thought_signature_validator";

/// The request in the form that this provider wants.
pub(super) fn request(provider: &Provider, model: &str, prompt: Prompt) -> ChatRequest {
    let kind = &provider.kind;
    let mut turns = turns(prompt.messages);
    let user_first = matches!(kind, ProviderKind::Anthropic | ProviderKind::Gemini);
    if user_first && !matches!(turns.first(), None | Some(ChatTurn::User { .. })) {
        turns.insert(0, ChatTurn::User { text: BEFORE.to_owned(), images: Vec::new() });
    }
    let mut messages: Vec<ChatMessage> = Vec::with_capacity(turns.len());
    let newest = turns.iter().rposition(|turn| matches!(turn, ChatTurn::User { .. })).unwrap_or(0);
    // The index of the user's newest message.
    let mut newest_message = 0;
    let mut turns = turns.into_iter().enumerate().peekable();
    while let Some((place, turn)) = turns.next() {
        if place <= newest {
            newest_message = messages.len();
        }
        messages.push(match turn {
            ChatTurn::User { text, images } => ChatMessage::user(user(text, images)),
            ChatTurn::Assistant { text, calls } => ChatMessage::assistant(assistant(kind, model, text, calls)),
            ChatTurn::Results(results) => {
                let mut parts: Vec<ContentPart> = results.into_iter().map(result).collect();
                // For Anthropic, results are part of the user's message, and come first.
                match turns
                    .next_if(|(_, next)| *kind == ProviderKind::Anthropic && matches!(next, ChatTurn::User { .. }))
                {
                    Some((_, ChatTurn::User { text, images })) => {
                        parts.extend(user(text, images));
                        ChatMessage::user(parts)
                    }
                    _ => ChatMessage::tool(parts),
                }
            }
        });
    }
    if *kind == ProviderKind::Anthropic {
        mark(&mut messages, newest_message);
    }
    let mut request = ChatRequest::from_messages(messages);
    if !prompt.system.is_empty() && *kind == ProviderKind::Anthropic {
        // Only a message can mark the end of the part to cache.
        let system = ChatMessage::system(prompt.system).with_options(CacheControl::Ephemeral);
        request.messages.insert(0, system);
    } else if !prompt.system.is_empty() {
        request = request.with_system(prompt.system);
    }
    if !prompt.tools.is_empty() {
        request = request.with_tools(prompt.tools.iter().map(tool));
    }
    request
}

/// Sets Anthropic's cache breakpoints beside those of the tools and the system text: before the
/// user's newest message, up to which the next turn is the same; and at the end, where the next
/// round of this turn continues.
fn mark(messages: &mut [ChatMessage], newest: usize) {
    let last = messages.len().saturating_sub(1);
    let before = newest.checked_sub(1);
    for place in before.into_iter().chain((last > newest).then_some(last)) {
        if let Some(message) = messages.get_mut(place) {
            message.options = Some(CacheControl::Ephemeral.into());
        }
    }
}

fn user(text: String, images: Vec<Image>) -> Vec<ContentPart> {
    // An empty text beside a picture is refused.
    let text = Some(text).filter(|text| !text.is_empty()).map(ContentPart::Text);
    let images =
        images.into_iter().map(|image| ContentPart::Binary(Binary::from_base64(image.media_type, image.data, None)));
    text.into_iter().chain(images).collect()
}

/// The model's text and calls, with their stored reasoning.
fn assistant(kind: &ProviderKind, model: &str, text: String, calls: Vec<Call>) -> Vec<ContentPart> {
    let signatures = calls.iter().flat_map(|call| &call.signatures).filter(|_| *kind == ProviderKind::Anthropic);
    let mut parts: Vec<ContentPart> = signatures
        .filter_map(|signature| match ReasoningRecord::read(signature) {
            ReasoningRecord::Thinking(data) => Some(ContentPart::Custom(CustomPart { model_iden: None, data })),
            _ => None,
        })
        .collect();
    if !text.is_empty() {
        parts.push(ContentPart::Text(text));
    }
    let is_signed = |call: &Call| {
        call.signatures.iter().any(|text| matches!(ReasoningRecord::read(text), ReasoningRecord::Signature(_)))
    };
    // Of calls made at once only the first is signed.
    let must_sign = *kind == ProviderKind::Gemini
        && model.starts_with("gemini-3")
        && calls.first().is_some_and(|call| !is_signed(call));
    parts.extend(calls.into_iter().enumerate().map(|(index, call)| {
        let own = call.signatures.iter().filter_map(|signature| match ReasoningRecord::read(signature) {
            ReasoningRecord::Signature(text) => Some(text),
            _ => None,
        });
        let mut signatures: Vec<String> = own.collect();
        if must_sign && index == 0 {
            signatures.push(UNSIGNED.to_owned());
        }
        let own = *kind == ProviderKind::Gemini && !signatures.is_empty();
        ContentPart::ToolCall(ToolCall {
            call_id: call.id,
            fn_name: call.tool,
            fn_arguments: call.arguments,
            thought_signatures: own.then_some(signatures),
        })
    }));
    parts
}

fn result(answered: CallResult) -> ContentPart {
    let CallResult { call_id, tool, text } = answered;
    ContentPart::ToolResponse(ToolResponse::new(call_id, text).with_fn_name(tool))
}

fn tool(spec: &ToolSpec) -> Tool {
    let mut tool = Tool::new(ToolName::Custom(spec.name.clone()));
    tool.description = Some(spec.description.clone());
    tool.schema = Some(spec.input.clone());
    tool
}
