//! Quotas on sessions, on the bytes of their journals, and on open turns.

use serde_json::json;

use super::{TwoOwners, assert_refused, end, id, own, say, temporary, works};

#[tokio::test]
async fn who_has_as_many_sessions_as_they_may_gets_no_more_until_one_is_removed() {
    let two = TwoOwners::with(&[("QUOTA_SESSIONS_MAX", "2")]).await;
    let kept = two.ada.post("/api/v1/sessions", json!({ "key": "diary" })).await.ok();
    let gone = temporary(&two.ada).await.ok();
    let refused = two.ada.post("/api/v1/sessions", json!({})).await;
    assert_refused(&refused, "quota.sessions_max");
    assert!(refused.body["message"].as_str().unwrap().contains("2 sessions"), "{}", refused.body);

    // The same for every API that creates a session; existing sessions are still found.
    let again = two.ada.post("/api/v1/sessions", json!({ "key": "diary" })).await.ok();
    assert_eq!(id(&again), id(&kept));
    let messages = json!([{ "role": "user", "content": "Hi." }, { "role": "assistant", "content": "Hello." }]);
    let import = two.ada.post("/api/v1/sessions/import?format=openai", messages.clone()).await;
    assert_refused(&import, "quota.sessions_max");
    let turn = two.ada.send(id(&kept), "How is the weather in Linz?").await;
    assert_eq!(two.ada.ended(&turn).await["status"], "completed");
    let fork = two.ada.post(&format!("/api/v1/sessions/{}/fork", id(&kept)), json!({ "turn_id": turn })).await;
    assert_refused(&fork, "quota.sessions_max");
    assert_eq!(own(&two.ada).await["sessions"], json!({ "used": 2, "max": 2 }));

    works(&two.bob).await;
    end(&two.ada, id(&gone)).await;
    two.ada.post("/api/v1/sessions/import?format=openai", messages).await.ok();
    assert_refused(&temporary(&two.ada).await, "quota.sessions_max");
}

#[tokio::test]
async fn many_at_once_do_not_slip_past_the_limit() {
    let two = TwoOwners::with(&[("QUOTA_SESSIONS_MAX", "5")]).await;
    let made = futures::future::join_all((0..40).map(|_| temporary(&two.ada))).await;
    let (taken, refused): (Vec<_>, Vec<_>) = made.iter().partition(|answer| answer.status == 201);
    assert!(taken.len() <= 5, "{} sessions", taken.len());
    refused.iter().for_each(|answer| assert_refused(answer, "quota.sessions_max"));
    // A refused request does not hold quota.
    while temporary(&two.ada).await.status == 201 {}
    assert_eq!(own(&two.ada).await["sessions"]["used"], 5);
}

#[tokio::test]
async fn a_full_journal_takes_no_more_words_and_what_was_accepted_goes_on() {
    let two = TwoOwners::with(&[("QUOTA_JOURNAL_BYTES_MAX", "150000")]).await;
    let first = temporary(&two.ada).await.ok();
    let second = temporary(&two.ada).await.ok();
    let long = "A very long letter. ".repeat(3_500);
    let body = json!({ "message": long, "idempotency_key": "letter" });
    let path = format!("/api/v1/sessions/{}/turns", id(&first));
    let accepted = two.ada.post(&path, body.clone()).await.ok();
    assert_eq!(two.ada.ended(accepted["turn_id"].as_str().unwrap()).await["status"], "completed");
    say(&two.ada, id(&second), &long).await.ok();

    let refused = say(&two.ada, id(&second), &long).await;
    assert_refused(&refused, "quota.journal_bytes_max");
    let messages = json!([{ "role": "user", "content": long }, { "role": "assistant", "content": "Hello." }]);
    let import = two.ada.post("/api/v1/sessions/import?format=openai", messages).await;
    assert_refused(&import, "quota.journal_bytes_max");
    let again = two.ada.post(&path, body).await.ok();
    assert_eq!(again["turn_id"], accepted["turn_id"], "what was accepted is answered as before");
    let used = own(&two.ada).await["journal_bytes"]["used"].as_u64().unwrap();
    assert!(used >= 140_000, "{used}");

    works(&two.bob).await;
    end(&two.ada, id(&first)).await;
    works(&two.ada).await;
}

#[tokio::test]
async fn who_has_as_many_open_turns_as_they_may_waits_for_one_to_end() {
    let two = TwoOwners::with(&[("QUOTA_TURNS_MAX", "2")]).await;
    let session = two.ada.session().await;
    let turns = [two.ada.send(&session, "A slow one.").await, two.ada.send(&session, "Another slow one.").await];
    let refused = say(&two.ada, &session, "And a third?").await;
    assert_refused(&refused, "quota.turns_max");
    assert_eq!(own(&two.ada).await["open_turns"], json!({ "used": 2, "max": 2 }));
    works(&two.bob).await;
    for turn in turns {
        two.ada.post(&format!("/api/v1/turns/{turn}/cancel"), json!({})).await.ok();
    }
    works(&two.ada).await;
    assert_eq!(own(&two.ada).await["open_turns"]["used"], 0);
}
