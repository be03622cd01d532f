//! Messages that are sent while another turn runs.

use serde_json::{Value, json};
use testkit::{ModelServer, Reply, RestClient};

use crate::started;

/// A session whose agent is busy: its turn has sent its first words and does not end by itself.
async fn busy(model: &ModelServer, rest: &RestClient) -> (String, String) {
    let session = rest.session().await;
    model.push(Reply::text("thinking …").stall_after(1));
    let accepted = send(rest, &session, json!({ "message": "long question", "early_wait_ms": 20_000 })).await.ok();
    (session, accepted["turn_id"].as_str().unwrap().to_owned())
}

async fn send(rest: &RestClient, session: &str, body: Value) -> testkit::RestResponse {
    rest.post(&format!("/api/v1/sessions/{session}/turns"), body).await
}

#[tokio::test]
async fn messages_wait_in_line_and_the_eleventh_is_refused_by_name() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let (session, running) = busy(&model, &rest).await;
    let mut waiting = Vec::new();
    for n in 1..=10 {
        let accepted = send(&rest, &session, json!({ "message": format!("m{n}") })).await.ok();
        assert_eq!(accepted["position"], n);
        waiting.push(accepted["turn_id"].as_str().unwrap().to_owned());
    }
    let full = send(&rest, &session, json!({ "message": "one too many" })).await;
    assert_eq!(full.code(429), "queue_full");
    assert!(full.body["message"].as_str().unwrap().contains("\"one too many\""), "{}", full.body);

    rest.post(&format!("/api/v1/turns/{running}/cancel"), json!({})).await.ok();
    for turn in &waiting {
        assert_eq!(rest.ended(turn).await["status"], "completed");
    }
    let asked: Vec<String> = model.requests().iter().skip(1).map(|request| request.last_user().to_owned()).collect();
    assert_eq!(asked, (1..=10).map(|n| format!("m{n}")).collect::<Vec<_>>(), "in order, nothing lost");
}

#[tokio::test]
async fn reject_refuses_and_names_the_turn_that_runs() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let (session, running) = busy(&model, &rest).await;
    let refused = send(&rest, &session, json!({ "message": "now", "on_busy": "reject" })).await;
    assert_eq!(refused.code(409), "busy");
    assert_eq!(refused.body["turn_id"], running);
}

#[tokio::test]
async fn interrupt_cancels_what_runs_and_goes_first() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let (session, running) = busy(&model, &rest).await;
    let waiting = send(&rest, &session, json!({ "message": "later" })).await.ok();
    let urgent = send(&rest, &session, json!({ "message": "now", "on_busy": "interrupt" })).await.ok();
    assert_eq!(rest.ended(&running).await["status"], "cancelled");
    assert_eq!(rest.ended(urgent["turn_id"].as_str().unwrap()).await["status"], "completed");
    assert_eq!(rest.ended(waiting["turn_id"].as_str().unwrap()).await["status"], "completed");
    let asked: Vec<String> = model.requests().iter().skip(1).map(|request| request.last_user().to_owned()).collect();
    assert_eq!(asked, ["now", "later"]);
}

#[tokio::test]
async fn sessions_do_not_wait_for_each_other() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    busy(&model, &rest).await;
    let other = rest.session().await;
    let turn = rest.send(&other, "quick one").await;
    assert_eq!(rest.ended(&turn).await["status"], "completed");
}
