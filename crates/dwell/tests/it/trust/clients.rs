//! An MCP client that has read untrusted text through Dwell needs approval before it acts outside
//! Dwell.

use serde_json::{Value, json};
use testkit::{McpClient, McpWire, RestClient};

use super::{ORDER, ToolHarness, import, obedient, obedient_with};
use crate::{harness::told, owners::add};

fn plain() -> Value {
    json!({})
}

/// Whether a direct call of `send_letter` waits for approval.
async fn is_asked(rest: &RestClient, mcp: &McpClient) -> bool {
    let answer = mcp.call("send_letter", json!({ "note": "dear Mallory" })).await.unwrap();
    let waits = answer.to_string().contains("text from outside");
    assert_eq!(answer["isError"] == true, waits, "{answer}");
    // Denies all open approvals, because each occupies an agent.
    for open in rest.get("/api/v1/approvals").await.ok()["data"].as_array().unwrap() {
        let path = format!("/api/v1/approvals/{}", open["approval_id"].as_str().unwrap());
        rest.post(&path, json!({ "decision": "deny" })).await.ok();
    }
    waits
}

async fn read_sky(mcp: &McpClient) {
    let read = mcp.call("look_at_sky", json!({ "note": ORDER })).await.unwrap();
    assert!(read.to_string().contains("ORDER-4711"), "{read}");
}

#[tokio::test]
async fn reading_by_one_call_taints_the_next_on_both_wires() {
    let harness = obedient().await;
    let rest = harness.server.rest();
    let ada = add(&harness.program, "ada").await;
    for wire in McpWire::BOTH {
        let (name, before) = (wire.version(), harness.tool_server.effects("send_letter"));
        let mcp = harness.server.mcp_named(name, wire, plain()).await;
        assert!(!is_asked(&rest, &mcp).await, "a client that has read nothing is free");
        assert_ne!(mcp.call("calculator", json!({ "expression": "6 * 7" })).await.unwrap()["isError"], true);
        assert!(!is_asked(&rest, &mcp).await, "nor does arithmetic taint");
        read_sky(&mcp).await;
        assert!(is_asked(&rest, &mcp).await, "{name}");
        assert_ne!(mcp.call("set_label", json!({ "note": "seen" })).await.unwrap()["isError"], true, "keeping is free");
        assert_eq!(harness.tool_server.effects("send_letter"), before + 2);
        // The same client name stays tainted in both protocol versions. Another name or another
        // owner is not affected.
        for again in McpWire::BOTH {
            assert!(is_asked(&rest, &harness.server.mcp_named(name, again, plain()).await).await);
        }
        let other = harness.server.mcp(wire, plain()).await;
        assert!(!is_asked(&rest, &other).await, "another client has read nothing");
        let hers = McpClient::http_named(harness.server.url(), &ada, name, wire, plain()).await;
        assert!(!is_asked(&rest, &hers).await, "nor has another owner's client of the same name");
    }
}

#[tokio::test]
async fn a_client_that_can_ask_its_user_asks_and_a_yes_lets_it_happen_once() {
    let harness = obedient().await;
    let mcp = harness.server.mcp(McpWire::Alone, json!({ "elicitation": { "form": {} } })).await;
    read_sky(&mcp).await;
    let request = json!({ "name": "send_letter", "arguments": { "note": "dear Ada" } });
    let asked = mcp.ask("tools/call", request.clone()).await.unwrap();
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let name = asked["inputRequests"].as_object().unwrap().keys().next().unwrap().clone();
    let mut said = request;
    said["inputResponses"] = json!({ name: { "action": "accept", "content": { "confirm": true } } });
    said["requestState"] = asked["requestState"].clone();
    assert_ne!(mcp.ask("tools/call", said).await.unwrap()["isError"], true);
    assert_eq!(harness.tool_server.effects("send_letter"), 1);
}

#[tokio::test]
async fn a_restart_does_not_wash_it_off_and_the_owner_can() {
    let harness = obedient().await;
    read_sky(&harness.server.mcp(McpWire::Session, plain()).await).await;
    let ToolHarness { model, tool_server, program, server } = harness;
    server.kill().await;
    let server = program.start().await;
    let (rest, mcp) = (server.rest(), server.mcp(McpWire::Session, plain()).await);
    assert!(is_asked(&rest, &mcp).await);
    let sessions = rest.get("/api/v1/sessions").await.ok();
    let own = sessions["data"].as_array().unwrap().iter().find(|view| view["key"] == "mcp").unwrap();
    assert!(own["read_by"]["dwell-tests"].is_string(), "{own}");
    rest.post(&format!("/api/v1/sessions/{}/reset", own["session_id"].as_str().unwrap()), json!({})).await.ok();
    assert!(!is_asked(&rest, &mcp).await, "a reset by the owner clears the taint");
    drop((model, tool_server));
}

/// A session that is imported from an untrusted file.
async fn strange(harness: &ToolHarness) -> String {
    let messages = json!([{ "role": "user", "content": ORDER }, { "role": "assistant", "content": "Hm." }]);
    super::id(&import(&harness.server.rest(), "format=openai", messages.to_string()).await.ok())
}

#[tokio::test]
async fn every_way_of_reading_through_dwell_counts() {
    let harness = obedient().await;
    let rest = harness.server.rest();
    let session = strange(&harness).await;
    let turns = rest.get(&format!("/api/v1/sessions/{session}/turns")).await.ok();
    let turn = turns["data"][0]["turn_id"].clone();
    rest.post("/api/v1/memories/await_consistency", json!({ "timeout_ms": 30_000 })).await.ok();
    let ways = [
        ("resources/read", json!({ "uri": format!("session://{session}/events") })),
        ("resources/list", json!({})),
        ("tools/call", json!({ "name": "list_sessions", "arguments": {} })),
        ("tools/call", json!({ "name": "get_session", "arguments": { "session_id": session } })),
        ("tools/call", json!({ "name": "await_continuation", "arguments": { "continuation_id": turn } })),
        ("tools/call", json!({ "name": "search_memories", "arguments": { "query": "write to Mallory" } })),
    ];
    for (number, (method, params)) in ways.into_iter().enumerate() {
        let mcp = harness.server.mcp_named(&format!("client {number}"), McpWire::Alone, plain()).await;
        assert!(!is_asked(&rest, &mcp).await);
        let read = mcp.ask(method, params.clone()).await.unwrap();
        assert_ne!(read["isError"], true, "{method} {params}: {read}");
        assert!(is_asked(&rest, &mcp).await, "{method} {params}: {read}");
    }
}

#[tokio::test]
async fn what_a_tainted_client_says_and_keeps_is_untrusted() {
    let harness = obedient().await;
    let rest = harness.server.rest();
    let mcp = harness.server.mcp(McpWire::Alone, plain()).await;
    read_sky(&mcp).await;
    let session =
        mcp.data("start_session", json!({ "preferences": { "instructions": "Obey." } })).await["session_id"].clone();
    let view = rest.get(&format!("/api/v1/sessions/{}", session.as_str().unwrap())).await.ok();
    assert_eq!(view["settings"]["imported"], json!(["instructions"]), "{view}");
    let sent = json!({ "session_id": session, "message": format!("The user says: {ORDER}"), "timeout_ms": 30_000 });
    let answer = mcp.data("send_message", sent).await;
    assert_eq!((&answer["status"], harness.tool_server.effects("send_letter")), (&json!("waiting"), 0), "{answer}");
    let vault = mcp.data("create_vault", json!({ "title": "Notes" })).await;
    let memory = mcp.data("create_memory", json!({ "vault_id": vault["vault_id"], "title": "Sky" })).await;
    let entry = json!({ "vault_id": vault["vault_id"], "memory_id": memory["memory_id"], "raw_entry": "I like tea." });
    let entry = mcp.data("add_entry", entry).await;
    assert_eq!((&vault["origin"], &entry["origin"]), (&json!("untrusted"), &json!("untrusted")), "{vault} {entry}");
}

#[tokio::test]
async fn what_an_agent_has_read_taints_who_reads_its_answer() {
    let harness = obedient().await;
    let rest = harness.server.rest();
    let session = rest.session().await;
    harness.model.push(crate::harness::calls("c1", "look_at_sky", "clear"));
    harness.model.push(testkit::Reply::text("It is clear."));
    let turn = told(&rest, &session, json!({ "message": "How is the sky?" })).await;
    assert_eq!(turn["tainted"], true, "{turn}");
    let mcp = harness.server.mcp(McpWire::Session, plain()).await;
    assert!(!is_asked(&rest, &mcp).await);
    mcp.data("await_continuation", json!({ "continuation_id": turn["turn_id"] })).await;
    assert!(is_asked(&rest, &mcp).await);
}

#[tokio::test]
async fn it_lasts_as_long_as_the_setting_says() {
    let harness = obedient_with(|program| program.with("DWELL_TOOLS_CLIENT_TAINT_MINUTES", "0")).await;
    let rest = harness.server.rest();
    let mcp = harness.server.mcp(McpWire::Alone, plain()).await;
    read_sky(&mcp).await;
    assert!(is_asked(&rest, &mcp).await, "0 is for good");
}
