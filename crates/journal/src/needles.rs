//! Search patterns that find every trace of a text, and their search in bytes.

use std::io::{Read, Seek, SeekFrom};

use aho_corasick::{AhoCorasick, BuildError};

use crate::Error;

/// Shorter texts occur everywhere by chance.
const TEXT_BYTES_MIN: usize = 4;
/// A long text is searched for by pieces of this size: SQLite splits it over pages, and pieces of
/// it may be left.
const PIECE_BYTES_MAX: usize = 64;
/// Distance between two pieces. It is short enough that the part of a row beside its overflow pages
/// contains a piece.
const PIECE_EVERY: usize = 400;
/// Maximum number of pieces of one text.
const PIECES_MAX: usize = 64;
/// JSON escapes a byte with at most six, as in `\u0001`.
const NEEDLE_BYTES_MAX: usize = 6 * PIECE_BYTES_MAX;
/// Bytes of a file that are searched at a time.
const CHUNK_BYTES: usize = 1024 * 1024;

/// Searches for several texts at once. Case is ignored.
pub(crate) struct TextMatcher {
    texts: Vec<String>,
    /// Finds the beginnings of the texts; an automaton of long texts would be large.
    beginnings: AhoCorasick,
}

impl TextMatcher {
    /// Texts as they occur in JSON.
    pub(crate) fn in_json(texts: &[String]) -> Result<Self, Error> {
        Self::new(texts.iter().flat_map(|text| cases(text)).map(|text| escaped(&text)).collect())
    }

    /// Texts as they occur in plain text or in JSON.
    pub(crate) fn anywhere(texts: &[String]) -> Result<Self, Error> {
        Self::new(texts.iter().flat_map(|text| forms(text)).collect())
    }

    fn new(mut texts: Vec<String>) -> Result<Self, Error> {
        texts.retain(|text| !text.is_empty());
        let beginnings = texts.iter().map(|text| &text.as_bytes()[..text.len().min(PIECE_BYTES_MAX)]);
        let beginnings = in_any_case(beginnings)?;
        Ok(Self { texts, beginnings })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Whether the bytes contain one of the texts.
    pub(crate) fn are_in(&self, bytes: &[u8]) -> bool {
        self.beginnings.find_overlapping_iter(bytes).any(|found| {
            let text = self.texts[found.pattern()].as_bytes();
            bytes[found.start()..].get(..text.len()).is_some_and(|there| there.eq_ignore_ascii_case(text))
        })
    }
}

/// Searches for pieces of texts.
pub(crate) struct PieceMatcher {
    /// Index of the text that each piece belongs to.
    of: Vec<usize>,
    pieces: AhoCorasick,
}

impl PieceMatcher {
    pub(crate) fn new(texts: &[String]) -> Result<Self, Error> {
        let (mut of, mut needles) = (Vec::new(), Vec::new());
        for (number, text) in texts.iter().enumerate().filter(|(_, text)| text.len() >= TEXT_BYTES_MIN) {
            needles.extend(cut(text).flat_map(forms));
            of.resize(needles.len(), number);
        }
        Ok(Self { of, pieces: in_any_case(needles)? })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// A new search.
    pub(crate) fn search(&self) -> PieceSearch<'_> {
        PieceSearch { pieces: self, is_found: vec![false; self.of.len()] }
    }
}

/// The pieces that were found so far.
pub(crate) struct PieceSearch<'a> {
    pieces: &'a PieceMatcher,
    is_found: Vec<bool>,
}

impl PieceSearch<'_> {
    pub(crate) fn look_in(&mut self, bytes: &[u8]) {
        for found in self.pieces.pieces.find_overlapping_iter(bytes) {
            self.is_found[found.pattern()] = true;
        }
    }

    /// Searches a file from beginning to end.
    pub(crate) fn look_through(&mut self, mut file: impl Read + Seek) -> std::io::Result<()> {
        file.seek(SeekFrom::Start(0))?;
        let mut bytes = Vec::with_capacity(CHUNK_BYTES + NEEDLE_BYTES_MAX);
        while file.by_ref().take(CHUNK_BYTES as u64).read_to_end(&mut bytes)? > 0 {
            self.look_in(&bytes);
            // A piece may cross the border of two chunks.
            bytes.drain(..bytes.len().saturating_sub(NEEDLE_BYTES_MAX - 1));
        }
        Ok(())
    }

    /// Whether nothing was found.
    pub(crate) fn found_nothing(&self) -> bool {
        !self.is_found.contains(&true)
    }

    /// Whether this search has found everything that the other has found.
    pub(crate) fn found_all_of(&self, other: &Self) -> bool {
        self.is_found.iter().zip(&other.is_found).all(|(here, there)| *here || !there)
    }

    /// The texts of which a piece was found.
    pub(crate) fn texts_in(&self, texts: &[String]) -> Vec<String> {
        let mut numbers: Vec<usize> =
            self.pieces.of.iter().zip(&self.is_found).filter(|(_, found)| **found).map(|(number, _)| *number).collect();
        numbers.dedup();
        numbers.into_iter().map(|number| texts[number].clone()).collect()
    }
}

fn too_many(error: BuildError) -> Error {
    Error::Storage { action: "search for so many texts at once", cause: error.to_string() }
}

/// Redaction ignores case, so the search does too.
fn in_any_case(needles: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Result<AhoCorasick, Error> {
    AhoCorasick::builder().ascii_case_insensitive(true).build(needles).map_err(too_many)
}

/// A text in plain form and as JSON; most texts are the same in both.
fn forms(text: &str) -> Vec<String> {
    let mut forms: Vec<String> = cases(text).into_iter().flat_map(|text| [escaped(&text), text]).collect();
    forms.sort_unstable();
    forms.dedup();
    forms
}

/// A text as it is, and in upper and lower case if it has letters beyond ASCII, whose case the
/// search does not ignore.
fn cases(text: &str) -> Vec<String> {
    let mut cases = vec![text.to_owned()];
    if !text.is_ascii() {
        cases.extend([text.to_lowercase(), text.to_uppercase()]);
    }
    cases
}

/// A text as it is between the quotes of JSON.
fn escaped(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// The text itself if it is short, otherwise pieces of it from beginning to end.
fn cut(text: &str) -> impl Iterator<Item = &str> {
    let last = text.len().saturating_sub(PIECE_BYTES_MAX);
    let steps = if last == 0 { 0 } else { (last / PIECE_EVERY + 1).min(PIECES_MAX - 1) };
    (0..=steps).map(move |step| {
        let rest = &text[text.floor_char_boundary(last * step / steps.max(1))..];
        &rest[..rest.floor_char_boundary(PIECE_BYTES_MAX)]
    })
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn found(texts: &[&str], bytes: &[u8]) -> Vec<String> {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        let pieces = PieceMatcher::new(&texts).unwrap();
        let mut search = pieces.search();
        search.look_through(Cursor::new(bytes)).unwrap();
        search.texts_in(&texts)
    }

    #[test]
    fn a_short_text_is_one_piece() {
        assert_eq!(cut("four").collect::<Vec<_>>(), ["four"]);
        let longest = "x".repeat(PIECE_BYTES_MAX);
        assert_eq!(cut(&longest).collect::<Vec<_>>(), [longest.as_str()]);
    }

    #[test]
    fn pieces_begin_and_end_with_the_text_and_respect_its_characters() {
        for length in [65, 66, 127, 399, 400, 5_000, 200_000] {
            let text: String = "aé漢😀".chars().cycle().take(length).collect();
            let pieces: Vec<_> = cut(&text).collect();
            assert!(pieces.len() >= 2 && pieces.len() <= PIECES_MAX, "{}", pieces.len());
            assert!(text.starts_with(pieces[0]));
            assert!(text.ends_with(pieces[pieces.len() - 1]) || pieces[pieces.len() - 1].len() > PIECE_BYTES_MAX - 4);
            assert!(pieces.iter().all(|piece| !piece.is_empty() && piece.len() <= PIECE_BYTES_MAX));
        }
    }

    #[test]
    fn a_text_is_found_plain_and_as_json_has_it() {
        let text = "she said \"no\"\nand left";
        assert_eq!(found(&[text], format!("..{text}..").as_bytes()), [text]);
        assert_eq!(found(&[text], serde_json::to_string(text).unwrap().as_bytes()), [text]);
        assert_eq!(found(&[text], b"she said no and left"), [] as [&str; 0]);
    }

    #[test]
    fn a_text_is_found_whatever_its_case() {
        assert_eq!(found(&["the Blue pot"], b"under THE blue Pot"), ["the Blue pot"]);
        assert_eq!(found(&["Äpfel"], "zwei äpfel".as_bytes()), ["Äpfel"]);
        let texts = |text: &str| TextMatcher::in_json(&[text.to_owned()]).unwrap();
        assert!(texts("It \"opens\"").are_in(br#"{"message":"then it \"Opens\" up"}"#));
        assert!(texts("Äpfel").are_in("zwei äpfel".as_bytes()));
        assert!(!texts("It opens up").are_in(b"it opens"), "the whole of it");
    }

    #[test]
    fn too_short_texts_are_not_looked_for() {
        assert_eq!(found(&["abc", ""], b"abc abc"), [] as [&str; 0]);
    }

    #[test]
    fn what_lies_across_two_chunks_is_found() {
        for at in CHUNK_BYTES - 20..CHUNK_BYTES + 5 {
            let mut bytes = vec![b'.'; CHUNK_BYTES * 2 + 100];
            bytes[at..at + 9].copy_from_slice(b"forgotten");
            assert_eq!(found(&["forgotten", "kept"], &bytes), ["forgotten"], "at {at}");
        }
    }

    #[test]
    fn a_part_of_a_long_text_is_enough() {
        let text: String = (0..2_000).map(|n| format!("word {n} ")).collect();
        assert_eq!(found(&[&text], &text.as_bytes()[4_000..5_000]), [text.as_str()]);
    }
}
