//! The schemas of answers in the formats of other APIs: the fields that are always there. The
//! answers themselves are written by `openai` and `ollama`.

#![allow(dead_code, reason = "only the schemas of these types are used")]

use schemars::JsonSchema;
use serde_json::{Map, Value};

/// OpenAI's list of models.
#[derive(JsonSchema)]
pub(crate) struct OpenAiModels {
    /// `list`.
    object: String,
    /// The models; the server's default comes first.
    data: Vec<OpenAiModel>,
}

/// One of OpenAI's models.
#[derive(JsonSchema)]
pub(crate) struct OpenAiModel {
    /// Its name.
    id: String,
    /// `model`.
    object: String,
    /// Always 0.
    created: u64,
    /// `dwell`.
    owned_by: String,
}

/// OpenAI's answer to a chat. A stream consists of `chat.completion.chunk` objects instead.
#[derive(JsonSchema)]
pub(crate) struct ChatCompletion {
    /// Its id, which contains the turn's.
    id: String,
    /// `chat.completion`.
    object: String,
    /// When it was written, in seconds since 1970.
    created: i64,
    /// The model as the request named it.
    model: String,
    /// The answer; always one.
    choices: Vec<ChatChoice>,
    /// The tokens used.
    usage: ChatUsage,
}

/// An answer.
#[derive(JsonSchema)]
struct ChatChoice {
    /// Always 0.
    index: u64,
    /// The message: `role`, `content`, `refusal` and, if the client has to run tools, `tool_calls`.
    message: Map<String, Value>,
    /// Why it ended: `stop`, `length`, `tool_calls` or `content_filter`.
    finish_reason: String,
}

/// The tokens of an answer.
#[derive(JsonSchema)]
struct ChatUsage {
    /// Input tokens.
    prompt_tokens: u64,
    /// Output tokens.
    completion_tokens: u64,
    /// Both together.
    total_tokens: u64,
}

/// Ollama's list of models.
#[derive(JsonSchema)]
pub(crate) struct OllamaTags {
    /// The models; the server's default comes first.
    models: Vec<OllamaTag>,
}

/// One of Ollama's models.
#[derive(JsonSchema)]
struct OllamaTag {
    /// Its name with a tag.
    name: String,
    /// The same.
    model: String,
    /// The current time.
    modified_at: String,
    /// Always 0.
    size: u64,
    /// Always empty.
    digest: String,
    /// `format`, `family` and the like.
    details: Map<String, Value>,
}

/// Ollama's details of a model.
#[derive(JsonSchema)]
pub(crate) struct OllamaModel {
    /// `format`, `family` and the like.
    details: Map<String, Value>,
    /// `dwell.context_length` and the like.
    model_info: Map<String, Value>,
    /// What it can do: `completion`, `tools`, `vision`, `thinking`.
    capabilities: Vec<String>,
}

/// Ollama's version.
#[derive(JsonSchema)]
pub(crate) struct OllamaVersion {
    /// The version of Dwell.
    version: String,
}

/// Ollama's answer to a chat: whole, or as the last line of a stream.
#[derive(JsonSchema)]
pub(crate) struct OllamaChatAnswer {
    /// The model as the request named it.
    model: String,
    /// When it was written.
    created_at: String,
    /// The message: `role`, `content` and, if the client has to run tools, `tool_calls`.
    message: Map<String, Value>,
    /// Whether this is the end of the answer.
    done: bool,
}

/// Ollama's answer to a prompt: whole, or as the last line of a stream.
#[derive(JsonSchema)]
pub(crate) struct OllamaGenerateAnswer {
    /// The model as the request named it.
    model: String,
    /// When it was written.
    created_at: String,
    /// The text.
    response: String,
    /// Whether this is the end of the answer.
    done: bool,
}

/// Ollama's list of models that are ready.
#[derive(JsonSchema)]
pub(crate) struct OllamaRunning {
    /// The models, with `name`, `details` and `expires_at`.
    models: Vec<Map<String, Value>>,
}

/// Ollama's vectors.
#[derive(JsonSchema)]
pub(crate) struct OllamaEmbeddings {
    /// The embedding model.
    model: String,
    /// A vector for each text.
    embeddings: Vec<Vec<f32>>,
}

/// Ollama's vector of one text.
#[derive(JsonSchema)]
pub(crate) struct OllamaEmbedding {
    /// The vector.
    embedding: Vec<f32>,
}

/// Ollama's answer to a change of models.
#[derive(JsonSchema)]
pub(crate) struct OllamaStatus {
    /// `success`.
    status: String,
}

/// OpenAI's list of vectors, items or others.
#[derive(JsonSchema)]
pub(crate) struct OpenAiList {
    /// `list`.
    object: String,
    /// The entries.
    data: Vec<Map<String, Value>>,
}

/// OpenAI's answer to an input. A stream consists of events instead.
#[derive(JsonSchema)]
pub(crate) struct ResponseObject {
    /// Its id, which contains the turn's.
    id: String,
    /// `response`.
    object: String,
    /// `completed`, `failed`, `in_progress`, `cancelled`, `queued` or `incomplete`.
    status: String,
    /// The messages and calls of the answer.
    output: Vec<Map<String, Value>>,
}

/// A session as OpenAI's conversation.
#[derive(JsonSchema)]
pub(crate) struct ConversationObject {
    /// Its id, which contains the session's.
    id: String,
    /// `conversation`.
    object: String,
    /// When the session was started, in seconds since 1970.
    created_at: i64,
}

/// OpenAI's answer to a deletion.
#[derive(JsonSchema)]
pub(crate) struct DeletedObject {
    /// What was deleted.
    id: String,
    /// The kind of object.
    object: String,
    /// Always true.
    deleted: bool,
}

/// Anthropic's answer to a conversation. A stream consists of events instead.
#[derive(JsonSchema)]
pub(crate) struct MessageObject {
    /// Its id, which contains the turn's.
    id: String,
    /// `message`.
    r#type: String,
    /// `assistant`.
    role: String,
    /// Text, thinking and calls.
    content: Vec<Map<String, Value>>,
}

/// Anthropic's count of tokens.
#[derive(JsonSchema)]
pub(crate) struct TokenCount {
    /// The estimated tokens.
    input_tokens: u64,
}
