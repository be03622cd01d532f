//! The APIs in the formats of OpenAI, Anthropic and Ollama, for clients that know models but not
//! sessions.
//!
//! Such a client sends the whole conversation with every request. Dwell maps it to a session: the
//! one that the client names, the one with the same messages, or a new one. The last message
//! becomes a turn. The client's system message becomes the session's `instructions`. Earlier
//! messages that are not in the journal are passed to the turn as such. The modules `openai`,
//! `responses`, `anthropic` and `ollama` only read requests and write answers.
//!
//! Tools that the client offers belong to its turn, which waits while the client runs them. A
//! request ends with the calls, and the next one, which contains their results, continues the same
//! turn (`results`).

mod answer_part;
mod answer_schema;
mod anthropic;
mod calls;
mod conversation;
mod date_times;
mod dialect;
mod embeddings;
mod error;
mod error_schema;
mod ignored;
mod message;
mod ollama;
mod openai;
mod outcome;
mod request_id;
mod request_schema;
mod response_format;
mod responses;
mod results;
mod settings;
mod tools;

pub(crate) use anthropic::identify;
pub(crate) use dialect::Dialect;
pub(crate) use request_id::request_id;
pub(crate) use request_schema::limit as limit_requests;

pub(crate) mod routes {
    //! The handlers of the routes.

    pub(crate) use super::{
        answer_schema::{
            ChatCompletion, ConversationObject, DeletedObject, MessageObject, OllamaChatAnswer, OllamaEmbedding,
            OllamaEmbeddings, OllamaGenerateAnswer, OllamaModel, OllamaRunning, OllamaStatus, OllamaTags,
            OllamaVersion, OpenAiList, OpenAiModel, OpenAiModels, ResponseObject, TokenCount,
        },
        anthropic::{MessagesRequest, count_tokens, messages},
        embeddings::{EmbeddingsRequest, embeddings},
        ollama::{
            Chat, EmbedRequest, GenerateRequest, OldEmbedRequest, ShowRequest, chat, embed, generate, keyed_chat,
            keyed_generate, old_embed, ps, pull, running, show, tags, unmanaged, version,
        },
        openai::{Completion, completions, model, models},
        responses::{
            CreateConversation, CreateResponse, add_conversation_items, cancel_response, conversation,
            conversation_items, create_conversation, create_response, delete_conversation, delete_response,
            input_items, response, update_conversation,
        },
    };
}

/// The name that stands for the server's default model.
const DEFAULT_MODEL: &str = "dwell";

/// The requested model; `None` is the server's default.
fn model(name: &str) -> Option<String> {
    let name = name.trim();
    let name = name.strip_suffix(":latest").unwrap_or(name);
    Some(name).filter(|name| !name.is_empty() && *name != DEFAULT_MODEL).map(str::to_owned)
}

/// The available models and their figures, by name; the server's default first.
async fn known_models(hub: &engine::Hub) -> Vec<(String, protocol::ModelView)> {
    let page = hub.model_page().await;
    let default = page.models.iter().find(|model| model.is_default).cloned();
    let default = default.map(|model| (DEFAULT_MODEL.to_owned(), model));
    default.into_iter().chain(page.models.into_iter().map(|model| (model.name.clone(), model))).collect()
}

/// The size of a model's context window.
fn window(model: &protocol::ModelView) -> serde_json::Value {
    serde_json::json!(model.context_tokens.value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_model_has_several_names_and_others_one() {
        for default in ["dwell", "dwell:latest", "", " dwell "] {
            assert_eq!(model(default), None, "{default}");
        }
        assert_eq!(model("openai/gpt-4.1-mini").as_deref(), Some("openai/gpt-4.1-mini"));
        assert_eq!(model("llama3.2:latest").as_deref(), Some("llama3.2"));
        assert_eq!(model("llama3.2:3b").as_deref(), Some("llama3.2:3b"));
    }
}
