//! Windows that agents open and change: their content, their position, and what is refused.

use serde_json::{Value, json};
use testkit::Reply;

use super::{DesktopHarness, acts, asked, markdown, opens};
use crate::harness::{last, steps};

/// The main agent calls a tool; returns the result that it gets.
async fn calls(harness: &DesktopHarness, tool: &str, arguments: Value) -> Value {
    let number = harness.model.requests().len();
    let turn = harness.doing(&format!("Do what comes at number {number}."), [acts(tool, arguments)]).await;
    assert_eq!(turn["status"], "completed", "{turn}");
    steps(&turn, "tool_result")[0].clone()
}

#[track_caller]
fn assert_told(result: &Value, words: &str) {
    let told = result["content"].as_str().unwrap();
    assert!(result["status"] == "error" && told.contains(words), "{result}");
}

#[tokio::test]
async fn every_kind_of_content_is_shown_as_it_was_written() {
    let harness = DesktopHarness::start().await;
    let components = json!([
        { "type": "text", "text": "Which?" },
        { "type": "columns", "columns": [
            [{ "type": "badge", "text": "new", "tone": "info" }],
            [{ "type": "progress", "label": "so far", "percent": 40.0 }],
        ] },
        { "type": "form", "name": "order", "components": [
            { "type": "input", "name": "who", "label": "Who", "value": "", "placeholder": "a name" },
            { "type": "select", "name": "size", "label": "Size", "options": [{ "value": "s", "label": "small" }] },
            { "type": "checkbox", "name": "gift", "label": "A gift", "checked": true },
            { "type": "button", "label": "Order", "action": "order", "tone": "success" },
        ] },
    ]);
    let contents = [
        json!({ "type": "markdown", "text": "# Hello" }),
        json!({ "type": "text", "text": "Hello <b>there</b>" }),
        json!({ "type": "html", "html": "<p>Hello</p>" }),
        json!({ "type": "table", "columns": ["name", "age"], "rows": [["Ada", 36], [null, true]] }),
        json!({ "type": "chart", "kind": "bar", "labels": ["a"], "series": [{ "name": "n", "values": [1.5] }] }),
        json!({ "type": "components", "columns": 2, "components": components }),
        json!({ "type": "app", "app": "notes", "params": { "title": "Board" } }),
    ];
    for content in contents {
        let name = content["type"].as_str().unwrap();
        harness.open(name, content.clone()).await;
        let window = harness.window(name).await;
        assert_eq!(
            (&window["content"], &window["opened_by"], &window["group"]),
            (&content, &json!("main"), &json!(name))
        );
        assert_eq!(window["app"].is_null(), name != "app", "only an app has a token");
    }
    let desktop = harness.desktop().await;
    assert_eq!((desktop["windows"].as_array().unwrap().len(), &desktop["monitors"][0]["focused"]), (7, &json!("app")));
}

#[tokio::test]
async fn html_comes_without_anything_that_acts_or_loads() {
    let harness = DesktopHarness::start().await;
    let html = r#"<p onclick="steal()">Hello <a href="javascript:alert(1)">there</a></p><script>alert(1)</script>
        <img src="https://tracker.example/x.png" alt="spy"><iframe src="https://evil.example"></iframe>
        <form action="https://evil.example"><input name="password"></form><style>body { display: none }</style>"#;
    harness.open("page", json!({ "type": "html", "html": html })).await;
    harness.open("note", markdown("Hello <script>alert(1)</script> ![spy](https://tracker.example/x.png)")).await;
    let log = harness.rest.log(&harness.session).await;
    let actions: String = log.iter().filter(|it| it["type"] == "actions").map(Value::to_string).collect();
    let shown = harness.window("page").await["content"]["html"].as_str().unwrap().to_owned();
    assert!(shown.contains("Hello") && shown.contains("there"), "{shown}");
    for word in ["onclick", "javascript:", "<script", "evil.example", "<form", "<input", "<style"] {
        assert!(!shown.contains(word) && !actions.contains(word), "{word}: {shown}");
    }
    assert!(!shown.contains("src=\"https"), "{shown}");
    let note = harness.window("note").await["content"]["text"].as_str().unwrap().to_owned();
    assert!(!note.contains("<script") && !note.contains("![spy](https"), "{note}");
}

#[tokio::test]
async fn wrong_content_is_refused_with_its_place_and_nothing_opens() {
    let harness = DesktopHarness::start().await;
    let button = json!({ "type": "components", "components": [{ "type": "text", "text": "x" }, { "type": "button", "label": "Go" }] });
    let short =
        json!({ "type": "chart", "kind": "bar", "labels": ["a", "b"], "series": [{ "name": "n", "values": [1] }] });
    for (content, told) in [
        (json!({ "type": "poem", "text": "x" }), "content.type: there is no content `poem`"),
        (json!({ "type": "markdown" }), "content: markdown content needs `text`"),
        (button, "content.components[1]: a button needs `action`"),
        (short, "content.series[0]"),
        (json!({ "type": "table", "columns": ["a"], "rows": [[1], [1, 2]] }), "content.rows[1]"),
        (json!({ "type": "app", "app": "chess" }), "content.app: there is no app `chess`; there are timer, notes"),
    ] {
        let result =
            calls(&harness, "window_open", json!({ "window_id": "a", "title": "A", "content": content })).await;
        assert_told(&result, told);
    }
    let open = |more: Value| {
        let mut arguments = json!({ "window_id": "a", "title": "A", "content": markdown("x") });
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        arguments
    };
    for (arguments, told) in [
        (open(json!({ "x": -5 })), "`x` is -5"),
        (open(json!({ "width": 10 })), "`width` is 10"),
        (open(json!({ "x": 7000, "width": 900 })), "`x` and `width` are 7900 together"),
        (open(json!({ "title": "" })), "`title` has 1 to 120 characters"),
        (open(json!({ "window_id": "Not A Name" })), "`window_id`"),
    ] {
        assert_told(&calls(&harness, "window_open", arguments).await, told);
    }
    assert_eq!(harness.desktop().await["windows"], json!([]));
}

#[tokio::test]
async fn places_are_chosen_or_taken_and_windows_change_whole_or_not_at_all() {
    let harness = DesktopHarness::start().await;
    let placed = json!({ "window_id": "a", "title": "A", "content": markdown("x"), "x": 100, "y": 200, "width": 900, "height": 800 });
    calls(&harness, "window_open", placed).await;
    assert_eq!(harness.window("a").await["bounds"], json!({ "x": 100, "y": 200, "width": 900, "height": 800 }));
    let named = calls(&harness, "window_open", json!({ "title": "Sales, 2024", "content": markdown("y") })).await;
    let named: Value = serde_json::from_str(named["content"].as_str().unwrap()).unwrap();
    let name = named["window_id"].as_str().unwrap();
    assert!(name.starts_with("sales-2024-") && !harness.window(name).await.is_null(), "{name}");

    let change = json!({ "window_id": "a", "title": "B", "content": markdown("z"), "x": 300, "width": 1000, "show": "maximized", "focus": true });
    assert_eq!(calls(&harness, "window_change", change).await["status"], "ok");
    let window = harness.window("a").await;
    assert_eq!(window["bounds"], json!({ "x": 300, "y": 200, "width": 1000, "height": 800 }));
    assert_eq!(
        (&window["title"], &window["content"]["text"], &window["state"]),
        (&json!("B"), &json!("z"), &json!("maximized"))
    );
    assert_eq!(harness.desktop().await["monitors"][0]["focused"], "a");

    let half = json!({ "window_id": "a", "title": "C", "x": 7000 });
    assert_told(&calls(&harness, "window_change", half).await, "would be 1000x800 at 7000,200");
    assert_told(&calls(&harness, "window_change", json!({ "window_id": "a" })).await, "nothing to change");
    assert_told(
        &calls(&harness, "window_change", json!({ "window_id": "c", "title": "C" })).await,
        "there is no window `c`",
    );
    assert_eq!(harness.window("a").await, window, "nothing of it is done");
    assert_told(&calls(&harness, "window_close", json!({ "window_ids": ["a", "c"] })).await, "there is no window `c`");
    assert!(!harness.window("a").await.is_null());
    assert_eq!(calls(&harness, "window_close", json!({ "window_ids": ["a", name] })).await["status"], "ok");
    assert_eq!(harness.desktop().await["windows"], json!([]));
}

#[tokio::test]
async fn agents_see_what_is_open_and_what_it_shows() {
    let harness = DesktopHarness::start().await;
    harness.open("a", markdown("The word is tulip.")).await;
    harness.open("clock", json!({ "type": "app", "app": "timer" })).await;
    let seen = calls(&harness, "desktop_look", json!({})).await;
    let seen: Value = serde_json::from_str(seen["content"].as_str().unwrap()).unwrap();
    let names: Vec<&Value> = seen["windows"].as_array().unwrap().iter().map(|it| &it["window_id"]).collect();
    assert_eq!((names, &seen["focused"]), (vec![&json!("a"), &json!("clock")], &json!("clock")));
    assert!(seen["windows"][0].get("content").is_none(), "a list, not all they show: {seen}");
    let close = calls(&harness, "desktop_look", json!({ "window_id": "a" })).await;
    let close: Value = serde_json::from_str(close["content"].as_str().unwrap()).unwrap();
    assert_eq!(close["windows"][0]["content"], markdown("The word is tulip."));
    let app = calls(&harness, "desktop_look", json!({ "window_id": "clock" })).await;
    assert!(!app["content"].as_str().unwrap().contains("token"), "the token of an app is not shown: {app}");
    assert_told(&calls(&harness, "desktop_look", json!({ "window_id": "b" })).await, "there is no window `b`");
    assert!(
        asked(&last(&harness.model)).contains("- clock \"The clock\" (app timer, in front)"),
        "and without looking"
    );
}

#[tokio::test]
async fn what_is_announced_stays_or_goes() {
    let harness = DesktopHarness::start().await;
    calls(&harness, "notify", json!({ "text": "Tea is ready.", "level": "success" })).await;
    calls(&harness, "notify", json!({ "text": "The oven is on.", "title": "Mind", "keep": true, "level": "warning" }))
        .await;
    let desktop = harness.desktop().await;
    assert_eq!(
        (&desktop["toasts"][0]["text"], &desktop["toasts"][0]["level"]),
        (&json!("Tea is ready."), &json!("success"))
    );
    let notification = &desktop["notifications"][0];
    assert_eq!((&notification["title"], &notification["text"]), (&json!("Mind"), &json!("The oven is on.")));
    let mut socket = harness.server.socket().await;
    for toast in [&desktop["toasts"][0], notification] {
        let ask =
            |action: &str| json!({ "session_id": harness.session, "toast_id": toast["toast_id"], "action": action });
        assert_eq!(socket.ask("toast.action", ask("explode")).await.unwrap_err()["code"], "invalid_request");
        socket.ask("toast.action", ask("dismiss")).await.unwrap();
    }
    let desktop = harness.desktop().await;
    assert_eq!((&desktop["toasts"], &desktop["notifications"]), (&json!([]), &json!([])));
    assert_told(&calls(&harness, "notify", json!({ "text": "x".repeat(301) })).await, "has to have 1 to 300");
}

#[tokio::test]
async fn what_the_user_does_to_windows_is_held_within_the_desktop_and_told_once() {
    let harness = DesktopHarness::start().await;
    harness.open("a", markdown("x")).await;
    let drag = |x: u32| json!({ "type": "window.move", "window_id": "a", "x": x, "y": 4 });
    harness.does(json!([drag(10), drag(20), { "type": "window.focus", "window_id": "a" }, drag(99_999)])).await;
    harness.does(json!([{ "type": "window.resize", "window_id": "a", "width": 1, "height": 1 }])).await;
    let bounds = harness.window("a").await["bounds"].clone();
    assert_eq!((&bounds["width"], &bounds["height"]), (&json!(120), &json!(80)));
    assert!(bounds["x"].as_u64().unwrap() + 120 <= 7_680, "{bounds}");
    harness.say("What is new?").await;
    let told = asked(&last(&harness.model));
    assert_eq!(
        (told.matches("move:a").count(), told.matches("focus:a").count()),
        (1, 1),
        "only the last counts: {told}"
    );
    let path = format!("/api/v1/sessions/{}/interactions", harness.session);
    let gone = json!({ "interactions": [{ "type": "window.focus", "window_id": "nowhere" }] });
    assert_eq!(harness.rest.post(&path, gone).await.code(404), "not_found");
    harness.model.push(opens("b", markdown("y")));
    harness.model.push(Reply::text("Done."));
    harness.say("Open the window named b.").await;
    assert_eq!(harness.desktop().await["monitors"][0]["focused"], "b");
}
