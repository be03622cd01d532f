//! The intent of a message, by rules: the `understand` stage of a turn. Everything here is pure: a
//! message and a little context go in, an [`Intent`] comes out, without a model, a clock or I/O.
//! Rules match words, never letters inside words ("Miami" is not "I am"), and they are cautious: a
//! message that matches no rule is chat for the model, and only one that cannot be acted on is
//! [`IntentKind::Unclear`], with a question to the user.
//!
//! Reading order: `memory::language` splits the text and matches phrases, `entities` finds dates
//! and the like, `memory::statements` decides what may be remembered, `unclear` decides when to
//! ask, and `kinds` (with `command` and `calculations`) classifies the rest.

mod calculations;
mod command;
mod entities;
mod kinds;
#[cfg(test)]
mod tests;
mod unclear;

use memory::{language::words::TokenizedText, statements::profile};
use serde::Serialize;

/// How many bytes of a message the rules read: the intent comes early, and long messages are pasted
/// text.
const LOOKED_AT_MAX: usize = 4096;

/// The kind of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum IntentKind {
    /// Conversation, a topic, a text to write: anything the model simply answers.
    Chat,
    /// A question.
    Question,
    /// A calculation or a conversion of units.
    Calculation,
    /// The time, the date, the days until something.
    Time,
    /// A task to carry out.
    Command,
    /// A lasting fact about the user, or how they want to be treated.
    ProfileUpdate,
    /// A question about the user, or about earlier conversations.
    MemoryQuestion,
    /// A question that needs several sources.
    Research,
    /// A text or conversation to summarize.
    Summary,
    /// Not actionable without a clarifying question.
    Unclear,
}

impl IntentKind {
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

/// The kind of an entity.
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
    /// The text between quotation marks, without them.
    Quoted,
    /// A web address.
    Url,
    /// A mail address.
    Email,
}

/// An entity in a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct MessageEntity {
    /// Its kind.
    pub kind: EntityKind,
    /// The text as the user wrote it.
    pub text: String,
    /// Its start in the message, in characters.
    pub start: usize,
}

/// The intent of a message.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Intent {
    /// Its kind.
    pub kind: IntentKind,
    /// The confidence, from 0 to 1; below 0.5 exactly when the kind is unclear.
    pub confidence: f32,
    /// Its entities, in order.
    pub entities: Vec<MessageEntity>,
    /// The clarifying question; set exactly when the kind is unclear.
    pub question: Option<String>,
    /// The kind of fact in `value`: diet, allergy, name, home, birthday, language, job or
    /// preference.
    pub key: Option<String>,
    /// The first fact that the user states about themselves. Also set beside a question or a
    /// command ("I'm vegan. Suggest a dinner."): the kind says what to do, the fact what may be
    /// remembered.
    pub value: Option<String>,
}

/// The context of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct MessageContext {
    /// Whether there are earlier turns that "it" and "that one" can refer to.
    pub has_history: bool,
    /// Whether the message answers a question of the turn before.
    pub answers_question: bool,
    /// Whether the message has images.
    pub has_images: bool,
}

/// Whether a message is effectively empty: punctuation, or one filler word.
pub(crate) fn says_nothing(message: &str) -> bool {
    unclear::is_fragment(&TokenizedText::read(message, LOOKED_AT_MAX))
}

/// Classifies a message.
pub(crate) fn read(message: &str, setting: &MessageContext) -> Intent {
    let text = TokenizedText::read(message, LOOKED_AT_MAX);
    let fact = profile::facts(&text).into_iter().next();
    let verdict = match &fact {
        Some(fact) if fact.whole => (IntentKind::ProfileUpdate, if fact.key.is_some() { 0.9 } else { 0.8 }),
        _ => kinds::read(&text),
    };
    // A stated fact can be acted on, whatever else the message lacks.
    let asked = if fact.is_some() { None } else { unclear::read(&text, setting) };
    let ((kind, confidence), question) = match asked {
        Some(doubt) => ((IntentKind::Unclear, doubt.confidence), Some(doubt.question)),
        None => (verdict, None),
    };
    let key = fact.as_ref().and_then(|fact| fact.key).map(str::to_owned);
    Intent { kind, confidence, entities: entities::find(&text), question, key, value: fact.map(|fact| fact.value) }
}
