//! Finds blocks in a stream of text. Text is held back only while it may be the beginning of one.

/// The fences of a block. Models are told to write the first; some were trained to write the
/// second.
const FENCES: [(&str, &str); 2] = [("```tool_call", "```"), ("<tool_call>", "</tool_call>")];
/// Characters allowed before a block in its line.
const BLANKS: [char; 2] = [' ', '\t'];
/// The longest block that can be a call.
const BLOCK_BYTES_MAX: usize = 1024 * 1024;

/// A piece of an answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum AnswerPiece {
    /// Text that is no part of a block.
    Text(String),
    /// The content of a block.
    Block(String),
}

/// Reads an answer as it comes.
#[derive(Default)]
pub(super) struct Scanner {
    /// Undecided text: the beginning of a block, or all of an open one so far.
    held: String,
    /// The end of the block that is open.
    closing: Option<&'static str>,
    /// Up to where an open block was searched for its end.
    looked: usize,
    /// Whether only blanks came since the line began.
    is_midline: bool,
    /// Whether a block has just ended: the blanks after it are not text.
    is_after_block: bool,
}

impl Scanner {
    /// Takes more of the answer.
    pub(super) fn take(&mut self, text: &str) -> Vec<AnswerPiece> {
        self.held.push_str(text);
        let mut pieces = Vec::new();
        while self.step(&mut pieces) {}
        pieces
    }

    /// Ends the answer: held text is plain text after all, or an unclosed block.
    pub(super) fn finish(&mut self) -> Vec<AnswerPiece> {
        let held = std::mem::take(&mut self.held);
        let piece = match self.closing.take() {
            Some(_) => AnswerPiece::Block(held),
            None => AnswerPiece::Text(held),
        };
        let is_empty = matches!(&piece, AnswerPiece::Text(text) if text.is_empty() || (self.is_after_block && text.trim().is_empty()));
        if is_empty { Vec::new() } else { vec![piece] }
    }

    /// Decides about the next part; returns whether there may be more.
    fn step(&mut self, pieces: &mut Vec<AnswerPiece>) -> bool {
        if let Some(closing) = self.closing {
            return self.close(closing, pieces);
        }
        // One line after the other, since a block begins a line.
        let Some(end) = self.held.find('\n') else {
            self.part(pieces);
            return false;
        };
        if !self.is_midline && self.open() {
            return true;
        }
        let line: String = self.held.drain(..=end).collect();
        self.is_midline = false;
        self.say(line, pieces);
        true
    }

    /// Decides about an incomplete line.
    fn part(&mut self, pieces: &mut Vec<AnswerPiece>) {
        if !self.is_midline {
            if self.open() {
                while self.step(pieces) {}
                return;
            }
            let begun = self.held.trim_start_matches(BLANKS);
            if FENCES.iter().any(|(opening, _)| opening.starts_with(begun)) {
                return;
            }
        }
        self.is_midline = true;
        let text = std::mem::take(&mut self.held);
        self.say(text, pieces);
    }

    /// Whether a block begins here; if so, drops the blanks before it.
    fn open(&mut self) -> bool {
        let begun = self.held.trim_start_matches(BLANKS);
        let Some((opening, closing)) = FENCES.iter().find(|(opening, _)| begun.starts_with(opening)) else {
            return false;
        };
        self.held = begun[opening.len()..].to_owned();
        (self.closing, self.looked) = (Some(*closing), 0);
        true
    }

    /// Searches for the end of the open block. The closing fence may occur inside a string of the
    /// call's arguments: it counts only if the JSON before it is not merely incomplete.
    fn close(&mut self, closing: &str, pieces: &mut Vec<AnswerPiece>) -> bool {
        while let Some(at) = self.held[self.looked..].find(closing) {
            let end = self.looked + at;
            if !is_unfinished(&self.held[..end]) {
                let rest = self.held.split_off(end + closing.len());
                let mut block = std::mem::replace(&mut self.held, rest);
                block.truncate(end);
                pieces.push(AnswerPiece::Block(block));
                (self.closing, self.is_midline, self.is_after_block) = (None, false, true);
                return true;
            }
            self.looked = end + closing.len();
        }
        // The fence may come in two parts.
        let mut from = self.held.len().saturating_sub(closing.len() - 1).max(self.looked);
        while !self.held.is_char_boundary(from) {
            from -= 1;
        }
        self.looked = from.max(self.looked);
        if self.held.len() > BLOCK_BYTES_MAX {
            pieces.push(AnswerPiece::Block(std::mem::take(&mut self.held)));
            self.closing = None;
        }
        false
    }

    fn say(&mut self, text: String, pieces: &mut Vec<AnswerPiece>) {
        // The blank lines around blocks belong to the format, not to the text.
        if self.is_after_block && text.trim().is_empty() {
            return;
        }
        self.is_after_block = false;
        if let Some(AnswerPiece::Text(before)) = pieces.last_mut() {
            before.push_str(&text);
        } else if !text.is_empty() {
            pieces.push(AnswerPiece::Text(text));
        }
    }
}

/// Whether this is the beginning of valid JSON.
fn is_unfinished(block: &str) -> bool {
    let mut values = serde_json::Deserializer::from_str(block).into_iter::<serde::de::IgnoredAny>();
    values.find_map(Result::err).is_some_and(|error| error.is_eof())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pieces of an answer that comes in parts of `size` characters, with adjacent texts
    /// joined.
    fn scanned(answer: &str, size: usize) -> Vec<AnswerPiece> {
        let chars: Vec<char> = answer.chars().collect();
        let mut scanner = Scanner::default();
        let parts = chars.chunks(size).map(|part| part.iter().collect::<String>());
        let mut pieces: Vec<AnswerPiece> = parts.flat_map(|part| scanner.take(&part)).collect();
        pieces.extend(scanner.finish());
        pieces.into_iter().fold(Vec::new(), |mut all, piece| {
            match (all.last_mut(), piece) {
                (Some(AnswerPiece::Text(before)), AnswerPiece::Text(more)) => before.push_str(&more),
                (_, piece) => all.push(piece),
            }
            all
        })
    }

    fn text(text: &str) -> AnswerPiece {
        AnswerPiece::Text(text.to_owned())
    }

    fn block(text: &str) -> AnswerPiece {
        AnswerPiece::Block(text.to_owned())
    }

    #[test]
    fn blocks_are_found_wherever_the_stream_is_cut() {
        let fenced = "{\"code\": \"```rust\\nfn\\n```\"}";
        let rows = [
            ("Hello.", vec![text("Hello.")]),
            ("Let me see.\n\n```tool_call\n{}\n```\n", vec![text("Let me see.\n\n"), block("\n{}\n")]),
            ("```tool_call {\"a\": 1}```", vec![block(" {\"a\": 1}")]),
            ("  ```tool_call\n{}\n```\nDone.", vec![block("\n{}\n"), text("Done.")]),
            ("```tool_call\n{}\n```\n\n```tool_call\n[]\n```", vec![block("\n{}\n"), block("\n[]\n")]),
            ("<tool_call>\n{}\n</tool_call>", vec![block("\n{}\n")]),
            ("Use ```tool_call``` blocks.", vec![text("Use ```tool_call``` blocks.")]),
            ("```rust\nfn main() {}\n```\nThat is it.", vec![text("```rust\nfn main() {}\n```\nThat is it.")]),
            ("```tool", vec![text("```tool")]),
            ("```tool_call\n{\"a\": ", vec![block("\n{\"a\": ")]),
            ("```tool_call\n{oops}\n```\nSorry.", vec![block("\n{oops}\n"), text("Sorry.")]),
            ("Zwölf Ä\n```tool_call\n{\"ü\": \"é\"}\n```", vec![text("Zwölf Ä\n"), block("\n{\"ü\": \"é\"}\n")]),
        ];
        for (answer, expected) in rows {
            for size in 1..=answer.chars().count() {
                assert_eq!(scanned(answer, size), expected, "{answer:?} in parts of {size}");
            }
        }
        let answer = format!("```tool_call\n{fenced}\n```\nDone.");
        for size in 1..=answer.len() {
            assert_eq!(scanned(&answer, size), vec![block(&format!("\n{fenced}\n")), text("Done.")], "{size}");
        }
    }

    #[test]
    fn text_is_held_back_only_where_a_block_may_begin() {
        let mut scanner = Scanner::default();
        for (part, out) in
            [("Hel", "Hel"), ("lo `", "lo `"), ("``x\n", "``x\n"), ("``", ""), ("`py", "```py"), ("\n <", "\n")]
        {
            let said: String = scanner
                .take(part)
                .iter()
                .map(|piece| match piece {
                    AnswerPiece::Text(text) => text.as_str(),
                    AnswerPiece::Block(_) => panic!("no block"),
                })
                .collect();
            assert_eq!(said, out, "{part:?}");
        }
    }
}
