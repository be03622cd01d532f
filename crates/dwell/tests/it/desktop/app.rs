//! The app in a window, played by a test.

use serde_json::{Value, json};
use testkit::Socket;

use super::Desk;

/// Lets the main agent open an app; gives what its messages have to carry.
pub(super) async fn open(desk: &Desk, window: &str, app: &str) -> String {
    desk.open(window, json!({ "type": "app", "app": app })).await;
    desk.window(window).await["app"]["token"].as_str().unwrap().to_owned()
}

/// What the app says it can do: keep the last `set`, keep each `add` by its id, forget it with `drop`, and forget all.
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

/// The app is loaded and says what it can do.
pub(super) async fn ready(desk: &Desk, page: &mut Socket, window: &str, token: &str) -> Result<Value, Value> {
    let data = json!({ "session_id": desk.session, "window_id": window, "token": token, "manifest": manifest() });
    page.ask("app.ready", data).await
}

/// The app answers.
pub(super) async fn respond(
    desk: &Desk,
    page: &mut Socket,
    window: &str,
    token: &str,
    request_id: &Value,
    value: Value,
) -> Result<Value, Value> {
    let data = json!({
        "session_id": desk.session, "window_id": window, "token": token, "request_id": request_id, "value": value,
    });
    page.ask("app.response", data).await
}
