//! What a turn, a session and the server have used, over REST and on the command line.

use serde_json::{Value, json};
use testkit::{Program, Reply, RunningServer, ToolCall};

use crate::{harness::told, started};

/// A session with one turn that used a tool, one that failed and one that was cancelled; returns
/// the session and the first turn.
async fn lived(model: &testkit::ModelServer, server: &RunningServer) -> (String, String) {
    let rest = server.rest();
    let session = rest.session().await;
    let sums = ["6 * 7", "6 *"].map(|sum| ToolCall::new(sum, "calculator", json!({ "expression": sum })));
    model.push(Reply::tool_calls(sums).usage(100, 10));
    model.push(Reply::text("It is 42.").usage(200, 20));
    let turn = told(&rest, &session, json!({ "message": "How many legs have seven flies?" })).await;
    model.push(Reply::status(400));
    told(&rest, &session, json!({ "message": "And how many have eight?" })).await;
    model.push(Reply::hang());
    let open = rest.send(&session, "And nine, perhaps?").await;
    model.until(|model| model.in_flight() == 1).await;
    rest.post(&format!("/api/v1/turns/{open}/cancel"), json!({})).await.ok();
    (session, turn["turn_id"].as_str().unwrap().to_owned())
}

async fn printed(program: &Program, arguments: &[&str]) -> String {
    let shown = program.run(arguments).await;
    assert_eq!(shown.code(), 0, "{}", shown.stderr);
    shown.stdout
}

#[tokio::test]
async fn of_a_turn() {
    let (model, program, server) = started().await;
    let (_, turn) = lived(&model, &server).await;
    let view = server.rest().get(&format!("/api/v1/turns/{turn}")).await.ok();
    let stats = &view["stats"];
    assert_eq!(
        (&stats["rounds"], &stats["tool_calls"], &stats["errors"]),
        (&json!(1), &json!(2), &json!(1)),
        "{stats}"
    );
    assert_eq!((&stats["usage"]["input_tokens"], &stats["usage"]["output_tokens"]), (&json!(300), &json!(30)));
    assert!(stats["first_word_ms"].as_u64().unwrap() <= stats["duration_ms"].as_u64().unwrap(), "{stats}");
    let shown: Value = serde_json::from_str(&printed(&program, &["stats", &turn, "--json"]).await).unwrap();
    assert_eq!(&shown, stats);
    let words = printed(&program, &["stats", &turn]).await;
    assert!(words.contains("1 rounds, 2 tool calls, 1 errors") && words.contains("300 tokens in, 30 out"), "{words}");
}

#[tokio::test]
async fn of_a_session() {
    let (model, program, server) = started().await;
    let (session, _) = lived(&model, &server).await;
    let view = server.rest().get(&format!("/api/v1/sessions/{session}")).await.ok();
    let stats = &view["stats"];
    let ends = ["turns", "completed", "failed", "cancelled"].map(|name| stats[name].as_u64().unwrap());
    assert_eq!(ends, [3, 1, 1, 1], "{stats}");
    assert_eq!(
        (&stats["tool_calls"], &stats["input_tokens"], &stats["output_tokens"]),
        (&json!(2), &json!(300), &json!(30))
    );
    let shown: Value = serde_json::from_str(&printed(&program, &["stats", &session, "--json"]).await).unwrap();
    assert_eq!(&shown, stats);
    let words = printed(&program, &["stats", &session]).await;
    assert!(words.contains("3 turns: 1 answered, 1 failed, 1 cancelled"), "{words}");
}

#[tokio::test]
async fn of_the_server() {
    let (model, program, server) = started().await;
    lived(&model, &server).await;
    let stats = server.rest().get("/api/v1/stats").await.ok();
    let ends = ["turns", "completed", "failed", "cancelled"].map(|name| stats["totals"][name].as_u64().unwrap());
    assert_eq!(ends, [3, 1, 1, 1], "{stats}");
    assert_eq!(stats["duration"]["count"], 3);
    let used = &stats["models"]["openai/gpt-4.1-mini"];
    assert_eq!((&used["calls"], &used["errors"]), (&json!(3), &json!(1)), "the one that was cancelled gave no answer");
    let tool = &stats["tools"]["calculator"];
    assert_eq!((&tool["calls"], &tool["errors"]), (&json!(2), &json!(1)), "{stats}");
    assert_eq!(stats["errors"]["model_refused"], 1);
    let words = printed(&program, &["stats"]).await;
    assert!(
        words.contains("tool calculator: 2 calls, 1 failed") && words.contains("error model_refused: 1"),
        "{words}"
    );

    server.stop().await;
    let server = program.start().await;
    assert_eq!(server.rest().get("/api/v1/stats").await.ok()["totals"]["turns"], 0, "since the start");
}

#[tokio::test]
async fn of_what_is_not_there() {
    let (_model, program, _server) = started().await;
    assert_eq!(program.run(&["stats", "01ARZ3NDEKTSV4RRFFQ69G5FAV"]).await.code(), 1);
    assert_eq!(program.run(&["stats", "nonsense"]).await.code(), 1, "it may be a name");
}
