//! The model: its reply depends only on the mark in the message, so it does the same however often
//! it is asked.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Reply, Request};

use super::marks::{MessageMark, TrafficLine, marks};
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

/// The tool call with which the model answers a message.
pub(super) fn plan(mark: MessageMark) -> Option<(&'static str, Value)> {
    let MessageMark { line, n, .. } = mark;
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
        (TrafficLine::Main, 0 | 3) => Some(opens("a")),
        (TrafficLine::Main, 1 | 4) => Some(opens("b")),
        (TrafficLine::Main, 2) => Some(asks(json!({}))),
        (TrafficLine::Main, _) => Some(says()),
        (TrafficLine::Beside, 0 | 3) => Some(opens(&format!("c{}", n % 4))),
        (TrafficLine::Beside, 1) => Some(("window_close", json!({ "window_ids": [format!("c{}", n % 4)] }))),
        (TrafficLine::Beside, 2) => Some(asks(json!({}))),
        (TrafficLine::Beside, 4) => {
            Some(changes("a", json!({ "x": 10 * n % 500, "show": "maximized", "focus": true })))
        }
        (TrafficLine::A | TrafficLine::B, 0 | 2 | 4) => {
            Some(changes(mark.window()?, json!({ "content": markdown(&mark.to_string()) })))
        }
        (TrafficLine::A | TrafficLine::B, 1) => Some(asks(json!({ "window_id": mark.window()? }))),
        (TrafficLine::A | TrafficLine::B, 3) => Some(changes(mark.window()?, json!({ "lock": n % 4 == 1 }))),
        (TrafficLine::Pressed, 0 | 3) => Some(changes(mark.window()?, json!({ "title": format!("Number {n}") }))),
        (TrafficLine::Pressed, 1 | 4) => Some(says()),
        (TrafficLine::Beside | TrafficLine::A | TrafficLine::B | TrafficLine::Pressed, _) => None,
    }
}
