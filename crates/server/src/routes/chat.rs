//! The routes of the APIs in the formats of OpenAI, Anthropic and Ollama.

use axum::{
    http::Method,
    routing::{delete, get, post},
};

use super::{Route, route};
use crate::chat::routes;

/// The summary of a path that has a twin with a key.
const KEYED: &str = "The same, for clients that cannot send a token.";

pub(super) fn of_chat() -> Vec<Route> {
    let mut all = of_openai();
    all.extend(of_anthropic());
    all.extend(of_ollama());
    all.extend(of_ollama_models());
    all.extend(of_keyed_ollama());
    all
}

fn of_openai() -> Vec<Route> {
    vec![
        route(Method::GET, "/v1/models", "OpenAI-compatible: the models; `dwell` is the default.", || {
            get(routes::models)
        })
        .answers::<routes::OpenAiModels>(200),
        route(Method::GET, "/v1/models/{*model}", "OpenAI-compatible: one model.", || get(routes::model))
            .answers::<routes::OpenAiModel>(200),
        route(
            Method::POST,
            "/v1/chat/completions",
            "OpenAI-compatible: answers the last message of a conversation, or continues with results of the client's tools, whole \
             or as server-sent events.",
            || post(routes::completions),
        )
        .takes::<routes::Completion>()
        .answers::<routes::ChatCompletion>(200)
        .or_with("text/event-stream"),
        route(Method::POST, "/v1/embeddings", "OpenAI-compatible: texts as vectors.", || post(routes::embeddings))
            .takes::<routes::EmbeddingsRequest>()
            .answers::<routes::OpenAiList>(200),
    ]
}

fn of_anthropic() -> Vec<Route> {
    vec![
        route(
            Method::POST,
            "/v1/messages",
            "Anthropic-compatible: answers the last message of a conversation, or continues with results of the client's tools, \
             whole or as server-sent events.",
            || post(routes::messages),
        )
        .takes::<routes::MessagesRequest>()
        .answers::<routes::MessageObject>(200)
        .or_with("text/event-stream"),
        route(
            Method::POST,
            "/v1/messages/count_tokens",
            "Anthropic-compatible: estimates the tokens of a conversation.",
            || post(routes::count_tokens),
        )
        .takes::<routes::MessagesRequest>()
        .answers::<routes::TokenCount>(200),
    ]
}

fn of_ollama() -> Vec<Route> {
    vec![
        route(Method::GET, "/api/version", "Ollama-compatible: the program's version.", || get(routes::version))
            .answers::<routes::OllamaVersion>(200),
        route(
            Method::POST,
            "/api/chat",
            "Ollama-compatible: answers the last message of a conversation, one JSON value per line, or whole.",
            || post(routes::chat),
        )
        .takes::<routes::Chat>()
        .answers::<routes::OllamaChatAnswer>(200)
        .or_with("application/x-ndjson"),
        route(
            Method::POST,
            "/api/generate",
            "Ollama-compatible: answers one prompt, one JSON value per line, or whole.",
            || post(routes::generate),
        )
        .takes::<routes::GenerateRequest>()
        .answers::<routes::OllamaGenerateAnswer>(200)
        .or_with("application/x-ndjson"),
        route(Method::POST, "/api/embed", "Ollama-compatible: texts as vectors.", || post(routes::embed))
            .takes::<routes::EmbedRequest>()
            .answers::<routes::OllamaEmbeddings>(200),
        route(Method::POST, "/api/embeddings", "Ollama-compatible: one text as a vector; the older form.", || {
            post(routes::old_embed)
        })
        .takes::<routes::OldEmbedRequest>()
        .answers::<routes::OllamaEmbedding>(200),
    ]
}

fn of_ollama_models() -> Vec<Route> {
    const REFUSED: &str = "Ollama-compatible: refused, since models are set in the configuration.";
    vec![
        route(Method::GET, "/api/tags", "Ollama-compatible: the models; `dwell` is the default.", || get(routes::tags))
            .answers::<routes::OllamaTags>(200),
        route(Method::POST, "/api/show", "Ollama-compatible: details of a model.", || post(routes::show))
            .takes::<routes::ShowRequest>()
            .answers::<routes::OllamaModel>(200),
        route(Method::GET, "/api/ps", "Ollama-compatible: the models that are ready.", || get(routes::ps))
            .answers::<routes::OllamaRunning>(200),
        route(
            Method::POST,
            "/api/pull",
            "Ollama-compatible: says that a known model is there; others are refused.",
            || post(routes::pull),
        )
        .takes::<routes::ShowRequest>()
        .answers::<routes::OllamaStatus>(200),
        route(Method::POST, "/api/push", REFUSED, || post(routes::unmanaged)),
        route(Method::POST, "/api/create", REFUSED, || post(routes::unmanaged)),
        route(Method::POST, "/api/copy", REFUSED, || post(routes::unmanaged)),
        route(Method::DELETE, "/api/delete", REFUSED, || delete(routes::unmanaged)),
    ]
}

fn of_keyed_ollama() -> Vec<Route> {
    vec![
        route(Method::GET, "/ollama/{key}/", "The root for Ollama's clients, which look for it.", || {
            get(routes::running)
        })
        .answers_with(200, "text/plain"),
        route(Method::GET, "/ollama/{key}/api/tags", KEYED, || get(routes::tags)).answers::<routes::OllamaTags>(200),
        route(Method::POST, "/ollama/{key}/api/show", KEYED, || post(routes::show))
            .takes::<routes::ShowRequest>()
            .answers::<routes::OllamaModel>(200),
        route(Method::GET, "/ollama/{key}/api/version", KEYED, || get(routes::version))
            .answers::<routes::OllamaVersion>(200),
        route(Method::GET, "/ollama/{key}/api/ps", KEYED, || get(routes::ps)).answers::<routes::OllamaRunning>(200),
        route(Method::POST, "/ollama/{key}/api/pull", KEYED, || post(routes::pull))
            .takes::<routes::ShowRequest>()
            .answers::<routes::OllamaStatus>(200),
        route(Method::POST, "/ollama/{key}/api/push", KEYED, || post(routes::unmanaged)),
        route(Method::POST, "/ollama/{key}/api/create", KEYED, || post(routes::unmanaged)),
        route(Method::POST, "/ollama/{key}/api/copy", KEYED, || post(routes::unmanaged)),
        route(Method::DELETE, "/ollama/{key}/api/delete", KEYED, || delete(routes::unmanaged)),
        route(Method::POST, "/ollama/{key}/api/chat", KEYED, || post(routes::keyed_chat))
            .takes::<routes::Chat>()
            .answers::<routes::OllamaChatAnswer>(200)
            .or_with("application/x-ndjson"),
        route(Method::POST, "/ollama/{key}/api/generate", KEYED, || post(routes::keyed_generate))
            .takes::<routes::GenerateRequest>()
            .answers::<routes::OllamaGenerateAnswer>(200)
            .or_with("application/x-ndjson"),
        route(Method::POST, "/ollama/{key}/api/embed", KEYED, || post(routes::embed))
            .takes::<routes::EmbedRequest>()
            .answers::<routes::OllamaEmbeddings>(200),
        route(Method::POST, "/ollama/{key}/api/embeddings", KEYED, || post(routes::old_embed))
            .takes::<routes::OldEmbedRequest>()
            .answers::<routes::OllamaEmbedding>(200),
    ]
}
