//! The routes of OpenAI's Responses API.

use axum::{
    http::Method,
    routing::{delete, get, post},
};

use super::{Route, route};
use crate::chat::routes;

const RESPONSE: &str = "/v1/responses/{response_id}";
const CONVERSATION: &str = "/v1/conversations/{conversation_id}";
const CONVERSATION_ITEMS: &str = "/v1/conversations/{conversation_id}/items";

/// Which items of a list.
const ITEMS: &[(&str, &str, &str)] = &[
    ("after", "string", "id of the item before the page"),
    ("limit", "integer", "items per page, at most 100; 20 by default"),
    ("order", "asc|desc", "`asc` for oldest first, `desc` for newest first, which is the default"),
];

pub(super) fn of_responses() -> Vec<Route> {
    vec![
        route(
            Method::POST,
            "/v1/responses",
            "OpenAI-compatible: answers the input, or continues with outputs of the client's functions, whole, as \
             server-sent events, or in the background.",
            || post(routes::create_response),
        )
        .takes::<routes::CreateResponse>()
        .answers::<routes::ResponseObject>(200)
        .or_with("text/event-stream"),
        route(Method::GET, RESPONSE, "OpenAI-compatible: one response, or its events.", || get(routes::response))
            .query(&[
                ("stream", "boolean", "`true` for its events"),
                ("starting_after", "integer", "only events after this number"),
            ])
            .answers::<routes::ResponseObject>(200)
            .or_with("text/event-stream"),
        route(Method::DELETE, RESPONSE, "OpenAI-compatible: deletes the text of a response's turn.", || {
            delete(routes::delete_response)
        })
        .answers::<routes::DeletedObject>(200),
        route(
            Method::POST,
            "/v1/responses/{response_id}/cancel",
            "OpenAI-compatible: cancels a response that is not complete.",
            || post(routes::cancel_response),
        )
        .answers::<routes::ResponseObject>(200),
        route(
            Method::GET,
            "/v1/responses/{response_id}/input_items",
            "OpenAI-compatible: the items that a response answers.",
            || get(routes::input_items),
        )
        .query(ITEMS)
        .answers::<routes::OpenAiList>(200),
        route(Method::POST, "/v1/conversations", "OpenAI-compatible: starts a session.", || {
            post(routes::create_conversation)
        })
        .takes::<routes::CreateConversation>()
        .answers::<routes::ConversationObject>(200),
        route(Method::GET, CONVERSATION, "OpenAI-compatible: a session as a conversation.", || {
            get(routes::conversation)
        })
        .answers::<routes::ConversationObject>(200),
        route(Method::POST, CONVERSATION, "OpenAI-compatible: replaces the metadata of a conversation.", || {
            post(routes::update_conversation)
        })
        .takes::<routes::CreateConversation>()
        .answers::<routes::ConversationObject>(200),
        route(Method::DELETE, CONVERSATION, "OpenAI-compatible: deletes a session with all its messages.", || {
            delete(routes::delete_conversation)
        })
        .answers::<routes::DeletedObject>(200),
        route(Method::GET, CONVERSATION_ITEMS, "OpenAI-compatible: the messages and calls of a session.", || {
            get(routes::conversation_items)
        })
        .query(ITEMS)
        .answers::<routes::OpenAiList>(200),
        route(
            Method::POST,
            CONVERSATION_ITEMS,
            "OpenAI-compatible: refused; send items as input of a response.",
            || post(routes::add_conversation_items),
        ),
    ]
}
