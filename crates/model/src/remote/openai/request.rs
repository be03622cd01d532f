//! The request of OpenAI's API, written straight from the prompt.

use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::{Map, Value, value::RawValue};

use super::{
    super::{
        reasoning::ReasoningRecord,
        turns::{CallResult, ChatTurn, turns},
    },
    settings,
};
use crate::{Call, Image, Prompt, Provider, ProviderKind, ToolSpec};

/// Hosts that refuse reasoning sent back.
const NO_REASONING_BACK: [&str; 3] = ["//api.openai.com", "mistral.ai", "groq.com"];

/// The body of the request.
pub(super) fn body(provider: &Provider, model: &str, prompt: Prompt) -> serde_json::Result<Vec<u8>> {
    let settings = settings::of(provider, model, &prompt);
    let Prompt { system, messages, tools, .. } = prompt;
    let turns = turns(messages);
    let newest = turns.iter().rposition(|turn| matches!(turn, ChatTurn::User { .. })).unwrap_or(0);
    let mut messages: Vec<Message<'_>> = Vec::with_capacity(turns.len() + 1);
    if !system.is_empty() {
        messages.push(Message::System { content: &system });
    }
    for (place, turn) in turns.iter().enumerate() {
        match turn {
            ChatTurn::User { text, images } => messages.push(Message::User { content: Content { text, images } }),
            ChatTurn::Assistant { text, calls } => {
                messages.push(assistant(text, calls, place > newest && takes_reasoning(provider)));
            }
            ChatTurn::Results(results) => messages.extend(results.iter().map(|result| {
                let CallResult { call_id, text, .. } = result;
                Message::Tool { content: text, tool_call_id: call_id }
            })),
        }
    }
    let tools: Vec<Tool<'_>> = tools.iter().map(Tool::of).collect();
    serde_json::to_vec(&RequestBody { model, tools, messages, settings })
}

/// The model's text and calls. Reasoning is sent back only during its turn: later it would only
/// cost tokens.
fn assistant<'a>(text: &'a str, calls: &'a [Call], with_reasoning: bool) -> Message<'a> {
    let (mut reasoning, mut details) = (Vec::new(), Vec::new());
    let kept = calls.iter().flat_map(|call| &call.signatures).filter(|_| with_reasoning);
    for kept in kept.map(|signature| ReasoningRecord::read(signature)) {
        match kept {
            ReasoningRecord::Detail(data) => details.push(data),
            ReasoningRecord::Reasoning(text) => reasoning.push(text),
            ReasoningRecord::Thinking(_) | ReasoningRecord::Signature(_) => {}
        }
    }
    Message::Assistant {
        content: text,
        tool_calls: calls.iter().map(ToolCall::of).collect(),
        reasoning_content: reasoning.join("\n"),
        reasoning_details: details,
    }
}

/// Whether reasoning is sent back with the calls that follow: some providers want it, some refuse
/// it.
fn takes_reasoning(provider: &Provider) -> bool {
    provider.kind == ProviderKind::OpenAi && !NO_REASONING_BACK.iter().any(|host| provider.base_url.contains(host))
}

struct RequestBody<'a> {
    model: &'a str,
    tools: Vec<Tool<'a>>,
    messages: Vec<Message<'a>>,
    settings: Map<String, Value>,
}

impl Serialize for RequestBody<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut body = serializer.serialize_map(None)?;
        body.serialize_entry("model", self.model)?;
        body.serialize_entry("stream", &true)?;
        // What changes least comes first, for prefix caches.
        if !self.tools.is_empty() {
            body.serialize_entry("tools", &self.tools)?;
        }
        body.serialize_entry("messages", &self.messages)?;
        body.serialize_entry("stream_options", &StreamOptions { include_usage: true })?;
        for (name, value) in &self.settings {
            body.serialize_entry(name, value)?;
        }
        body.end()
    }
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
struct Tool<'a> {
    r#type: &'static str,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    description: &'a str,
    parameters: &'a RawValue,
    strict: bool,
}

impl<'a> Tool<'a> {
    fn of(spec: &'a ToolSpec) -> Self {
        let function =
            Function { name: &spec.name, description: &spec.description, parameters: spec.input_json(), strict: false };
        Self { r#type: "function", function }
    }
}

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "lowercase")]
enum Message<'a> {
    System {
        content: &'a str,
    },
    User {
        content: Content<'a>,
    },
    Assistant {
        content: &'a str,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<ToolCall<'a>>,
        #[serde(skip_serializing_if = "String::is_empty")]
        reasoning_content: String,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        reasoning_details: Vec<Value>,
    },
    Tool {
        content: &'a str,
        tool_call_id: &'a str,
    },
}

/// The user's message: as a text, or with pictures as a list of parts.
struct Content<'a> {
    text: &'a str,
    images: &'a [Image],
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Part<'a> {
    Text { text: &'a str },
    ImageUrl { image_url: ImageUrl },
}

#[derive(Serialize)]
struct ImageUrl {
    url: String,
}

impl Serialize for Content<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.images.is_empty() {
            return serializer.serialize_str(self.text);
        }
        // An empty text beside a picture is refused.
        let text = Some(Part::Text { text: self.text }).filter(|_| !self.text.is_empty());
        let pictures = self.images.iter().map(|image| Part::ImageUrl {
            image_url: ImageUrl { url: format!("data:{};base64,{}", image.media_type, image.data) },
        });
        serializer.collect_seq(text.into_iter().chain(pictures))
    }
}

#[derive(Serialize)]
struct ToolCall<'a> {
    r#type: &'static str,
    id: &'a str,
    function: FunctionCall<'a>,
}

#[derive(Serialize)]
struct FunctionCall<'a> {
    name: &'a str,
    /// JSON in a text.
    arguments: String,
}

impl<'a> ToolCall<'a> {
    fn of(call: &'a Call) -> Self {
        let function = FunctionCall { name: &call.tool, arguments: call.arguments.to_string() };
        Self { r#type: "function", id: &call.id, function }
    }
}
