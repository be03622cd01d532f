//! The WebSocket: the contents of its messages, and the bytes of its frames.

use serde_json::json;

use super::json_seeds;
use crate::server::{SERVED, TOKEN};

/// An empty close frame, masked with zeros.
const CLOSE: [u8; 6] = [0x88, 0x80, 0, 0, 0, 0];

/// Messages of various kinds.
pub(super) fn messages() -> Vec<Vec<u8>> {
    json_seeds(&[
        json!({ "type": "session.start", "id": "1", "data": { "conversation_id": "fuzzed" } }),
        json!({ "type": "chat.send", "id": "2", "data": { "conversation_id": "fuzzed", "message": "What is 2 + 3?" } }),
        json!({ "type": "session.resume", "id": "3", "data": { "conversation_id": "fuzzed", "after": 0 } }),
        json!({ "type": "session.list", "id": "4", "data": { "limit": 5, "query": "a" } }),
        json!({ "type": "memory.search", "id": "5", "data": { "query": "boiler", "limit": 3 } }),
        json!({ "type": "chat.cancel", "id": "6", "data": { "turn_id": "01ARZ3NDEKTSV4RRFFQ69G5FAV" } }),
        json!({ "type": "session.update", "id": "7", "data": { "conversation_id": "fuzzed", "preferences": { "title": "x" } } }),
        json!({ "type": "interrupt", "id": "8", "data": { "conversation_id": "fuzzed" } }),
        json!({ "type": "provider.set", "id": "9", "data": { "conversation_id": "fuzzed", "model": "offline" } }),
    ])
}

/// The same messages as frames.
pub(super) fn frames() -> Vec<Vec<u8>> {
    let mut frames: Vec<Vec<u8>> = messages().iter().map(|message| frame(0x81, message)).collect();
    // A message in two frames with a ping between them.
    frames.push([frame(0x01, b"{\"type\":"), frame(0x89, b"x"), frame(0x80, b"\"session.list\"}")].concat());
    frames
}

pub(super) fn take_message(input: &[u8]) {
    // The library refuses text frames that are not UTF-8; this target tests the code behind that.
    let text = String::from_utf8_lossy(input);
    converse(&[frame(0x81, text.as_bytes()), CLOSE.to_vec()].concat());
}

pub(super) fn take_bytes(input: &[u8]) {
    converse(input);
}

/// Opens a WebSocket, sends bytes through it, and reads until it closes.
fn converse(bytes: &[u8]) {
    let upgrade = format!(
        "GET /ws HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {TOKEN}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        SERVED.http
    );
    let answer = SERVED.exchange(SERVED.http, &[upgrade.as_bytes(), bytes].concat(), true);
    // A client that disconnects early gets no answer.
    assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 101"), "the WebSocket opens: {}", answer.escape_ascii());
    SERVED.assert_alive();
}

/// A frame as clients send them, masked with zeros.
fn frame(opcode: u8, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![opcode];
    match payload.len() {
        short @ 0..126 => frame.push(0x80 | short as u8),
        middle @ 126..65_536 => {
            frame.push(0x80 | 126);
            frame.extend((middle as u16).to_be_bytes());
        }
        long => {
            frame.push(0x80 | 127);
            frame.extend((long as u64).to_be_bytes());
        }
    }
    frame.extend([0; 4]);
    frame.extend(payload);
    frame
}
