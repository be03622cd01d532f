//! Events of a desktop as the journal stores them and clients receive them.

use protocol::{Body, ClientBody};
use serde_json::{Value, json};

const TURN: &str = "01HF7YAT00TESTTVRNAAAAAAAA";
const OTHER: &str = "01HF7YAT00TESTTVRNBBBBBBBB";
const THING: &str = "01HF7YAT00TESTTH1NGAAAAAAA";

/// Every kind of action, with all fields set.
fn actions() -> Vec<Value> {
    let bounds = json!({ "x": 40, "y": 40, "width": 640, "height": 480 });
    let of = |name: &str| json!({ "type": name, "window_id": "settings" });
    let dialog = json!({
        "dialog_id": THING, "turn_id": TURN, "monitor_id": "work", "window_id": "settings", "title": "Really?",
        "text": "It cannot be undone.", "form": { "choices": [{ "value": "yes", "label": "Yes" }] },
        "expires_at": "2023-11-14T22:13:20.000Z"
    });
    let mut prompt = dialog.clone();
    prompt["form"] =
        json!({ "fields": [{ "type": "input", "name": "name", "label": "Name", "value": "", "placeholder": "" }] });
    let with = |mut value: Value, name: &str| {
        value["type"] = json!(name);
        value
    };
    vec![
        json!({
            "type": "window.create", "window_id": "clock", "group": "settings", "title": "Clock", "bounds": bounds,
            "content": { "type": "app", "app": "timer", "params": { "seconds": 60 } }, "origin": "trusted", "token": "t"
        }),
        of("window.close"),
        of("window.focus"),
        json!({ "type": "window.move", "window_id": "settings", "x": 1, "y": 2 }),
        json!({ "type": "window.resize", "window_id": "settings", "width": 300, "height": 200 }),
        of("window.minimize"),
        of("window.maximize"),
        of("window.restore"),
        json!({ "type": "window.title", "window_id": "settings", "title": "Settings", "origin": "untrusted" }),
        json!({
            "type": "window.content", "window_id": "settings", "origin": "trusted",
            "content": { "type": "table", "columns": ["a"], "rows": [[1], ["x"], [null]] }
        }),
        json!({ "type": "window.lock", "window_id": "settings", "holder": { "agent": "main" } }),
        of("window.unlock"),
        json!({
            "type": "toast.show", "toast_id": THING, "text": "Saved.", "level": "success", "replay_of": OTHER,
            "button": { "label": "Didn't work", "action": "didnt_work" }
        }),
        json!({ "type": "notification.show", "toast_id": THING, "title": "Done", "text": "All of it.", "level": "info" }),
        with(dialog, "dialog.show"),
        with(prompt, "prompt.show"),
        json!({ "type": "monitor.add", "monitor_id": "work" }),
        json!({ "type": "monitor.remove", "monitor_id": "work" }),
    ]
}

/// Every kind of content.
fn contents() -> Vec<Value> {
    let components = json!([
        { "type": "text", "text": "Hello" },
        { "type": "button", "label": "Save", "action": "save", "parallel": true, "tone": "success" },
        { "type": "select", "name": "size", "label": "Size", "options": [{ "value": "s", "label": "Small" }], "value": "s" },
        { "type": "checkbox", "name": "loud", "label": "Loud", "checked": true },
        { "type": "badge", "text": "new", "tone": "info" },
        { "type": "progress", "label": "Loading", "percent": 40.0 },
        { "type": "image", "source": "artifact:01HF7YAT00TESTTH1NGAAAAAAA", "alt": "A cat" },
        { "type": "form", "name": "f", "components": [
            { "type": "input", "name": "name", "label": "Name", "value": "", "placeholder": "", "multiline": true }
        ] },
        { "type": "columns", "columns": [[{ "type": "text", "text": "left" }], []] }
    ]);
    vec![
        json!({ "type": "markdown", "text": "# Hi" }),
        json!({ "type": "html", "html": "<b>Hi</b>" }),
        json!({ "type": "text", "text": "Hi" }),
        json!({ "type": "chart", "kind": "bar", "labels": ["a"], "series": [{ "name": "n", "values": [1.5] }] }),
        json!({ "type": "components", "columns": 2, "components": components }),
    ]
}

fn bodies() -> Vec<Value> {
    let app = json!({ "name": "put", "arguments": { "id": 1 } });
    let mut all = vec![
        json!({ "type": "actions", "data": { "monitor_id": "work", "actions": actions(), "key": "k", "replay_of": OTHER } }),
        json!({ "type": "user.interaction", "data": { "monitor_id": "work", "interactions": [
            { "type": "window.move", "window_id": "settings", "x": 1, "y": 2 },
            { "type": "window.draw", "window_id": "settings", "text": "a circle" },
            { "type": "app.interaction", "window_id": "clock", "text": "wrote a note", "did": app }
        ] } }),
        json!({ "type": "window.agent", "data": { "window_id": "settings", "agent_id": "window-settings@work", "status": "assigned" } }),
        json!({ "type": "render.feedback", "data": { "window_id": "settings", "monitor_id": "work", "error": "no such chart" } }),
        json!({ "type": "dialog.answered", "data": { "dialog_id": THING, "answer": { "chosen": "yes" }, "by": "owner" } }),
        json!({ "type": "toast.action", "data": { "toast_id": THING, "action": "didnt_work", "replay_of": OTHER } }),
        json!({ "type": "app.ready", "data": { "window_id": "clock", "manifest": {
            "name": "Notes", "description": "A board.", "state": [{ "key": "count", "description": "how many" }],
            "commands": [{ "name": "put", "description": "a note", "input": {}, "keep": "last", "slot": "id" }]
        } } }),
        json!({ "type": "app.request", "data": {
            "request_id": THING, "window_id": "clock", "request": { "type": "command", "name": "put", "arguments": { "id": 1 } },
            "expires_at": "2023-11-14T22:13:20.000Z"
        } }),
        json!({ "type": "app.answered", "data": { "request_id": THING, "window_id": "clock", "outcome": { "ok": 3 } } }),
        json!({ "type": "session.restored", "data": {
            "session_id": THING, "windows": "summarized", "summary": "One window.", "origin": "untrusted"
        } }),
    ];
    all.extend(contents().into_iter().map(|content| {
        let action =
            json!({ "type": "window.content", "window_id": "settings", "content": content, "origin": "trusted" });
        json!({ "type": "actions", "data": { "actions": [action] } })
    }));
    all
}

#[test]
fn every_event_of_the_desktop_keeps_its_form() {
    for value in bodies() {
        let body: Body = serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{error}: {value}"));
        assert_eq!(serde_json::to_value(&body).unwrap(), value, "what is read is what is written");
    }
}

#[test]
fn what_is_no_content_is_refused_by_name() {
    let read = |content: Value| {
        let action = json!({ "type": "window.content", "window_id": "w", "content": content });
        serde_json::from_value::<protocol::Action>(action).map_err(|error| error.to_string())
    };
    assert!(read(json!({ "type": "video", "text": "x" })).unwrap_err().contains("video"));
    assert!(read(json!({ "type": "markdown", "text": "x", "colour": "red" })).unwrap_err().contains("colour"));
}

#[test]
fn what_users_and_apps_send_is_read() {
    let session = "01HF7YAT00TESTSESS10NAAAAA";
    for (kind, mut data) in [
        ("desktop.get", json!({})),
        ("session.restore", json!({ "windows": "summarized", "key": "again" })),
        ("window.message", json!({ "window_id": "w", "content": "hi" })),
        ("window.action", json!({ "window_id": "w", "action": "save", "form_data": { "a": "1" }, "parallel": true })),
        ("user.interaction", json!({ "interactions": [{ "type": "window.close", "window_id": "w" }] })),
        ("render.feedback", json!({ "window_id": "w", "ok": false, "error": "x" })),
        ("dialog.answer", json!({ "dialog_id": THING, "choice": "yes" })),
        ("prompt.answer", json!({ "dialog_id": THING, "values": { "name": "Ada" } })),
        ("toast.action", json!({ "toast_id": THING, "action": "dismiss" })),
        ("app.ready", json!({ "window_id": "w", "token": "t", "manifest": { "name": "x" } })),
        ("app.response", json!({ "window_id": "w", "token": "t", "request_id": THING, "value": 1 })),
        ("monitor.subscribe", json!({ "monitor_id": "work" })),
        ("monitor.remove", json!({ "monitor_id": "work" })),
    ] {
        data["session_id"] = json!(session);
        let message = json!({ "type": kind, "data": data });
        serde_json::from_value::<ClientBody>(message).unwrap_or_else(|error| panic!("{kind}: {error}"));
    }
}

/// `format_1.ndjson` contains these lines.
#[test]
fn the_first_form_is_among_those_that_always_load() {
    let kept: Vec<Value> =
        include_str!("format_1.ndjson").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for body in bodies() {
        assert!(kept.contains(&body), "{body}");
    }
}
