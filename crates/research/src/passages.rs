//! Cutting a text into passages: pieces that can be found, told and cited, each word for word as it stands in the text.
//!
//! Paragraphs are put together until a passage is long enough to stand for itself. A heading stays with what follows it, a
//! table is kept whole or cut between rows, a long paragraph between sentences. Nothing but space between passages is lost,
//! and nothing is said twice.

use std::ops::Range;

/// How long a passage gets, in characters, if there is a better place to end it.
const CHARS_GOOD: usize = 900;
/// How long a passage is at most.
pub const CHARS_MAX: usize = 1000;
/// Below this a passage is too short to stand for itself.
const CHARS_MIN: usize = 300;

/// Cuts a text.
pub fn cut(body: &str) -> Vec<String> {
    let mut cutting = Cutting { body, passages: Vec::new(), piece: None };
    for block in blocks(body) {
        cutting.take(block);
    }
    cutting.finish()
}

/// A text while it is cut.
struct Cutting<'a> {
    body: &'a str,
    passages: Vec<Range<usize>>,
    piece: Option<Piece>,
}

/// The passage that is being put together.
struct Piece {
    range: Range<usize>,
    /// How long it is without the headings at its end, which may go on to the next.
    firm: usize,
    chars: usize,
}

impl Cutting<'_> {
    /// Takes a paragraph, a heading, or a table.
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

    /// Takes something that may have to be divided; its beginning still goes to the passage before if there is room.
    fn take_long(&mut self, mut rest: Range<usize>) {
        while !rest.is_empty() {
            let begun = self.piece.as_ref().map_or(0, |piece| piece.chars + self.between(piece, rest.start));
            let whole = chars(&self.body[rest.clone()]);
            if begun + whole <= CHARS_GOOD || (begun == 0 && whole <= CHARS_MAX) {
                return self.add(rest, false);
            }
            let room = CHARS_GOOD.saturating_sub(begun);
            let is_better_apart = whole <= CHARS_GOOD && self.piece.as_ref().is_some_and(|piece| piece.firm > 0);
            if begun > 0 && (room < CHARS_MIN || is_better_apart) {
                self.make_room();
                continue;
            }
            let end = rest.start + best_end(&self.body[rest.clone()], room);
            self.add(trimmed(self.body, rest.start..end), false);
            self.close();
            rest = trimmed(self.body, end..rest.end);
        }
    }

    /// Ends the passage, or if it is nothing but headings, lets them stand alone.
    fn make_room(&mut self) {
        match &self.piece {
            Some(piece) if piece.firm > 0 => self.close(),
            _ => self.flush(),
        }
    }

    /// Adds what is known to be of a length that fits a passage.
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
            None => self.piece = Some(Piece { range: block, firm: if is_heading { 0 } else { length }, chars: length }),
        }
    }

    fn between(&self, piece: &Piece, start: usize) -> usize {
        chars(&self.body[piece.range.end..start])
    }

    /// Ends the passage; headings at its end begin the next one.
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
            self.piece = Some(Piece { range: headings, firm: 0, chars: length });
        }
    }

    /// Ends the passage as it is.
    fn flush(&mut self) {
        self.passages.extend(self.piece.take().map(|piece| piece.range));
    }

    fn finish(mut self) -> Vec<String> {
        self.flush();
        // A last crumb goes with what is before it.
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

/// Paragraphs, tables and headings: what empty lines divide, and headings and tables also where there is none.
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

/// The lines within a range, each without the space around it; empty ones too.
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

/// How many bytes so many characters take.
fn bytes_of(text: &str, chars: usize) -> usize {
    text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at)
}

/// Where to end a text that is too long: after a sentence, or else a line, or else a word, or else anywhere.
fn best_end(text: &str, room: usize) -> usize {
    let window = &text[..bytes_of(text, room)];
    // Not so early that next to nothing is left.
    let early = bytes_of(window, room / 3);
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
