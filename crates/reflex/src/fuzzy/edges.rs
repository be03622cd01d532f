//! Decides what may be dropped at the beginning and at the end of a text.

use super::phrases::Phrases;
use super::token::WordToken;
use super::typos;

/// The number of words of an aside, set off by a pause.
const LONGEST_ASIDE: usize = 4;
/// The minimum length of a form of address.
const SHORTEST_CALL: usize = 4;

/// The number of unknown words before a sentence.
const MOST_UNKNOWN: usize = 3;
/// The number of weak words that are sufficient together.
const MANY_WEAK: usize = 3;
/// The number of words of a polite clause.
const LONGEST_CLAUSE: usize = 10;

/// The numbers of words that may be dropped at each end: 0, and every other possible number, in
/// order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edges {
    pub front: Vec<usize>,
    pub back: Vec<usize>,
}

/// What may be dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Boldness {
    /// Words that say nothing.
    Timid,
    /// Also what follows a word of politeness.
    Polite,
    /// Also unknown words where they hardly matter. Before a command they do: "diagnose the lamp".
    Unknown,
}

/// Looks up whether the grammar or the home knows a word.
pub(super) struct WordLookup<'a> {
    pub grammar: &'a dyn Fn(&str) -> bool,
    pub home: &'a dyn Fn(&str) -> bool,
    /// Whether it may be a known word with a typo.
    pub nearly: &'a dyn Fn(&str) -> bool,
}

impl Edges {
    /// The edges with known filler words; the bolder, the more.
    pub(super) fn of(tokens: &[WordToken], phrases: Option<&Phrases>, lookup: &WordLookup<'_>, bold: Boldness) -> Self {
        let mut edges = Self { front: vec![0], back: vec![0] };
        let Some(phrases) = phrases else {
            let sounds = tokens.iter().take_while(|token| is_sound(&token.folded)).count();
            edges.front.extend(1..=sounds);
            return edges;
        };
        let ends = EdgeRules { phrases, lookup, bold };
        edges.front.extend(ends.front(tokens));
        edges.back.extend(ends.back(tokens));
        // The words before the first pause, and those after the last one.
        let aside = |words: &[WordToken]| is_aside(words, phrases, lookup);
        let first = tokens.iter().position(|token| token.pauses).map(|at| at + 1);
        if let Some(first) = first.filter(|&first| bold == Boldness::Unknown && tokens.get(..first).is_some_and(aside))
        {
            edges.front.push(first);
            edges.front.extend(ends.front(tokens.get(first..).unwrap_or_default()).map(|length| first + length));
        }
        let before = tokens.len().saturating_sub(1);
        let last = tokens.get(..before).unwrap_or_default().iter().rposition(|token| token.pauses).map(|at| at + 1);
        if let Some(last) = last.filter(|&last| bold == Boldness::Unknown && tokens.get(last..).is_some_and(aside)) {
            let length = tokens.len() - last;
            edges.back.push(length);
            edges.back.extend(ends.back(tokens.get(..last).unwrap_or_default()).map(|more| length + more));
        }
        for lengths in [&mut edges.front, &mut edges.back] {
            lengths.retain(|&length| length < tokens.len());
            lengths.sort_unstable();
            lengths.dedup();
        }
        edges
    }

    pub(super) fn most(&self) -> (usize, usize) {
        (self.front.last().copied().unwrap_or(0), self.back.last().copied().unwrap_or(0))
    }
}

/// The rules for the ends of a text.
struct EdgeRules<'a> {
    phrases: &'a Phrases,
    lookup: &'a WordLookup<'a>,
    bold: Boldness,
}

impl EdgeRules<'_> {
    fn front(&self, tokens: &[WordToken]) -> impl Iterator<Item = usize> {
        let it = self.phrases;
        let side = TextEdge::new(tokens, it.front, it.front_weak, it.front_phrases, false);
        let is_unknown = |token: &WordToken| {
            let word = token.folded.as_str();
            !is_in(it.front, word) && !is_in(it.front_weak, word) && !is_sound(word) && self.is_light(token)
        };
        // "Pantry lights on" is about the pantry, whether there is one or not.
        let is_apart = |at: usize| {
            let is_start = |word: &str| it.starters.contains(&word) || it.questions.contains(&word);
            let is_other = |token: &WordToken| is_in(it.front, &token.folded) || is_in(it.front_weak, &token.folded);
            let follows = tokens.get(at + 1);
            tokens.get(at).is_some_and(|token| token.pauses)
                || follows.is_some_and(|next| is_start(&next.folded) || is_other(next) || is_unknown(next))
        };
        let more = |at: usize, length: usize| {
            let words = tokens.get(at..at + length).unwrap_or_default();
            let is_one = length == 1
                && (called(tokens, at, it, self.lookup, self.bold).is_some()
                    || self.bold == Boldness::Unknown
                        && is_apart(at)
                        && words.iter().all(|it| is_unknown(it) && !(self.lookup.nearly)(it.stem())));
            is_one || self.is_clause(words)
        };
        let has =
            |words: &[WordToken], wanted: &[&str]| words.iter().any(|token| wanted.contains(&token.folded.as_str()));
        let fine: Vec<usize> = side
            .lengths(more, it.addressed)
            .filter(|&length| {
                let words = tokens.get(..length).unwrap_or_default();
                let unknown = words.iter().filter(|token| is_unknown(token)).count();
                // "Peter will turn it on" is about Peter.
                unknown <= MOST_UNKNOWN && (unknown == 0 || !has(words, it.modals) || has(words, it.addressed))
            })
            .collect();
        fine.into_iter()
    }

    fn back(&self, tokens: &[WordToken]) -> impl Iterator<Item = usize> {
        let it = self.phrases;
        let side = TextEdge::new(tokens, it.back, it.back_weak, it.back_phrases, true);
        let more = |at: usize, length: usize| {
            let end = tokens.len() - at;
            let words = end.checked_sub(length).and_then(|start| tokens.get(start..end)).unwrap_or_default();
            let is_thanks = words.first().is_some_and(|first| it.thanks.contains(&first.folded.as_str()));
            let before = end.checked_sub(length + 1).and_then(|before| tokens.get(before));
            let is_sure = self.bold >= Boldness::Polite || is_thanks || before.is_some_and(|before| before.pauses);
            self.is_clause(words) || is_sure && self.is_opened(words)
        };
        side.lengths(more, &[]).collect::<Vec<_>>().into_iter()
    }

    /// "if it's no trouble at all": only politeness, though it looks like a condition.
    fn is_clause(&self, words: &[WordToken]) -> bool {
        let it = self.phrases;
        let is = |token: &WordToken, wanted: &[&str]| wanted.contains(&token.folded.as_str());
        words.len() > 1
            && words.first().is_some_and(|first| is(first, it.clause_starts))
            && words.iter().all(|token| is(token, it.clause_words))
            && words.iter().any(|token| is(token, it.clause_anchors))
    }

    /// "thanks for your patience": no content word follows such an opener.
    fn is_opened(&self, words: &[WordToken]) -> bool {
        let it = self.phrases;
        let is = |token: &WordToken, wanted: &[&str]| wanted.contains(&token.folded.as_str());
        let is_fine = |token: &WordToken| {
            is(token, it.back) || is(token, it.back_weak) || is(token, it.opener_words) || self.is_light(token)
        };
        words.split_first().is_some_and(|(first, rest)| {
            is(first, it.openers) && !rest.is_empty() && rest.len() <= LONGEST_ASIDE && rest.iter().all(is_fine)
        })
    }

    fn is_light(&self, token: &WordToken) -> bool {
        is_aside(std::slice::from_ref(token), self.phrases, self.lookup)
    }
}

/// One end of a text.
struct TextEdge<'a> {
    tokens: Vec<&'a str>,
    words: &'a [&'a str],
    weak: &'a [&'a str],
    phrases: &'a str,
    is_back: bool,
}

impl<'a> TextEdge<'a> {
    fn new(
        tokens: &'a [WordToken],
        words: &'a [&'a str],
        weak: &'a [&'a str],
        phrases: &'a str,
        is_back: bool,
    ) -> Self {
        let mut tokens: Vec<&str> = tokens.iter().map(|token| token.folded.as_str()).collect();
        if is_back {
            tokens.reverse();
        }
        Self { tokens, words, weak, phrases, is_back }
    }

    /// All lengths of runs of filler words and phrases, at least one of which is not weak. `more`
    /// accepts further runs by position and length. Three weak words are sufficient if one of them
    /// is in `addressed`.
    fn lengths(&self, more: impl Fn(usize, usize) -> bool, addressed: &[&str]) -> impl Iterator<Item = usize> {
        // For every position: whether it is reachable, and whether by something that is not weak.
        let mut reached: Vec<Option<bool>> = vec![None; self.tokens.len() + 1];
        if let Some(first) = reached.first_mut() {
            *first = Some(false);
        }
        for at in 0..self.tokens.len() {
            let Some(&Some(is_strong)) = reached.get(at) else { continue };
            let mut reach = |length: usize, by_strong: bool| {
                if let Some(place) = reached.get_mut(at + length) {
                    *place = Some(place.unwrap_or(false) || is_strong || by_strong);
                }
            };
            let word = self.tokens.get(at).copied().unwrap_or_default();
            if is_in(self.words, word) || is_sound(word) {
                reach(1, true);
            } else if is_in(self.weak, word) {
                reach(1, false);
            }
            self.phrases.split('|').filter_map(|phrase| self.phrase(at, phrase)).for_each(|length| reach(length, true));
            let most = LONGEST_CLAUSE.min(self.tokens.len() - at);
            (1..=most).filter(|&length| more(at, length)).for_each(|length| reach(length, true));
        }
        let is_addressed = |length: usize| {
            let words = self.tokens.get(..length).unwrap_or_default();
            length >= MANY_WEAK && words.iter().any(|word| addressed.contains(word))
        };
        let is_fine = |length: usize, is_strong: bool| is_strong || is_addressed(length);
        let lengths = reached.into_iter().enumerate().skip(1);
        let fine: Vec<usize> =
            lengths.filter_map(|(length, it)| it.filter(|&it| is_fine(length, it)).map(|_| length)).collect();
        fine.into_iter()
    }

    /// The length of a phrase at this position.
    fn phrase(&self, at: usize, phrase: &str) -> Option<usize> {
        let rest = self.tokens.get(at..)?;
        let first = rest.first()?;
        let may_be = if self.is_back { phrase.ends_with(first) } else { phrase.starts_with(first) };
        if !may_be {
            return None;
        }
        let words = phrase.split(' ');
        let count = words.clone().count();
        let is_here = rest.len() >= count
            && if self.is_back {
                phrase.rsplit(' ').zip(rest).all(|(word, token)| word == *token)
            } else {
                words.zip(rest).all(|(word, token)| word == *token)
            };
        is_here.then_some(count)
    }
}

/// The length of a form of address: after a greeting, or before a pause at the very beginning.
fn called(
    tokens: &[WordToken],
    at: usize,
    phrases: &Phrases,
    lookup: &WordLookup<'_>,
    bold: Boldness,
) -> Option<usize> {
    let token = tokens.get(at)?;
    let follows_greeting =
        at.checked_sub(1).and_then(|before| tokens.get(before)).is_some_and(|it| is_in(phrases.greetings, &it.folded));
    let is_first = at == 0 && token.pauses;
    // Names of assistants are known; another word may be what is to be done.
    if phrases.called.contains(&token.folded.as_str()) {
        return (follows_greeting || at == 0).then_some(1);
    }
    if bold != Boldness::Unknown {
        return None;
    }
    let is_name = token.is_word()
        && token.folded.chars().count() >= SHORTEST_CALL
        && !(lookup.grammar)(&token.folded)
        && !(lookup.home)(token.stem())
        && !is_near(phrases.loaded, &token.folded)
        && !is_near(phrases.negations, &token.folded)
        && !is_near(phrases.questions, &token.folded);
    ((follows_greeting || is_first) && is_name).then_some(1)
}

/// Whether the words between pauses are an aside: few, and none of them known to the home or the
/// sentences, or significant.
fn is_aside(words: &[WordToken], phrases: &Phrases, lookup: &WordLookup<'_>) -> bool {
    let is_light = |token: &WordToken| {
        let word = token.folded.as_str();
        let is_plain = is_in(phrases.plain, word);
        token.is_word()
            && !(lookup.home)(token.stem())
            && (is_plain || !(lookup.grammar)(word))
            && (is_plain || !is_near(phrases.loaded, word))
            && !is_near(phrases.negations, word)
            && !is_in(phrases.questions, word)
    };
    !words.is_empty() && words.len() <= LONGEST_ASIDE && words.iter().all(is_light)
}

/// Whether a word is one of these, or one of them with a typo.
fn is_near(words: &[&str], word: &str) -> bool {
    let said: Vec<char> = word.chars().collect();
    let is_it = |known: &&str| {
        *known == word || known.chars().count() > 2 && typos::cost(&said, &known.chars().collect::<Vec<_>>()).is_some()
    };
    words.iter().any(is_it)
}

/// Whether it is one of these words, lengthened or not: `sooo`.
pub(super) fn is_in(words: &[&str], word: &str) -> bool {
    words.contains(&word) || {
        let short = undrawn(word);
        short != word && words.iter().any(|known| undrawn(known) == short && word.len() > known.len())
    }
}

/// The word without repeated letters.
fn undrawn(word: &str) -> String {
    let mut last = None;
    word.chars().filter(|&next| last.replace(next) != Some(next)).collect()
}

/// Whether it is an interjection: `umm`, `hmm`, `uh`, `äh`.
pub(super) fn is_sound(word: &str) -> bool {
    let short = undrawn(word);
    matches!(
        short.as_str(),
        "um" | "uhm"
            | "uh"
            | "er"
            | "erm"
            | "hm"
            | "mh"
            | "mhm"
            | "m"
            | "eh"
            | "ehm"
            | "ah"
            | "ahm"
            | "oh"
            | "ahem"
            | "ugh"
            | "äh"
            | "ähm"
            | "öh"
            | "hä"
    ) && (short != "m" || word.len() > 1)
}
