//! Reflexes: messages that are understood and acted on without a language model. A tool pack knows
//! the names of its own things, so it interprets the message. The calls it returns run under policy
//! like any other.

use protocol::CallStatus;
use serde_json::{Map, Value};

/// A message, with the context that helps to understand it.
#[derive(Debug, Clone, Copy)]
pub struct ReflexInput<'a> {
    /// The text of the message.
    pub message: &'a str,
    /// The language of the message, such as `de`; `None` if it is not known.
    pub language: Option<&'a str>,
    /// The area of the speaker, by its name or id.
    pub area: Option<&'a str>,
    /// The calls of the last turn that made any, with their results; the message may refer to them.
    pub before: &'a [ReflexCallResult],
    /// The user's previous message, which this one may refer to: "is the back door locked?", "then
    /// lock it".
    pub previous: Option<&'a str>,
    /// The earlier message that was unclear; this message answers the question about it.
    pub unclear: Option<&'a str>,
}

/// A call that a reflex makes.
#[derive(Debug, Clone, PartialEq)]
pub struct ReflexCall {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub arguments: Value,
}

/// The interpretation of a message.
#[derive(Debug, Clone, PartialEq)]
pub struct Reflex {
    /// The intent, such as `HassTurnOn`.
    pub intent: String,
    /// The slots of the intent, by name.
    pub slots: Map<String, Value>,
    /// The language of the message, such as `de`.
    pub language: String,
    /// The confidence, from 0 to 1.
    pub confidence: f32,
    /// Whether the message is a question rather than a command. A question never acts.
    pub is_question: bool,
    /// The calls to make, all at once; empty if the answer is known.
    pub calls: Vec<ReflexCall>,
    /// The answer, where no call is needed.
    pub answer: Option<String>,
    /// Whether the answer is a question to the user. The next message is then read together with
    /// this one.
    pub asks_back: bool,
}

/// A call of a reflex and its result.
#[derive(Debug, Clone, PartialEq)]
pub struct ReflexCallResult {
    /// The call.
    pub call: ReflexCall,
    /// The status of the call.
    pub status: CallStatus,
    /// The output of the tool, or why it did not run.
    pub content: String,
}

/// A change of the home that something can wait for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AwaitedChange {
    /// The entity, as `cover.garage_door`.
    pub entity_id: String,
    /// The state that it changes to.
    pub to: String,
}

/// Understands messages without a language model.
pub trait Reflexes: Send + Sync + 'static {
    /// Interprets a message; `None` if another part of the system has to answer it. Changes
    /// nothing.
    fn read(&self, said: &ReflexInput<'_>) -> Option<Reflex>;

    /// The change that a clause names, as "the garage door opens"; `None` if it is not exactly one.
    fn change(&self, _clause: &ReflexInput<'_>) -> Option<AwaitedChange> {
        None
    }

    /// The answer to the user, in the language of the message. It states what happened, not what
    /// was requested.
    fn answer(&self, said: &ReflexInput<'_>, reflex: Option<&Reflex>, settled: &[ReflexCallResult]) -> String;
}
