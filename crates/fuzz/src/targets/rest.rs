//! REST: any body, on any route that takes one.

use std::sync::LazyLock;

use serde_json::json;

use super::{assert_answered, json_seeds};
use crate::server::SERVED;

/// A well-formed id of nothing.
const NO_ID: &str = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

/// Every route that takes a body, with ids filled in.
static ROUTES: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let described = server::openapi();
    let paths = described["paths"].as_object().expect("OpenAPI lists paths");
    let mut routes = Vec::new();
    for (path, methods) in paths {
        for method in ["post", "put", "patch", "delete"] {
            if methods.get(method).is_some() {
                routes.push((method.to_uppercase(), filled_in(path)));
            }
        }
    }
    routes
});

/// Fills in the session that the first seeds create, and unknown ids elsewhere.
fn filled_in(path: &str) -> String {
    let parts = path.split('/').map(|part| match part {
        "{session}" | "{session_id}" => "fuzzed",
        id if id.starts_with('{') => NO_ID,
        word => word,
    });
    parts.collect::<Vec<_>>().join("/")
}

/// Two bytes pick the route; the rest is the body.
pub(super) fn seeds() -> Vec<Vec<u8>> {
    let bodies = json_seeds(&[
        json!({ "conversation_id": "fuzzed", "preferences": { "title": "x" }, "budgets": { "max_steps": 3 } }),
        json!({ "message": "What is 2 + 3?", "idempotency_key": "k", "on_busy": "queue" }),
        json!({ "message": "x", "images": [{ "url": "http://127.0.0.1/x.png" }], "planner_hints": { "max_depth": 2 } }),
        json!({ "key": "diet", "value": "vegan" }),
        json!({ "text": "The boiler is from 2019.", "tags": ["house"] }),
        json!({ "title": "notes", "description": "x" }),
        json!({ "messages": [{ "role": "user", "content": "hi" }], "model": "offline", "stream": true }),
        json!({ "reason": "done", "version": 1 }),
        json!({ "decision": "once" }),
    ]);
    let routes = ROUTES.len();
    (0..routes).map(|route| [&(route as u16).to_be_bytes()[..], &bodies[route % bodies.len()]].concat()).collect()
}

pub(super) fn take(input: &[u8]) {
    let Some((route, body)) = input.split_first_chunk::<2>() else { return };
    let (method, path) = &ROUTES[usize::from(u16::from_be_bytes(*route)) % ROUTES.len()];
    let status = SERVED.request(method, path, "Content-Type: application/json\r\n", body);
    assert_answered(status, &format!("{method} {path}"));
}
