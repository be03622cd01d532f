//! The targets, one file for each kind of reader.

mod archives;
mod files;
mod markup;
mod mcp;
mod rest;
mod socket;
mod wyoming;

use crate::Target;

/// Everything that reads bytes of strangers.
pub const TARGETS: [Target; 9] = [
    Target { name: "websocket_message", seeds: socket::messages, take: socket::take_message },
    Target { name: "websocket_bytes", seeds: socket::frames, take: socket::take_bytes },
    Target { name: "rest_body", seeds: rest::seeds, take: rest::take },
    Target { name: "import", seeds: archives::seeds, take: archives::take },
    Target { name: "window_content", seeds: markup::windows, take: markup::take_window },
    Target { name: "page_text", seeds: markup::pages, take: markup::take_page },
    Target { name: "mcp", seeds: mcp::seeds, take: mcp::take },
    Target { name: "wyoming", seeds: wyoming::seeds, take: wyoming::take },
    Target { name: "journal_file", seeds: files::seeds, take: files::take },
];

/// Well-formed JSON texts as inputs.
fn json_seeds(values: &[serde_json::Value]) -> Vec<Vec<u8>> {
    values.iter().map(|value| value.to_string().into_bytes()).collect()
}

/// An answer that is none of ours: something inside broke.
#[track_caller]
fn assert_answered(status: u16, what: &str) {
    assert!(status != 500, "{what} was answered with an internal error");
}
