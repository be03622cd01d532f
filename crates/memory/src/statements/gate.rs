//! The gate: whether facts or profile lines may be extracted from a message, and why. The message
//! itself is always stored as an entry.

use super::{
    StatementKind,
    extract::{Voice, read},
};
use crate::language::{
    imperatives::is_verb,
    pattern::{asks, body, first_is, starts},
    rule_words::ENGLISH,
    words::TokenizedText,
};

/// Why the gate is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenReason {
    /// The user asks for something to be remembered.
    Cue,
    /// The user states something.
    Statement,
    /// The user says that something changed.
    Update,
    /// The user says that something is over.
    Ending,
}

/// Why the gate is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClosedReason {
    /// The speaker is not the user.
    NotTheUser,
    /// It is a question.
    Question,
    /// It asks for something to be done.
    Request,
    /// It is make-believe, or a text to work on.
    OtherVoice,
    /// It is pasted text or code.
    Pasted,
    /// It cites another person.
    Quote,
    /// It is about the moment, or nothing lasting is stated.
    NothingLasting,
}

/// The decision of the gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GateDecision {
    /// Statements may be extracted.
    Open {
        /// Why.
        why: OpenReason,
    },
    /// None may.
    Closed {
        /// Why not.
        why: ClosedReason,
    },
}

impl GateDecision {
    /// Whether statements may be extracted.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Open { .. })
    }
}

/// Decides for one message of a speaker with a role.
pub fn gate(message: &str, role: &str) -> GateDecision {
    if role != "user" {
        return GateDecision::Closed { why: ClosedReason::NotTheUser };
    }
    let reading = read(message);
    if let Some(first) = reading.statements.first() {
        let why = match first.kind {
            _ if reading.told => OpenReason::Cue,
            StatementKind::Ending => OpenReason::Ending,
            _ if first.is_update => OpenReason::Update,
            _ => OpenReason::Statement,
        };
        return GateDecision::Open { why };
    }
    let why = match reading.voice {
        Voice::Pasted => ClosedReason::Pasted,
        Voice::Other => ClosedReason::OtherVoice,
        Voice::Own => reason(message),
    };
    GateDecision::Closed { why }
}

/// Why a message of the user's own states nothing.
fn reason(message: &str) -> ClosedReason {
    let text = TokenizedText::read(message, super::LOOKED_AT_MAX);
    if text.asks || text.sentences().any(asks) {
        return ClosedReason::Question;
    }
    if text.words.iter().any(|word| word.quoted) || message.trim_start().starts_with('>') {
        return ClosedReason::Quote;
    }
    let asked = |sentence: &[crate::language::words::Word<'_>]| {
        let words = body(sentence);
        starts(words, &ENGLISH.gate.requests) || words.first().is_some_and(is_verb)
    };
    if text.sentences().any(asked) {
        return ClosedReason::Request;
    }
    if text.sentences().any(|sentence| first_is(body(sentence), &ENGLISH.gate.asking)) {
        return ClosedReason::Question;
    }
    ClosedReason::NothingLasting
}
