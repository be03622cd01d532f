//! Routes of the desktop and its apps.

use axum::{
    http::Method,
    routing::{get, post},
};
use protocol::{Accepted, DesktopView, SessionView};

use super::{Route, route};
use crate::rest::desktop;

pub(super) fn of_desktop() -> Vec<Route> {
    vec![
        route(
            Method::GET,
            "/api/v1/sessions/{session_id}/desktop",
            "A session's desktop as it stands: windows, questions, agents, timeline.",
            || get(desktop::view),
        )
        .answers::<DesktopView>(200),
        route(
            Method::POST,
            "/api/v1/sessions/{session_id}/windows/{window_id}/messages",
            "Says something to the agent of a window. `Idempotency-Key` is honoured.",
            || post(desktop::message),
        )
        .takes::<desktop::Said>()
        .answers::<Accepted>(202),
        route(
            Method::POST,
            "/api/v1/sessions/{session_id}/windows/{window_id}/actions",
            "Presses something in a window. `Idempotency-Key` is honoured.",
            || post(desktop::act),
        )
        .takes::<protocol::WindowAct>()
        .answers::<Accepted>(202),
        route(
            Method::POST,
            "/api/v1/sessions/{session_id}/interactions",
            "Tells what the user did on the desktop. Answers with the desktop.",
            || post(desktop::interact),
        )
        .takes::<desktop::Done>()
        .answers::<DesktopView>(200),
        route(
            Method::POST,
            "/api/v1/sessions/{session_id}/dialogs/{dialog_id}",
            "Answers a dialog or a prompt. Answers with the desktop.",
            || post(desktop::answer),
        )
        .takes::<desktop::Reply>()
        .answers::<DesktopView>(200),
        route(
            Method::POST,
            "/api/v1/sessions/{session_id}/restore",
            "An earlier session goes on in a new one, with its windows or with what they were in words.",
            || post(desktop::restore),
        )
        .takes::<desktop::RestoreBody>()
        .answers::<SessionView>(201),
        route(
            Method::GET,
            "/apps/{app}/{file}",
            "A file of an app that comes with Dwell, for a frame of its own. Needs no token.",
            || get(desktop::app_file),
        )
        .answers_with(200, "text/html"),
    ]
}
