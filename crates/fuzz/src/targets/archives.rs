//! Imports: sessions in every format, and archives of memory.

use serde_json::json;

use super::assert_answered;
use crate::server::SERVED;

/// The import routes; the first byte of an input picks one.
const PLACES: [&str; 6] = [
    "/api/v1/sessions/import?format=ndjson",
    "/api/v1/sessions/import?format=openai",
    "/api/v1/sessions/import?format=langchain",
    "/api/v1/sessions/import?format=langgraph",
    "/api/v1/memory/import",
    "/api/v1/memory/ingest",
];

pub(super) fn seeds() -> Vec<Vec<u8>> {
    let id = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
    let started = json!({
        "seq": 1, "session_id": id, "at": 1_790_000_000_000_i64, "type": "session.started", "data": { "owner": "ada" },
    });
    let accepted = json!({
        "seq": 2, "session_id": id, "turn_id": id, "at": 1_790_000_000_001_i64, "type": "turn.accepted", "data": { "message": "hi" },
    });
    let ended = json!({
        "seq": 3, "session_id": id, "turn_id": id, "at": 1_790_000_000_002_i64, "type": "turn.status", "data": { "status": "completed" },
    });
    let artifact = json!({ "type": "artifact", "artifact": { "artifact_id": id, "name": "a.txt", "media_type": "text/plain" }, "data": "aGk=" });
    let messages = json!([
        { "role": "system", "content": "Be brief." },
        { "role": "user", "content": [{ "type": "text", "text": "hi" }] },
        { "role": "assistant", "content": null, "tool_calls": [{ "id": "c", "type": "function", "function": { "name": "f", "arguments": "{}" } }] },
        { "role": "tool", "tool_call_id": "c", "content": "x" },
        { "role": "assistant", "content": "hello" },
    ]);
    let langchain = json!([
        { "type": "human", "data": { "content": "hi", "id": "1" } },
        { "type": "ai", "data": { "content": "hello", "tool_calls": [] } },
    ]);
    let mem0 = json!({ "results": [{ "id": "1", "memory": "likes tea", "created_at": "2026-01-01T00:00:00Z" }] });
    let archive = json!({ "format": "dwell.memory", "version": 1, "profile": [], "facts": [], "entries": [] });
    let journal = [started, accepted, ended, artifact].map(|line| line.to_string()).join("\n");
    [
        (0, journal),
        (1, messages.to_string()),
        (2, langchain.to_string()),
        (3, json!({ "messages": langchain, "summary": "x" }).to_string()),
        (4, mem0.to_string()),
        (4, archive.to_string()),
        (5, json!({ "messages": messages }).to_string()),
    ]
    .map(|(place, text)| [&[place][..], text.as_bytes()].concat())
    .to_vec()
}

pub(super) fn take(input: &[u8]) {
    let Some((place, text)) = input.split_first() else { return };
    let place = PLACES[usize::from(*place) % PLACES.len()];
    let status = SERVED.request("POST", place, "Content-Type: application/json\r\n", text);
    assert_answered(status, place);
}
