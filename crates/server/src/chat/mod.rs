//! The doors of clients that know models rather than sessions: OpenAI's wire and Ollama's.
//!
//! Such a client tells the whole conversation with every request. Here it is a session: the one the client names, the one in
//! which just this was said, or a new one. What is said last becomes a turn; what the client asks of every answer becomes
//! the session's `instructions`; and what Dwell has not heard itself is told to the turn as what it is. The two wires
//! (`openai`, `ollama`) only read requests and write answers.
//!
//! Tools that the client brings along go with its turn, which waits while the client runs them: a request ends with the
//! calls, and the next one, which tells what came of them, goes on with the same turn (`results`).

mod calls;
mod conversation;
mod dialect;
mod fault;
mod message;
mod moments;
mod ollama;
mod openai;
mod results;
mod settings;
mod settled;
mod tools;

pub(crate) use dialect::Dialect;

pub(crate) mod routes {
    //! What answers the routes.

    pub(crate) use super::{
        ollama::{Chat, Generate, chat, generate, keyed_chat, keyed_generate, show, tags, version},
        openai::{Completion, completions, model, models},
    };
}

/// The name of the server's default model, which needs no other.
const DEFAULT_MODEL: &str = "dwell";

/// The model that is meant: none is the server's default.
fn model(name: &str) -> Option<String> {
    let name = name.trim();
    let name = name.strip_suffix(":latest").unwrap_or(name);
    Some(name).filter(|name| !name.is_empty() && *name != DEFAULT_MODEL).map(str::to_owned)
}

/// The models there are and what is known of each, by name; the server's default one first.
async fn known_models(hub: &engine::Hub) -> Vec<(String, protocol::ModelView)> {
    let page = hub.model_page().await;
    let default = page.models.iter().find(|model| model.is_default).cloned();
    let default = default.map(|model| (DEFAULT_MODEL.to_owned(), model));
    default.into_iter().chain(page.models.into_iter().map(|model| (model.name.clone(), model))).collect()
}

/// How much a model reads.
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
