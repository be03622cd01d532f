//! The WordPiece tokenizer of the model: lower case, no accents, words split into the longest
//! tokens of the vocabulary.
//!
//! The text is read lazily: of a long text only as much as the model can take is processed.

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

use super::EmbeddingError;

/// A longer word is not split into tokens.
const WORD_CHARS_MAX: usize = 100;
/// Prefix of tokens in the vocabulary that continue a word.
const CONTINUES: &str = "##";

/// The vocabulary and its special tokens.
pub(super) struct WordPiece {
    /// Tokens that start a word.
    first: HashMap<Box<str>, u32>,
    /// Tokens that continue a word, without their prefix.
    further: HashMap<Box<str>, u32>,
    /// Length of the longest token in bytes.
    piece_bytes_max: usize,
    size: usize,
    unknown: u32,
    begin: u32,
    end: u32,
}

impl WordPiece {
    /// Reads a vocabulary: one token per line, whose id is the number of the line.
    pub(super) fn read(vocabulary: &str) -> Result<Self, EmbeddingError> {
        Self::with_marks(vocabulary, ["[CLS]", "[SEP]"])
    }

    /// Reads a vocabulary with other tokens for start and end.
    pub(super) fn with_marks(vocabulary: &str, [begin, end]: [&str; 2]) -> Result<Self, EmbeddingError> {
        let (mut first, mut further) = (HashMap::new(), HashMap::new());
        let (mut piece_bytes_max, mut size) = (0, 0);
        for (id, line) in (0..).zip(vocabulary.lines()) {
            let (pieces, piece) = match line.strip_prefix(CONTINUES) {
                Some(piece) if !piece.is_empty() => (&mut further, piece),
                _ => (&mut first, line),
            };
            piece_bytes_max = piece_bytes_max.max(piece.len());
            pieces.insert(Box::from(piece), id);
            size += 1;
        }
        let special = |piece: &str| {
            let id = first.get(piece).copied();
            id.ok_or_else(|| EmbeddingError::Unusable(format!("its vocabulary has no {piece}; download it again")))
        };
        let (unknown, begin, end) = (special("[UNK]")?, special(begin)?, special(end)?);
        Ok(Self { first, further, piece_bytes_max, size, unknown, begin, end })
    }

    /// Number of tokens. All ids are smaller.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// The tokens of a text between the start and end tokens, at most `max` with them.
    pub(super) fn pieces(&self, text: &str, max: usize) -> Vec<u32> {
        let mut pieces = vec![self.begin];
        let capacity = max.saturating_sub(1);
        for word in Words::of(text) {
            if pieces.len() >= capacity {
                break;
            }
            self.cut(&word, &mut pieces);
        }
        pieces.truncate(capacity);
        pieces.push(self.end);
        pieces
    }

    /// Splits a word, always into the longest token that matches. If a rest has no match, the whole
    /// word is unknown.
    fn cut(&self, word: &Word, pieces: &mut Vec<u32>) {
        let before = pieces.len();
        let mut rest = word.text.as_str();
        if word.is_too_long() {
            pieces.push(self.unknown);
            return;
        }
        while !rest.is_empty() {
            let known = if pieces.len() == before { &self.first } else { &self.further };
            let Some((id, bytes)) = longest(known, rest, self.piece_bytes_max) else {
                pieces.truncate(before);
                pieces.push(self.unknown);
                return;
            };
            pieces.push(id);
            rest = &rest[bytes..];
        }
    }
}

/// The longest prefix of a text that is a token, with its length in bytes.
fn longest(known: &HashMap<Box<str>, u32>, text: &str, bytes_max: usize) -> Option<(u32, usize)> {
    let ends = (1..=text.len().min(bytes_max)).rev().filter(|end| text.is_char_boundary(*end));
    ends.filter_map(|end| known.get(&text[..end]).map(|id| (*id, end))).next()
}

/// A word, or as much of it as is needed.
#[derive(Debug, Default, PartialEq)]
struct Word {
    text: String,
    chars: usize,
}

impl Word {
    fn push(&mut self, char: char) {
        self.chars += 1;
        // A word that is too long is unknown, so its text is not needed.
        if !self.is_too_long() {
            self.text.push(char);
        }
    }

    fn is_too_long(&self) -> bool {
        self.chars > WORD_CHARS_MAX
    }
}

/// The words of a text. Punctuation marks and ideographs are words of their own.
struct Words<I: Iterator<Item = char>> {
    chars: I,
    /// A mark that ended a word and comes next.
    mark: Option<char>,
}

impl Words<std::iter::Empty<char>> {
    fn of(text: &str) -> Words<impl Iterator<Item = char>> {
        let chars = text.chars().filter(|char| !is_ignored(*char)).nfd();
        let chars = chars.filter(|char| char.general_category() != GeneralCategory::NonspacingMark);
        Words { chars: chars.flat_map(char::to_lowercase), mark: None }
    }
}

impl<I: Iterator<Item = char>> Iterator for Words<I> {
    type Item = Word;

    fn next(&mut self) -> Option<Word> {
        let mut word = Word::default();
        if let Some(mark) = self.mark.take() {
            word.push(mark);
            return Some(word);
        }
        for char in self.chars.by_ref() {
            if stands_alone(char) {
                if word.chars == 0 {
                    word.push(char);
                } else {
                    self.mark = Some(char);
                }
                return Some(word);
            }
            if !char.is_whitespace() {
                word.push(char);
            } else if word.chars > 0 {
                return Some(word);
            }
        }
        (word.chars > 0).then_some(word)
    }
}

/// Invisible characters, which the model was not trained on.
fn is_ignored(char: char) -> bool {
    use GeneralCategory::{Control, Format, PrivateUse};
    match char {
        '\t' | '\n' | '\r' => false,
        '\0' | char::REPLACEMENT_CHARACTER => true,
        _ => matches!(char.general_category(), Control | Format | PrivateUse),
    }
}

fn stands_alone(char: char) -> bool {
    char.is_ascii_punctuation() || is_ideograph(char) || {
        !char.is_ascii() && char.general_category_group() == GeneralCategoryGroup::Punctuation
    }
}

/// The blocks of Chinese characters, which are written without spaces between words.
fn is_ideograph(char: char) -> bool {
    matches!(u32::from(char),
        0x4E00..=0x9FFF | 0x3400..=0x4DBF | 0x20000..=0x2A6DF | 0x2A700..=0x2B73F | 0x2B740..=0x2B81F
        | 0x2B920..=0x2CEAF | 0xF900..=0xFAFF | 0x2F800..=0x2FA1F)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const VOCABULARY: &str = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nthe\nkitchen\nkit\nlight\n##s\n##chen\n##ette\ncafe\n!\n,\n灯\n'\n##\n1\n##2\nss\nß";

    fn reader() -> WordPiece {
        WordPiece::read(VOCABULARY).unwrap()
    }

    /// The tokens of a text as the vocabulary writes them.
    fn read(text: &str) -> String {
        let lines: Vec<_> = VOCABULARY.lines().collect();
        let pieces = reader().pieces(text, 64);
        let pieces: Vec<_> = pieces.into_iter().map(|id| lines[usize::try_from(id).unwrap()]).collect();
        pieces.join(" ")
    }

    #[test]
    fn words_are_cut_into_the_longest_known_pieces() {
        assert_eq!(read("the kitchen lights"), "[CLS] the kitchen light ##s [SEP]");
        assert_eq!(read("kitchenette kits kitchens"), "[CLS] kitchen ##ette kit ##s kitchen ##s [SEP]");
        assert_eq!(read("12 2"), "[CLS] 1 ##2 [UNK] [SEP]", "a piece that goes on does not begin");
    }

    #[test]
    fn a_word_with_an_unknown_rest_is_unknown_as_a_whole() {
        assert_eq!(read("kitchenx the"), "[CLS] [UNK] the [SEP]");
    }

    #[test]
    fn case_accents_and_invisible_signs_do_not_matter() {
        assert_eq!(read("THE CAFÉ"), "[CLS] the cafe [SEP]");
        assert_eq!(read("the cafe\u{301}"), "[CLS] the cafe [SEP]", "accents as signs of their own");
        assert_eq!(read("t\u{200b}h\u{0}e\u{7} \u{fffd}kit\tkit\u{a0}kit\r\nkit"), "[CLS] the kit kit kit kit [SEP]");
    }

    #[test]
    fn marks_and_ideographs_stand_alone() {
        assert_eq!(read("light's,the!!"), "[CLS] light ' [UNK] , the ! ! [SEP]");
        assert_eq!(read("kit灯kit"), "[CLS] kit 灯 kit [SEP]");
        assert_eq!(read("kit“kit”"), "[CLS] kit [UNK] kit [UNK] [SEP]");
    }

    #[test]
    fn words_past_a_hundred_characters_are_unknown() {
        let long = |chars: usize| format!("kit{}", "s".repeat(chars - 3));
        assert_eq!(reader().pieces(&long(100), 256).len(), 2 + 98);
        assert_eq!(read(&long(101)), "[CLS] [UNK] [SEP]");
        assert_eq!(read(&format!("the {} the", long(100_000))), "[CLS] the [UNK] the [SEP]");
    }

    #[test]
    fn nothing_is_nothing_between_its_marks_and_specials_in_a_text_are_text() {
        assert_eq!(read(""), "[CLS] [SEP]");
        assert_eq!(read(" \n\u{200b} "), "[CLS] [SEP]");
        assert_eq!(read("[SEP]"), "[CLS] [UNK] [UNK] [UNK] [SEP]");
    }

    #[test]
    fn long_texts_are_cut_off() {
        let pieces = reader().pieces(&"the kitchens ".repeat(1000), 8);
        assert_eq!(pieces, [2, 4, 5, 8, 4, 5, 8, 3]);
    }

    #[test]
    fn a_vocabulary_without_its_marks_is_refused() {
        let refused = WordPiece::read("the\n[UNK]\n[CLS]").err().unwrap();
        assert!(refused.to_string().contains("[SEP]"), "{refused}");
    }

    proptest! {
        #[test]
        fn any_text_gives_pieces_within_bounds(text in any::<String>(), max in 2_usize..40) {
            let reader = reader();
            let pieces = reader.pieces(&text, max);
            prop_assert!((2..=max).contains(&pieces.len()));
            prop_assert!(pieces.iter().all(|id| (*id as usize) < reader.size()));
            prop_assert_eq!((pieces[0], pieces[pieces.len() - 1]), (2, 3));
        }
    }
}
