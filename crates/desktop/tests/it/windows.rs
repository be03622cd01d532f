//! Windows are opened, changed and closed.

use std::sync::Arc;

use ports::ToolFailure;
use protocol::{Action, AgentId, Bounds, LockHolder, Origin, TurnId, Window, WindowContent};
use serde_json::json;

use crate::recording_desktop::{DesktopCall, RecordingDesktop, id, window};

fn desktop(windows: Vec<Window>) -> Arc<RecordingDesktop> {
    Arc::new(RecordingDesktop::new(windows))
}

#[tokio::test]
async fn a_window_opens_with_what_was_said_and_what_was_not() {
    let desktop = desktop(vec![window("a"), window("b")]);
    let arguments = json!({
        "window_id": "sales",
        "title": " Sales ",
        "content": {"type": "markdown", "text": "![x](https://x.org/a.png)"},
        "y": 900,
    });
    assert_eq!(desktop.value("window_open", arguments).await, json!({"window_id": "sales"}));
    let expected = Action::Create {
        window_id: id("sales"),
        group: None,
        title: "Sales".to_owned(),
        bounds: Bounds { x: 160, y: 900, width: 2_600, height: 2_400 },
        content: WindowContent::Markdown { text: "[x](https://x.org/a.png)".to_owned() },
        origin: Origin::Trusted,
        token: None,
    };
    assert_eq!(desktop.acted(), [expected]);
}

#[tokio::test]
async fn a_name_comes_of_the_title_and_is_the_same_when_the_call_is_run_again() {
    let desktop = desktop(Vec::new());
    let open = |key: &'static str| {
        let arguments = json!({"title": "Sales 2024", "content": {"type": "text", "text": ""}});
        let desktop = desktop.clone();
        async move {
            let output = desktop.call_as("window_open", arguments, key, Origin::Untrusted).await.unwrap();
            assert_eq!(output.origin, Origin::Trusted, "the answer is our own words");
            output.value["window_id"].as_str().unwrap().to_owned()
        }
    };
    let first = open("call-1").await;
    desktop.windows.lock().unwrap().push(window(&first));
    assert_eq!(open("call-1").await, first);
    assert_ne!(open("call-2").await, first, "two windows of the same title");
    assert!(first.starts_with("sales-2024-"), "{first}");
    let done = desktop.done.lock().unwrap();
    assert_eq!(done[0], done[1], "the same bounds, too");
    let DesktopCall::Acted(_, actions) = &done[0] else { panic!("{done:?}") };
    assert!(matches!(actions[0], Action::Create { origin: Origin::Untrusted, .. }), "whose words they may be is kept");
}

#[tokio::test]
async fn what_cannot_be_opened_is_refused_by_name() {
    let desktop = desktop(Vec::new());
    let text = json!({"type": "text", "text": ""});
    for (arguments, why) in [
        (json!({"title": " ", "content": text}), "`title` has 1 to 120 characters"),
        (json!({"title": "a\nb", "content": text}), "`title` has 1 to 120 characters"),
        (json!({"title": "a", "window_id": "My Window", "content": text}), "`window_id`: a window's name"),
        (json!({"title": "a", "content": text, "x": -5}), "`x` is -5"),
        (json!({"title": "a", "content": text, "width": 10}), "`width` is 10"),
        (json!({"title": "a", "content": text, "colour": "red"}), "`colour`"),
        (json!({"title": "a"}), "`content`"),
        (json!({"title": "a", "content": "words"}), "content: has to be an object"),
        (
            json!({"title": "a", "content": {"type": "components", "components": [{"type": "button", "label": "Go"}]}}),
            "content.components[0]: a button needs `action`",
        ),
        (json!({"title": "a", "content": {"type": "app", "app": "doom"}}), "content.app: there is no app `doom`"),
    ] {
        let refusal = desktop.refusal("window_open", arguments).await;
        assert!(refusal.contains(why), "{refusal}");
    }
    assert!(desktop.done.lock().unwrap().is_empty());
}

#[tokio::test]
async fn several_changes_are_one_act_in_an_order_that_is_allowed() {
    let desktop = desktop(vec![window("notes")]);
    let arguments = json!({
        "window_id": "notes", "title": "New", "content": {"type": "text", "text": "t"}, "x": 0, "height": 500,
        "show": "maximized", "focus": true, "lock": true,
    });
    assert_eq!(desktop.value("window_change", arguments).await, json!({"window_id": "notes", "changes": 7}));
    let (window_id, origin) = (|| id("notes"), Origin::Trusted);
    let holder = LockHolder::Agent(AgentId::main());
    let content = WindowContent::Text { text: "t".to_owned() };
    let expected = [
        Action::Lock { window_id: window_id(), holder },
        Action::Move { window_id: window_id(), x: 0, y: 20 },
        Action::Resize { window_id: window_id(), width: 1_000, height: 500 },
        Action::Title { window_id: window_id(), title: "New".to_owned(), origin },
        Action::Content { window_id: window_id(), content, origin, token: None },
        Action::Maximize { window_id: window_id() },
        Action::Focus { window_id: window_id() },
    ];
    assert_eq!(desktop.acted(), expected);
}

#[tokio::test]
async fn a_window_is_shown_again_before_it_moves_and_let_go_last() {
    let desktop = desktop(vec![window("notes")]);
    desktop
        .value("window_change", json!({"window_id": "notes", "x": 1, "y": 2, "show": "normal", "lock": false}))
        .await;
    let window_id = id("notes");
    let expected = [
        Action::Restore { window_id: window_id.clone() },
        Action::Move { window_id: window_id.clone(), x: 1, y: 2 },
        Action::Unlock { window_id },
    ];
    assert_eq!(desktop.acted(), expected);
}

#[tokio::test]
async fn what_cannot_be_changed_is_refused_by_name() {
    let desktop = desktop(vec![window("notes"), window("chart")]);
    for (arguments, why) in [
        (json!({"window_id": "notes"}), "nothing to change: give `title`"),
        (json!({"window_id": "notes", "focus": false}), "nothing to change"),
        (json!({"window_id": "No", "title": "x"}), "`window_id`: a window's name"),
        (json!({"window_id": "other", "x": 1}), "no window `other` on this monitor; open are notes, chart"),
        (json!({"window_id": "notes", "show": "hidden"}), "`show` is normal, minimized or maximized"),
        (json!({"window_id": "notes", "title": ""}), "`title` has 1 to 120"),
        (json!({"window_id": "notes", "content": {"type": "text"}}), "content: text content needs `text`"),
        (json!({"title": "x"}), "`window_id`"),
    ] {
        let refusal = desktop.refusal("window_change", arguments).await;
        assert!(refusal.contains(why), "{refusal}");
    }
    assert!(desktop.done.lock().unwrap().is_empty());
}

#[tokio::test]
async fn what_the_desktop_refuses_the_model_reads() {
    let desktop = desktop(vec![window("notes")]);
    let locked = ToolFailure::Failed("`notes` is locked by the user".to_owned());
    *desktop.refusal.lock().unwrap() = Some(locked.clone());
    assert_eq!(desktop.call("window_change", json!({"window_id": "notes", "title": "x"})).await, Err(locked));
}

#[tokio::test]
async fn windows_are_closed_together() {
    let desktop = desktop(Vec::new());
    let closed = desktop.value("window_close", json!({"window_ids": ["a", "b", "a"]})).await;
    assert_eq!(closed, json!({"closed": ["a", "b"]}));
    assert_eq!(desktop.acted(), ["a", "b"].map(|name| Action::Close { window_id: id(name) }));
    for (arguments, why) in [
        (json!({"window_ids": []}), "`window_ids` names 1 to 50 windows"),
        (json!({"window_ids": ["a", "B"]}), "`window_ids[1]`: a window's name"),
    ] {
        let refusal = desktop.refusal("window_close", arguments).await;
        assert!(refusal.contains(why), "{refusal}");
    }
}

#[tokio::test]
async fn a_word_is_said_in_passing_or_stays() {
    for (arguments, shown, expected) in [
        (json!({"text": "Saved"}), "toast", json!({"type": "toast.show", "text": "Saved", "level": "plain"})),
        (
            json!({"text": "all of it", "title": "Saved", "level": "success", "keep": false}),
            "toast",
            json!({"type": "toast.show", "text": "Saved: all of it", "level": "success"}),
        ),
        (
            json!({"text": "Look at the oven", "title": "Dinner", "level": "warning", "keep": true}),
            "notification",
            json!({"type": "notification.show", "title": "Dinner", "text": "Look at the oven", "level": "warning"}),
        ),
        (
            json!({"text": "Dinner", "keep": true}),
            "notification",
            json!({"type": "notification.show", "title": "Dinner", "text": "", "level": "plain"}),
        ),
    ] {
        let desktop = desktop(Vec::new());
        assert_eq!(desktop.value("notify", arguments).await, json!({"shown": shown}));
        let mut told = serde_json::to_value(&desktop.acted()[0]).unwrap();
        told.as_object_mut().unwrap().remove("toast_id").unwrap();
        assert_eq!(told, expected);
    }
}

#[tokio::test]
async fn the_same_call_shows_the_same_toast() {
    let desktop = desktop(Vec::new());
    for key in ["1", "1", "2"] {
        desktop.call_as("notify", json!({"text": "x"}), key, Origin::Trusted).await.unwrap();
    }
    let done = desktop.done.lock().unwrap();
    assert_eq!(done[0], done[1]);
    let toast_id = |done: &DesktopCall| match done {
        DesktopCall::Acted(_, actions) => match &actions[0] {
            Action::Toast(toast) => toast.toast_id,
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    };
    assert_ne!(toast_id(&done[1]), toast_id(&done[2]));
}

#[tokio::test]
async fn what_cannot_be_said_is_refused_by_name() {
    let desktop = desktop(Vec::new());
    for (arguments, why) in [
        (json!({"text": " "}), "`text` has 0 characters"),
        (json!({"text": "x".repeat(301)}), "`text` has 301 characters, and has to have 1 to 300"),
        (json!({"text": "x".repeat(2_001), "keep": true}), "1 to 2000"),
        (json!({"text": "x", "level": "loud"}), "`level` is plain, info"),
        (json!({"text": "x", "title": ""}), "`title`"),
    ] {
        let refusal = desktop.refusal("notify", arguments).await;
        assert!(refusal.contains(why), "{refusal}");
    }
}

#[tokio::test]
async fn an_earlier_turn_is_done_once_more() {
    let turn_id = TurnId::from_bytes([7; 16]);
    let replayed = |actions: Vec<Action>| Arc::new(RecordingDesktop::that_replays(actions));
    let closed = Action::Close { window_id: id("a") };
    let desktop = replayed(vec![closed.clone()]);
    let output = desktop.call("desktop_replay", json!({"turn_id": turn_id})).await.unwrap();
    assert_eq!((output.value, output.origin), (json!({"done": "Closed \"a\"."}), Origin::Trusted));
    assert_eq!(*desktop.done.lock().unwrap(), [DesktopCall::Replayed("call-1".to_owned(), turn_id)]);

    let title = Action::Title { window_id: id("a"), title: "from the web".to_owned(), origin: Origin::Untrusted };
    let desktop = replayed(vec![closed, title]);
    let output = desktop.call("desktop_replay", json!({"turn_id": turn_id})).await.unwrap();
    assert_eq!(output.origin, Origin::Untrusted, "it quotes a stranger's title");

    let refusal = desktop.refusal("desktop_replay", json!({"turn_id": "the last"})).await;
    assert!(refusal.contains("`turn_id`: `the last` is not a ULID"), "{refusal}");
}
