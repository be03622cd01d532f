//! Values of programs: exact, isolated, limited, and forgotten with the rest.

use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::{Value, json};
use testkit::RestClient;

use crate::{owners::add, program};

fn put(key: &[&str], bytes: &[u8]) -> Value {
    json!({ "key": key, "value": BASE64_STANDARD.encode(bytes) })
}

async fn write(rest: &RestClient, body: Value) -> Value {
    rest.post("/api/v1/values/write", body).await.ok()
}

async fn read(rest: &RestClient, key: &[&str]) -> Option<Vec<u8>> {
    let page = rest.post("/api/v1/values/read", json!({ "keys": [key] })).await.ok();
    page["data"][0]["value"].as_str().map(|text| BASE64_STANDARD.decode(text).unwrap())
}

#[tokio::test]
async fn values_are_exact_and_their_owners_alone() {
    let program = program().with("DWELL_QUOTA_VALUE_BYTES_MAX", "3000000");
    let server = program.start().await;
    let (ada, bob) = (add(&program, "ada").await, add(&program, "bob").await);
    let (ada, bob) = (server.rest_as(Some(&ada)), server.rest_as(Some(&bob)));
    let large: Vec<u8> = (0..2_000_000_u32).map(|n| n.to_le_bytes()[0]).collect();
    let puts = json!([put(&["t", "", "é/\0"], b"api_key=sk-0123456789abcdef0123456789"), put(&["t", "large"], &large)]);
    assert_eq!(write(&ada, json!({ "puts": puts })).await, json!({ "written": 2, "deleted": 0 }));
    assert_eq!(read(&ada, &["t", "large"]).await.as_deref(), Some(&large[..]));
    let secret = read(&ada, &["t", "", "é/\0"]).await.unwrap();
    assert_eq!(secret, b"api_key=sk-0123456789abcdef0123456789", "nothing is redacted");
    assert_eq!(read(&bob, &["t", "large"]).await, None);
    assert_eq!(bob.post("/api/v1/values/list", json!({})).await.ok()["data"], json!([]));
    let nothing = json!({ "deletes_below": [["t"]], "deletes": [["t", "large"]] });
    assert_eq!(write(&bob, nothing).await["deleted"], 0);

    let refused = ada.post("/api/v1/values/write", json!({ "puts": [put(&["more"], &large)] })).await;
    assert_eq!(refused.code(403), "quota_exceeded");
    assert!(refused.body["message"].as_str().unwrap().contains("`quota.value_bytes_max`"), "{}", refused.body);
    assert_eq!(ada.get("/api/v1/stats").await.ok()["usage"]["own"]["value_bytes"]["max"], 3_000_000);
    // Replacing a value by one of the same size needs no more room.
    write(&ada, json!({ "puts": [put(&["t", "large"], &large)] })).await;

    for (body, why) in [
        (json!({ "puts": [{ "key": [], "value": "" }] }), "at least one part"),
        (json!({ "puts": [{ "key": ["x".repeat(1_025)], "value": "" }] }), "1024 characters"),
        (json!({ "puts": [{ "key": vec!["x"; 25], "value": "" }] }), "24 parts"),
        (json!({ "puts": [{ "key": ["k"], "value": "not base64" }] }), "Base64"),
        (json!({ "puts": [{ "key": ["k"], "value": "", "ttl_s": 0 }] }), "`ttl_s`"),
        (json!({ "puts": [{ "key": ["k"], "value": "", "vectors": [[1.0], [1.0, 2.0]] }] }), "differ in length"),
        (json!({ "puts": [{ "key": ["k"], "value": "", "vectors": [[1e300]] }] }), "out of range"),
        (json!({ "deletes": vec![["k"]; 1_001] }), "1000 keys"),
    ] {
        let refused = ada.post("/api/v1/values/write", body).await;
        assert_eq!(refused.code(400), "invalid_request");
        assert!(refused.body["message"].as_str().unwrap().contains(why), "{why}: {}", refused.body);
    }
    let refused = ada.post("/api/v1/values/list", json!({ "cursor": "nonsense" })).await;
    assert_eq!(refused.code(400), "invalid_request");
}

#[tokio::test]
async fn forgetting_takes_values_with_the_text_and_nothing_is_made_of_them() {
    let program = program();
    let server = program.start().await;
    let rest = server.rest();
    let said = b"My name is Mallory. The locker code is 4711, remember that.";
    let puts = json!([put(&["agent", "1"], said), put(&["agent", "2"], b"My name is Mallory.")]);
    write(&rest, json!({ "puts": puts })).await;
    rest.post("/api/v1/memories/await_consistency", json!({ "timeout_ms": 20_000 })).await.ok();
    let memories = rest.get("/api/v1/memories?history=true&limit=100").await.ok();
    assert_eq!(memories["items"], json!([]), "values of programs are no memories");
    assert_eq!(rest.get("/api/v1/profile").await.ok()["data"], json!([]));

    let forgotten = rest.post("/api/v1/memories/forget", json!({ "text": "Locker code is 4711" })).await.ok();
    assert_eq!(forgotten["values"], 1, "{forgotten}");
    let left = rest.post("/api/v1/values/list", json!({ "below": ["agent"], "keys_only": true })).await.ok();
    assert_eq!(left["data"].as_array().unwrap().len(), 1);
    assert_eq!(left["data"][0]["key"], json!(["agent", "2"]));
}
