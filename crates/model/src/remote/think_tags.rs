//! Splits the reasoning that local models write between tags from their answers.
//!
//! An answer may begin with `<think>`; everything up to `</think>`, or to the end where that is
//! missing, is reasoning. Some chat templates write the opening tag themselves, so that only the
//! closing one is seen: the output of such models is held back until it comes, or until the answer
//! ends.

use futures::{Stream, StreamExt};

use crate::{Chunk, Error, Stop};

/// The tags, opening and closing.
const TAGS: [(&str, &str); 3] = [("<think>", "</think>"), ("<thinking>", "</thinking>"), ("[THINK]", "[/THINK]")];
/// Parts of the names of models whose template writes the opening tag.
const SWALLOWING: [&str; 6] = ["deepseek-r1", "r1-distill", "qwq", "thinking", "magistral", "reasoner"];

/// Whether a model of that name may begin with reasoning that has no opening tag.
pub(super) fn omits_opening_tag(model: &str) -> bool {
    let model = model.to_lowercase();
    SWALLOWING.iter().any(|part| model.contains(part))
}

/// The same chunks, with tagged reasoning as [`Chunk::Thinking`].
pub(super) fn split_reasoning(
    chunks: impl Stream<Item = Result<Chunk, Error>> + Send + 'static,
    holds: bool,
) -> impl Stream<Item = Result<Chunk, Error>> + Send + 'static {
    let mut splitter = Splitter::new(holds);
    chunks.flat_map(move |chunk| {
        let pieces: Vec<Result<Chunk, Error>> = match chunk {
            Ok(chunk) => splitter.take(chunk).into_iter().map(Ok).collect(),
            // The text that was held back came before the error.
            Err(error) => splitter.rest(false).into_iter().map(Ok).chain([Err(error)]).collect(),
        };
        futures::stream::iter(pieces)
    })
}

enum State {
    /// Before the first word of the answer.
    Start,
    /// Between the tags; this one closes.
    Thinking(&'static str),
    /// In the answer.
    Answer,
}

struct Splitter {
    state: State,
    /// Text that is held back.
    pending: String,
    /// Bytes of it that were searched.
    searched: usize,
    holds: bool,
    /// Whether reasoning was found, after which empty lines are no part of the answer.
    has_thought: bool,
}

impl Splitter {
    const fn new(holds: bool) -> Self {
        Self { state: State::Start, pending: String::new(), searched: 0, holds, has_thought: false }
    }

    fn take(&mut self, chunk: Chunk) -> Vec<Chunk> {
        match chunk {
            Chunk::Text(text) => self.text(&text),
            Chunk::Thinking(text) => {
                // A server that separates reasoning itself leaves no tags.
                self.holds = false;
                vec![Chunk::Thinking(text)]
            }
            Chunk::Call(call) => self.rest(false).into_iter().chain([Chunk::Call(call)]).collect(),
            Chunk::End { usage, stop } => {
                self.rest(stop == Stop::Length).into_iter().chain([Chunk::End { usage, stop }]).collect()
            }
        }
    }

    fn text(&mut self, text: &str) -> Vec<Chunk> {
        if matches!(self.state, State::Answer) {
            return vec![Chunk::Text(text.to_owned())];
        }
        self.pending.push_str(text);
        let mut chunks = Vec::new();
        while self.step(&mut chunks) {}
        chunks
    }

    /// Takes one step; returns whether there may be another.
    fn step(&mut self, chunks: &mut Vec<Chunk>) -> bool {
        match self.state {
            State::Start => self.start(chunks),
            State::Thinking(close) => self.think(close, chunks),
            State::Answer => false,
        }
    }

    fn start(&mut self, chunks: &mut Vec<Chunk>) -> bool {
        let begun = self.pending.trim_start();
        if let Some((open, close)) = TAGS.iter().find(|(open, _)| begun.starts_with(open)) {
            self.pending = begun[open.len()..].to_owned();
            self.state = State::Thinking(close);
            return true;
        }
        if TAGS.iter().any(|(open, _)| open.starts_with(begun)) {
            return false;
        }
        if self.holds {
            let found = TAGS.iter().filter_map(|(_, close)| Some((self.find(close)?, *close))).min();
            let Some((at, close)) = found else {
                self.searched = self.pending.len();
                return false;
            };
            let rest = self.pending.split_off(at + close.len());
            self.pending.truncate(at);
            self.end_thought(chunks, rest);
            return true;
        }
        self.state = State::Answer;
        let text = std::mem::take(&mut self.pending);
        let text = if self.has_thought { text.trim_start().to_owned() } else { text };
        chunks.push(Chunk::Text(text));
        false
    }

    fn think(&mut self, close: &'static str, chunks: &mut Vec<Chunk>) -> bool {
        if let Some(at) = self.find(close) {
            let rest = self.pending.split_off(at + close.len());
            self.pending.truncate(at);
            self.end_thought(chunks, rest);
            return true;
        }
        // The rest of the tag may follow.
        let held = (1..close.len()).rev().find(|length| self.pending.ends_with(&close[..*length])).unwrap_or(0);
        let rest = self.pending.split_off(self.pending.len() - held);
        let thought = std::mem::replace(&mut self.pending, rest);
        self.searched = 0;
        chunks.extend((!thought.is_empty()).then_some(Chunk::Thinking(thought)));
        false
    }

    /// The position of a tag in the held text, skipping what was searched.
    fn find(&self, tag: &str) -> Option<usize> {
        let from = self.pending.floor_char_boundary(self.searched.saturating_sub(tag.len()));
        self.pending[from..].find(tag).map(|at| from + at)
    }

    fn end_thought(&mut self, chunks: &mut Vec<Chunk>, rest: String) {
        let thought = std::mem::replace(&mut self.pending, rest);
        chunks.extend((!thought.trim().is_empty()).then_some(Chunk::Thinking(thought)));
        (self.state, self.searched, self.holds, self.has_thought) = (State::Start, 0, false, true);
    }

    /// The rest at the end of the stream. Held text of a model that was cut off is unfinished
    /// reasoning.
    fn rest(&mut self, is_cut: bool) -> Option<Chunk> {
        let pending = std::mem::take(&mut self.pending);
        let is_thought = match self.state {
            State::Thinking(_) => true,
            State::Start => self.holds && is_cut,
            State::Answer => false,
        };
        if pending.trim().is_empty() {
            return None;
        }
        Some(if is_thought { Chunk::Thinking(pending) } else { Chunk::Text(pending) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reasoning and the answer of a text that comes in chunks of `size` characters.
    fn split(text: &str, holds: bool, size: usize, stop: Stop) -> (String, String) {
        let mut splitter = Splitter::new(holds);
        let letters: Vec<char> = text.chars().collect();
        let mut chunks: Vec<Chunk> = Vec::new();
        for piece in letters.chunks(size) {
            chunks.extend(splitter.take(Chunk::Text(piece.iter().collect())));
        }
        chunks.extend(splitter.take(Chunk::End { usage: None, stop }));
        let (mut thought, mut said) = (String::new(), String::new());
        for chunk in chunks {
            match chunk {
                Chunk::Thinking(text) => thought.push_str(&text),
                Chunk::Text(text) => said.push_str(&text),
                _ => {}
            }
        }
        (thought, said)
    }

    #[test]
    fn reasoning_between_tags_is_no_part_of_the_answer() {
        for (text, holds, thought, said) in [
            ("<think>Hm, é.</think>\n\nHi.", false, "Hm, é.", "Hi."),
            ("\n<think>\nHm.\n</think>Hi.", false, "\nHm.\n", "Hi."),
            ("<think></think>Hi.", false, "", "Hi."),
            ("[THINK]Hm.[/THINK]Hi.", false, "Hm.", "Hi."),
            ("<think>a</think> <think>b</think> Hi.", false, "ab", "Hi."),
            ("<think>never closed", false, "never closed", ""),
            ("Hm, the user\n</think>\nHi.", true, "Hm, the user\n", "Hi."),
            ("No reasoning at all.", true, "", "No reasoning at all."),
            ("  Hi <b>you</b>.", false, "", "  Hi <b>you</b>."),
            ("The tag <think> opens it.", false, "", "The tag <think> opens it."),
            ("<th", false, "", "<th"),
            ("<table>", false, "", "<table>"),
        ] {
            for size in [1, 2, 3, 5, 100] {
                let got = split(text, holds, size, Stop::Complete);
                assert_eq!(got, (thought.to_owned(), said.to_owned()), "{text:?} in pieces of {size}");
            }
        }
        let cut = split("Hm, the user wants", true, 4, Stop::Length);
        assert_eq!(cut, ("Hm, the user wants".to_owned(), String::new()), "reasoning that was cut is no answer");
    }

    #[test]
    fn a_server_that_tells_them_apart_is_believed() {
        let mut splitter = Splitter::new(true);
        splitter.take(Chunk::Thinking("Hm.".to_owned()));
        let said = splitter.take(Chunk::Text("Hi.".to_owned()));
        assert_eq!(said, [Chunk::Text("Hi.".to_owned())], "nothing is held back");
    }

    #[test]
    fn models_are_known_by_parts_of_their_names() {
        assert!(
            omits_opening_tag("deepseek-ai/DeepSeek-R1-Distill-Qwen-7B") && omits_opening_tag("qwen3-4b-thinking-2507")
        );
        assert!(!omits_opening_tag("llama3.2") && !omits_opening_tag("qwen3:8b"));
    }
}
