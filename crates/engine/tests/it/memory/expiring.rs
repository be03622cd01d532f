//! What was to be kept for a while only is gone by itself.

use std::time::Duration;

use protocol::{AddEntry, Level, MemorySet};

use super::{plain, prompt, used};
use crate::house::House;

fn set(key: &str, value: &str, ttl_s: Option<u64>) -> MemorySet {
    MemorySet { key: key.to_owned(), value: value.to_owned(), priority: None, ttl_s, idempotency_key: None }
}

#[tokio::test]
async fn a_line_is_told_until_its_time_is_up_and_then_gone() {
    let house = House::remembering();
    let session = house.start().await;
    house.hub.memory_set(&house.ada, set("parking spot", "level 3, by the lift", Some(60))).await.unwrap();
    house.hub.memory_set(&house.ada, set("diet", "vegetarian", None)).await.unwrap();
    let (turn, call) = house.asked(session, "Tell me about cats.").await;
    assert!(call.prompt.system.contains("level 3, by the lift"), "{}", call.prompt.system);
    call.answer("They purr.");
    house.ended(turn).await;
    house.hub.sweep_memory().await;
    assert_eq!(house.hub.profile(&house.ada).await.unwrap().len(), 2, "its time is not up yet");

    house.world.pass(Duration::from_secs(61));
    let (turn, call) = house.asked(session, "Tell me about dogs.").await;
    assert!(!prompt(&call).contains("by the lift"), "{}", prompt(&call));
    call.answer("They bark.");
    house.ended(turn).await;
    assert!(!used(&house.journal(session).await, turn).items.iter().any(|item| item.text.contains("lift")));

    house.consistent().await;
    house.hub.sweep_memory().await;
    assert_eq!(house.history("parking spot").await, []);
    assert!(!house.everything().await.contains("by the lift"));
    let events = serde_json::to_string(&house.journal(session).await).unwrap();
    assert!(!events.contains("by the lift"), "{events}");
    assert_eq!(house.hub.profile(&house.ada).await.unwrap().len(), 1);
    let house = house.restart().await;
    assert!(!house.everything().await.contains("by the lift"));
}

#[tokio::test]
async fn an_entry_is_found_until_its_time_is_up_and_then_gone() {
    let house = House::remembering();
    house.ingest_open("a chat", &[("user", "This is the first.")]).await;
    let memory = house.memories().await.pop().unwrap();
    let words = "The boiler is serviced by Hartmann every October.";
    let asked = AddEntry { ttl_s: Some(3_600), ..plain(words) };
    let entry = house
        .hub
        .add_entry(&house.ada, memory.vault_id, memory.memory_id, asked, protocol::Origin::Trusted)
        .await
        .unwrap();
    assert!(house.everything().await.contains("Hartmann"));

    house.world.pass(Duration::from_secs(3_601));
    let session = house.start().await;
    let (turn, call) = house.asked(session, "Who services the boiler?").await;
    assert!(!prompt(&call).contains("Hartmann"), "{}", prompt(&call));
    call.answer("I do not know.");
    house.ended(turn).await;
    house.consistent().await;
    house.hub.sweep_memory().await;
    assert!(house.hub.memory_item(&house.ada, entry.entry_id).await.is_err());
    assert_eq!(house.entries_in(&memory).await.len(), 1);
    let levels = house.everything().await;
    assert!(!levels.contains("Hartmann") && levels.contains(&format!("{:?}", Level::Entry)), "{levels}");
}

#[tokio::test]
async fn what_an_open_turn_uses_waits_for_the_next_time() {
    let house = House::remembering();
    let session = house.start().await;
    house.hub.memory_set(&house.ada, set("parking spot", "level 3, by the lift", Some(60))).await.unwrap();
    let (turn, call) = house.asked(session, "Tell me about cats.").await;
    assert!(call.prompt.system.contains("by the lift"));
    // What the turn was told is in its record by now.
    call.say("They");
    let mut follower = house.follow(session).await;
    follower.until_text(turn, "They").await;
    house.world.pass(Duration::from_secs(61));
    house.hub.sweep_memory().await;
    assert_eq!(house.history("parking spot").await.len(), 1);
    call.answer(" purr.");
    house.ended(turn).await;
    house.consistent().await;
    house.hub.sweep_memory().await;
    assert_eq!(house.history("parking spot").await.len(), 0);
}
