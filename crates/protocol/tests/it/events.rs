//! Events as the journal stores them and clients receive them.

use protocol::{Body, Event};

use crate::samples::events;

#[test]
fn every_event_has_its_form() {
    insta::assert_json_snapshot!(events());
}

#[test]
fn every_event_reads_back_as_it_was_written() {
    for event in events() {
        let text = serde_json::to_string(&event).unwrap();
        assert_eq!(serde_json::from_str::<Event>(&text).unwrap(), event, "{text}");
    }
}

/// Journals of the first release must load forever. These lines are never edited, only added to.
#[test]
fn bodies_of_format_1_always_load() {
    let lines: Vec<&str> = include_str!("format_1.ndjson").lines().collect();
    assert_eq!(lines.len(), 13 + 14 + 3 + 2 + 15 + 2 + 4 + 3 + 2);
    for line in lines {
        serde_json::from_str::<Body>(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    }
}
