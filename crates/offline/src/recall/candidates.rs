//! Texts that an answer may quote: known items, and earlier messages of the user in the
//! conversation.

use model::{KnownDoubt, Message, Prompt};
use protocol::Timestamp;

use super::super::{PromptContext, notes, recall, sentences::sentences, words::Clause};

/// Of longer texts only sentences are quoted.
const WHOLE_BYTES_MAX: usize = 300;
/// The most sentences of one text.
const SENTENCES_MAX: usize = 1_000;
/// The most bytes of one text: longer ones were pasted, and are in every later prompt again.
const TEXT_BYTES_MAX: usize = 32 * 1024;

/// Messages that open with these are requests and state nothing.
pub const COMMANDS: &str = "calculate|compute|list|show|open|read|save|store|use|call|run|summarise|summarize|\
                        translate|write|forget|unpin|delete|explain|give|make|create|help|thanks|thank|hi|hello";

/// The level of the user's messages in this conversation.
const SAID: &str = "said";

/// The source of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CandidateSource {
    /// A message of this conversation.
    Said,
    /// A message of this conversation with a known time.
    SaidThen,
    /// A note of the session.
    Pin,
    /// The user's profile.
    Profile,
    /// A fact.
    Fact,
    /// A message of an earlier conversation.
    Entry,
    /// The summary of a conversation.
    Context,
}

/// A text that may answer a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate<'a> {
    /// Its source.
    pub source: CandidateSource,
    /// The text.
    pub text: &'a str,
    /// Since when it is known.
    pub at: Timestamp,
    /// Until when it held.
    pub until: Option<Timestamp>,
    /// The role of its speaker, if that is not the user.
    pub role: Option<&'a str>,
    /// What was said later and may have ended it.
    pub doubt: Option<&'a KnownDoubt>,
}

impl<'a> Candidate<'a> {
    /// A text without a source or time.
    pub fn plain(text: &'a str) -> Self {
        Self {
            source: CandidateSource::Fact,
            text,
            at: Timestamp::from_millis(0),
            until: None,
            role: None,
            doubt: None,
        }
    }
}

/// All candidates, the latest message last.
pub fn of<'a>(scene: &PromptContext<'a>) -> Vec<Candidate<'a>> {
    let mut found = known(scene.prompt);
    let said = scene.prompt.known.iter().filter(|known| known.level == SAID);
    let then = said.flat_map(|known| {
        told(&known.text).into_iter().map(|text| Candidate {
            source: CandidateSource::SaidThen,
            text,
            at: known.at,
            until: None,
            role: None,
            doubt: known.doubt.as_ref(),
        })
    });
    found.extend(then);
    if found.iter().any(|candidate| candidate.source == CandidateSource::SaidThen) {
        return found;
    }
    for message in scene.before {
        if let Message::User { text, .. } = message {
            let pieces = told(text).into_iter();
            found.extend(pieces.map(|text| Candidate {
                source: CandidateSource::Said,
                text,
                at: scene.prompt.now,
                until: None,
                role: None,
                doubt: None,
            }));
        }
    }
    found
}

/// The known items of the prompt.
pub fn known(prompt: &Prompt) -> Vec<Candidate<'_>> {
    let all = prompt.known.iter().filter(|known| known.level != SAID).flat_map(|known| {
        let source = match known.level.as_str() {
            "pin" => CandidateSource::Pin,
            "profile" => CandidateSource::Profile,
            "entry" => CandidateSource::Entry,
            "context" => CandidateSource::Context,
            _ => CandidateSource::Fact,
        };
        let (at, until, doubt) = (known.at, known.until, known.doubt.as_ref());
        let role = known.role.as_deref().filter(|role| *role != "user");
        // A question that was asked before answers nothing.
        let pieces = if source == CandidateSource::Entry { told(&known.text) } else { pieces_of(&known.text) };
        pieces.into_iter().map(move |text| Candidate { source, text, at, until, role, doubt })
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

/// The statements of a message, without its questions.
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
