//! The routes of the OpenAI- and Ollama-compatible APIs.

use axum::{
    http::Method,
    routing::{get, post},
};

use super::{Route, route};
use crate::chat::routes;

pub(super) fn of_chat() -> Vec<Route> {
    vec![
        route(Method::GET, "/v1/models", "OpenAI-compatible: the models; `dwell` is the default.", || {
            get(routes::models)
        }),
        route(Method::GET, "/v1/models/{*model}", "OpenAI-compatible: one model.", || get(routes::model)),
        route(
            Method::POST,
            "/v1/chat/completions",
            "OpenAI-compatible: answers the last message of a conversation, or continues with results of the client's tools, whole \
             or as server-sent events.",
            || post(routes::completions),
        )
        .takes::<routes::Completion>(),
        route(Method::GET, "/api/tags", "Ollama-compatible: the models; `dwell` is the default.", || {
            get(routes::tags)
        }),
        route(Method::POST, "/api/show", "Ollama-compatible: details of a model.", || post(routes::show)),
        route(Method::GET, "/api/version", "Ollama-compatible: the program's version.", || get(routes::version)),
        route(
            Method::POST,
            "/api/chat",
            "Ollama-compatible: answers the last message of a conversation, one JSON value per line, or whole.",
            || post(routes::chat),
        )
        .takes::<routes::Chat>()
        .answers_with(200, "application/x-ndjson"),
        route(
            Method::POST,
            "/api/generate",
            "Ollama-compatible: answers one prompt, one JSON value per line, or whole.",
            || post(routes::generate),
        )
        .takes::<routes::GenerateRequest>()
        .answers_with(200, "application/x-ndjson"),
        route(Method::GET, "/ollama/{key}/api/tags", "The same, for clients that cannot send a token.", || {
            get(routes::tags)
        }),
        route(Method::POST, "/ollama/{key}/api/show", "The same, for clients that cannot send a token.", || {
            post(routes::show)
        }),
        route(Method::GET, "/ollama/{key}/api/version", "The same, for clients that cannot send a token.", || {
            get(routes::version)
        }),
        route(Method::POST, "/ollama/{key}/api/chat", "The same, for clients that cannot send a token.", || {
            post(routes::keyed_chat)
        })
        .takes::<routes::Chat>()
        .answers_with(200, "application/x-ndjson"),
        route(Method::POST, "/ollama/{key}/api/generate", "The same, for clients that cannot send a token.", || {
            post(routes::keyed_generate)
        })
        .takes::<routes::GenerateRequest>()
        .answers_with(200, "application/x-ndjson"),
    ]
}
