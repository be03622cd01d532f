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

/// Sends a webhook to an address. Returns the status and the answer, if there is one.
pub(super) async fn try_send(url: &str, secret: &str, id: &str, at: i64, body: &str) -> Option<(u16, Value)> {
    let signed = secret.parse::<WebhookSecret>().unwrap().sign(id, at, body.as_bytes());
    let request = reqwest::Client::new().post(url);
    let request = request.header("webhook-id", id).header("webhook-timestamp", at.to_string());
    let answer = request.header("webhook-signature", signed).body(body.to_owned()).send().await.ok()?;
    let status = answer.status().as_u16();
    Some((status, answer.json().await.ok()?))
}

async fn send(server: &RunningServer, path: &str, secret: &str, id: &str, at: i64, body: &str) -> (u16, Value) {
    try_send(&format!("{}{path}", server.url()), secret, id, at, body).await.unwrap()
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
    // Whether it is on at first depends on the time of day. What is left again at once counts, too.
    let session = rest.session().await;
    for command in ["turn off the kitchen light", "turn on the kitchen light", "turn off the kitchen light"] {
        let turn = rest.send(&session, command).await;
        rest.ended(&turn).await;
    }
    alert(&rest, |alert| alert["title"] == "the lamp is on").await;
}

#[tokio::test]
async fn an_event_of_the_home_and_the_end_of_a_turn_elsewhere_start_schedules() {
    let server = program_with_home().with("DWELL_LIMITS_FAILED_ENTRIES_PEER_MAX", "3").start().await;
    let rest = server.rest();
    let event = |data: Value| json!({ "on": "home_event", "event_type": "call_service", "data": data });
    let meant = json!({ "domain": "light", "service_data": { "entity_id": ["light.floor_lamp"] } });
    make(&rest, event(meant), "the floor lamp was called").await;
    make(&rest, event(json!({ "domain": "lock" })), "a lock was called").await;
    let (session, other) = (rest.session().await, rest.session().await);
    make(&rest, json!({ "on": "turn_ended", "session_id": session }), "a turn there").await;
    make(&rest, json!({ "on": "turn_ended", "session_id": other }), "a turn in the other").await;
    make(&rest, json!({ "on": "turn_ended", "any_session": true }), "a turn anywhere").await;
    make(&rest, json!({ "on": "turn_ended" }), "a turn here").await;

    let turn = rest.send(&session, "turn on the floor lamp").await;
    rest.ended(&turn).await;
    for title in ["the floor lamp was called", "a turn there", "a turn anywhere"] {
        alert(&rest, |alert| alert["title"] == title).await;
    }
    let turn = rest.send(&session, "turn off the floor lamp").await;
    rest.ended(&turn).await;
    for (text, runs) in [
        ("the floor lamp was called", 2),
        ("a turn there", 2),
        ("a turn anywhere", 2),
        ("a lock was called", 0),
        ("a turn in the other", 0),
        ("a turn here", 0),
    ] {
        let is_so = |it: &Value| it["action"]["text"] == text && it["runs"] == runs;
        until(&rest, text, |found| found.iter().any(is_so)).await;
    }

    // What cannot be waited for is refused, and says why.
    for (trigger, says) in [
        (json!({ "on": "home_event", "event_type": "" }), "event_type"),
        (json!({ "on": "home_event", "event_type": "state_changed" }), "on: home"),
        (json!({ "on": "turn_ended", "any_session": true, "session_id": session }), "not both"),
        (json!({ "on": "turn_ended", "session_id": "01ARZ3NDEKTSV4RRFFQ69G5FAV" }), "session"),
    ] {
        let body =
            json!({ "when": { "kind": "event", "trigger": trigger }, "action": { "do": "remind", "text": "x" } });
        let refused = rest.post("/api/v1/schedules", body).await;
        let text = refused.body.to_string();
        assert!((400..500).contains(&refused.status) && text.contains(says), "{trigger}: {text}");
    }

    // Wrong signatures are failed sign-ins of their address; a right one before is let through.
    let made = make(&rest, json!({ "on": "hook" }), "signed").await;
    let id = made["schedule_id"].as_str().unwrap();
    let hook = rest.get(&format!("/api/v1/schedules/{id}/hook")).await.ok();
    let (path, secret) = (hook["path"].as_str().unwrap(), hook["secret"].as_str().unwrap());
    let other = WebhookSecret::generate().unwrap();
    let wrong = |n: usize| {
        let (server, other) = (&server, &other);
        async move { send(server, path, other.expose_secret(), &format!("wrong-{n}"), now(), "{}").await.0 }
    };
    for n in 0..3 {
        assert_eq!(wrong(n).await, 401);
    }
    assert_eq!(wrong(3).await, 429);
    assert_eq!(send(&server, path, secret, "right", now(), "{}").await.0, 429, "as with tokens: it was not known");
    let stranger = server.rest_as(Some("not-a-token-0123456789"));
    assert_eq!(stranger.get("/api/v1/schedules").await.status, 429, "it is the same count");
    assert_eq!(rest.get("/api/v1/schedules").await.status, 200, "a token that was valid from there goes on");
}

async fn until(rest: &RestClient, what: &str, is_so: impl Fn(&[Value]) -> bool) {
    for _ in 0..1_000 {
        if is_so(&all(rest).await) {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("never: {what}: {:?}", all(rest).await);
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
