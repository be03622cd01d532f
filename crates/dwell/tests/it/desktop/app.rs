//! An app in a window, simulated by the test.

use serde_json::{Value, json};
use testkit::Socket;

use super::DesktopHarness;

/// Lets the main agent open an app; returns the token that its messages must carry.
pub(super) async fn open(harness: &DesktopHarness, window: &str, app: &str) -> String {
    harness.open(window, json!({ "type": "app", "app": app })).await;
    harness.window(window).await["app"]["token"].as_str().unwrap().to_owned()
}

/// The app's manifest: keep the last `set`, keep each `add` by its id, remove it with `drop`, and
/// remove all with `clear`.
pub(super) fn manifest() -> Value {
    json!({
        "name": "board", "description": "A board for tests.",
        "state": [{ "key": "remaining", "description": "what is left" }, { "key": "all" }],
        "commands": [
            { "name": "set", "description": "sets it", "keep": "last" },
            { "name": "add", "keep": "last", "slot": "id" },
            { "name": "drop", "keep": "clear_slot", "slot": "id" },
            { "name": "clear", "keep": "clear" },
            { "name": "blink" },
        ],
    })
}

/// Reports that the app is loaded, with its manifest.
pub(super) async fn ready(
    harness: &DesktopHarness,
    page: &mut Socket,
    window: &str,
    token: &str,
) -> Result<Value, Value> {
    let data = json!({ "session_id": harness.session, "window_id": window, "token": token, "manifest": manifest() });
    page.ask("app.ready", data).await
}

/// Sends the app's response to a request.
pub(super) async fn respond(
    harness: &DesktopHarness,
    page: &mut Socket,
    window: &str,
    token: &str,
    request_id: &Value,
    value: Value,
) -> Result<Value, Value> {
    let data = json!({
        "session_id": harness.session, "window_id": window, "token": token, "request_id": request_id, "value": value,
    });
    page.ask("app.response", data).await
}
