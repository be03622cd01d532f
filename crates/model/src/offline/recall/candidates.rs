//! What an answer may be quoted from: what is known, and what the user said earlier in the conversation.

use protocol::Timestamp;

use super::super::{Scene, notes, recall, sentences::sentences, words::Clause};
use crate::{Message, Prompt};

/// Longer texts are quoted by the sentence.
const WHOLE_BYTES_MAX: usize = 300;
/// Of one text no more sentences than these are looked at.
const SENTENCES_MAX: usize = 1_000;
/// Nor more bytes: what is longer is a text that was pasted, and it is there again in every turn after it.
const TEXT_BYTES_MAX: usize = 32 * 1024;

/// Messages that open with these ask for something to be done and say nothing about the world.
pub const COMMANDS: &str = "calculate|compute|list|show|open|read|save|store|use|call|run|summarise|summarize|\
                        translate|write|forget|unpin|delete|explain|give|make|create|help|thanks|thank|hi|hello";

/// The level of what the user said in this conversation.
const SAID: &str = "said";

/// Where something is known from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A message of this conversation.
    Said,
    /// A message of this conversation of which it is known when it was said.
    SaidThen,
    /// A note of the session.
    Pin,
    /// The user's profile.
    Profile,
    /// A fact.
    Fact,
    /// What was said in an earlier conversation.
    Entry,
    /// What a conversation came to.
    Context,
}

/// Something that may answer a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate<'a> {
    /// Where it is known from.
    pub source: Source,
    /// What it says.
    pub text: &'a str,
    /// Since when it is known.
    pub at: Timestamp,
    /// Until when it held.
    pub until: Option<Timestamp>,
}

impl<'a> Candidate<'a> {
    /// A text of which nothing else is known.
    pub fn plain(text: &'a str) -> Self {
        Self { source: Source::Fact, text, at: Timestamp::from_millis(0), until: None }
    }
}

/// All there is, what was said last coming last.
pub fn of<'a>(scene: &Scene<'a>) -> Vec<Candidate<'a>> {
    let mut found = known(scene.prompt);
    let said = scene.prompt.known.iter().filter(|known| known.level == SAID);
    let then = said.flat_map(|known| {
        told(&known.text).into_iter().map(|text| Candidate {
            source: Source::SaidThen,
            text,
            at: known.at,
            until: None,
        })
    });
    found.extend(then);
    if found.iter().any(|candidate| candidate.source == Source::SaidThen) {
        return found;
    }
    for message in scene.before {
        if let Message::User { text, .. } = message {
            let pieces = told(text).into_iter();
            found.extend(pieces.map(|text| Candidate {
                source: Source::Said,
                text,
                at: scene.prompt.now,
                until: None,
            }));
        }
    }
    found
}

/// What is known from before.
pub fn known(prompt: &Prompt) -> Vec<Candidate<'_>> {
    let all = prompt.known.iter().filter(|known| known.level != SAID).flat_map(|known| {
        let source = match known.level.as_str() {
            "pin" => Source::Pin,
            "profile" => Source::Profile,
            "entry" => Source::Entry,
            "context" => Source::Context,
            _ => Source::Fact,
        };
        let (at, until) = (known.at, known.until);
        pieces_of(&known.text).into_iter().map(move |text| Candidate { source, text, at, until })
    });
    all.collect()
}

fn pieces_of(text: &str) -> Vec<&str> {
    if text.len() <= WHOLE_BYTES_MAX { vec![text.trim()] } else { first_sentences(text) }
}

fn first_sentences(text: &str) -> Vec<&str> {
    let mut all = sentences(&text[..text.floor_char_boundary(TEXT_BYTES_MAX)]);
    all.truncate(SENTENCES_MAX);
    all
}

/// What a message tells, without what it asks.
fn told(text: &str) -> Vec<&str> {
    let clause = Clause::new(text);
    if let Some(note) = notes::kept(&clause) {
        return pieces_of(note);
    }
    let tells = |piece: &&str| {
        let clause = Clause::new(piece);
        !clause.is_marked_as_question() && !recall::is_question(&clause) && clause.begins(COMMANDS).is_none()
    };
    let all = first_sentences(text);
    if text.len() <= WHOLE_BYTES_MAX && all.iter().all(&tells) {
        return vec![text.trim()];
    }
    all.into_iter().filter(tells).collect()
}
