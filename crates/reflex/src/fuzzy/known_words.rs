//! The words of a grammar and of a home: the candidates for corrections.

use rustc_hash::{FxHashMap, FxHashSet};

use super::typos;
use crate::automaton::{Automaton, Node, NodeId};
use crate::text::NormalizedText;

/// Longer words are ignored.
const LONGEST_WORD: usize = 24;

/// Words, grouped by length.
#[derive(Debug, Clone, Default)]
pub(crate) struct KnownWords {
    words: FxHashSet<Box<[char]>>,
    by_length: Vec<Vec<Box<[char]>>>,
}

impl KnownWords {
    /// The words of names and the like.
    pub(crate) fn of_texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut known = Self::default();
        for text in texts {
            let normalized = NormalizedText::new(text);
            normalized.folded().split(|next| matches!(next, ' ' | '-' | '_')).for_each(|word| known.add(word));
        }
        known
    }

    /// The words of the sentences themselves.
    pub(crate) fn of_automaton(automaton: &Automaton) -> Self {
        let mut known = Self::default();
        let begins = automaton.nodes.iter().flat_map(|node| match *node {
            Node::Space(next) | Node::Gap(next) | Node::List { next, .. } => [Some(next), None],
            Node::Inside { joined, fresh } => [joined, Some(fresh)],
            Node::Char(..) | Node::Fork(..) | Node::Wild { .. } | Node::Accept(_) => [None, None],
        });
        let starts: FxHashSet<NodeId> = begins.flatten().chain(automaton.starts.iter().copied()).collect();
        let mut waiting = vec![(Vec::new(), starts.into_iter().collect::<Vec<_>>())];
        while let Some((word, nodes)) = waiting.pop() {
            let (follows, has_ended) = follow(automaton, nodes);
            if has_ended {
                known.add(&word);
            }
            if word.len() < LONGEST_WORD {
                for (next, nodes) in follows {
                    let longer: Vec<char> = word.iter().copied().chain([next]).collect();
                    waiting.push((longer, nodes));
                }
            }
        }
        known
    }

    /// Adds a word that contains a letter.
    pub(crate) fn add(&mut self, word: &[char]) {
        let is_word = word.first().is_some_and(|next| next.is_alphabetic()) && word.len() <= LONGEST_WORD;
        if !is_word || self.words.contains(word) {
            return;
        }
        let word: Box<[char]> = word.into();
        if self.by_length.len() <= word.len() {
            self.by_length.resize_with(word.len() + 1, Vec::new);
        }
        if let Some(words) = self.by_length.get_mut(word.len()) {
            words.push(word.clone());
        }
        self.words.insert(word);
    }

    pub(crate) fn has(&self, word: &[char]) -> bool {
        self.words.contains(word)
    }

    /// Calls back for all words within one typo, with the cost of the correction.
    pub(crate) fn near(&self, said: &[char], mut tell: impl FnMut(&[char], u32)) {
        for length in said.len().saturating_sub(1)..=said.len() + 1 {
            for word in self.by_length.get(length).map(Vec::as_slice).unwrap_or_default() {
                if let Some(cost) = typos::cost(said, word) {
                    tell(word, cost);
                }
            }
        }
    }

    /// Calls back for all other words that differ by one letter, or by two that are swapped,
    /// whatever the letters are.
    pub(crate) fn within_one(&self, said: &[char], mut tell: impl FnMut(&[char])) {
        for length in said.len().saturating_sub(1)..=said.len() + 1 {
            for word in self.by_length.get(length).map(Vec::as_slice).unwrap_or_default() {
                if is_one_slip(said, word) {
                    tell(word);
                }
            }
        }
    }
}

/// Whether two words differ by one letter that is missing, superfluous or another, or by two that
/// are swapped.
fn is_one_slip(one: &[char], other: &[char]) -> bool {
    let same = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let (one, other) = (one.get(same..).unwrap_or_default(), other.get(same..).unwrap_or_default());
    match (one, other) {
        ([], []) => false,
        ([a, b, rest @ ..], [c, d, more @ ..]) if a == d && b == c && rest == more => true,
        _ => {
            let tail = |word: &'_ [char]| word.get(1..).map(<[char]>::to_vec);
            tail(one).is_some_and(|it| it == other)
                || tail(other).is_some_and(|it| it == one)
                || tail(one).is_some() && tail(one) == tail(other)
        }
    }
}

/// The next letters, and whether a word may end here.
fn follow(automaton: &Automaton, nodes: Vec<NodeId>) -> (FxHashMap<char, Vec<NodeId>>, bool) {
    let mut follows: FxHashMap<char, Vec<NodeId>> = FxHashMap::default();
    let mut has_ended = false;
    let mut seen = FxHashSet::default();
    let mut waiting = nodes;
    while let Some(id) = waiting.pop() {
        if !seen.insert(id) {
            continue;
        }
        match automaton.node(id) {
            Some(Node::Char(next, to)) => follows.entry(next).or_default().push(to),
            Some(Node::Fork(start, length)) => waiting.extend_from_slice(automaton.fork(start, length)),
            _ => has_ended = true,
        }
    }
    (follows, has_ended)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(known: &KnownWords, said: &str) -> Vec<String> {
        let mut found = Vec::new();
        known.near(&said.chars().collect::<Vec<_>>(), |word, _| found.push(word.iter().collect()));
        found
    }

    #[test]
    fn any_letter_may_slip() {
        let letters = |word: &str| word.chars().collect::<Vec<_>>();
        for (one, other, expected) in [
            ("audio", "ardio", true),
            ("radio", "ardio", true),
            ("radio", "rado", true),
            ("radio", "raddio", true),
            ("radio", "radio", false),
            ("radio", "rdaoi", false),
            ("on", "off", false),
        ] {
            assert_eq!(is_one_slip(&letters(one), &letters(other)), expected, "{one} {other}");
        }
    }

    #[test]
    fn words_of_names_are_known_one_by_one() {
        let known = KnownWords::of_texts(["Kitchen Lamp", "Wi-Fi plug 2"]);
        assert!(known.has(&['l', 'a', 'm', 'p']) && known.has(&['f', 'i']) && !known.has(&['2']));
        assert_eq!(near(&known, "kitchne"), ["kitchen"]);
        assert!(near(&known, "bathroom").is_empty());
    }
}
