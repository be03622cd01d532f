//! Tests of the pin tools.

use std::sync::Arc;

use serde_json::json;
use tools::{CallContext, PIN_CHARS_MAX, PINS_MAX};

use crate::harness::{Harness, MemoryPins, context};

fn with(pins: &Arc<MemoryPins>) -> CallContext {
    CallContext { pin_store: pins.clone(), ..context("1") }
}

#[tokio::test]
async fn pins_are_kept_replaced_and_taken_away() {
    let (harness, pins) = (Harness::new().await, Arc::new(MemoryPins::default()));
    let pinned = harness.value("pin", json!({"text": " Allergic to nuts "}), with(&pins)).await;
    assert_eq!(pinned, json!({"key": "allergic-to-nuts", "pins": 1}));
    let pinned = harness.value("pin", json!({"text": "Allergic to nuts"}), with(&pins)).await;
    assert_eq!(pinned, json!({"key": "allergic-to-nuts", "pins": 1}), "the same call again is the same pin");
    harness.value("pin", json!({"text": "at most 100", "key": "budget"}), with(&pins)).await;
    let pinned = harness.value("pin", json!({"text": "at most 200", "key": "budget"}), with(&pins)).await;
    assert_eq!(pinned["pins"], 2);
    assert!(pins.0.lock().unwrap().contains(&("budget".to_owned(), "at most 200".to_owned())));

    let gone = harness.value("unpin", json!({"key": "budget"}), with(&pins)).await;
    assert_eq!(gone, json!({"key": "budget", "removed": true}));
    let gone = harness.value("unpin", json!({"key": "budget"}), with(&pins)).await;
    assert_eq!(gone["removed"], false);
    assert_eq!(pins.0.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn there_is_room_for_so_many() {
    let (harness, pins) = (Harness::new().await, Arc::new(MemoryPins::default()));
    for n in 0..PINS_MAX {
        harness.value("pin", json!({"text": format!("note {n}")}), with(&pins)).await;
    }
    let refusal = harness.refusal("pin", json!({"text": "one more"}), with(&pins)).await;
    assert!(refusal.contains("unpin one first") && refusal.contains("note-31"), "{refusal}");
    harness.value("pin", json!({"text": "changed", "key": "note-3"}), with(&pins)).await;
}

#[tokio::test]
async fn what_cannot_be_pinned_is_refused() {
    let (harness, pins) = (Harness::new().await, Arc::new(MemoryPins::default()));
    for (arguments, why) in [
        (json!({"text": " "}), "`text` is empty"),
        (json!({"text": "x".repeat(PIN_CHARS_MAX + 1)}), "2001 characters"),
        (json!({"text": "x", "key": "x".repeat(65)}), "`key` is a name"),
        (json!({"text": "x", "key": "a\nb"}), "`key` is a name"),
    ] {
        let refusal = harness.refusal("pin", arguments, with(&pins)).await;
        assert!(refusal.contains(why), "{refusal}");
    }
    assert!(pins.0.lock().unwrap().is_empty());
}
