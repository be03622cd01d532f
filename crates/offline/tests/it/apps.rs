//! The offline model opens the built-in apps.

use serde_json::{Value, json};

use crate::offline::{answered, asked, hear};

#[tokio::test]
async fn apps_are_opened_by_name() {
    let timer = |seconds: u64| json!({ "type": "app", "app": "timer", "params": { "seconds": seconds } });
    for (question, expected) in [
        ("Open the timer.", Some(json!({ "type": "app", "app": "timer" }))),
        ("please start a timer", Some(json!({ "type": "app", "app": "timer" }))),
        ("Set a timer for 5 minutes!", Some(timer(300))),
        ("set a timer for 1 hour and 30 minutes", Some(timer(5400))),
        ("Show a timer for ten minutes", Some(timer(600))),
        ("Show me the notes board", Some(json!({ "type": "app", "app": "notes" }))),
        ("set a timer for ages", None),
        ("set a timer for 0 minutes", None),
        ("open the door", None),
    ] {
        let heard = hear(&asked(question)).await;
        let opened: Vec<&Value> = heard.calls.iter().map(|call| &call.arguments["content"]).collect();
        assert_eq!(opened, expected.iter().collect::<Vec<_>>(), "{question}: {}", heard.text);
    }
}

#[tokio::test]
async fn that_it_is_open_is_said() {
    let heard = answered(&asked("Open the timer"), &[r#"{"window_id":"timer-x"}"#]).await;
    assert_eq!(heard.text, "Opened \"Timer\".");
}
