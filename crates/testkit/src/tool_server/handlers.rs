//! The routes of the tool server.

use std::sync::Arc;

use axum::Json;
use axum::Router;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{LedgerEntry, Shared, tools};

/// The name of lookups in [`ToolServer::fail`](super::ToolServer::fail).
const LOOK_UP: &str = "look_up";

pub(super) fn routes(shared: Arc<Shared>) -> Router {
    let tool = |name: &'static str| {
        post(move |State(shared): State<Arc<Shared>>, headers: HeaderMap, Json(arguments): Json<Value>| async move {
            act(&shared, name, &headers, arguments).await
        })
    };
    Router::new()
        .route("/pure", tool(tools::LOOK_AT_SKY))
        .route("/idempotent", tool(tools::SET_LABEL))
        .route("/verifiable", tool(tools::BOOK_TABLE))
        .route("/verifiable/look_up", get(look_up))
        .route("/at_most_once", tool(tools::SEND_LETTER))
        .with_state(shared)
}

async fn act(shared: &Arc<Shared>, tool: &str, headers: &HeaderMap, arguments: Value) -> Response {
    let key = headers.get("idempotency-key").and_then(|key| key.to_str().ok()).unwrap_or_default();
    hold(shared, tool, |shared| shared.lock().held_before.contains(tool)).await;
    let failing = shared.lock().failing.get(tool).copied();
    if let Some(status) = failing {
        return failed(status);
    }
    let result = take_effect(shared, tool, key, arguments);
    shared.change.notify_waiters();
    hold(shared, tool, |shared| shared.lock().held.contains(tool)).await;
    let failing = shared.lock().failing_after.get(tool).copied();
    failing.map_or_else(|| Json(result).into_response(), failed)
}

/// Runs a call and records it in the ledger.
fn take_effect(shared: &Shared, tool: &str, key: &str, arguments: Value) -> Value {
    let mut state = shared.lock();
    let is_repeat = state.ledger.iter().any(|entry| entry.tool == tool && entry.key == key);
    let number = state.ledger.iter().filter(|entry| entry.tool == tool).count() + 1;
    let new = json!({ "tool": tool, "number": number, "note": arguments["note"] });
    let (tool, key) = (tool.to_owned(), key.to_owned());
    state.ledger.push(LedgerEntry { tool: tool.clone(), key: key.clone(), arguments, is_repeat });
    if tool == tools::SET_LABEL && is_repeat {
        return state.results[&(tool, key)].clone();
    }
    state.results.insert((tool, key), new.clone());
    new
}

#[derive(Deserialize)]
struct LookUpQuery {
    key: String,
}

async fn look_up(State(shared): State<Arc<Shared>>, Query(LookUpQuery { key }): Query<LookUpQuery>) -> Response {
    shared.lock().look_ups.push(key.clone());
    shared.change.notify_waiters();
    hold(&shared, LOOK_UP, |shared| shared.lock().held.contains(LOOK_UP)).await;
    let state = shared.lock();
    if let Some(status) = state.failing.get(LOOK_UP) {
        return failed(*status);
    }
    let result = state.results.get(&(tools::BOOK_TABLE.to_owned(), key));
    Json(match result {
        Some(result) => json!({ "happened": true, "result": result }),
        None => json!({ "happened": false }),
    })
    .into_response()
}

/// Waits as long as the test holds the call; ends when the caller disconnects or the server stops.
async fn hold(shared: &Arc<Shared>, tool: &str, is_held: impl Fn(&Shared) -> bool) {
    if !is_held(shared) {
        return;
    }
    let _waiting = HeldCall::new(shared, tool);
    tokio::select! {
        () = shared.until(|| !is_held(shared)) => {}
        () = shared.stop.cancelled() => {}
    }
}

/// A held call; it counts itself.
struct HeldCall<'a> {
    shared: &'a Shared,
    tool: &'a str,
}

impl<'a> HeldCall<'a> {
    fn new(shared: &'a Shared, tool: &'a str) -> Self {
        *shared.lock().waiting.entry(tool.to_owned()).or_default() += 1;
        shared.change.notify_waiters();
        Self { shared, tool }
    }
}

impl Drop for HeldCall<'_> {
    fn drop(&mut self) {
        *self.shared.lock().waiting.entry(self.tool.to_owned()).or_default() -= 1;
        self.shared.change.notify_waiters();
    }
}

fn failed(status: u16) -> Response {
    let status = StatusCode::from_u16(status).expect("a status from 100 to 999");
    (status, Json(json!({ "message": "the world will not have it" }))).into_response()
}
