//! Registered tools that the client calls directly.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use testkit::Program;

use super::{CheckedClient, every_way, plain, text, tools};
use crate::{
    harness::{harness, harness_with, steps},
    started,
};

#[tokio::test]
async fn every_registered_tool_that_may_run_is_listed() {
    let set = |program: Program| program.with("DWELL_TOOLS_DENY", "send_letter").with("DWELL_HOME", "simulated");
    let harness = harness_with(|_| {}, set).await;
    let registered = harness.server.rest().get("/api/v1/tools").await.ok();
    let registered = registered["data"].as_array().unwrap();
    assert!(registered.iter().any(|tool| tool["enabled"] == false), "this looks at something");
    for (way, mcp) in every_way(&harness.program, &harness.server, &plain()).await {
        let listed = tools(&mcp).await;
        let names: BTreeSet<&str> = listed.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert_eq!(names.len(), listed.len(), "{way}: each once");
        for tool in registered {
            let (name, enabled) = (tool["name"].as_str().unwrap(), tool["enabled"] == true);
            assert_eq!(names.contains(name), enabled, "{way}: {name}");
            if let Some(listed) = listed.iter().find(|listed| listed["name"] == name) {
                assert_eq!(listed["description"], tool["description"], "{name}");
                let (told, known) = (&listed["inputSchema"]["properties"], &tool["input_schema"]["properties"]);
                assert_eq!(fields(told), fields(known), "{name}");
                assert_eq!(listed["annotations"]["readOnlyHint"], tool["safety"] == "observes", "{name}");
            }
        }
        for tool in listed {
            assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
            assert!(tool["outputSchema"].is_null() || tool["outputSchema"]["type"] == "object", "{tool}");
        }
    }
}

fn fields(properties: &Value) -> BTreeSet<&String> {
    properties.as_object().into_iter().flatten().map(|(name, _)| name).collect()
}

#[tokio::test]
async fn what_only_looks_is_answered_at_once_and_leaves_nothing_behind() {
    let (_model, program, server) = started().await;
    for (way, mcp) in every_way(&program, &server, &plain()).await {
        let mcp = CheckedClient::new(mcp).await;
        let sum = mcp.data("calculator", json!({ "expression": "6 * 7" })).await;
        assert!(sum.to_string().contains("42"), "{way}: {sum}");
        mcp.data("current_time", json!({})).await;
        let wrong = mcp.mcp.call("calculator", json!({ "expression": "6 *" })).await.unwrap();
        assert_eq!(wrong["isError"], true, "{way}: {wrong}");
        let unfit = mcp.mcp.call("calculator", json!({ "sum": 1 })).await.unwrap();
        assert_eq!(unfit["isError"], true, "{way}: {unfit}");
    }
    assert_eq!(server.rest().get("/api/v1/sessions").await.ok()["data"], json!([]), "no session");
}

#[tokio::test]
async fn what_acts_is_a_turn_of_the_session_mcp() {
    let harness = harness().await;
    let rest = harness.server.rest();
    for (number, (way, mcp)) in every_way(&harness.program, &harness.server, &plain()).await.into_iter().enumerate() {
        let done = mcp.call("book_table", json!({ "note": way })).await.unwrap();
        assert_ne!(done["isError"], true, "{way}: {done}");
        let named = json!({ "dwell/session_id": "garden" });
        let done = json!({ "name": "set_label", "arguments": { "note": way }, "_meta": named });
        assert_ne!(mcp.ask("tools/call", done).await.unwrap()["isError"], true);
        let sessions = rest.get("/api/v1/sessions").await.ok();
        let turns = |key: &str| {
            let view = sessions["data"].as_array().unwrap().iter().find(|view| view["key"] == key);
            view.unwrap_or_else(|| panic!("no {key}: {sessions}"))["stats"]["turns"].clone()
        };
        assert_eq!((turns("mcp"), turns("garden")), (json!(number + 1), json!(number + 1)), "{way}");
        assert_eq!(sessions["data"].as_array().unwrap().len(), 2);
    }
    assert_eq!((harness.tool_server.effects("book_table"), harness.tool_server.effects("set_label")), (4, 4));
    assert!(harness.model.requests().is_empty(), "no model was asked");
    let sessions = rest.get("/api/v1/sessions").await.ok();
    let mcp = sessions["data"].as_array().unwrap().iter().find(|view| view["key"] == "mcp").unwrap();
    let events = rest.log(mcp["session_id"].as_str().unwrap()).await;
    let turn = events.iter().find_map(|event| event["turn_id"].as_str()).unwrap();
    let turn = rest.ended(turn).await;
    assert_eq!(steps(&turn, "tool_call").len(), 1, "written down before it ran: {turn}");
}

#[tokio::test]
async fn what_policy_denies_is_the_tools_error() {
    let set = |program: Program| {
        program.with("DWELL_TOOLS_DENY", "look_at_sky,send_letter").with("DWELL_TOOLS_ACTUATION", "false")
    };
    let harness = harness_with(|_| {}, set).await;
    for (way, mcp) in every_way(&harness.program, &harness.server, &plain()).await {
        for tool in ["look_at_sky", "book_table", "send_letter"] {
            let denied: Value = mcp.call(tool, json!({ "note": "please" })).await.unwrap();
            assert_eq!(denied["isError"], true, "{way} {tool}: {denied}");
            assert!(text(&denied["content"][0]["text"]).len() > 20, "{way} {tool}: {denied}");
        }
    }
    assert_eq!(harness.tool_server.ledger().len(), 0);
}

/// A failure is a tool error with the tool's own message.
#[tokio::test]
async fn what_fails_is_the_tools_error() {
    let harness = harness().await;
    harness.tool_server.fail("look_at_sky", 500);
    harness.tool_server.fail("book_table", 400);
    for (way, mcp) in every_way(&harness.program, &harness.server, &plain()).await {
        for tool in ["look_at_sky", "book_table"] {
            let failed = mcp.call(tool, json!({ "note": "please" })).await.unwrap();
            assert_eq!(failed["isError"], true, "{way} {tool}: {failed}");
        }
    }
}
