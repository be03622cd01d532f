//! What a worker may serve, and how many there may be.

use serde_json::{Value, json};

use super::tool;
use crate::harness::harness;

#[tokio::test]
async fn what_cannot_be_served_is_refused_by_name() {
    let harness = harness().await;
    let server = &harness.server;
    let mut socket = server.socket().await;
    let many: Vec<Value> = (0..129).map(|number| tool(&format!("tool_{number}"), "idempotent")).collect();
    let mut schema = tool("a", "idempotent");
    schema["input_schema"] = json!("text");
    for (tools, worker, why) in [
        (json!([tool("a b", "idempotent")]), "w", "is not a valid tool name"),
        (json!([tool("a", "idempotent"), tool("a", "idempotent")]), "w", "two tools named `a`"),
        (json!(many), "w", "at most 128 tools"),
        (json!([schema]), "w", "does not describe an object"),
        (json!([tool("book_table", "idempotent")]), "w", "has the name of a built-in tool"),
        (json!([tool("a", "verifiable")]), "w", "verifiable"),
        (json!([tool("a", "idempotent")]), "", "1 to 64 characters"),
        (json!([tool("a", "idempotent")]), "x\ny", "1 to 64 characters"),
    ] {
        let refused = socket.ask("tool.serve", json!({ "tools": tools, "worker": worker })).await.unwrap_err();
        let code = if why.starts_with("at most") { "too_large" } else { "invalid_request" };
        assert_eq!(refused["code"], code, "{refused}");
        assert!(refused["message"].as_str().unwrap().contains(why), "{why}: {refused}");
    }
    assert_eq!(socket.ask("tool.serve", json!({ "tools": [] })).await.unwrap()["tools"], json!([]));
    let served = json!({ "tools": [tool("a", "idempotent")], "worker": "one" });
    socket.ask("tool.serve", served.clone()).await.unwrap();
    let other = json!({ "tools": [tool("a", "idempotent")], "worker": "two" });
    let refused = socket.ask("tool.serve", other).await.unwrap_err();
    assert!(refused["message"].as_str().unwrap().contains("serves as worker `one`"), "{refused}");
    let more = json!({ "tools": [tool("a", "idempotent"), tool("b", "idempotent")] });
    let serving = socket.ask("tool.serve", more).await.unwrap();
    assert_eq!(serving, json!({ "worker": "one", "tools": ["a", "b"] }), "the tools are replaced");

    let mut others = Vec::new();
    for number in 0..31 {
        others.push(super::worker(server, &format!("worker {number}"), &[tool("c", "idempotent")]).await);
    }
    let mut last = server.socket().await;
    let refused = last.ask("tool.serve", json!({ "tools": [tool("c", "idempotent")] })).await.unwrap_err();
    assert!(refused["message"].as_str().unwrap().contains("32 tool workers"), "{refused}");
}
