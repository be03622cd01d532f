//! Running agents: shared fairly between owners first, then between their sessions.

use serde_json::json;
use testkit::RestClient;

use super::{TwoOwners, own, works};

/// Starts sessions with one turn each that never ends; returns the turns.
async fn slow(rest: &RestClient, count: usize) -> Vec<String> {
    let mut turns = Vec::new();
    for _ in 0..count {
        let session = rest.session().await;
        turns.push(rest.send(&session, "A slow one.").await);
    }
    turns
}

#[tokio::test]
async fn an_owner_whose_sessions_all_wait_does_not_hold_up_the_single_turn_of_another() {
    let two = TwoOwners::with(&[("AGENTS_MAX", "2")]).await;
    let turns = slow(&two.ada, 8).await;
    two.model.until(|model| model.in_flight() == 2).await;
    let session = two.bob.session().await;
    let bobs = two.bob.send(&session, "How is the weather in Linz?").await;
    assert_eq!(two.model.requests().len(), 2);
    // Cancelling the running turns frees two slots. Bob has no running turn, so he is next,
    // although six of Ada's sessions have waited longer.
    for turn in &turns[..2] {
        two.ada.post(&format!("/api/v1/turns/{turn}/cancel"), json!({})).await.ok();
    }
    assert_eq!(two.bob.ended(&bobs).await["status"], "completed");
}

#[tokio::test]
async fn an_owner_at_their_limit_leaves_the_rest_of_the_server_to_others() {
    let two = TwoOwners::with(&[("AGENTS_OWNER_MAX", "3"), ("AGENTS_SESSION_MAX", "2")]).await;
    slow(&two.ada, 5).await;
    two.model.until(|model| model.in_flight() == 3).await;
    for _ in 0..3 {
        works(&two.bob).await;
    }
    assert_eq!(own(&two.ada).await["running_turns"], json!({ "used": 3, "max": 3 }));
    let stats = two.bob.get("/api/v1/stats").await.ok();
    let limits = ["running_turns", "running_turns_of_owner", "running_turns_of_session"];
    assert_eq!(limits.map(|name| stats["limits"][name].as_u64().unwrap()), [500, 3, 2]);
    assert_eq!(stats["waiting_turns"], 2);
}
