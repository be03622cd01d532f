//! Browsers that are subscribed to Web Push, and what their push service receives.

use reqwest::Method;
use serde_json::{Value, json};
use testkit::WebhookReceiver;

use super::reminder;
use crate::program;

const KEY: &str = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw";
const PUBLIC: &str = "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8";

/// A browser's subscription at this push service.
fn subscription(endpoint: &str) -> Value {
    let p256dh = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
    let keys = json!({ "p256dh": p256dh, "auth": "BTBZMqHH6r4Tts7J_aSIgg" });
    json!({ "endpoint": endpoint, "keys": keys, "name": " Ada's telephone " })
}

#[tokio::test]
async fn a_browser_is_subscribed_listed_pushed_to_and_removed() {
    let receiver = WebhookReceiver::start().await;
    let program = program();
    let file = program.folder().join("dwell.toml");
    let channel = format!("kind = \"web_push\"\nkey = \"{KEY}\"\ncontact = \"mailto:ada@example.org\"");
    std::fs::write(&file, format!("[[alerts.channels]]\n{channel}\nallow_private = true\nwhen = \"always\"\n"))
        .unwrap();
    let server = program.with("DWELL_CONFIG", file.to_str().unwrap()).start().await;
    let rest = server.rest();
    assert_eq!(rest.get("/api/v1/push").await.ok(), json!({ "public_key": PUBLIC, "devices": [] }));

    let endpoint = receiver.url().to_owned();
    let added = rest.post("/api/v1/push/devices", subscription(&endpoint)).await.ok();
    assert_eq!((&added["name"], &added["service"]), (&json!("Ada's telephone"), &json!("127.0.0.1")));
    let again = rest.post("/api/v1/push/devices", subscription(&endpoint)).await.ok();
    assert_eq!(again["device_id"], added["device_id"], "a repetition replaces it");
    let listed = rest.get("/api/v1/push").await.ok()["devices"].clone();
    assert_eq!(listed, json!([again]));
    assert!(!listed.to_string().contains(&endpoint), "the endpoint is a secret");

    let mut bad = subscription(&endpoint);
    bad["keys"]["auth"] = json!("AAAAAAAAAAAAAAAAAAAAAAAA");
    let refused = rest.post("/api/v1/push/devices", bad).await;
    assert!(refused.body.to_string().contains("`auth` must be 16 bytes"), "{}", refused.body);
    assert_eq!(refused.status, 400);

    rest.post("/api/v1/schedules", reminder("take the pizza out", 1)).await.ok();
    receiver.until(1).await;
    let received = receiver.received().remove(0).body;
    assert!(!String::from_utf8_lossy(&received).contains("pizza"), "the push service cannot read it");

    let path = format!("/api/v1/push/devices/{}", added["device_id"].as_str().unwrap());
    assert_eq!(rest.call(Method::DELETE, &path, None, &[]).await.status, 204);
    assert_eq!(rest.call(Method::DELETE, &path, None, &[]).await.status, 404);
    assert_eq!(rest.get("/api/v1/push").await.ok()["devices"], json!([]));
}

#[tokio::test]
async fn a_server_without_a_key_says_so() {
    let server = program().start().await;
    let rest = server.rest();
    assert_eq!(rest.get("/api/v1/push").await.ok(), json!({ "devices": [] }));
    let refused = rest.post("/api/v1/push/devices", subscription("https://push.example/1")).await;
    assert_eq!(refused.status, 404);
    assert!(refused.body["hint"].to_string().contains("web_push"), "{}", refused.body);
}
