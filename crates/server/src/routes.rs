//! The table of routes: what the router, OpenAPI, the manual and the tests of access are made from.

mod chat;
mod desktop;
mod library;
mod mcp;
mod memory;
mod page;

use axum::{
    Extension,
    http::Method,
    routing::{MethodRouter, delete, get, patch, post},
};
use protocol::{
    Accepted, ApprovalPage, ArtifactPage, Cancelled, ChatSend, ConfigPage, EventPage, Forgotten, HomeView,
    ImportedSession, ModelPage, PassagePage, Problem, ServerStats, SessionPage, SessionView, Start, Swept,
    ToolAnswered, ToolPage, TurnPage, TurnView, Update, WindowView,
};
use schemars::{JsonSchema, Schema, SchemaGenerator};

use crate::{
    access::Ticket,
    app::App,
    limits::ARCHIVE_BYTES_MAX,
    rest::{BodyMax, acting, interchange, meta, sessions, turns},
    sse, ws,
};

/// Makes the schema of a type.
pub(crate) type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// The schema of every error.
pub(crate) const PROBLEM: SchemaOf = schema_of::<Problem>;

/// Query parameters: name, type and meaning.
type Query = &'static [(&'static str, &'static str, &'static str)];

const LIST: Query =
    &[("cursor", "string", "where to go on, from `next_cursor`"), ("limit", "integer", "how many entries at most")];
const SESSIONS: Query = &[
    LIST[0],
    LIST[1],
    ("query", "string", "only sessions in whose title or name all of these words occur, in whatever case"),
    ("status", "string", "only those that are `active`, `ended` or `expired`"),
];
const TURNS: Query = &[
    LIST[0],
    LIST[1],
    ("order", "string", "`oldest` (unless told) from the oldest on, `newest` from the newest back"),
];
const EVENTS: Query =
    &[("after", "integer", "the last number the client has"), ("limit", "integer", "how many events at most")];
const REASON: Query = &[("reason", "string", "why")];
const REASON_AND_VERSION: Query =
    &[("reason", "string", "why"), ("version", "integer", "refuse if the session has another version by now")];
const ENDING: Query = &[
    REASON_AND_VERSION[0],
    REASON_AND_VERSION[1],
    ("forever", "boolean", "delete it for good, and answer with how much that was"),
    ("memories", "boolean", "with `forever`: whether what memory made of it goes as well"),
];
const FORMAT: (&str, &str, &str) = ("format", "string", "`ndjson` (the journal), `openai`, `langchain` or `langgraph`");
const TICKET: (&str, &str, &str) = ("ticket", "string", "a ticket in place of the token");

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
    pub(crate) query: Query,
    pub(crate) body: Option<SchemaOf>,
    pub(crate) answer: Answer,
    pub(crate) handler: fn() -> MethodRouter<App>,
}

impl Route {
    const fn query(mut self, query: Query) -> Self {
        self.query = query;
        self
    }

    fn takes<T: JsonSchema>(mut self) -> Self {
        self.body = Some(schema_of::<T>);
        self
    }

    fn answers<T: JsonSchema>(mut self, status: u16) -> Self {
        self.answer = Answer::Json(status, schema_of::<T>);
        self
    }

    fn answers_with(mut self, status: u16, media: &'static str) -> Self {
        self.answer = Answer::Other(status, media);
        self
    }
}

fn schema_of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

fn route(method: Method, path: &'static str, summary: &'static str, handler: fn() -> MethodRouter<App>) -> Route {
    let answer = Answer::Other(200, "application/json");
    Route { method, path, summary, query: &[], body: None, answer, handler }
}

/// All routes, in the order of the manual.
pub(crate) fn routes() -> Vec<Route> {
    let mut all = common();
    all.extend(page::of_page());
    all.extend(of_sessions());
    all.extend(of_turns());
    all.extend(of_acting());
    all.extend(desktop::of_desktop());
    all.extend(memory::of_profile());
    all.extend(memory::of_memory());
    all.extend(memory::of_vaults());
    all.extend(library::of_library());
    all.extend(chat::of_chat());
    all.extend(mcp::of_mcp());
    all
}

fn common() -> Vec<Route> {
    vec![
        route(Method::GET, "/healthz", "Whether the process lives. Needs no token.", || get(meta::healthz))
            .answers::<meta::Health>(200),
        route(
            Method::GET,
            "/readyz",
            "Whether the store can be read and written: a small write is tried, at most once a second.",
            || get(meta::readyz),
        )
        .answers::<meta::Health>(200),
        route(Method::GET, "/openapi.json", "This description.", || get(meta::openapi)),
        route(Method::GET, "/ws", "The WebSocket: everything over one connection.", || get(ws::upgrade))
            .query(&[TICKET])
            .answers_with(101, "websocket"),
        route(
            Method::GET,
            "/events/{session_id}",
            "A session's events as server-sent events, resumable by number.",
            || get(sse::events),
        )
        .query(&[
            ("after", "integer", "the last number the client has; `Last-Event-ID` says the same"),
            ("view", "string", "`coarse` for four kinds only: progress, step, partial, final"),
            ("monitors", "string", "only what happens on these monitors, with commas between them"),
            TICKET,
        ])
        .answers_with(200, "text/event-stream"),
        route(
            Method::POST,
            "/api/v1/tickets",
            "A ticket for one WebSocket or event stream, for those who cannot set a header.",
            || post(meta::ticket),
        )
        .answers::<Ticket>(201),
    ]
}

fn of_sessions() -> Vec<Route> {
    const ALL: &str = "/api/v1/sessions";
    const ONE: &str = "/api/v1/sessions/{session_id}";
    vec![
        route(Method::GET, ALL, "The owner's sessions, newest activity first.", || get(sessions::list))
            .query(SESSIONS)
            .answers::<SessionPage>(200),
        route(Method::POST, ALL, "Starts a session. `Idempotency-Key` says the same as `key`.", || {
            post(sessions::start)
        })
        .takes::<Start>()
        .answers::<SessionView>(201),
        route(Method::GET, ONE, "A session as it stands.", || get(sessions::get)).answers::<SessionView>(200),
        route(Method::PATCH, ONE, "Changes a session's settings, guarded by its version.", || patch(sessions::update))
            .takes::<Update>()
            .answers::<SessionView>(200),
        route(
            Method::DELETE,
            ONE,
            "Ends a session; what was said stays readable. With `forever=true` it is deleted with all that was said.",
            || delete(sessions::end),
        )
        .query(ENDING)
        .answers::<sessions::Over>(200),
        route(
            Method::POST,
            "/api/v1/sessions/{session_id}/reset",
            "Cancels what is open and starts the conversation over.",
            || post(sessions::reset),
        )
        .query(REASON_AND_VERSION)
        .answers::<SessionView>(200),
        route(
            Method::POST,
            "/api/v1/sessions/{session_id}/fork",
            "A new session that shares the past up to a turn. `Idempotency-Key` says the same as `key`.",
            || post(sessions::fork),
        )
        .takes::<sessions::ForkBody>()
        .answers::<SessionView>(201),
        route(
            Method::GET,
            "/api/v1/sessions/{session_id}/window",
            "The context window: what the next turn is told of the conversation, and how full it is.",
            || get(sessions::window),
        )
        .query(&[("agent_id", "string", "another agent's than the main one's")])
        .answers::<WindowView>(200),
        route(Method::GET, "/api/v1/sessions/{session_id}/events", "A page of a session's events.", || {
            get(sessions::events)
        })
        .query(EVENTS)
        .answers::<EventPage>(200),
        route(
            Method::GET,
            "/api/v1/sessions/{session_id}/export",
            "A session to take elsewhere: all its events, one JSON value a line, or what was said in another program's form.",
            || get(interchange::export),
        )
        .query(&[
            FORMAT,
            ("artifacts", "boolean", "with `ndjson`: whether the session's artifacts follow, a line each"),
            ("sound", "boolean", "with `ndjson`: of a damaged session the events before the damage, without artifacts"),
        ])
        .answers_with(200, "application/x-ndjson"),
        route(
            Method::POST,
            "/api/v1/sessions/import",
            "Makes a session of a conversation from elsewhere. Nothing is run. `Idempotency-Key` is honoured.",
            || post(interchange::import).layer(Extension(BodyMax(ARCHIVE_BYTES_MAX))),
        )
        .query(&[FORMAT, ("conversation_id", "string", "a name for the new session")])
        .takes::<interchange::Written>()
        .answers::<ImportedSession>(201),
    ]
}

fn of_turns() -> Vec<Route> {
    const OF_SESSION: &str = "/api/v1/sessions/{session_id}/turns";
    vec![
        route(Method::GET, OF_SESSION, "A session's turns, from the oldest on or from the newest back.", || {
            get(turns::list)
        })
            .query(TURNS)
            .answers::<TurnPage>(200),
        route(
            Method::POST,
            OF_SESSION,
            "Says something. The answer means that it is durable. `Idempotency-Key` is honoured.",
            || post(turns::send),
        )
        .takes::<ChatSend>()
        .answers::<Accepted>(202),
        route(
            Method::DELETE,
            "/api/v1/sessions/{session_id}/turns/{turn_id}",
            "Deletes the words of a turn that has ended, from the session and from memory. Later turns are not told of it.",
            || delete(turns::delete),
        )
        .answers::<Forgotten>(200),
        route(Method::POST, "/api/v1/sessions/{session_id}/cancel", "Cancels all open turns of a session.", || {
            post(turns::cancel_all)
        })
        .query(REASON)
        .answers::<Cancelled>(200),
        route(
            Method::GET,
            "/api/v1/turns/{turn_id}",
            "A turn as it stands, or as it stands once it has ended.",
            || get(turns::get),
        )
        .query(&[("wait_ms", "integer", "how long to wait for the end")])
        .answers::<TurnView>(200),
        route(Method::GET, "/api/v1/turns/{turn_id}/events", "A page of a turn's events.", || get(turns::events))
            .query(EVENTS)
            .answers::<EventPage>(200),
        route(
            Method::GET,
            "/api/v1/turns/{turn_id}/passages",
            "The passages that a turn's research has kept: what its marks and citations resolve to.",
            || get(turns::passages),
        )
        .answers::<PassagePage>(200),
        route(Method::POST, "/api/v1/turns/{turn_id}/cancel", "Cancels a turn.", || post(turns::cancel))
            .query(REASON)
            .answers::<Cancelled>(200),
        route(
            Method::POST,
            "/api/v1/turns/{turn_id}/resume",
            "Lets an interrupted turn go on, or a waiting one that is told what became of a call.",
            || post(turns::resume),
        )
        .takes::<turns::InDoubt>()
        .answers::<Accepted>(202),
        route(
            Method::POST,
            "/api/v1/turns/{turn_id}/tool-results",
            "Tells a turn what came of the calls that it waits for its client to run. Telling it again is telling it once.",
            || post(turns::tool_results),
        )
        .takes::<turns::Results>()
        .answers::<ToolAnswered>(202),
        route(
            Method::POST,
            "/api/v1/turns/{turn_id}/retry",
            "Asks the same again in a new turn. `Idempotency-Key` is honoured.",
            || post(turns::retry),
        )
        .answers::<Accepted>(202),
    ]
}

fn of_acting() -> Vec<Route> {
    vec![
        route(
            Method::POST,
            "/api/v1/ask",
            "Asks one question in a session of its own, which is removed afterwards. Answers with the turn.",
            || post(turns::ask),
        )
        .query(&[("wait_ms", "integer", "how long to wait for the end")])
        .takes::<ChatSend>()
        .answers::<TurnView>(200),
        route(Method::GET, "/api/v1/tools", "The tools there are, and which of them policy lets run.", || {
            get(acting::tools)
        })
        .answers::<ToolPage>(200),
        route(Method::GET, "/api/v1/approvals", "The calls that wait for a yes or a no.", || get(acting::approvals))
            .query(&[("session_id", "string", "only those of this session")])
            .answers::<ApprovalPage>(200),
        route(Method::POST, "/api/v1/approvals/{approval_id}", "Says yes or no to a call.", || post(acting::answer))
            .takes::<acting::Said>()
            .answers::<acting::Answered>(200),
        route(
            Method::GET,
            "/api/v1/sessions/{session_id}/artifacts",
            "What a session's turns have kept beside the conversation.",
            || get(acting::artifacts),
        )
        .query(LIST)
        .answers::<ArtifactPage>(200),
        route(Method::GET, "/api/v1/artifacts", "All that the owner's turns have kept, newest first.", || {
            get(acting::all_artifacts)
        })
        .query(LIST)
        .answers::<ArtifactPage>(200),
        route(Method::GET, "/api/v1/artifacts/{artifact_id}", "An artifact's bytes, as a file.", || {
            get(acting::artifact)
        })
        .answers_with(200, "application/octet-stream"),
        route(Method::DELETE, "/api/v1/artifacts/{artifact_id}", "Takes an artifact away.", || {
            delete(acting::remove_artifact)
        })
        .answers_with(204, "text/plain"),
        route(Method::GET, "/api/v1/home", "The home as it stands, as far as agents may see it.", || get(meta::home))
            .answers::<HomeView>(200),
        route(Method::GET, "/api/v1/models", "The models there are, what is known of each, and where from.", || {
            get(meta::models)
        })
        .answers::<ModelPage>(200),
        route(
            Method::POST,
            "/api/v1/models/refresh",
            "Asks every provider for its models again, and tells them. For the operator alone.",
            || post(meta::refresh_models),
        )
        .answers::<ModelPage>(200),
        route(Method::GET, "/api/v1/stats", "What the server has done since it started, and what bounds it.", || {
            get(meta::stats)
        })
        .answers::<ServerStats>(200),
        route(
            Method::GET,
            "/api/v1/config",
            "The settings and where each comes from, without secrets. For the operator alone.",
            || get(meta::config),
        )
        .answers::<ConfigPage>(200),
        route(
            Method::POST,
            "/api/v1/sweep",
            "Collects artifacts that were kept long enough, forgets what has expired, and retires idle sessions, now. For the operator alone.",
            || post(meta::sweep),
        )
        .query(&[("trust_clock", "boolean", "take the clock for right where it is in doubt, and sweep by it")])
        .answers::<Swept>(200),
    ]
}
