//! The usage of a turn is counted, whether or not it was answered.

use serde_json::{Value, json};
use testkit::Reply;

use crate::{
    harness::{say, told},
    started,
};

fn tokens(usage: &Value) -> (u64, u64) {
    let count = |field: &str| usage[field].as_u64().unwrap_or(0);
    (count("input_tokens"), count("output_tokens"))
}

#[tokio::test]
async fn failed_cancelled_and_expired_turns_are_counted() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;

    model.push(Reply::text("They sleep all winter").cut_after(3));
    let failed = told(&rest, &session, json!({ "message": "Tell me about bears." })).await;
    assert_eq!(failed["status"], "failed");

    model.push(Reply::text("They sleep all winter").stall_after(3));
    let accepted = say(&rest, &session, json!({ "message": "Tell me about mice." })).await.ok();
    let turn_id = accepted["turn_id"].as_str().unwrap();
    let mut socket = server.socket().await;
    socket.ask("session.resume", json!({ "session_id": session })).await.unwrap();
    socket.until(|event| event["data"]["delta"].as_str().is_some_and(|delta| delta.contains("all"))).await;
    rest.post(&format!("/api/v1/turns/{turn_id}/cancel"), json!({})).await.ok();
    let cancelled = rest.ended(turn_id).await;
    assert_eq!(cancelled["status"], "cancelled");

    model.push(Reply::text("They sleep all winter").stall_after(3));
    let asked = json!({ "message": "Tell me about moles.", "time_budget_ms": 2_000 });
    let expired = told(&rest, &session, asked).await;
    assert_eq!((&expired["status"], &expired["response"]["stop_reason"]), (&json!("expired"), &json!("budget")));

    let mut sum = (0, 0);
    for turn in [&failed, &cancelled, &expired] {
        let (sent, received) = tokens(&turn["stats"]["usage"]);
        assert!(sent > 100 && received > 0, "{}: {sent}, {received}", turn["status"]);
        sum = (sum.0 + sent, sum.1 + received);
    }
    let view = rest.get(&format!("/api/v1/sessions/{session}")).await.ok();
    assert_eq!(tokens(&view["stats"]), sum, "the session counts them");
    let stats = rest.get("/api/v1/stats").await.ok();
    assert_eq!(tokens(&stats["totals"]), sum, "and so does the server");

    model.push(Reply::status(401));
    let refused = told(&rest, &session, json!({ "message": "Tell me about owls." })).await;
    assert_eq!(tokens(&refused["stats"]["usage"]), (0, 0), "a refused request costs nothing");
}

#[tokio::test]
async fn helper_calls_are_counted_by_purpose() {
    let model = testkit::ModelServer::start().await;
    let program = crate::program()
        .with_model(&model)
        .with("DWELL_MEMORY_MODEL", "openai/gpt-4.1-mini")
        .with("DWELL_MEMORY_MODEL_DELAY_MS", "600000");
    let server = program.start().await;
    let rest = server.rest();
    let session = rest.session().await;
    told(&rest, &session, json!({ "message": "I live in Lisbon." })).await;
    rest.post(&format!("/api/v1/sessions/{session}/reset"), json!({})).await.ok();
    let mut stats = Value::Null;
    for _ in 0..100 {
        stats = rest.get("/api/v1/stats").await.ok();
        if stats["purposes"]["memory"].is_object() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    let by = |purpose: &str| &stats["purposes"][purpose]["openai/gpt-4.1-mini"];
    assert_eq!((&by("turn")["calls"], &by("memory")["calls"]), (&json!(1), &json!(1)), "{stats}");
    assert_eq!(tokens(&by("memory")["usage"]), (10, 5));
    assert_eq!(tokens(&stats["totals"]), (20, 10), "all that was taken");
}
