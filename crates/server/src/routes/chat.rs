//! The routes of clients that know models rather than sessions.

use axum::{
    http::Method,
    routing::{get, post},
};

use super::{Route, route};
use crate::chat::routes;

pub(super) fn of_chat() -> Vec<Route> {
    vec![
        route(Method::GET, "/v1/models", "OpenAI's wire: the models there are; `dwell` is the default one.", || {
            get(routes::models)
        }),
        route(Method::GET, "/v1/models/{*model}", "OpenAI's wire: one of the models there are.", || get(routes::model)),
        route(
            Method::POST,
            "/v1/chat/completions",
            "OpenAI's wire: answers the last message of a conversation, or goes on with what came of the client's tools, whole \
             or as server-sent events.",
            || post(routes::completions),
        )
        .takes::<routes::Completion>(),
        route(Method::GET, "/api/tags", "Ollama's wire: the models there are; `dwell` is the default one.", || {
            get(routes::tags)
        }),
        route(Method::POST, "/api/show", "Ollama's wire: whether there is a model.", || post(routes::show)),
        route(Method::GET, "/api/version", "Ollama's wire: the program's version.", || get(routes::version)),
        route(
            Method::POST,
            "/api/chat",
            "Ollama's wire: answers the last message of a conversation, one JSON value a line, or whole.",
            || post(routes::chat),
        )
        .takes::<routes::Chat>()
        .answers_with(200, "application/x-ndjson"),
        route(
            Method::POST,
            "/api/generate",
            "Ollama's wire: answers one question, one JSON value a line, or whole.",
            || post(routes::generate),
        )
        .takes::<routes::Generate>()
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
        .takes::<routes::Generate>()
        .answers_with(200, "application/x-ndjson"),
    ]
}
