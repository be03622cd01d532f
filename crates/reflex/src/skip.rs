//! Skip words, which may be dropped: "please", "could you".

use crate::text::{NormalizedText, is_word};
use crate::trie::Trie;

/// The skip words of a language.
#[derive(Debug, Default)]
pub(crate) struct SkipWords {
    words: Trie<()>,
    is_spaced: bool,
}

/// The variants of a text with different skip words dropped.
#[derive(Debug)]
pub(crate) struct SkipVariants {
    /// The unchanged text.
    pub whole: NormalizedText,
    /// Without any skip words; absent if there are none.
    pub bare: Option<NormalizedText>,
    /// Without those at the beginning, for sentences that end with a wildcard.
    pub bare_start: Option<NormalizedText>,
    /// Without those at the end, for sentences that begin with a wildcard.
    pub bare_end: Option<NormalizedText>,
}

impl SkipWords {
    pub(crate) fn new<'a>(words: impl IntoIterator<Item = &'a str>, is_spaced: bool) -> Self {
        let mut trie = Trie::default();
        for word in words {
            trie.insert(NormalizedText::new(word).folded().iter().copied(), ());
        }
        Self { words: trie, is_spaced }
    }

    /// Calls back for the single words of all skip phrases.
    pub(crate) fn words(&self, tell: impl FnMut(&[char])) {
        self.words.words(tell);
    }

    pub(crate) fn readings(&self, whole: NormalizedText) -> SkipVariants {
        let spans = self.spans(whole.folded());
        if spans.is_empty() {
            return SkipVariants { whole, bare: None, bare_start: None, bare_end: None };
        }
        let length = whole.folded().len();
        let is_blank = |from: usize, to: usize| {
            whole.folded().get(from..to).is_none_or(|between| between.iter().all(|&next| next == ' '))
        };
        let mut start = 0;
        for &(from, to) in &spans {
            if is_blank(start, from) {
                start = to;
            }
        }
        let mut end = length;
        for &(from, to) in spans.iter().rev() {
            if is_blank(to, end) {
                end = from;
            }
        }
        let bare = whole.without(|at| spans.iter().any(|&(from, to)| (from..to).contains(&at)), self.is_spaced);
        let bare_start = (start > 0).then(|| whole.without(|at| at < start, self.is_spaced));
        let bare_end = (end < length).then(|| whole.without(|at| at >= end, self.is_spaced));
        SkipVariants { whole, bare: Some(bare), bare_start, bare_end }
    }

    /// The positions of skip words, the longest first, as whole words.
    fn spans(&self, text: &[char]) -> Vec<(usize, usize)> {
        let mut spans = Vec::new();
        let mut at = 0;
        let is_word_at = |index: usize| text.get(index).is_some_and(|&next| is_word(next));
        while at < text.len() {
            let begins = !self.is_spaced || at == 0 || !is_word_at(at - 1);
            let mut longest = 0;
            if begins {
                let rest = text.get(at..).unwrap_or_default();
                self.words.prefixes(rest, |length, _| {
                    if !self.is_spaced || !is_word_at(at + length) {
                        longest = length;
                    }
                });
            }
            if longest > 0 {
                spans.push((at, at + longest));
            }
            at += longest.max(1);
        }
        spans
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(normalized: Option<&NormalizedText>) -> Option<String> {
        normalized.map(|normalized| normalized.folded().iter().collect())
    }

    #[test]
    fn words_are_left_out_whole_and_the_longest_first() {
        let words = SkipWords::new(["please", "can you", "i'd like", "i'd like to"], true);
        let readings = words.readings(NormalizedText::new("Can you pleased I'd like to go, please"));
        assert_eq!(text(readings.bare.as_ref()).as_deref(), Some("pleased go"));
        assert_eq!(text(readings.bare_start.as_ref()).as_deref(), Some("pleased i'd like to go please"));
        assert_eq!(text(readings.bare_end.as_ref()).as_deref(), Some("can you pleased i'd like to go"));
    }

    #[test]
    fn a_text_without_them_has_one_reading() {
        let readings = SkipWords::new(["please"], true).readings(NormalizedText::new("turn on"));
        assert!(readings.bare.is_none() && readings.bare_start.is_none() && readings.bare_end.is_none());
    }
}
