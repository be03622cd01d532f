//! The table of routes: what the router, OpenAPI, the manual and the tests of access are made from.

use axum::{
    http::Method,
    routing::{MethodRouter, delete, get, patch, post},
};
use protocol::{
    Accepted, Cancelled, ChatSend, EventPage, Problem, SessionPage, SessionView, Start, TurnPage, TurnView, Update,
};
use schemars::{JsonSchema, Schema, SchemaGenerator};

use crate::{access::Ticket, app::App, rest, sse, ws};

/// Makes the schema of a type.
pub(crate) type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// What a route answers when all goes well.
pub(crate) enum Answer {
    /// JSON with this status.
    Json(u16, SchemaOf),
    /// Something else, by media type.
    Other(u16, &'static str),
}

/// One route.
pub(crate) struct Route {
    pub(crate) method: Method,
    pub(crate) path: &'static str,
    pub(crate) summary: &'static str,
    /// Query parameters by name and meaning.
    pub(crate) query: &'static [(&'static str, &'static str)],
    pub(crate) body: Option<SchemaOf>,
    pub(crate) answer: Answer,
    pub(crate) handler: fn() -> MethodRouter<App>,
}

/// Methods and paths of all routes.
pub fn paths() -> Vec<(Method, &'static str)> {
    routes().into_iter().map(|route| (route.method, route.path)).collect()
}

fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// The schema of every error.
pub(crate) const PROBLEM: SchemaOf = of::<Problem>;

const LIST: &[(&str, &str)] =
    &[("cursor", "where to go on, from `next_cursor`"), ("limit", "how many entries at most")];

const WHY: &[(&str, &str)] = &[("reason", "why"), ("version", "refuse if the session has another version by now")];

/// All routes, in the order of the manual.
pub(crate) fn routes() -> Vec<Route> {
    let mut all = vec![
        Route {
            method: Method::GET,
            path: "/healthz",
            summary: "Whether the process lives. Needs no token.",
            query: &[],
            body: None,
            answer: Answer::Json(200, of::<rest::meta::Health>),
            handler: || get(rest::meta::healthz),
        },
        Route {
            method: Method::GET,
            path: "/readyz",
            summary: "Whether the store can be read.",
            query: &[],
            body: None,
            answer: Answer::Json(200, of::<rest::meta::Health>),
            handler: || get(rest::meta::readyz),
        },
        Route {
            method: Method::GET,
            path: "/openapi.json",
            summary: "This description.",
            query: &[],
            body: None,
            answer: Answer::Other(200, "application/json"),
            handler: || get(rest::meta::openapi),
        },
        Route {
            method: Method::GET,
            path: "/ws",
            summary: "The WebSocket: everything over one connection.",
            query: &[("ticket", "a ticket in place of the token")],
            body: None,
            answer: Answer::Other(101, "websocket"),
            handler: || get(ws::upgrade),
        },
        Route {
            method: Method::GET,
            path: "/events/{session_id}",
            summary: "A session's events as server-sent events, resumable by number.",
            query: &[
                ("after", "the last number the client has; `Last-Event-ID` says the same"),
                ("view", "`coarse` for four kinds only: progress, step, partial, final"),
                ("ticket", "a ticket in place of the token"),
            ],
            body: None,
            answer: Answer::Other(200, "text/event-stream"),
            handler: || get(sse::events),
        },
        Route {
            method: Method::POST,
            path: "/api/v1/tickets",
            summary: "A ticket for one WebSocket or event stream, for those who cannot set a header.",
            query: &[],
            body: None,
            answer: Answer::Json(201, of::<Ticket>),
            handler: || post(rest::meta::ticket),
        },
    ];
    all.extend(session_routes());
    all.extend(turn_routes());
    all
}

fn session_routes() -> Vec<Route> {
    vec![
        Route {
            method: Method::GET,
            path: "/api/v1/sessions",
            summary: "The owner's sessions, newest activity first.",
            query: LIST,
            body: None,
            answer: Answer::Json(200, of::<SessionPage>),
            handler: || get(rest::sessions::list),
        },
        Route {
            method: Method::POST,
            path: "/api/v1/sessions",
            summary: "Starts a session. `Idempotency-Key` says the same as `key`.",
            query: &[],
            body: Some(of::<Start>),
            answer: Answer::Json(201, of::<SessionView>),
            handler: || post(rest::sessions::start),
        },
        Route {
            method: Method::GET,
            path: "/api/v1/sessions/{session_id}",
            summary: "A session as it stands.",
            query: &[],
            body: None,
            answer: Answer::Json(200, of::<SessionView>),
            handler: || get(rest::sessions::get),
        },
        Route {
            method: Method::PATCH,
            path: "/api/v1/sessions/{session_id}",
            summary: "Changes a session's settings, guarded by its version.",
            query: &[],
            body: Some(of::<Update>),
            answer: Answer::Json(200, of::<SessionView>),
            handler: || patch(rest::sessions::update),
        },
        Route {
            method: Method::DELETE,
            path: "/api/v1/sessions/{session_id}",
            summary: "Ends a session; what was said stays readable.",
            query: WHY,
            body: None,
            answer: Answer::Json(200, of::<SessionView>),
            handler: || delete(rest::sessions::end),
        },
        Route {
            method: Method::POST,
            path: "/api/v1/sessions/{session_id}/reset",
            summary: "Cancels what is open and starts the conversation over.",
            query: WHY,
            body: None,
            answer: Answer::Json(200, of::<SessionView>),
            handler: || post(rest::sessions::reset),
        },
        Route {
            method: Method::POST,
            path: "/api/v1/sessions/{session_id}/fork",
            summary: "A new session that shares the past up to a turn. `Idempotency-Key` says the same as `key`.",
            query: &[],
            body: Some(of::<rest::sessions::ForkBody>),
            answer: Answer::Json(201, of::<SessionView>),
            handler: || post(rest::sessions::fork),
        },
        Route {
            method: Method::GET,
            path: "/api/v1/sessions/{session_id}/events",
            summary: "A page of a session's events.",
            query: &[("after", "the last number the client has"), ("limit", "how many events at most")],
            body: None,
            answer: Answer::Json(200, of::<EventPage>),
            handler: || get(rest::sessions::events),
        },
        Route {
            method: Method::GET,
            path: "/api/v1/sessions/{session_id}/export",
            summary: "All events of a session, one JSON value a line.",
            query: &[],
            body: None,
            answer: Answer::Other(200, "application/x-ndjson"),
            handler: || get(rest::sessions::export),
        },
    ]
}

fn turn_routes() -> Vec<Route> {
    const REASON: &[(&str, &str)] = &[("reason", "why")];
    vec![
        Route {
            method: Method::GET,
            path: "/api/v1/sessions/{session_id}/turns",
            summary: "A session's turns, oldest first.",
            query: LIST,
            body: None,
            answer: Answer::Json(200, of::<TurnPage>),
            handler: || get(rest::turns::list),
        },
        Route {
            method: Method::POST,
            path: "/api/v1/sessions/{session_id}/turns",
            summary: "Says something. The answer means that it is durable. `Idempotency-Key` is honoured.",
            query: &[],
            body: Some(of::<ChatSend>),
            answer: Answer::Json(202, of::<Accepted>),
            handler: || post(rest::turns::send),
        },
        Route {
            method: Method::POST,
            path: "/api/v1/sessions/{session_id}/cancel",
            summary: "Cancels all open turns of a session.",
            query: REASON,
            body: None,
            answer: Answer::Json(200, of::<Cancelled>),
            handler: || post(rest::turns::cancel_all),
        },
        Route {
            method: Method::GET,
            path: "/api/v1/turns/{turn_id}",
            summary: "A turn as it stands, or as it stands once it has ended.",
            query: &[("wait_ms", "how long to wait for the end")],
            body: None,
            answer: Answer::Json(200, of::<TurnView>),
            handler: || get(rest::turns::get),
        },
        Route {
            method: Method::POST,
            path: "/api/v1/turns/{turn_id}/cancel",
            summary: "Cancels a turn.",
            query: REASON,
            body: None,
            answer: Answer::Json(200, of::<Cancelled>),
            handler: || post(rest::turns::cancel),
        },
        Route {
            method: Method::POST,
            path: "/api/v1/turns/{turn_id}/resume",
            summary: "Lets an interrupted turn go on.",
            query: &[],
            body: None,
            answer: Answer::Json(202, of::<Accepted>),
            handler: || post(rest::turns::resume),
        },
        Route {
            method: Method::POST,
            path: "/api/v1/turns/{turn_id}/retry",
            summary: "Asks the same again in a new turn. `Idempotency-Key` is honoured.",
            query: &[],
            body: None,
            answer: Answer::Json(202, of::<Accepted>),
            handler: || post(rest::turns::retry),
        },
    ]
}
