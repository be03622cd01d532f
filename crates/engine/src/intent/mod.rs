//! What a message is about, told by rules: the `understand` stage of a turn. Everything here is pure: a message and a
//! little about its setting go in, an [`Intent`] comes out; no model, no clock, no I/O. Rules look at words, never at
//! letters inside words ("Miami" is not "I am"), and they are shy: a message the rules do not know is chat for the
//! model, and only one that nobody could act on is [`Kind::Unclear`] and brings a question to ask back.
//!
//! Reading order: `memory::language` cuts the text and matches phrases, `entities` finds dates and such,
//! `memory::statements` is the gate for what may be remembered, `unclear` decides when to ask, `kinds` (with `command`
//! and `sums`) names the rest.

mod command;
mod entities;
mod kinds;
mod sums;
#[cfg(test)]
mod tests;
mod unclear;

use memory::{language::words::Text, statements::profile};
use serde::Serialize;

/// How much of a message is looked at, in bytes: what it is about is said early, and long ones are pasted text.
const LOOKED_AT_MAX: usize = 4096;

/// What a message is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// Talk, a topic, a text to write: anything the model simply answers.
    Chat,
    /// Something to be told.
    Question,
    /// A sum or a conversion of units.
    Calculation,
    /// The time, the date, the days until something.
    Time,
    /// Something to be done.
    Command,
    /// A lasting fact about the user, or how they want to be treated.
    ProfileUpdate,
    /// What is known about the user, or what was said or done before.
    MemoryQuestion,
    /// Something to look up in several sources.
    Research,
    /// A text or talk to make shorter.
    Summary,
    /// Nothing that can be acted on without asking.
    Unclear,
}

impl Kind {
    /// The name on the wire.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Question => "question",
            Self::Calculation => "calculation",
            Self::Time => "time",
            Self::Command => "command",
            Self::ProfileUpdate => "profile_update",
            Self::MemoryQuestion => "memory_question",
            Self::Research => "research",
            Self::Summary => "summary",
            Self::Unclear => "unclear",
        }
    }
}

/// What sort of thing an entity is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EntityKind {
    /// `5`, `3.5`, `15%`, `twelve`.
    Number,
    /// `3 May`, `2026-05-03`, `tomorrow`, `next Monday`.
    Date,
    /// `17:30`, `5 pm`, `noon`.
    Time,
    /// `10 minutes`, `half an hour`.
    Duration,
    /// A capitalised name inside a sentence: a person, a place, a product.
    Name,
    /// What stands between quotation marks, without them.
    Quoted,
    /// A web address.
    Url,
    /// A mail address.
    Email,
}

/// Something a message names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Entity {
    /// What sort of thing it is.
    pub kind: EntityKind,
    /// The words as the user wrote them.
    pub text: String,
    /// Where they start in the message, in characters.
    pub start: usize,
}

/// What a message was understood to be.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Intent {
    /// What it is about.
    pub kind: Kind,
    /// How sure that is, from 0 to 1; below 0.5 exactly when the kind is unclear.
    pub confidence: f32,
    /// What it names, in the order of the message.
    pub entities: Vec<Entity>,
    /// What to ask back; given exactly when the kind is unclear.
    pub question: Option<String>,
    /// What sort of fact `value` is: diet, allergy, name, home, birthday, language, job or preference.
    pub key: Option<String>,
    /// The first fact the user states about themselves. Also given beside a question or a command ("I'm vegan.
    /// Suggest a dinner."): the kind says what to do, the fact what may be remembered.
    pub value: Option<String>,
}

/// What there is besides the words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Setting {
    /// Earlier turns give "it" and "that one" something to mean.
    pub has_history: bool,
    /// The turn before asked the user something, and this is the answer.
    pub answers_question: bool,
    /// Images come with the message.
    pub has_images: bool,
}

/// Whether a message is empty in effect: punctuation, or one filler word.
pub(crate) fn says_nothing(message: &str) -> bool {
    unclear::is_fragment(&Text::read(message, LOOKED_AT_MAX))
}

/// Understands a message.
pub(crate) fn read(message: &str, setting: &Setting) -> Intent {
    let text = Text::read(message, LOOKED_AT_MAX);
    let fact = profile::facts(&text).into_iter().next();
    let verdict = match &fact {
        Some(fact) if fact.whole => (Kind::ProfileUpdate, if fact.key.is_some() { 0.9 } else { 0.8 }),
        _ => kinds::read(&text),
    };
    // A stated fact is something to act on, whatever else the message lacks.
    let asked = if fact.is_some() { None } else { unclear::read(&text, setting) };
    let ((kind, confidence), question) = match asked {
        Some(doubt) => ((Kind::Unclear, doubt.confidence), Some(doubt.question)),
        None => (verdict, None),
    };
    let key = fact.as_ref().and_then(|fact| fact.key).map(str::to_owned);
    Intent { kind, confidence, entities: entities::find(&text), question, key, value: fact.map(|fact| fact.value) }
}
