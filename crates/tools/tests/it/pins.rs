//! What every later turn is told.

use std::sync::Arc;

use serde_json::json;
use tools::{Context, PIN_CHARS_MAX, PINS_MAX};

use crate::house::{House, Pins, context};

fn with(pins: &Arc<Pins>) -> Context {
    Context { keeper: pins.clone(), ..context("1") }
}

#[tokio::test]
async fn pins_are_kept_replaced_and_taken_away() {
    let (house, pins) = (House::new().await, Arc::new(Pins::default()));
    let pinned = house.value("pin", json!({"text": " Allergic to nuts "}), with(&pins)).await;
    assert_eq!(pinned, json!({"key": "allergic-to-nuts", "pins": 1}));
    let pinned = house.value("pin", json!({"text": "Allergic to nuts"}), with(&pins)).await;
    assert_eq!(pinned, json!({"key": "allergic-to-nuts", "pins": 1}), "the same call again is the same pin");
    house.value("pin", json!({"text": "at most 100", "key": "budget"}), with(&pins)).await;
    let pinned = house.value("pin", json!({"text": "at most 200", "key": "budget"}), with(&pins)).await;
    assert_eq!(pinned["pins"], 2);
    assert!(pins.0.lock().unwrap().contains(&("budget".to_owned(), "at most 200".to_owned())));

    let gone = house.value("unpin", json!({"key": "budget"}), with(&pins)).await;
    assert_eq!(gone, json!({"key": "budget", "removed": true}));
    let gone = house.value("unpin", json!({"key": "budget"}), with(&pins)).await;
    assert_eq!(gone["removed"], false);
    assert_eq!(pins.0.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn there_is_room_for_so_many() {
    let (house, pins) = (House::new().await, Arc::new(Pins::default()));
    for n in 0..PINS_MAX {
        house.value("pin", json!({"text": format!("note {n}")}), with(&pins)).await;
    }
    let refusal = house.refusal("pin", json!({"text": "one more"}), with(&pins)).await;
    assert!(refusal.contains("unpin one first") && refusal.contains("note-31"), "{refusal}");
    house.value("pin", json!({"text": "changed", "key": "note-3"}), with(&pins)).await;
}

#[tokio::test]
async fn what_cannot_be_pinned_is_refused() {
    let (house, pins) = (House::new().await, Arc::new(Pins::default()));
    for (arguments, why) in [
        (json!({"text": " "}), "`text` is empty"),
        (json!({"text": "x".repeat(PIN_CHARS_MAX + 1)}), "2001 characters"),
        (json!({"text": "x", "key": "x".repeat(65)}), "`key` is a name"),
        (json!({"text": "x", "key": "a\nb"}), "`key` is a name"),
    ] {
        let refusal = house.refusal("pin", arguments, with(&pins)).await;
        assert!(refusal.contains(why), "{refusal}");
    }
    assert!(pins.0.lock().unwrap().is_empty());
}
