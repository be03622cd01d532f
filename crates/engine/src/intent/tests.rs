//! Tables of messages and what they must be understood as, one file per concern.

mod entities;
mod facts;
mod kinds;
mod properties;
mod unclear;

use super::{Intent, Kind, Setting, read};

/// A first message, with nothing before it.
const FIRST: Setting = Setting { has_history: false, answers_question: false, has_images: false };

/// Below this the turn asks back.
const CONFIDENT: f32 = 0.5;

fn first(message: &str) -> Intent {
    read(message, &FIRST)
}

/// Checks the kinds of first messages, and shows all that are wrong at once.
fn check(expected: Kind, messages: &[&str]) {
    let wrong: Vec<_> = messages
        .iter()
        .map(|message| (message, first(message)))
        .filter(|(_, intent)| intent.kind != expected || (intent.confidence < CONFIDENT) != (expected == Kind::Unclear))
        .map(|(message, intent)| format!("{message:?} is {} ({})", intent.kind.as_str(), intent.confidence))
        .collect();
    assert!(wrong.is_empty(), "not {}:\n{}", expected.as_str(), wrong.join("\n"));
}

#[test]
fn names_are_those_on_the_wire() {
    let kinds = [
        Kind::Chat,
        Kind::Question,
        Kind::Calculation,
        Kind::Time,
        Kind::Command,
        Kind::ProfileUpdate,
        Kind::MemoryQuestion,
        Kind::Research,
        Kind::Summary,
        Kind::Unclear,
    ];
    for kind in kinds {
        let debug = format!("{kind:?}");
        assert_eq!(kind.as_str().replace('_', ""), debug.to_lowercase());
    }
}
