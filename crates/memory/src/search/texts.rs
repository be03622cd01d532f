//! The texts that an embedding model is given.

use sha2::{Digest, Sha256};

use super::document::Document;

/// An embedding model reads about this many characters of English; longer texts are cut into
/// pieces.
const PIECE_MAX: usize = 900;
/// The most pieces of one text that are embedded.
const PIECES_MAX: usize = 8;

/// The document's text in pieces, each with its speaker.
pub(super) fn own(document: &Document) -> Vec<String> {
    if document.by_words_only {
        return Vec::new();
    }
    pieces(&document.text).into_iter().map(|piece| said(document, piece)).collect()
}

/// The number of pieces of the document's text.
pub(super) fn count(document: &Document) -> u8 {
    u8::try_from(own(document).len()).unwrap_or(u8::MAX)
}

/// A digest that shows whether a vector still belongs to the text.
pub(super) fn digest(text: &str) -> [u8; 8] {
    let mut short = [0; 8];
    short.copy_from_slice(&Sha256::digest(text.as_bytes())[..8]);
    short
}

fn said(document: &Document, words: &str) -> String {
    match (&document.speaker, &document.key) {
        (Some(speaker), _) => format!("{speaker}: {words}"),
        (None, Some(key)) => format!("{key}: {words}"),
        (None, None) => words.to_owned(),
    }
}

fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() && pieces.len() < PIECES_MAX {
        let piece = clipped(rest, PIECE_MAX);
        rest = rest[piece.len()..].trim_start();
        pieces.push(piece.trim_end());
    }
    pieces
}

/// The beginning of the text, cut where a line, a sentence or at least a word ends.
fn clipped(text: &str, max: usize) -> &str {
    if text.len() <= max {
        return text;
    }
    let end = text.floor_char_boundary(max);
    let head = &text[..end];
    let after = |mark: &str| head.rfind(mark).map(|place| place + mark.len()).filter(|place| *place > max / 2);
    let cut = after("\n").or_else(|| after(". ")).or_else(|| after(" ")).unwrap_or(end);
    &head[..cut]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use protocol::{ItemId, Level, Timestamp};

    use super::*;

    fn document(text: &str) -> Document {
        Document::new(ItemId::from_bytes([1; 16]), Level::Entry, text, Timestamp::from_millis(0))
    }

    proptest! {
        #[test]
        fn pieces_lose_no_word(words in proptest::collection::vec("[a-zäé.]{1,12}", 0..300)) {
            let text = words.join(" ");
            prop_assert_eq!(own(&document(&text)).join(" "), text);
        }

        #[test]
        fn no_text_breaks_it(text in "\\PC{0,3000}") {
            prop_assert_eq!(own(&document(&text)).len(), usize::from(count(&document(&text))));
        }
    }

    #[test]
    fn what_is_found_by_words_alone_has_no_pieces() {
        let words_only = Document { by_words_only: true, ..document("They talked.") };
        assert_eq!((own(&words_only).len(), count(&words_only)), (0, 0));
    }

    #[test]
    fn a_piece_says_who_speaks() {
        let ann = Document { speaker: Some("Ann".to_owned()), ..document("Hi.") };
        assert_eq!(own(&ann), ["Ann: Hi."]);
    }
}
