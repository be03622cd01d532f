//! Splitting a text into passages: verbatim pieces that can be found, quoted and cited.
//!
//! Paragraphs are combined until a passage is long enough to be understood alone. A heading stays
//! with the text that follows it, a table is kept whole or split between rows, a long paragraph
//! between sentences. Passages do not overlap, and only white space between them is lost.

use std::ops::Range;

/// Preferred maximum length of a passage in characters, if it can end at a better place.
const CHARS_GOOD: usize = 900;
/// Maximum length of a passage in characters.
pub const CHARS_MAX: usize = 1000;
/// A shorter passage is hard to understand alone.
const CHARS_MIN: usize = 300;

/// Splits a text.
pub fn cut(body: &str) -> Vec<String> {
    let mut cutting = PassageSplitter { body, passages: Vec::new(), piece: None };
    for block in blocks(body) {
        cutting.take(block);
    }
    cutting.finish()
}

/// State of the splitting.
struct PassageSplitter<'a> {
    body: &'a str,
    passages: Vec<Range<usize>>,
    piece: Option<OpenPassage>,
}

/// The passage that is being assembled.
struct OpenPassage {
    range: Range<usize>,
    /// Its length without the headings at its end, which may move to the next passage.
    firm: usize,
    chars: usize,
}

impl PassageSplitter<'_> {
    /// Adds a paragraph, a heading or a table.
    fn take(&mut self, block: Range<usize>) {
        let text = &self.body[block.clone()];
        if is_heading(text) && chars(text) < CHARS_MIN {
            if self.piece.as_ref().is_some_and(|piece| piece.firm >= CHARS_MIN) {
                self.close();
            }
            self.add(block, true);
        } else if chars(text) <= CHARS_GOOD {
            self.add(block, false);
        } else if text.starts_with('|') {
            lines(self.body, block).for_each(|row| self.take_long(row));
        } else {
            self.take_long(block);
        }
    }

    /// Adds a block that may have to be split. Its beginning fills up the current passage.
    fn take_long(&mut self, mut rest: Range<usize>) {
        while !rest.is_empty() {
            let begun = self.piece.as_ref().map_or(0, |piece| piece.chars + self.between(piece, rest.start));
            let whole = chars(&self.body[rest.clone()]);
            if begun + whole <= CHARS_GOOD || (begun == 0 && whole <= CHARS_MAX) {
                return self.add(rest, false);
            }
            let space = CHARS_GOOD.saturating_sub(begun);
            let is_better_apart = whole <= CHARS_GOOD && self.piece.as_ref().is_some_and(|piece| piece.firm > 0);
            if begun > 0 && (space < CHARS_MIN || is_better_apart) {
                self.make_room();
                continue;
            }
            let end = rest.start + best_end(&self.body[rest.clone()], space);
            self.add(trimmed(self.body, rest.start..end), false);
            self.close();
            rest = trimmed(self.body, end..rest.end);
        }
    }

    /// Ends the passage. A passage of headings only is kept as it is.
    fn make_room(&mut self) {
        match &self.piece {
            Some(piece) if piece.firm > 0 => self.close(),
            _ => self.flush(),
        }
    }

    /// Adds a block that fits into a passage.
    fn add(&mut self, block: Range<usize>, is_heading: bool) {
        let length = chars(&self.body[block.clone()]);
        if let Some(piece) = &self.piece {
            let total = piece.chars + self.between(piece, block.start) + length;
            if total > if piece.firm < CHARS_MIN { CHARS_MAX } else { CHARS_GOOD } {
                self.close();
            }
        }
        if let Some(piece) = &self.piece
            && piece.chars + self.between(piece, block.start) + length > CHARS_MAX
        {
            self.flush();
        }
        let between = self.piece.as_ref().map_or(0, |piece| self.between(piece, block.start));
        match &mut self.piece {
            Some(piece) => {
                piece.range.end = block.end;
                piece.chars += between + length;
                if !is_heading {
                    piece.firm = piece.chars;
                }
            }
            None => {
                self.piece =
                    Some(OpenPassage { range: block, firm: if is_heading { 0 } else { length }, chars: length })
            }
        }
    }

    fn between(&self, piece: &OpenPassage, start: usize) -> usize {
        chars(&self.body[piece.range.end..start])
    }

    /// Ends the passage. Headings at its end start the next one.
    fn close(&mut self) {
        let Some(piece) = self.piece.take() else { return };
        if piece.firm == 0 {
            self.piece = Some(piece);
            return;
        }
        let Range { start, end } = piece.range;
        let firm = start + bytes_of(&self.body[start..end], piece.firm);
        self.passages.push(start..firm);
        let headings = trimmed(self.body, firm..end);
        if !headings.is_empty() {
            let length = chars(&self.body[headings.clone()]);
            self.piece = Some(OpenPassage { range: headings, firm: 0, chars: length });
        }
    }

    /// Ends the passage as it is.
    fn flush(&mut self) {
        self.passages.extend(self.piece.take().map(|piece| piece.range));
    }

    fn finish(mut self) -> Vec<String> {
        self.flush();
        // A very short last passage is joined with the one before it.
        if let [.., before, last] = self.passages.as_slice() {
            let both = before.start..last.end;
            if chars(&self.body[last.clone()]) < CHARS_MIN && chars(&self.body[both.clone()]) <= CHARS_MAX {
                self.passages.truncate(self.passages.len() - 2);
                self.passages.push(both);
            }
        }
        self.passages.into_iter().map(|range| self.body[range].to_owned()).collect()
    }
}

/// Paragraphs, tables and headings. Empty lines separate them; headings and tables also stand alone
/// without one.
fn blocks(body: &str) -> Vec<Range<usize>> {
    let mut blocks: Vec<Range<usize>> = Vec::new();
    let mut is_open = false;
    for line in lines(body, 0..body.len()) {
        let text = &body[line.clone()];
        if text.is_empty() {
            is_open = false;
            continue;
        }
        let joins = |last: &Range<usize>| {
            let last = body[last.clone()].lines().next_back().unwrap_or_default();
            !is_heading(text) && !is_heading(last) && text.starts_with('|') == last.starts_with('|')
        };
        match blocks.last_mut().filter(|last| is_open && joins(last)) {
            Some(last) => last.end = line.end,
            None => blocks.push(line),
        }
        is_open = true;
    }
    blocks
}

/// The lines within a range, each without surrounding white space; also empty ones.
fn lines(body: &str, within: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut at = within.start;
    body[within].split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        trimmed(body, start..at)
    })
}

fn trimmed(body: &str, range: Range<usize>) -> Range<usize> {
    let text = &body[range.clone()];
    let start = range.start + (text.len() - text.trim_start().len());
    start..start + text.trim().len()
}

fn is_heading(text: &str) -> bool {
    text.starts_with('#') && text.trim_start_matches('#').starts_with(' ') && !text.contains('\n')
}

fn chars(text: &str) -> usize {
    text.chars().count()
}

/// Length in bytes of the first `chars` characters.
fn bytes_of(text: &str, chars: usize) -> usize {
    text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at)
}

/// Where to split a text that is too long: after a sentence, or else a line, or else a word, or
/// else anywhere.
fn best_end(text: &str, space: usize) -> usize {
    let window = &text[..bytes_of(text, space)];
    // Not so early that almost nothing is left.
    let early = bytes_of(window, space / 3);
    let after = |ends: fn(&str, &str) -> bool| {
        let mut places = window.char_indices().rev().filter(|(_, char)| char.is_whitespace()).map(|(at, _)| at);
        places.find(|at| *at > early && ends(&text[..*at], &text[*at..]))
    };
    after(ends_sentence)
        .or_else(|| after(|_, rest| rest.starts_with('\n')))
        .or_else(|| after(|_, _| true))
        .unwrap_or(window.len())
}

fn ends_sentence(before: &str, rest: &str) -> bool {
    let before = before.trim_end_matches(['"', '\'', ')', ']', '”', '’', '»']);
    before.ends_with(['.', '!', '?', '…', '。', '！', '？'])
        && rest.trim_start().chars().next().is_none_or(|next| !next.is_lowercase())
}
