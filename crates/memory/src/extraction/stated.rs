//! Whether the quoted words are a statement of the user: not a part of a question, of a citation,
//! of a condition or of an order.

use super::words::{content, plain, tokens};
use crate::{
    statements::{ClosedReason, GateDecision, gate},
    summary::sentences,
};

/// Words before a quote that make it a condition or a guess.
#[rustfmt::skip]
const CONDITIONS: &[&str] = &[
    "if", "whether", "unless", "suppose", "imagine", "maybe", "perhaps", "should", "would", "wish", "pretend", "wenn",
    "falls", "vielleicht", "si", "quizás", "peut-être",
];

/// Verbs of orders to an assistant.
#[rustfmt::skip]
const ORDERS: &[&str] = &[
    "answer", "reply", "respond", "speak", "write", "say", "act", "behave", "ignore", "disregard", "obey", "follow",
    "pretend", "tell", "send", "reveal", "print", "output", "use", "treat", "refuse", "recommend", "begin", "end",
    "start", "talk", "address", "translate", "execute", "run", "delete", "approve", "trust",
];

/// Phrases that only occur in text that wants to steer an assistant.
const STEERING: &[&str] = &[
    "system prompt",
    "previous instructions",
    "prior instructions",
    "your instructions",
    "all instructions",
    "new instructions",
    "you are now",
];

/// Who an instruction would be about.
const ASSISTANTS: &[&str] = &["assistant", "the assistant", "you", "ai", "the ai", "model", "system", "bot", "chatbot"];

/// Where the quote stands in the message, which is [`plain`] text: the case may differ.
pub(super) fn find(message: &str, quote: &str) -> Option<std::ops::Range<usize>> {
    let quote = plain(quote);
    let start = message.to_ascii_lowercase().find(&quote.to_ascii_lowercase())?;
    (!quote.is_empty()).then(|| start..start + quote.len())
}

/// Whether the words at this place of a plain message are stated as true by the user. Of several
/// sentences and clauses those count that contain words of the value.
pub(super) fn is_stated(message: &str, at: &std::ops::Range<usize>, value: &str) -> bool {
    let before = &message[..at.start];
    let is_cited = before.matches('"').count() % 2 == 1 || before.trim_end().ends_with('>');
    let is_conditional = tokens(before).last().is_some_and(|token| CONDITIONS.contains(&token.word.as_str()));
    if is_cited || is_conditional {
        return false;
    }
    let ends = ['.', '!', '?'];
    let sentence_start = before.rfind(ends).map_or(0, |end| end + 1);
    let sentence_end = message[at.end..].find(ends).map_or(message.len(), |end| at.end + end + 1);
    let rest = &message[at.end..sentence_end];
    // "I moved to Berlin, what should I see?" asks after it has stated.
    let judged = if rest.contains([',', ';']) { &message[at.clone()] } else { &message[sentence_start..sentence_end] };
    let value = content(value);
    let (naming, others): (Vec<&str>, Vec<&str>) =
        parts(judged).into_iter().partition(|part| content(part).iter().any(|word| value.contains(word)));
    let judged = if naming.is_empty() { others } else { naming };
    judged.into_iter().any(|part| !is_closed(part))
}

/// The sentences of a text; those without a question mark are split into clauses, since the gate
/// takes "did the upgrade last night, prod is on 16" for a question.
pub(super) fn parts(text: &str) -> Vec<&str> {
    let clauses = |sentence| -> Vec<&str> {
        let sentence: &str = sentence;
        if sentence.contains('?') { vec![sentence] } else { sentence.split([',', ';']).collect() }
    };
    sentences(text).into_iter().flat_map(clauses).map(str::trim).filter(|part| !part.is_empty()).collect()
}

fn is_closed(text: &str) -> bool {
    use ClosedReason::{OtherVoice, Pasted, Question};
    matches!(gate(text, "user"), GateDecision::Closed { why: Question | OtherVoice | Pasted })
}

/// Whether the words are an instruction to the assistant.
pub(super) fn is_instruction(subject: &str, value: &str, quote: &str) -> bool {
    let steers = |text: &str| {
        let text = plain(text).to_lowercase();
        STEERING.iter().any(|phrase| text.contains(phrase))
    };
    ASSISTANTS.contains(&subject.trim().to_lowercase().as_str())
        || steers(value)
        || steers(quote)
        || is_order(quote)
        || value.to_lowercase().starts_with("always ") && is_order(value)
}

/// Whether a text begins as an order: "always answer in …", "you must …".
fn is_order(text: &str) -> bool {
    let words: Vec<String> = tokens(text).into_iter().map(|token| token.word).collect();
    let mut rest: Vec<&str> = words.iter().map(String::as_str).collect();
    for (first, second) in [("from", "now"), ("you", "must"), ("you", "should"), ("you", "have")] {
        if rest.first() == Some(&first) && rest.get(1) == Some(&second) {
            if first == "you" {
                return true;
            }
            rest.drain(..rest.len().min(3));
        }
    }
    let openers =
        rest.iter().take_while(|word| matches!(**word, "please" | "always" | "never" | "do" | "not" | "don't"));
    let opened = openers.count();
    // "Ignore that, it is Monday" corrects what was said.
    let is_taken_back = rest.get(opened + 1).is_some_and(|word| matches!(*word, "that" | "it" | "this"));
    rest.get(opened).is_some_and(|verb| ORDERS.contains(verb)) && !is_taken_back
}
