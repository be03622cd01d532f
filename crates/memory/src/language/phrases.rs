//! Phrases of a language, found in the words of a message.

use rustc_hash::FxHashMap;

use super::{
    calendar,
    lexicon::{Token, root, tokens, word_hash},
    words::TokenizedText,
};

/// The most words that a gap in a phrase stands for.
const GAP_MAX: usize = 3;

/// Phrases, found by their first word. `*` in a phrase is a gap of one to three words of one
/// clause, "gave * back", and `#` a number, "turned #".
#[derive(Debug, Default)]
pub struct Phrases {
    by_first: FxHashMap<String, Vec<Vec<String>>>,
    firsts: WordFilter,
}

/// Hashes of words. Every word of a message is looked up in dozens of lists, and is in hardly any.
#[derive(Debug, Default)]
struct WordFilter([u64; 16]);

impl WordFilter {
    const fn place(hash: u64) -> (usize, u64) {
        ((hash >> 6) as usize % 16, 1 << (hash % 64))
    }

    fn insert(&mut self, word: &str) {
        let (block, bit) = Self::place(word_hash(word));
        self.0[block] |= bit;
    }

    /// Whether a word with this hash may be among them.
    const fn may_have(&self, hash: u64) -> bool {
        let (block, bit) = Self::place(hash);
        self.0[block] & bit != 0
    }
}

impl Phrases {
    pub(super) fn new(phrases: &[String]) -> Self {
        let mut by_first: FxHashMap<String, Vec<Vec<String>>> = FxHashMap::default();
        let mut firsts = WordFilter::default();
        for phrase in phrases {
            // Written as they are read: "haven't" is two words.
            let words = phrase.split_whitespace().flat_map(|word| {
                let text = TokenizedText::read(word, word.len());
                let read: Vec<String> = tokens(&text).into_iter().map(|token| token.lower).collect();
                if word == "*" || word == "#" { vec![word.to_owned()] } else { read }
            });
            let words: Vec<String> = words.collect();
            if let Some((first, rest)) = words.split_first() {
                firsts.insert(first);
                by_first.entry(first.clone()).or_default().push(rest.to_vec());
            }
        }
        Self { by_first, firsts }
    }

    /// How many words of a phrase start here; 0 if none does.
    pub fn length_at(&self, tokens: &[Token<'_>]) -> usize {
        let Some((first, rest)) = tokens.split_first() else { return 0 };
        if !self.firsts.may_have(first.hash) {
            return 0;
        }
        let phrases = self.by_first.get(&first.lower).into_iter().flatten();
        phrases.filter_map(|phrase| matched(phrase, rest, first)).map(|length| length + 1).max().unwrap_or(0)
    }

    /// Whether a phrase occurs.
    pub fn occurs(&self, tokens: &[Token<'_>]) -> bool {
        (0..tokens.len()).any(|at| self.length_at(&tokens[at..]) > 0)
    }

    /// The single words among the phrases.
    pub fn single_words(&self) -> impl Iterator<Item = &str> {
        self.by_first.iter().filter(|(_, rests)| rests.iter().any(Vec::is_empty)).map(|(first, _)| first.as_str())
    }

    /// The roots of the single words among the phrases.
    pub fn single_roots(&self) -> impl Iterator<Item = String> + '_ {
        self.single_words().map(root)
    }
}

/// How many words the rest of a phrase takes after `before`, if it fits.
fn matched(phrase: &[String], tokens: &[Token<'_>], before: &Token<'_>) -> Option<usize> {
    let Some((word, rest)) = phrase.split_first() else { return Some(0) };
    let (first, later) = tokens.split_first()?;
    if word != "*" {
        let is_number = || first.is_figure() || calendar::number(&first.lower).is_some();
        let fits = if word == "#" { is_number() } else { *word == first.lower };
        return fits.then(|| matched(rest, later, first)).flatten().map(|length| length + 1);
    }
    let is_free = |gap: usize| {
        let words = std::iter::once(before).chain(&tokens[..gap]);
        words.into_iter().all(|token| !token.after.contains([',', '.', ';', '!', '?', ':', '\n']))
    };
    (1..=GAP_MAX.min(tokens.len()))
        .take_while(|gap| is_free(*gap))
        .find_map(|gap| matched(rest, &tokens[gap..], &tokens[gap - 1]).map(|length| length + gap))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_may_have_a_gap_within_its_clause() {
        let phrases = Phrases::new(&["gave * back".to_owned()]);
        for (text, occurs) in [
            ("I gave them their key back", true),
            ("I gave it back", true),
            ("I gave in, then went back", false),
            ("I gave up on all of it and never went back", false),
        ] {
            let text = TokenizedText::read(text, 1000);
            assert_eq!(phrases.occurs(&tokens(&text)), occurs, "{:?}", text.source);
        }
    }
}
