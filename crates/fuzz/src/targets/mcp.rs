//! MCP over HTTP: JSON-RPC of the newer protocol version, which needs no handshake, and handshakes
//! of older versions.

use serde_json::{Value, json};

use super::{assert_answered, json_seeds};
use crate::server::SERVED;

const HEADERS: &str = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n";

pub(super) fn seeds() -> Vec<Vec<u8>> {
    let call = |name: &str, arguments: Value| {
        json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": name, "arguments": arguments,
                "_meta": { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientInfo": { "name": "f", "version": "1" }, "io.modelcontextprotocol/clientCapabilities": {} } },
        })
    };
    json_seeds(&[
        json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": { "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "f", "version": "1" } } }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {} }),
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } }),
        call("calculator", json!({ "expression": "2 + 3" })),
        call("session_start", json!({ "conversation_id": "fuzzed" })),
        call("search_memories", json!({ "query": "boiler" })),
        json!({ "jsonrpc": "2.0", "id": 3, "method": "resources/read", "params": { "uri": "dwell://sessions/fuzzed" } }),
        json!({ "jsonrpc": "2.0", "id": 4, "method": "tasks/get", "params": { "taskId": "01ARZ3NDEKTSV4RRFFQ69G5FAV" } }),
    ])
}

pub(super) fn take(input: &[u8]) {
    // The library may answer 500 to a body that it cannot read, so only the server's survival is
    // checked.
    let status = SERVED.request("POST", "/mcp", HEADERS, input);
    assert_answered(status, "MCP");
}
