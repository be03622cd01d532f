//! The words of a sentence.

use super::lexicon::Lexicon;

/// One word, as it is written and as it is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SentenceWord {
    pub(super) written: String,
    pub(super) word: String,
}

/// The words of a sentence, without politeness.
#[derive(Debug, Clone)]
pub(super) struct Sentence {
    words: Vec<SentenceWord>,
}

impl Sentence {
    pub(super) fn new(text: &str, lexicon: &Lexicon) -> Self {
        let mut words = split(text);
        words.retain(|word| !lexicon.is_word_of("filler", &word.word));
        let mut sentence = Self { words };
        while let Some(length) = lexicon.role_at("opening", &sentence, 0).filter(|length| *length < sentence.len()) {
            sentence.words.drain(..length);
        }
        sentence
    }

    /// The same for a text inside of a sentence.
    pub(super) fn plain(text: &str) -> Self {
        Self { words: split(text) }
    }

    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    pub(super) fn word(&self, at: usize) -> Option<&str> {
        self.words.get(at).map(|word| word.word.as_str())
    }

    /// The words from here to there, as they are written, without punctuation at the end.
    pub(super) fn written(&self, from: usize, to: usize) -> String {
        let words: Vec<&str> =
            self.words.get(from..to).unwrap_or_default().iter().map(|w| w.written.as_str()).collect();
        words.join(" ").trim_end_matches(['.', ',', '!', '?', ';', ':']).to_owned()
    }
}

fn split(text: &str) -> Vec<SentenceWord> {
    text.split_whitespace()
        .filter_map(|written| {
            let bare = written.trim_matches(|letter: char| !letter.is_alphanumeric());
            // German writes an ordinal with a full stop.
            let is_ordinal = written.ends_with('.') && bare.chars().all(|letter| letter.is_ascii_digit());
            let word = if is_ordinal { format!("{bare}.") } else { bare.to_lowercase().replace('’', "'") };
            (!bare.is_empty()).then(|| SentenceWord { written: written.to_owned(), word })
        })
        .collect()
}
