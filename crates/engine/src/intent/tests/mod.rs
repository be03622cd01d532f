//! Tables of messages with their expected intent, one file per concern.

mod entities;
mod facts;
mod kinds;
mod properties;
mod unclear;

use super::{Intent, IntentKind, MessageContext, read};

/// A first message, without history.
const FIRST: MessageContext = MessageContext { has_history: false, answers_question: false, has_images: false };

/// Below this confidence the turn asks a question.
const CONFIDENT: f32 = 0.5;

fn first(message: &str) -> Intent {
    read(message, &FIRST)
}

/// Checks the kinds of first messages, and reports all failures at once.
fn check(expected: IntentKind, messages: &[&str]) {
    let wrong: Vec<_> = messages
        .iter()
        .map(|message| (message, first(message)))
        .filter(|(_, intent)| {
            intent.kind != expected || (intent.confidence < CONFIDENT) != (expected == IntentKind::Unclear)
        })
        .map(|(message, intent)| format!("{message:?} is {} ({})", intent.kind.as_str(), intent.confidence))
        .collect();
    assert!(wrong.is_empty(), "not {}:\n{}", expected.as_str(), wrong.join("\n"));
}

#[test]
fn names_are_those_on_the_wire() {
    let kinds = [
        IntentKind::Chat,
        IntentKind::Question,
        IntentKind::Calculation,
        IntentKind::Time,
        IntentKind::Command,
        IntentKind::ProfileUpdate,
        IntentKind::MemoryQuestion,
        IntentKind::Research,
        IntentKind::Summary,
        IntentKind::Unclear,
    ];
    for kind in kinds {
        let debug = format!("{kind:?}");
        assert_eq!(kind.as_str().replace('_', ""), debug.to_lowercase());
    }
}
