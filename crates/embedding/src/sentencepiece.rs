//! The SentencePiece tokenizer of a unigram model: of all ways to split a text into pieces of the
//! vocabulary, the one whose pieces are the most probable together.

use super::{
    EmbeddingError,
    charsmap::Charsmap,
    protobuf::{Fields, Value, WireFault},
    weights::unusable,
};

/// What stands for a space in pieces.
const SPACE: char = '▁';
/// The kinds of pieces that a text does not contain: the unknown piece, and marks like the start.
const UNKNOWN: u64 = 2;
const CONTROL: u64 = 3;
/// How much less probable than the least probable piece an unknown character is.
const UNKNOWN_PENALTY: f32 = 10.0;

/// The vocabulary and its rules for characters.
#[derive(Debug)]
pub(super) struct SentencePiece {
    rules: Charsmap,
    /// The pieces that a text may contain, in the order of their bytes.
    pieces: Vec<Piece>,
    /// Number of all pieces.
    size: usize,
    piece_chars_max: usize,
    unknown: u32,
    unknown_score: f32,
    begin: u32,
    end: u32,
}

#[derive(Debug)]
struct Piece {
    text: Box<str>,
    id: u32,
    /// The logarithm of its probability.
    score: f32,
}

/// The best way to a place in a text: its score, where its last piece starts, and that piece.
#[derive(Debug, Clone, Copy)]
struct Step {
    score: f32,
    start: usize,
    id: u32,
}

impl SentencePiece {
    /// Reads a model file.
    pub(super) fn read(file: &[u8]) -> Result<Self, EmbeddingError> {
        let damaged = |_: WireFault| unusable("its vocabulary is damaged");
        let (mut pieces, mut rules) = (Vec::new(), None);
        let (mut size, mut unknown, mut begin, mut end) = (0, None, None, None);
        for field in Fields::of(file) {
            match field.map_err(damaged)? {
                (1, Value::Bytes(message)) => {
                    let (text, score, kind) = read_piece(message).map_err(damaged)?;
                    match (kind, text) {
                        (UNKNOWN, _) => unknown = Some(size),
                        (CONTROL, "<s>") => begin = Some(size),
                        (CONTROL, "</s>") => end = Some(size),
                        (CONTROL, _) | (_, "") => {}
                        _ => pieces.push(Piece { text: text.into(), id: size, score }),
                    }
                    size += 1;
                }
                (3, Value::Bytes(message)) => rules = read_rules(message).map_err(damaged)?,
                _ => {}
            }
        }
        let (Some(unknown), Some(begin), Some(end), Some(rules), false) =
            (unknown, begin, end, rules, pieces.is_empty())
        else {
            return Err(unusable("its vocabulary lacks its special tokens or its rules"));
        };
        pieces.sort_unstable_by(|one, other| one.text.cmp(&other.text));
        let least = pieces.iter().map(|piece| piece.score).fold(f32::INFINITY, f32::min);
        let piece_chars_max = pieces.iter().map(|piece| piece.text.chars().count()).max().unwrap_or(1);
        let unknown_score = least - UNKNOWN_PENALTY;
        Ok(Self { rules, pieces, size: size as usize, piece_chars_max, unknown, unknown_score, begin, end })
    }

    /// Number of tokens. All ids are smaller.
    pub(super) const fn size(&self) -> usize {
        self.size
    }

    /// The tokens of a text between the start and end tokens, at most `max` with them.
    pub(super) fn pieces(&self, text: &str, max: usize) -> Vec<u32> {
        // More characters than the longest pieces could take are not looked at.
        let normal = self.rules.normalize(text, max.saturating_mul(self.piece_chars_max));
        let mut tokens = vec![self.begin];
        if !normal.is_empty() {
            let spaced = format!("{SPACE}{}", normal.replace(' ', SPACE.encode_utf8(&mut [0; 4])));
            tokens.extend(self.split(&spaced));
        }
        tokens.truncate(max.saturating_sub(1));
        tokens.push(self.end);
        tokens
    }

    /// The most probable pieces of a text that is not empty.
    fn split(&self, text: &str) -> Vec<u32> {
        let unreached = Step { score: f32::NEG_INFINITY, start: 0, id: self.unknown };
        let mut best = vec![unreached; text.len() + 1];
        best[0].score = 0.0;
        for (start, char) in text.char_indices() {
            let score = best[start].score;
            let single = char.len_utf8();
            let mut has_single = false;
            self.matches(&text.as_bytes()[start..], |length, piece| {
                has_single |= length == single;
                let place = &mut best[start + length];
                if score + piece.score > place.score {
                    *place = Step { score: score + piece.score, start, id: piece.id };
                }
            });
            let place = &mut best[start + single];
            if !has_single && score + self.unknown_score > place.score {
                *place = Step { score: score + self.unknown_score, start, id: self.unknown };
            }
        }
        let mut tokens: Vec<u32> = Vec::new();
        let mut at = text.len();
        while at > 0 {
            let Step { start, id, .. } = best[at];
            // Unknown characters in a row are one unknown piece.
            if id != self.unknown || tokens.last() != Some(&self.unknown) {
                tokens.push(id);
            }
            at = start;
        }
        tokens.reverse();
        tokens
    }

    /// Calls `each` with all pieces that a text starts with, the shortest first.
    fn matches(&self, text: &[u8], mut each: impl FnMut(usize, &Piece)) {
        let mut pieces = self.pieces.as_slice();
        for (byte, at) in text.iter().zip(0..) {
            // All of them start with the bytes before; the one that ends there comes first.
            let start = pieces.partition_point(|piece| piece.text.as_bytes().get(at) < Some(byte));
            pieces = &pieces[start..];
            let end = pieces.partition_point(|piece| piece.text.as_bytes().get(at) <= Some(byte));
            pieces = &pieces[..end];
            match pieces.first() {
                None => return,
                Some(piece) if piece.text.len() == at + 1 => each(at + 1, piece),
                Some(_) => {}
            }
        }
    }
}

/// Text, score and kind of a piece.
fn read_piece(message: &[u8]) -> Result<(&str, f32, u64), WireFault> {
    let (mut text, mut score, mut kind) = ("", 0.0, 1);
    for field in Fields::of(message) {
        match field? {
            (1, Value::Bytes(bytes)) => text = std::str::from_utf8(bytes).map_err(|_| WireFault)?,
            (2, Value::Word(bytes)) => score = f32::from_le_bytes(bytes),
            (3, Value::Number(number)) => kind = number,
            _ => {}
        }
    }
    Ok((text, score, kind))
}

/// The rules for characters in the specification of the normalizer.
fn read_rules(message: &[u8]) -> Result<Option<Charsmap>, WireFault> {
    let mut rules: &[u8] = &[];
    for field in Fields::of(message) {
        if let (2, Value::Bytes(bytes)) = field? {
            rules = bytes;
        }
    }
    Ok(Charsmap::read(rules))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PIECES: [(&str, f32, u8); 12] = [
        ("<unk>", 0.0, 2),
        ("<s>", 0.0, 3),
        ("</s>", 0.0, 3),
        ("▁", -3.0, 1),
        ("▁haus", -4.0, 1),
        ("▁h", -5.0, 1),
        ("aus", -5.5, 1),
        ("tür", -4.0, 1),
        ("t", -6.0, 1),
        ("▁a", -4.0, 1),
        ("us", -4.0, 1),
        ("ü", -7.0, 1),
    ];

    fn file() -> Vec<u8> {
        let field = |number: u8, bytes: &[u8]| [&[number << 3 | 2, u8::try_from(bytes.len()).unwrap()], bytes].concat();
        let mut file = Vec::new();
        for (text, score, kind) in PIECES {
            let score = [&[2 << 3 | 5], score.to_le_bytes().as_slice()].concat();
            file.extend(field(1, &[field(1, text.as_bytes()), score, vec![3 << 3, kind]].concat()));
        }
        file.extend(field(3, &field(1, b"identity")));
        file
    }

    fn read(text: &str) -> String {
        let tokens = SentencePiece::read(&file()).unwrap().pieces(text, 32);
        tokens.iter().map(|id| PIECES[*id as usize].0).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_most_probable_split_is_taken_not_the_longest_piece() {
        assert_eq!(read("haustür"), "<s> ▁haus tür </s>");
        assert_eq!(read("aus"), "<s> ▁a us </s>");
        assert_eq!(read("  haus   aus "), "<s> ▁haus ▁a us </s>");
        assert_eq!(read("tt"), "<s> ▁ t t </s>");
    }

    #[test]
    fn unknown_characters_in_a_row_are_one_and_marks_in_a_text_are_text() {
        assert_eq!(read("haus 灯灯t"), "<s> ▁haus ▁ <unk> t </s>");
        assert_eq!(read("<s>"), "<s> ▁ <unk> </s>");
        assert_eq!(read(""), "<s> </s>");
    }

    #[test]
    fn long_texts_are_cut_off_and_broken_files_refused() {
        let model = SentencePiece::read(&file()).unwrap();
        assert_eq!(model.pieces(&"haus ".repeat(1000), 5), [1, 4, 4, 4, 2]);
        for length in [0, 20, file().len() - 1] {
            assert!(SentencePiece::read(&file()[..length]).is_err());
        }
    }

    proptest! {
        #[test]
        fn any_text_gives_pieces_within_bounds(text in any::<String>(), max in 2_usize..40) {
            let model = SentencePiece::read(&file()).unwrap();
            let pieces = model.pieces(&text, max);
            prop_assert!((2..=max).contains(&pieces.len()));
            prop_assert!(pieces.iter().all(|id| (*id as usize) < model.size()));
        }
    }
}
