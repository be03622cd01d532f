//! Routes of the desktop and its apps.

use axum::{
    http::Method,
    routing::{get, post},
};
use protocol::{DesktopView, SessionView, TurnAccepted};

use super::{Route, route};
use crate::rest::desktop;

pub(super) fn of_desktop() -> Vec<Route> {
    vec![
        route(
            Method::GET,
            "/api/v1/sessions/{session_id}/desktop",
            "A session's desktop: windows, dialogs, agents, timeline.",
            || get(desktop::view),
        )
        .answers::<DesktopView>(200),
        route(
            Method::POST,
            "/api/v1/sessions/{session_id}/windows/{window_id}/messages",
            "Sends a message to the agent of a window. `Idempotency-Key` is honoured.",
            || post(desktop::message),
        )
        .takes::<desktop::WindowMessageBody>()
        .answers::<TurnAccepted>(202),
        route(
            Method::POST,
            "/api/v1/sessions/{session_id}/windows/{window_id}/actions",
            "Presses a control in a window. `Idempotency-Key` is honoured.",
            || post(desktop::act),
        )
        .takes::<protocol::WindowPress>()
        .answers::<TurnAccepted>(202),
        route(
            Method::POST,
            "/api/v1/sessions/{session_id}/interactions",
            "Reports the user's interactions with the desktop. Answers with the desktop.",
            || post(desktop::interact),
        )
        .takes::<desktop::InteractionsBody>()
        .answers::<DesktopView>(200),
        route(
            Method::POST,
            "/api/v1/sessions/{session_id}/dialogs/{dialog_id}",
            "Answers a dialog or a prompt. Answers with the desktop.",
            || post(desktop::answer),
        )
        .takes::<desktop::DialogAnswerBody>()
        .answers::<DesktopView>(200),
        route(
            Method::POST,
            "/api/v1/sessions/{session_id}/restore",
            "Restores an earlier session in a new one, with its windows or a description of them.",
            || post(desktop::restore),
        )
        .takes::<desktop::RestoreBody>()
        .answers::<SessionView>(201),
        route(Method::GET, "/apps/{app}/{file}", "A file of a bundled app, for its own frame. Needs no token.", || {
            get(desktop::app_file)
        })
        .answers_with(200, "text/html"),
    ]
}
