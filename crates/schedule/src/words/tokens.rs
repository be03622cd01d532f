//! The words of a sentence.

use std::sync::{Arc, OnceLock};

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
    /// The roles at each place, looked up once.
    roles: OnceLock<Vec<RolesHere>>,
}

/// The roles whose phrases begin at a place, each with the length of the phrase.
type RolesHere = Vec<(Arc<str>, usize)>;

impl Sentence {
    pub(super) fn new(text: &str, lexicon: &Lexicon) -> Self {
        let mut words = split(text, lexicon);
        words.retain(|word| !lexicon.is_word_of("filler", &word.word));
        let mut sentence = Self { words, roles: OnceLock::new() };
        while let Some(length) = lexicon.role_at("opening", &sentence, 0).filter(|length| *length < sentence.len()) {
            sentence.words.drain(..length);
            sentence.roles.take();
        }
        sentence
    }

    /// The same for a text inside of a sentence.
    pub(super) fn plain(text: &str, lexicon: &Lexicon) -> Self {
        Self { words: split(text, lexicon), roles: OnceLock::new() }
    }

    /// The roles whose phrases begin here.
    pub(super) fn roles_at(&self, lexicon: &Lexicon, at: usize) -> &[(Arc<str>, usize)] {
        let all = || (0..self.words.len()).map(|at| lexicon.roles_of(&self.words[at..])).collect();
        self.roles.get_or_init(all).get(at).map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether a phrase of a role begins anywhere.
    pub(super) fn has_role(&self, lexicon: &Lexicon, role: &str) -> bool {
        (0..self.words.len()).any(|at| self.roles_at(lexicon, at).iter().any(|(name, _)| **name == *role))
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
        let mut text = String::new();
        for word in self.words.get(from..to).unwrap_or_default().iter().filter(|word| !word.written.is_empty()) {
            if !text.is_empty() && !text.ends_with(['\'', '’']) {
                text.push(' ');
            }
            text.push_str(&word.written);
        }
        text.trim_end_matches(['.', ',', '!', '?', ';', ':']).trim_end().to_owned()
    }
}

fn split(text: &str, lexicon: &Lexicon) -> Vec<SentenceWord> {
    let mut words = Vec::new();
    for written in text.split_whitespace() {
        let bare = written.trim_matches(|letter: char| !letter.is_alphanumeric());
        // German writes an ordinal with a full stop.
        let is_ordinal = written.ends_with('.') && bare.chars().all(|letter| letter.is_ascii_digit());
        let word = if is_ordinal { format!("{bare}.") } else { bare.to_lowercase().replace('’', "'") };
        if !bare.is_empty() {
            add(&mut words, written, &word, lexicon);
        }
    }
    words
}

/// Adds a word, or the words that it consists of. What was written is kept with the first of them.
fn add(words: &mut Vec<SentenceWord>, written: &str, word: &str, lexicon: &Lexicon) {
    if let Some(parts) = lexicon.compound(word) {
        for (index, part) in parts.split_whitespace().enumerate() {
            let written = if index == 0 { written.to_owned() } else { String::new() };
            words.push(SentenceWord { written, word: part.to_owned() });
        }
        return;
    }
    let elision = lexicon.elision_of(word).and_then(|elision| {
        // Where the rest begins in what was written.
        let at = written.find(['\'', '’'])?;
        let at = at + written[at..].chars().next()?.len_utf8();
        Some((elision, written.split_at_checked(at)?))
    });
    match elision {
        Some((elision, (first, rest))) => {
            words.push(SentenceWord { written: first.to_owned(), word: elision.to_owned() });
            add(words, rest, &word[elision.len()..], lexicon);
        }
        None => words.push(SentenceWord { written: written.to_owned(), word: word.to_owned() }),
    }
}
