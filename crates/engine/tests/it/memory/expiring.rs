//! Items with an expiry are deleted by themselves.

use std::time::Duration;

use protocol::{AddEntry, Level, MemorySet};

use super::{plain, prompt, used};
use crate::harness::Harness;

fn set(key: &str, value: &str, ttl_s: Option<u64>) -> MemorySet {
    MemorySet { key: key.to_owned(), value: value.to_owned(), priority: None, ttl_s, idempotency_key: None }
}

#[tokio::test]
async fn a_line_is_told_until_its_time_is_up_and_then_gone() {
    let harness = Harness::remembering();
    let session = harness.start().await;
    harness.hub.memory_set(&harness.ada, set("parking spot", "level 3, by the lift", Some(60))).await.unwrap();
    harness.hub.memory_set(&harness.ada, set("diet", "vegetarian", None)).await.unwrap();
    let (turn, call) = harness.asked(session, "Tell me about cats.").await;
    assert!(call.prompt.system.contains("level 3, by the lift"), "{}", call.prompt.system);
    call.answer("They purr.");
    harness.ended(turn).await;
    harness.hub.sweep_memory().await;
    assert_eq!(harness.hub.profile(&harness.ada).await.unwrap().len(), 2, "its time is not up yet");

    harness.world.pass(Duration::from_secs(61));
    let (turn, call) = harness.asked(session, "Tell me about dogs.").await;
    assert!(!prompt(&call).contains("by the lift"), "{}", prompt(&call));
    call.answer("They bark.");
    harness.ended(turn).await;
    assert!(!used(&harness.journal(session).await, turn).items.iter().any(|item| item.text.contains("lift")));

    harness.consistent().await;
    harness.hub.sweep_memory().await;
    assert_eq!(harness.history("parking spot").await, []);
    assert!(!harness.everything().await.contains("by the lift"));
    let events = serde_json::to_string(&harness.journal(session).await).unwrap();
    assert!(!events.contains("by the lift"), "{events}");
    assert_eq!(harness.hub.profile(&harness.ada).await.unwrap().len(), 1);
    let harness = harness.restart().await;
    assert!(!harness.everything().await.contains("by the lift"));
}

#[tokio::test]
async fn an_entry_is_found_until_its_time_is_up_and_then_gone() {
    let harness = Harness::remembering();
    harness.ingest_open("a chat", &[("user", "This is the first.")]).await;
    let memory = harness.memories().await.pop().unwrap();
    let words = "The boiler is serviced by Hartmann every October.";
    let asked = AddEntry { ttl_s: Some(3_600), ..plain(words) };
    let entry = harness
        .hub
        .add_entry(&harness.ada, memory.vault_id, memory.memory_id, asked, protocol::Origin::Trusted)
        .await
        .unwrap();
    assert!(harness.everything().await.contains("Hartmann"));

    harness.world.pass(Duration::from_secs(3_601));
    let session = harness.start().await;
    let (turn, call) = harness.asked(session, "Who services the boiler?").await;
    assert!(!prompt(&call).contains("Hartmann"), "{}", prompt(&call));
    call.answer("I do not know.");
    harness.ended(turn).await;
    harness.consistent().await;
    harness.hub.sweep_memory().await;
    assert!(harness.hub.memory_item(&harness.ada, entry.entry_id).await.is_err());
    assert_eq!(harness.entries_in(&memory).await.len(), 1);
    let levels = harness.everything().await;
    assert!(!levels.contains("Hartmann") && levels.contains(&format!("{:?}", Level::Entry)), "{levels}");
}

#[tokio::test]
async fn what_an_open_turn_uses_waits_for_the_next_time() {
    let harness = Harness::remembering();
    let session = harness.start().await;
    harness.hub.memory_set(&harness.ada, set("parking spot", "level 3, by the lift", Some(60))).await.unwrap();
    let (turn, call) = harness.asked(session, "Tell me about cats.").await;
    assert!(call.prompt.system.contains("by the lift"));
    // The record of the turn contains its context by now.
    call.say("They");
    let mut follower = harness.follow(session).await;
    follower.until_text(turn, "They").await;
    harness.world.pass(Duration::from_secs(61));
    harness.hub.sweep_memory().await;
    assert_eq!(harness.history("parking spot").await.len(), 1);
    call.answer(" purr.");
    harness.ended(turn).await;
    harness.consistent().await;
    harness.hub.sweep_memory().await;
    assert_eq!(harness.history("parking spot").await.len(), 0);
}
