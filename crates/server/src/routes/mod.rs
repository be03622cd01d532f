//! The table of routes, from which the router, OpenAPI, the reference in `docs/reference/rest.md`
//! and the access tests are made.

mod chat;
mod desktop;
mod library;
mod mcp;
mod memory;
mod models;
mod page;
pub(crate) mod parameters;
mod plans;
mod responses;
mod tokens;
mod values;

use axum::{
    Extension,
    http::Method,
    routing::{MethodRouter, delete, get, patch, post},
};
use protocol::{
    ApprovalPage, ArtifactPage, BackgroundPage, CancelResult, ChatSend, ConfigPage, ContextWindowView, EventPage,
    ForgetResult, HomeView, ImportedSession, LogPage, NodePage, PassagePage, PauseResult, ServerStats, SessionPage,
    SessionStart, SessionView, SweepResult, ToolAnswered, ToolPage, TurnAccepted, TurnPage, TurnView, Update,
};
use schemars::{JsonSchema, Schema, SchemaGenerator};

use crate::{
    access::Ticket,
    app::AppState,
    limits::ARCHIVE_BYTES_MAX,
    metrics,
    problem::ProblemDocument,
    rest::{BodyMax, interchange, logs, meta, nodes, sessions, tools, turns},
    sse, ws,
};

/// Makes the schema of a type.
pub(crate) type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// The schema of every error.
pub(crate) const PROBLEM: SchemaOf = schema_of::<ProblemDocument<'static>>;

/// Query parameters: name, kind (see [`parameters`]) and meaning.
type RouteQuery = &'static [(&'static str, &'static str, &'static str)];

/// A whole number of 32 bits.
const U32: &str = "integer 0-4294967295";
/// For what each node of a cluster has of its own.
const NODE: (&str, &str, &str) = ("node", "string", "the id of the node that answers, if there are several");

const LIST: RouteQuery =
    &[("cursor", "cursor", "continue from this `next_cursor`"), ("limit", U32, "maximum number of entries")];
const SESSIONS: RouteQuery = &[
    LIST[0],
    LIST[1],
    ("query", "string 0-256", "only sessions whose title or name contains all of these words, ignoring case"),
    ("status", "active|ended|expired", "only sessions with this status: `active`, `ended` or `expired`"),
];
const TURNS: RouteQuery = &[
    ("cursor", "number", "continue from this `next_cursor`"),
    ("limit", "integer", "maximum number of entries"),
    ("order", "oldest|newest", "`oldest` (default) for oldest first, `newest` for newest first"),
];
const EVENTS: RouteQuery = &[
    ("after", "integer", "number of the last event that the client has"),
    ("limit", "integer", "maximum number of events"),
];
const REASON: RouteQuery = &[("reason", "string", "why")];
const REASON_AND_VERSION: RouteQuery =
    &[("reason", "string", "the reason"), ("version", "integer", "fail if the session has another version")];
const ENDING: RouteQuery = &[
    REASON_AND_VERSION[0],
    REASON_AND_VERSION[1],
    ("forever", "boolean", "delete it permanently, and answer with the counts"),
    ("memories", "boolean", "with `forever`: also forget the memories from it"),
];
const FORMAT: (&str, &str, &str) =
    ("format", "ndjson|openai|langchain|langgraph", "`ndjson` (the journal), `openai`, `langchain` or `langgraph`");
const TICKET: (&str, &str, &str) = ("ticket", "string", "a ticket instead of the token");

/// A form of a successful answer.
pub(crate) struct RouteMedia {
    /// Its media type.
    pub(crate) media: &'static str,
    /// Its schema; text by default.
    pub(crate) schema: Option<SchemaOf>,
}

/// One route.
pub(crate) struct Route {
    pub(crate) method: Method,
    pub(crate) path: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) query: RouteQuery,
    pub(crate) body: Option<SchemaOf>,
    /// The status of a successful answer.
    pub(crate) status: u16,
    /// Its forms; none for an empty answer.
    pub(crate) answers: Vec<RouteMedia>,
    pub(crate) handler: fn() -> MethodRouter<AppState>,
}

impl Route {
    const fn query(mut self, query: RouteQuery) -> Self {
        self.query = query;
        self
    }

    fn takes<T: JsonSchema>(mut self) -> Self {
        self.body = Some(schema_of::<T>);
        self
    }

    /// The answer is JSON.
    fn answers<T: JsonSchema>(mut self, status: u16) -> Self {
        self.status = status;
        self.answers = vec![RouteMedia { media: "application/json", schema: Some(schema_of::<T>) }];
        self
    }

    /// The answer is text or bytes of this type.
    fn answers_with(mut self, status: u16, media: &'static str) -> Self {
        self.status = status;
        self.answers = vec![RouteMedia { media, schema: None }];
        self
    }

    /// The answer may also have this type, for example as a stream.
    fn or_with(mut self, media: &'static str) -> Self {
        self.answers.push(RouteMedia { media, schema: None });
        self
    }

    /// The answer may also be JSON.
    fn or_json<T: JsonSchema>(mut self) -> Self {
        self.answers.push(RouteMedia { media: "application/json", schema: Some(schema_of::<T>) });
        self
    }

    /// The answer has no body.
    fn answers_empty(mut self, status: u16) -> Self {
        self.status = status;
        self.answers = Vec::new();
        self
    }
}

fn schema_of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

fn route(method: Method, path: &'static str, summary: &'static str, handler: fn() -> MethodRouter<AppState>) -> Route {
    let answers = vec![RouteMedia { media: "application/json", schema: None }];
    Route { method, path, summary, query: &[], body: None, status: 200, answers, handler }
}

/// All routes, in the order of `docs/reference/rest.md`.
pub(crate) fn routes() -> Vec<Route> {
    let mut all = common();
    all.extend(page::of_page());
    all.extend(of_sessions());
    all.extend(of_turns());
    all.extend(of_acting());
    all.extend(models::of_models());
    all.extend(of_operation());
    all.extend(desktop::of_desktop());
    all.extend(memory::of_profile());
    all.extend(memory::of_memory());
    all.extend(memory::of_vaults());
    all.extend(plans::of_plans());
    all.extend(values::of_values());
    all.extend(tokens::of_tokens());
    all.extend(library::of_library());
    all.extend(chat::of_chat());
    all.extend(responses::of_responses());
    all.extend(mcp::of_mcp());
    all
}

fn common() -> Vec<Route> {
    vec![
        route(Method::GET, "/healthz", "Liveness check. Needs no token.", || get(meta::healthz))
            .answers::<meta::Health>(200),
        route(
            Method::GET,
            "/readyz",
            "Readiness check: tries a small write to the store, at most once a second.",
            || get(meta::readyz),
        )
        .answers::<meta::Health>(200),
        route(
            Method::GET,
            metrics::PATH,
            "Measurements for Prometheus, if `metrics.enabled` is set. For the operator, or with `metrics.token`.",
            || get(metrics::metrics),
        )
        .answers_with(200, "application/openmetrics-text"),
        route(Method::GET, "/openapi.json", "The OpenAPI description.", || get(meta::openapi))
            .answers::<meta::ApiDescription>(200),
        route(Method::GET, "/ws", "The WebSocket: everything over one connection.", || get(ws::upgrade))
            .query(&[TICKET])
            .answers_with(101, "websocket"),
        route(
            Method::GET,
            "/events/{session_id}",
            "A session's events as server-sent events, resumable by event number.",
            || get(sse::events),
        )
        .query(&[
            ("after", "integer", "number of the last event that the client has; same as `Last-Event-ID`"),
            ("view", "string", "`coarse` for only four kinds: progress, step, partial, final"),
            ("monitors", "string", "only events of these monitors, separated by commas"),
            TICKET,
        ])
        .answers_with(200, "text/event-stream"),
        route(
            Method::POST,
            "/api/v1/tickets",
            "A ticket for one WebSocket or event stream, for clients that cannot set headers.",
            || post(meta::ticket),
        )
        .answers::<Ticket>(201),
    ]
}

/// What an export contains.
const EXPORT: &[(&str, &str, &str)] = &[
    FORMAT,
    ("artifacts", "boolean", "with `ndjson`: also the session's artifacts, one per line"),
    ("sound", "boolean", "with `ndjson`: for a damaged session, the events before the damage, without artifacts"),
];

fn of_sessions() -> Vec<Route> {
    const ALL: &str = "/api/v1/sessions";
    const ONE: &str = "/api/v1/sessions/{session_id}";
    vec![
        route(Method::GET, ALL, "The owner's sessions, newest activity first.", || get(sessions::list))
            .query(SESSIONS)
            .answers::<SessionPage>(200),
        route(Method::POST, ALL, "Starts a session. `Idempotency-Key` is the same as `key`.", || post(sessions::start))
            .takes::<SessionStart>()
            .answers::<SessionView>(201),
        route(Method::GET, ONE, "A session.", || get(sessions::get)).answers::<SessionView>(200),
        route(Method::PATCH, ONE, "Changes a session's settings, guarded by its version.", || patch(sessions::update))
            .takes::<Update>()
            .answers::<SessionView>(200),
        route(
            Method::DELETE,
            ONE,
            "Ends a session, which stays readable. With `forever=true` it is deleted with all its messages.",
            || delete(sessions::end),
        )
        .query(ENDING)
        .answers::<sessions::SessionEndView>(200),
        route(
            Method::POST,
            "/api/v1/sessions/{session_id}/reset",
            "Cancels open turns and starts the conversation over.",
            || post(sessions::reset),
        )
        .query(REASON_AND_VERSION)
        .answers::<SessionView>(200),
        route(
            Method::POST,
            "/api/v1/sessions/{session_id}/fork",
            "Forks a session at a turn. `Idempotency-Key` is the same as `key`.",
            || post(sessions::fork),
        )
        .takes::<sessions::ForkBody>()
        .answers::<SessionView>(201),
        route(
            Method::GET,
            "/api/v1/sessions/{session_id}/window",
            "The context window: what the next turn gets of the conversation, and how full it is.",
            || get(sessions::window),
        )
        .query(&[("agent_id", "name 1-128", "the agent; the main agent by default")])
        .answers::<ContextWindowView>(200),
        route(Method::GET, "/api/v1/sessions/{session_id}/events", "A page of a session's events.", || {
            get(sessions::events)
        })
        .query(EVENTS)
        .answers::<EventPage>(200),
        route(
            Method::GET,
            "/api/v1/sessions/{session_id}/export",
            "Exports a session: all its events, one JSON value per line, or its messages in another program's format.",
            || get(interchange::export),
        )
        .query(EXPORT)
        .answers_with(200, "application/x-ndjson")
        .or_json::<interchange::ImportDocument>(),
        route(
            Method::POST,
            "/api/v1/sessions/import",
            "Imports a session. Nothing is run. `Idempotency-Key` is honoured.",
            || post(interchange::import).layer(Extension(BodyMax(ARCHIVE_BYTES_MAX))),
        )
        .query(&[
            FORMAT,
            ("conversation_id", "name 1-200", "a name for the new session"),
            ("accept_damage", "boolean", "import the intact part of a damaged file"),
        ])
        .takes::<interchange::ImportDocument>()
        .answers::<ImportedSession>(201),
    ]
}

fn of_turns() -> Vec<Route> {
    const OF_SESSION: &str = "/api/v1/sessions/{session_id}/turns";
    vec![
        route(Method::GET, OF_SESSION, "A session's turns, oldest or newest first.", || get(turns::list))
            .query(TURNS)
            .answers::<TurnPage>(200),
        route(
            Method::POST,
            OF_SESSION,
            "Sends a message. When it is answered, the message is durable. `Idempotency-Key` is honoured.",
            || post(turns::send),
        )
        .takes::<ChatSend>()
        .answers::<TurnAccepted>(202),
        route(
            Method::DELETE,
            "/api/v1/sessions/{session_id}/turns/{turn_id}",
            "Deletes the text of an ended turn from the session and from memory. Later turns do not see it.",
            || delete(turns::delete),
        )
        .answers::<ForgetResult>(200),
        route(Method::POST, "/api/v1/sessions/{session_id}/cancel", "Cancels all open turns of a session.", || {
            post(turns::cancel_all)
        })
        .query(REASON)
        .answers::<CancelResult>(200),
        route(Method::GET, "/api/v1/turns/{turn_id}", "A turn; with `wait_ms`, once it has ended.", || get(turns::get))
            .query(&[("wait_ms", "integer", "how long to wait for its end")])
            .answers::<TurnView>(200),
        route(Method::GET, "/api/v1/turns/{turn_id}/events", "A page of a turn's events.", || get(turns::events))
            .query(EVENTS)
            .answers::<EventPage>(200),
        route(
            Method::GET,
            "/api/v1/turns/{turn_id}/passages",
            "The passages that a turn's research collected, to which its citations refer.",
            || get(turns::passages),
        )
        .answers::<PassagePage>(200),
        route(Method::POST, "/api/v1/turns/{turn_id}/cancel", "Cancels a turn.", || post(turns::cancel))
            .query(REASON)
            .answers::<CancelResult>(200),
        route(
            Method::POST,
            "/api/v1/turns/{turn_id}/pause",
            "Pauses a turn until it is resumed. Calls that run get their results first.",
            || post(turns::pause),
        )
        .answers::<PauseResult>(200),
        route(
            Method::GET,
            "/api/v1/background",
            "Lists the turns in the background of all sessions, newest first.",
            || get(turns::background),
        )
        .query(&[("ended", "boolean", "also those that have ended"), ("limit", U32, "maximum number of entries")])
        .answers::<BackgroundPage>(200),
        route(
            Method::POST,
            "/api/v1/turns/{turn_id}/resume",
            "Resumes an interrupted or paused turn, or one that waits for the outcome of a call.",
            || post(turns::resume),
        )
        .takes::<turns::ResumeBody>()
        .answers::<TurnAccepted>(202),
        route(
            Method::POST,
            "/api/v1/turns/{turn_id}/tool-results",
            "Sends the results of calls that a turn waits for its client to run. Repeating it is safe.",
            || post(turns::tool_results),
        )
        .takes::<turns::ToolResultsBody>()
        .answers::<ToolAnswered>(202),
        route(
            Method::POST,
            "/api/v1/turns/{turn_id}/retry",
            "Repeats a turn's message in a new turn. `Idempotency-Key` is honoured.",
            || post(turns::retry),
        )
        .answers::<TurnAccepted>(202),
    ]
}

fn of_acting() -> Vec<Route> {
    vec![
        route(
            Method::POST,
            "/api/v1/ask",
            "Asks one question in a temporary session, which is removed afterwards. Answers with the turn.",
            || post(turns::ask),
        )
        .query(&[("wait_ms", "integer", "how long to wait for its end")])
        .takes::<ChatSend>()
        .answers::<TurnView>(200),
        route(Method::GET, "/api/v1/tools", "The tools, and which of them the policy allows.", || get(tools::tools))
            .answers::<ToolPage>(200),
        route(Method::GET, "/api/v1/approvals", "The calls that wait for approval.", || get(tools::approvals))
            .query(&[("session_id", "id", "only calls of this session")])
            .answers::<ApprovalPage>(200),
        route(Method::POST, "/api/v1/approvals/{approval_id}", "Approves or denies a call.", || post(tools::answer))
            .takes::<tools::ApprovalBody>()
            .answers::<tools::ApprovalResult>(200),
        route(Method::GET, "/api/v1/sessions/{session_id}/artifacts", "The artifacts of a session's turns.", || {
            get(tools::artifacts)
        })
        .query(LIST)
        .answers::<ArtifactPage>(200),
        route(Method::GET, "/api/v1/artifacts", "All artifacts of the owner, newest first.", || {
            get(tools::all_artifacts)
        })
        .query(LIST)
        .answers::<ArtifactPage>(200),
        route(Method::GET, "/api/v1/artifacts/{artifact_id}", "An artifact's bytes, as a file.", || {
            get(tools::artifact)
        })
        .answers_with(200, "application/octet-stream"),
        route(Method::DELETE, "/api/v1/artifacts/{artifact_id}", "Removes an artifact.", || {
            delete(tools::remove_artifact)
        })
        .answers_empty(204),
        route(Method::GET, "/api/v1/home", "The current state of the home, as far as agents may see it.", || {
            get(meta::home)
        })
        .answers::<HomeView>(200),
    ]
}

/// The server itself: what it can, does and records.
fn of_operation() -> Vec<Route> {
    vec![
        route(Method::GET, "/api/v1/stats", "Statistics of the server since its start, and its limits.", || {
            get(meta::stats)
        })
        .query(&[NODE])
        .answers::<ServerStats>(200),
        route(
            Method::GET,
            "/api/v1/config",
            "The settings and where each comes from, without secrets. For the operator only.",
            || get(meta::config),
        )
        .query(&[NODE])
        .answers::<ConfigPage>(200),
        route(
            Method::GET,
            "/api/v1/logs",
            "The last lines of the server's log; with `wait_ms`, once there is a new one. For the operator only.",
            || get(logs::logs),
        )
        .query(&[
            ("after", "integer", "number of the last line that the client has"),
            ("limit", U32, "maximum number of lines: the newest of them"),
            ("level", "error|warn|info|debug|trace", "only lines that are at least so severe"),
            ("wait_ms", "integer", "how long to wait for a line, if there is none"),
            NODE,
        ])
        .answers::<LogPage>(200),
        route(Method::GET, "/api/v1/nodes", "The nodes that use the same database. For the operator only.", || {
            get(nodes::nodes)
        })
        .answers::<NodePage>(200),
        route(
            Method::POST,
            "/api/v1/sweep",
            "Removes expired artifacts, memories and sessions now. For the operator only.",
            || post(meta::sweep),
        )
        .query(&[("trust_clock", "boolean", "trust the clock although it is in doubt")])
        .answers::<SweepResult>(200),
    ]
}
