//! Messages that are understood and acted on with no language model. A pack knows what its own things are called, so a
//! pack says what is meant; the calls it names run under policy like any other.

use protocol::CallStatus;
use serde_json::{Map, Value};

/// What was said, with what helps to understand it.
#[derive(Debug, Clone, Copy)]
pub struct Said<'a> {
    /// The words.
    pub message: &'a str,
    /// The language they are in, as `de`; none if nobody said.
    pub language: Option<&'a str>,
    /// The area of whoever asks, by its name or id.
    pub area: Option<&'a str>,
    /// What came of the calls of the turn before, which these words may lean on.
    pub before: &'a [Settled],
    /// What was said before and asked back about: these words answer that.
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

/// What a message was understood to mean.
#[derive(Debug, Clone, PartialEq)]
pub struct Reflex {
    /// In one word, as `HassTurnOn`.
    pub intent: String,
    /// What it is about, by name.
    pub slots: Map<String, Value>,
    /// The language it was said in, as `de`.
    pub language: String,
    /// How surely, from 0 to 1.
    pub confidence: f32,
    /// Whether it is asked for something rather than told to do something. A question never acts.
    pub is_question: bool,
    /// What is to be called, all at once; none if the answer is known.
    pub calls: Vec<ReflexCall>,
    /// The answer, where nothing is to be called.
    pub answer: Option<String>,
    /// Whether that answer asks back: then the next message is read together with this one.
    pub asks_back: bool,
}

/// A call of a reflex and what came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Settled {
    /// The call.
    pub call: ReflexCall,
    /// What became of it.
    pub status: CallStatus,
    /// What the tool answered, or why it did not run.
    pub content: String,
}

/// Whoever understands messages with no language model.
pub trait Reflexes: Send + Sync + 'static {
    /// What a message means; none if it is for somebody else to answer. Changes nothing.
    fn read(&self, said: &Said<'_>) -> Option<Reflex>;

    /// What came of it, in the words of the one who asked; what really happened, not what was wanted.
    fn answer(&self, said: &Said<'_>, reflex: Option<&Reflex>, settled: &[Settled]) -> String;
}
