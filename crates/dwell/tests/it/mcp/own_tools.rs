//! The list of Dwell's own tools: clients rely on their names, models on what they say of
//! themselves.

use std::collections::BTreeSet;

use serde_json::Value;
use testkit::McpWire;

use super::{plain, tools};
use crate::started;

/// The names of Dwell's own tools.
const OWN: [&str; 34] = [
    "start_session",
    "send_message",
    "await_continuation",
    "pause",
    "list_background",
    "cancel",
    "get_session",
    "end_session",
    "delete_session",
    "ask",
    "resume",
    "retry",
    "list_sessions",
    "create_vault",
    "list_vaults",
    "create_memory",
    "list_memories",
    "add_entry",
    "list_entries",
    "get_entry",
    "put_context",
    "get_context",
    "search_memories",
    "memory_graph",
    "await_consistency",
    "get_profile",
    "set_profile",
    "correct",
    "forget",
    "update_vault",
    "delete_vault",
    "update_memory",
    "delete_memory",
    "control_memory",
];

#[tokio::test]
async fn every_own_tool_is_listed_once_and_says_what_it_takes_and_gives() {
    let (_model, _program, server) = started().await;
    let listed = tools(&server.mcp(McpWire::BOTH[0], plain()).await).await;
    let names: Vec<&str> = listed.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    let unique: BTreeSet<&str> = names.iter().copied().collect();
    assert_eq!(unique.len(), names.len(), "{names:?}");
    for name in OWN {
        let tool: &Value = listed.iter().find(|tool| tool["name"] == name).unwrap_or_else(|| panic!("no {name}"));
        assert_eq!(tool["inputSchema"]["type"], "object", "{name}");
        assert_eq!(tool["outputSchema"]["type"], "object", "{name}");
        assert!(!tool.to_string().contains("\"$ref\""), "{tool}");
        assert!(tool["description"].as_str().unwrap().len() > 20, "{name}");
    }
}
