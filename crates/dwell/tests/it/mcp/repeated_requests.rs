//! Repeated requests: a request with the same idempotency key joins its turn, whether the turn
//! still runs or has ended.

use serde_json::{Value, json};
use testkit::McpWire;

use super::{every_way, held, plain, text};
use crate::harness::harness;

#[tokio::test]
async fn a_key_joins_the_turn_while_it_runs_and_afterwards() {
    let harness = harness().await;
    for (way, mcp) in every_way(&harness.program, &harness.server, &plain()).await {
        let session = text(&mcp.data("start_session", json!({})).await["session_id"]);
        for (tool, arguments) in [
            (
                "send_message",
                json!({ "session_id": session, "message": format!("Tell me about {way}."), "idempotency_key": way, "timeout_ms": 30000 }),
            ),
            ("ask", json!({ "message": format!("Tell me about {way}."), "idempotency_key": way })),
        ] {
            let asked = harness.model.requests().len();
            let first = held(&harness, &mcp, tool, arguments.clone()).await;
            let second = mcp.begin_call(tool, arguments.clone());
            let other = harness.server.mcp(McpWire::Alone, plain()).await;
            let third = other.begin_call(tool, arguments.clone());
            harness.tool_server.release("look_at_sky");
            let mut answers = Vec::new();
            for pending in [first, second, third] {
                answers.push(pending.end().await.unwrap().unwrap()["structuredContent"].clone());
            }
            answers.push(mcp.data(tool, arguments.clone()).await);
            for answer in &answers {
                assert_eq!(
                    answer["response"]["final_message"],
                    json!(format!("You said: Tell me about {way}.")),
                    "{way} {tool}"
                );
                assert_eq!(answer["continuation_id"], answers[0]["continuation_id"], "{way} {tool}: one turn");
            }
            assert_eq!(
                harness.model.requests().len() - asked,
                2,
                "{way} {tool}: one call for the tool, one for the answer"
            );
            let mut other = arguments.clone();
            other["message"] = json!("something else");
            let refused = mcp.call(tool, other).await.unwrap();
            assert_eq!(refused["_meta"]["dwell/problem"]["code"], "idempotency_conflict", "{way} {tool}: {refused}");
        }
        assert_eq!(mcp.data("get_session", json!({ "session_id": session })).await["session"]["stats"]["turns"], 1);
    }
    assert_eq!(harness.tool_server.effects("look_at_sky"), 8);
}

#[tokio::test]
async fn a_key_beside_a_call_makes_calling_again_harmless() {
    let harness = harness().await;
    for (number, (way, mcp)) in every_way(&harness.program, &harness.server, &plain()).await.into_iter().enumerate() {
        let call = |note: &str| {
            let meta = json!({ "dwell/idempotency_key": way });
            json!({ "name": "send_letter", "arguments": { "note": note }, "_meta": meta })
        };
        harness.tool_server.hold("send_letter");
        let first = mcp.begin("tools/call", call(&way));
        harness.tool_server.until(|tool_server| tool_server.waiting("send_letter") == 1).await;
        let second = mcp.begin("tools/call", call(&way));
        harness.tool_server.release("send_letter");
        let (first, second) = (first.end().await.unwrap().unwrap(), second.end().await.unwrap().unwrap());
        let third: Value = mcp.ask("tools/call", call(&way)).await.unwrap();
        assert_ne!(first["isError"], true, "{way}: {first}");
        assert_eq!((&first, &first), (&second, &third), "{way}");
        assert_eq!(harness.tool_server.effects("send_letter"), number + 1, "{way}: it happened once");
        let other = mcp.ask("tools/call", call("another")).await.unwrap();
        assert_eq!(other["_meta"]["dwell/problem"]["code"], "idempotency_conflict", "{other}");
        assert_eq!(harness.tool_server.effects("send_letter"), number + 1);
    }
}
