//! What the model does: by rule, from the mark of what it is asked, so that the same is done however often it is asked.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Reply, Request};

use super::marks::{Line, Mark, marks};
use crate::desktop::{acts, buttons, is_first, markdown};

pub(super) fn answer(request: &Request) -> Reply {
    let mark = marks(request.last_user()).next();
    let call = mark.and_then(plan).filter(|_| is_first(request));
    let reply = match call {
        Some((tool, arguments)) => acts(tool, arguments),
        None => Reply::text("That is done, all of it."),
    };
    reply.after(Duration::from_millis(2)).every(Duration::from_millis(3))
}

/// The one call by which a message is answered.
pub(super) fn plan(mark: Mark) -> Option<(&'static str, Value)> {
    let Mark { line, n, .. } = mark;
    let opens = |window: &str| {
        let content = if n % 4 == 0 { markdown(&mark.to_string()) } else { buttons(&["save", "stop"]) };
        ("window_open", json!({ "window_id": window, "title": format!("Number {n}"), "content": content }))
    };
    let changes = |window: &str, what: Value| {
        let mut arguments = json!({ "window_id": window });
        arguments.as_object_mut().unwrap().extend(what.as_object().unwrap().clone());
        ("window_change", arguments)
    };
    let asks = |more: Value| {
        let mut arguments = json!({ "title": "Which one?", "choices": ["red", "blue"] });
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ("ask_user", arguments)
    };
    let says = || ("notify", json!({ "text": format!("Number {n}."), "keep": n % 2 == 0 }));
    match (line, n % 6) {
        (Line::Main, 0 | 3) => Some(opens("a")),
        (Line::Main, 1 | 4) => Some(opens("b")),
        (Line::Main, 2) => Some(asks(json!({}))),
        (Line::Main, _) => Some(says()),
        (Line::Beside, 0 | 3) => Some(opens(&format!("c{}", n % 4))),
        (Line::Beside, 1) => Some(("window_close", json!({ "window_ids": [format!("c{}", n % 4)] }))),
        (Line::Beside, 2) => Some(asks(json!({}))),
        (Line::Beside, 4) => Some(changes("a", json!({ "x": 10 * n % 500, "show": "maximized", "focus": true }))),
        (Line::A | Line::B, 0 | 2 | 4) => {
            Some(changes(mark.window()?, json!({ "content": markdown(&mark.to_string()) })))
        }
        (Line::A | Line::B, 1) => Some(asks(json!({ "window_id": mark.window()? }))),
        (Line::A | Line::B, 3) => Some(changes(mark.window()?, json!({ "lock": n % 4 == 1 }))),
        (Line::Pressed, 0 | 3) => Some(changes(mark.window()?, json!({ "title": format!("Number {n}") }))),
        (Line::Pressed, 1 | 4) => Some(says()),
        (Line::Beside | Line::A | Line::B | Line::Pressed, _) => None,
    }
}
