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
mod message;
mod moments;
mod ollama;
mod openai;
mod results;
mod settled;
mod tools;

pub(crate) use dialect::Dialect;

pub(crate) mod routes {
    //! What answers the routes.

    pub(crate) use super::{
        ollama::{Chat, chat, keyed_chat, show, tags, version},
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

/// The models there are, by name.
fn model_names(hub: &engine::Hub) -> Vec<String> {
    std::iter::once(DEFAULT_MODEL.to_owned()).chain(hub.models()).collect()
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
