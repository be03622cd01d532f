//! What starts a schedule from outside: webhooks in, the home, and webhooks out.

use secrecy::ExposeSecret;
use secret::WebhookSecret;
use serde_json::{Value, json};
use testkit::{RestClient, RunningServer, WebhookReceiver};

use super::{
    alert, all, now,
    receiver::{arrived, config},
    reminder,
};
use crate::program_with_home;

/// Sends a webhook. Returns the status and the answer.
async fn send(server: &RunningServer, path: &str, secret: &str, id: &str, at: i64, body: &str) -> (u16, Value) {
    let signed = secret.parse::<WebhookSecret>().unwrap().sign(id, at, body.as_bytes());
    let request = reqwest::Client::new().post(format!("{}{path}", server.url()));
    let request = request.header("webhook-id", id).header("webhook-timestamp", at.to_string());
    let answer = request.header("webhook-signature", signed).body(body.to_owned()).send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap())
}

async fn make(rest: &RestClient, trigger: Value, text: &str) -> Value {
    let body = json!({ "when": { "kind": "event", "trigger": trigger }, "limits": { "gap_ms": 0 },
                       "action": { "do": "remind", "text": text } });
    rest.post("/api/v1/schedules", body).await.ok()
}

#[tokio::test]
async fn a_signed_webhook_and_a_change_at_home_start_schedules() {
    let server = program_with_home().start().await;
    let rest = server.rest();
    let made = make(&rest, json!({ "on": "hook" }), "the parcel is here").await;
    let id = made["schedule_id"].as_str().unwrap();
    let hook = rest.get(&format!("/api/v1/schedules/{id}/hook")).await.ok();
    let (path, secret) = (hook["path"].as_str().unwrap(), hook["secret"].as_str().unwrap());

    let (status, answer) = send(&server, path, secret, "one", now(), "{}").await;
    assert_eq!((status, &answer["started"]), (202, &json!(true)), "{answer}");
    let (status, answer) = send(&server, path, secret, "one", now(), "{}").await;
    assert_eq!((status, &answer["started"]), (202, &json!(false)), "a repetition starts nothing");
    let other = WebhookSecret::generate().unwrap();
    let (status, answer) = send(&server, path, other.expose_secret(), "two", now(), "{}").await;
    assert_eq!(status, 401, "{answer}");
    let (status, _) = send(&server, path, secret, "three", now() - 3_600, "{}").await;
    assert_eq!(status, 401, "an old one may be a recording");
    let unknown = "/hooks/01ARZ3NDEKTSV4RRFFQ69G5FAV";
    assert!([401, 404].contains(&send(&server, unknown, secret, "four", now(), "{}").await.0));
    alert(&rest, |alert| alert["title"] == "the parcel is here").await;
    assert_eq!(all(&rest).await[0]["runs"], 1);

    let lamp = json!({ "on": "home", "entity_id": "light.kitchen_ceiling", "to": "on" });
    make(&rest, lamp, "the lamp is on").await;
    // Whether it is on at first depends on the time of day.
    let session = rest.session().await;
    for command in ["turn off the kitchen light", "turn on the kitchen light"] {
        let turn = rest.send(&session, command).await;
        rest.ended(&turn).await;
        // The home tells its changes four times a second, and merges what lies in between.
        tokio::time::sleep(std::time::Duration::from_millis(600)).await;
    }
    alert(&rest, |alert| alert["title"] == "the lamp is on").await;
}

#[tokio::test]
async fn alerts_leave_as_signed_webhooks() {
    let receiver = WebhookReceiver::start().await;
    let program = program_with_home();
    let file = program.folder().join("dwell.toml");
    std::fs::write(&file, config(receiver.url())).unwrap();
    let server = program.with("DWELL_CONFIG", file.to_str().unwrap()).start().await;
    let rest = server.rest();
    rest.post("/api/v1/schedules", reminder("by post", 20)).await.ok();
    receiver.until(1).await;
    let arrived = arrived(&receiver);
    let (id, sent) = arrived.iter().next().unwrap();
    assert_eq!((&sent["title"], &sent["alert_id"]), (&json!("by post"), &json!(id)));
    let kept = alert(&rest, |alert| alert["deliveries"]["webhook"]["state"] == "delivered").await;
    assert_eq!(kept["alert_id"], json!(id));
}
