//! The targets, one file for each kind of input.

mod archives;
mod files;
mod markup;
mod mcp;
mod rest;
mod socket;
mod wyoming;

use crate::FuzzTarget;

/// All targets.
pub const TARGETS: [FuzzTarget; 9] = [
    FuzzTarget { name: "websocket_message", seeds: socket::messages, take: socket::take_message },
    FuzzTarget { name: "websocket_bytes", seeds: socket::frames, take: socket::take_bytes },
    FuzzTarget { name: "rest_body", seeds: rest::seeds, take: rest::take },
    FuzzTarget { name: "import", seeds: archives::seeds, take: archives::take },
    FuzzTarget { name: "window_content", seeds: markup::windows, take: markup::take_window },
    FuzzTarget { name: "page_text", seeds: markup::pages, take: markup::take_page },
    FuzzTarget { name: "mcp", seeds: mcp::seeds, take: mcp::take },
    FuzzTarget { name: "wyoming", seeds: wyoming::seeds, take: wyoming::take },
    FuzzTarget { name: "journal_file", seeds: files::seeds, take: files::take },
];

/// Well-formed JSON texts as inputs.
fn json_seeds(values: &[serde_json::Value]) -> Vec<Vec<u8>> {
    values.iter().map(|value| value.to_string().into_bytes()).collect()
}

/// Asserts that the answer is not an internal error.
#[track_caller]
fn assert_answered(status: u16, what: &str) {
    assert!(status != 500, "{what} was answered with an internal error");
}
