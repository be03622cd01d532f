//! The gate: whether anything of a message may be kept as a fact or in the profile, and why. The words themselves are
//! always kept as an entry; this is about what is made of them.

use super::{
    Kind,
    sayings::{Voice, read},
};
use crate::language::{
    orders::is_verb,
    pattern::{asks, body, first_is, starts},
    words::Text,
};

/// Why the gate is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Open {
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
pub enum Closed {
    /// Somebody else than the user speaks.
    NotTheUser,
    /// It is a question.
    Question,
    /// It asks for something to be done.
    Request,
    /// It is make-believe, or a text to work on.
    OtherVoice,
    /// It is pasted text or code.
    Pasted,
    /// Somebody is cited.
    Quote,
    /// It is about the moment, or nothing lasting is stated.
    NothingLasting,
}

/// What the gate says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gate {
    /// Something may be kept.
    Open {
        /// Why.
        why: Open,
    },
    /// Nothing may.
    Closed {
        /// Why not.
        why: Closed,
    },
}

impl Gate {
    /// Whether something may be kept.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Open { .. })
    }
}

/// Decides for one message of somebody in a role.
pub fn gate(message: &str, role: &str) -> Gate {
    if role != "user" {
        return Gate::Closed { why: Closed::NotTheUser };
    }
    let reading = read(message);
    if let Some(first) = reading.statements.first() {
        let why = match first.kind {
            _ if reading.told => Open::Cue,
            Kind::Ending => Open::Ending,
            _ if first.is_update => Open::Update,
            _ => Open::Statement,
        };
        return Gate::Open { why };
    }
    let why = match reading.voice {
        Voice::Pasted => Closed::Pasted,
        Voice::Other => Closed::OtherVoice,
        Voice::Own => reason(message),
    };
    Gate::Closed { why }
}

/// Why a message of the user's own states nothing.
fn reason(message: &str) -> Closed {
    let text = Text::read(message, super::LOOKED_AT_MAX);
    if text.asks || text.sentences().any(asks) {
        return Closed::Question;
    }
    if text.words.iter().any(|word| word.quoted) || message.trim_start().starts_with('>') {
        return Closed::Quote;
    }
    let asked = |sentence: &[crate::language::words::Word<'_>]| {
        let words = body(sentence);
        starts(words, &["can|could|would|will you", "remember|remind to|me|the", "i want|need you to"])
            || words.first().is_some_and(is_verb)
    };
    if text.sentences().any(asked) {
        return Closed::Request;
    }
    const ASKING: &[&str] =
        &["what", "who", "why", "how", "where", "when", "which", "do", "does", "did", "is", "are", "am"];
    if text.sentences().any(|sentence| first_is(body(sentence), ASKING)) {
        return Closed::Question;
    }
    Closed::NothingLasting
}
