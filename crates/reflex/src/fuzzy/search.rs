//! Tries the allowed corrections, the cheapest first, each time with the strict matcher.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use super::choose::{FuzzyCandidate, choose};
use super::edges::{Boldness, Edges, WordLookup, is_in, is_sound};
use super::guard::{self, UtteranceParts};
use super::phrases::Phrases;
use super::token::WordToken;
use super::{Corrections, FuzzyResult};
use crate::context::IntentContext;
use crate::grammar::Grammar;
use crate::recognized_intent::RecognizedIntent;
use crate::vocabulary::Vocabulary;

/// Longer texts are left to a language model.
const MOST_WORDS: usize = 30;
/// The number of strict matches tried for one text.
const MOST_READINGS: usize = 260;
/// The number of unknown words; a text with more is about something else.
const MOST_STRANGE: usize = 4;
/// The number of letters that a sentence may append to a name.
const LONGEST_ENDING: usize = 2;
/// The number of candidates for an unknown word.
const MOST_MEANT: usize = 12;
/// The cost of a missing article or another small word.
const ARTICLE: u32 = 6;
const SMALL: u32 = 9;
/// The cost of a wildcard: a sentence without one is more likely.
const WILD: u32 = 4;
/// The cost of a superfluous article.
const NEEDLESS: u32 = 6;

/// The search over the corrections of one text.
pub(super) struct FuzzySearch<'a> {
    pub grammar: &'a Grammar,
    pub vocabulary: &'a Vocabulary,
    pub intent_context: &'a IntentContext,
    pub text: &'a str,
    pub tokens: Vec<WordToken>,
    pub phrases: Option<&'static Phrases>,
    readings: usize,
    /// The words looked up so far: the ends are tried in many lengths, each with the same words.
    words: RefCell<HashMap<String, Rc<WordInfo>>>,
}

/// What is known about a word.
struct WordInfo {
    is_of_grammar: bool,
    is_of_home: bool,
    /// Whether it may be a known word with a typo, which takes longer to find out.
    is_near: OnceCell<bool>,
}

impl<'a> FuzzySearch<'a> {
    fn looked_up(&self, word: &str) -> Rc<WordInfo> {
        if let Some(known) = self.words.borrow().get(word) {
            return known.clone();
        }
        let letters: Vec<char> = word.chars().collect();
        let known = Rc::new(WordInfo {
            is_of_grammar: self.grammar.known().has(&letters),
            is_of_home: self.vocabulary.known().has(&letters),
            is_near: OnceCell::new(),
        });
        self.words.borrow_mut().insert(word.to_owned(), known.clone());
        known
    }

    pub(super) fn new(
        grammar: &'a Grammar,
        vocabulary: &'a Vocabulary,
        text: &'a str,
        intent_context: &'a IntentContext,
    ) -> Self {
        let phrases = Phrases::of(grammar.language());
        Self {
            grammar,
            vocabulary,
            intent_context,
            text,
            tokens: WordToken::all(text),
            phrases,
            readings: 0,
            words: RefCell::default(),
        }
    }

    /// What may be dropped at the ends.
    pub(super) fn edges(&self, bold: Boldness) -> Edges {
        let grammar = |word: &str| self.looked_up(word).is_of_grammar;
        let home = |word: &str| self.looked_up(word).is_of_home;
        let nearly = |word: &str| {
            let looked_up = self.looked_up(word);
            *looked_up.is_near.get_or_init(|| {
                let mut is_near = false;
                let word: Vec<char> = word.chars().collect();
                let known = [self.grammar.known(), self.vocabulary.known()];
                known.iter().for_each(|it| it.near(&word, |_, _| is_near = true));
                is_near
            })
        };
        Edges::of(&self.tokens, self.phrases, &WordLookup { grammar: &grammar, home: &home, nearly: &nearly }, bold)
    }

    /// The meaning of a text that does not match as it is.
    pub(super) fn run(&mut self) -> FuzzyResult {
        if self.tokens.len() > MOST_WORDS || self.grammar.is_unspaced() {
            return FuzzyResult::Nothing;
        }
        let timid = self.edges(Boldness::Timid);
        if let Some(candidate) = self.without_edges(&timid, &timid) {
            return choose(vec![candidate]);
        }
        let polite = self.edges(Boldness::Polite);
        if let Some(candidate) = (polite != timid).then(|| self.without_edges(&polite, &timid)).flatten() {
            return choose(vec![candidate]);
        }
        // A question may lose words that are not known, a command may not.
        let bold = self.edges(Boldness::Unknown);
        let candidate = (bold != polite).then(|| self.without_edges(&bold, &timid)).flatten();
        if let Some(candidate) = candidate.filter(|candidate| !guard::acts(&candidate.recognized.intent)) {
            return choose(vec![candidate]);
        }
        let mut cuts = vec![timid.most(), polite.most(), (0, 0)];
        cuts.dedup();
        for (front, back) in cuts {
            let candidates = self.repairs(front, back);
            if !candidates.is_empty() {
                return choose(candidates);
            }
        }
        FuzzyResult::Nothing
    }

    /// The longest sentence between filler words. If it ends with a wildcard, only certain
    /// politeness (`timid`) is cut from it.
    fn without_edges(&mut self, edges: &Edges, timid: &Edges) -> Option<FuzzyCandidate> {
        let mut cuts: Vec<(usize, usize)> =
            edges.front.iter().flat_map(|&front| edges.back.iter().map(move |&back| (front, back))).collect();
        cuts.retain(|&(front, back)| front + back > 0 && front + back < self.tokens.len());
        cuts.sort_by_key(|&(front, back)| front + back);
        for (front, back) in cuts {
            let Some(recognized) = self.reads(front, back) else { continue };
            let last = self.tokens.len().checked_sub(back + 1).and_then(|last| self.tokens.get(last));
            let ends = |text: &str| {
                WordToken::all(text).last().map(|it| it.folded.clone()) == last.map(|it| it.folded.clone())
            };
            let is_wild = recognized.slots.values().any(|slot| slot.is_wildcard());
            let is_open = recognized.slots.values().any(|slot| slot.is_wildcard() && ends(&slot.text));
            if is_open && !timid.back.contains(&back) {
                continue;
            }
            let sure = Edges { front: edges.front.clone(), back: timid.back.clone() };
            let (front, back) =
                if is_wild && timid.back.contains(&back) { self.furthest(&sure, front, back)? } else { (front, back) };
            let recognized = self.reads(front, back)?;
            if self.is_command_clear(&recognized) {
                return Some(self.candidate(0, front, back, &[], recognized, Corrections::default()));
            }
        }
        None
    }

    /// The largest edges that leave the same meaning apart from wildcards.
    pub(super) fn furthest(&mut self, edges: &Edges, front: usize, back: usize) -> Option<(usize, usize)> {
        let known = self.reads(front, back)?;
        let mut best = (front, back);
        for &more_front in edges.front.iter().filter(|&&more| more >= front) {
            for &more_back in edges.back.iter().filter(|&&more| more >= back) {
                let is_more = more_front + more_back > best.0 + best.1 && more_front + more_back < self.tokens.len();
                if is_more && self.reads(more_front, more_back).is_some_and(|shorter| is_clearer(&shorter, &known)) {
                    best = (more_front, more_back);
                }
            }
        }
        Some(best)
    }

    pub(super) fn reads(&mut self, front: usize, back: usize) -> Option<RecognizedIntent> {
        let kept = self.tokens.get(front..self.tokens.len().checked_sub(back)?)?;
        let text = joined(kept.iter().map(|token| token.said.as_str()));
        self.reads_text(&text)
    }

    pub(super) fn reads_text(&mut self, text: &str) -> Option<RecognizedIntent> {
        self.readings += 1;
        if self.readings > MOST_READINGS {
            return None;
        }
        self.grammar.read(self.vocabulary, text, self.intent_context)
    }

    /// The text between the edges with one correction.
    pub(super) fn repairs(&mut self, front: usize, back: usize) -> Vec<FuzzyCandidate> {
        let end = self.tokens.len().saturating_sub(back);
        let kept: Vec<WordToken> = self.tokens.get(front..end).unwrap_or_default().to_vec();
        let said: Vec<String> = kept.iter().map(|token| token.said.clone()).collect();
        let strange = self.strange(&kept);
        let mut found = self.less(front, back, &kept, &said);
        // An unknown word is not explained by correcting another word.
        if strange.is_empty() && found.is_empty() {
            found = self.more(front, back, &said);
        }
        let typos = self.typos(&kept);
        for (at, meant, cost) in &typos {
            let mut words = said.clone();
            let Some(word) = words.get_mut(*at) else { continue };
            let corrections = Corrections {
                corrected: vec![(std::mem::replace(word, meant.clone()), meant.clone())],
                ..Corrections::default()
            };
            self.take(*cost, front, back, words, corrections, &mut found);
        }
        if found.is_empty() {
            // A typo together with a missing article.
            for (at, meant, cost) in typos.iter().take(3) {
                let mut words = said.clone();
                let Some(word) = words.get_mut(*at) else { continue };
                let corrected = vec![(std::mem::replace(word, meant.clone()), meant.clone())];
                for (cost_of_word, words, mut corrections) in self.with_articles(&words) {
                    corrections.corrected.clone_from(&corrected);
                    self.take(cost + cost_of_word, front, back, words, corrections, &mut found);
                }
            }
        }
        found
    }

    /// Corrections that drop articles and interjections.
    fn less(&mut self, front: usize, back: usize, kept: &[WordToken], said: &[String]) -> Vec<FuzzyCandidate> {
        let mut found = Vec::new();
        let Some(phrases) = self.phrases else { return found };
        let sounds: Vec<String> =
            kept.iter().filter(|token| is_sound(&token.folded)).map(|token| token.said.clone()).collect();
        if !sounds.is_empty() {
            let words = kept.iter().filter(|token| !is_sound(&token.folded)).map(|token| token.said.clone()).collect();
            let corrections = Corrections { left_out: sounds, ..Corrections::default() };
            self.take(0, front, back, words, corrections, &mut found);
        }
        for (at, _) in kept.iter().enumerate().filter(|(_, token)| is_in(phrases.articles, &token.folded)) {
            let mut words = said.to_vec();
            let corrections = Corrections { left_out: vec![words.remove(at)], ..Corrections::default() };
            self.take(NEEDLESS, front, back, words, corrections, &mut found);
        }
        found
    }

    /// Corrections that add small words: an article, two articles, or another small word.
    fn more(&mut self, front: usize, back: usize, said: &[String]) -> Vec<FuzzyCandidate> {
        let mut found = Vec::new();
        let Some(phrases) = self.phrases else { return found };
        let once = self.with_articles(said);
        for (cost, words, corrections) in &once {
            self.take(*cost, front, back, words.clone(), corrections.clone(), &mut found);
        }
        if !found.is_empty() {
            return found;
        }
        for at in 1..said.len() {
            for small in phrases.small {
                let mut words = said.to_vec();
                words.insert(at, (*small).to_owned());
                let corrections = Corrections { added: vec![(*small).to_owned()], ..Corrections::default() };
                self.take(SMALL, front, back, words, corrections, &mut found);
            }
        }
        if found.is_empty() {
            // Who drops one article often drops the other, too.
            for (cost, words, corrections) in once.iter().filter(|(_, _, it)| it.added == ["the"]) {
                let first = words.iter().zip(said).take_while(|(one, other)| one == other).count();
                for at in first + 2..words.len() {
                    let mut words = words.clone();
                    words.insert(at, "the".to_owned());
                    let mut corrections = corrections.clone();
                    corrections.added.push("the".to_owned());
                    self.take(cost + ARTICLE, front, back, words, corrections, &mut found);
                }
            }
        }
        found
    }

    /// The words with one article added, at every possible position.
    pub(super) fn with_articles(&self, said: &[String]) -> Vec<(u32, Vec<String>, Corrections)> {
        let articles = self.phrases.map(|phrases| phrases.articles).unwrap_or_default();
        let places = (0..said.len()).flat_map(|at| articles.iter().map(move |article| (at, *article)));
        let with = |(at, article): (usize, &str)| {
            let mut words = said.to_vec();
            words.insert(at, article.to_owned());
            (ARTICLE, words, Corrections { added: vec![article.to_owned()], ..Corrections::default() })
        };
        places.map(with).collect()
    }

    /// The positions of the unknown words.
    fn strange(&self, kept: &[WordToken]) -> Vec<usize> {
        let chars = |word: &str| word.chars().collect::<Vec<_>>();
        let is_loaded =
            |word: &str| self.phrases.is_some_and(|it| it.negations.contains(&word) || it.questions.contains(&word));
        let is_known = |word: &[char]| self.grammar.known().has(word) || self.vocabulary.known().has(word);
        let is_strange = |token: &WordToken| {
            token.is_word()
                && !is_loaded(&token.folded)
                && !is_known(&chars(&token.folded))
                && !is_known(&chars(token.stem()))
        };
        kept.iter().enumerate().filter(|(_, token)| is_strange(token)).map(|(at, _)| at).collect()
    }

    /// The sentences without wildcards that differ in one word, by one typo.
    pub(super) fn corrected(&mut self) -> Vec<RecognizedIntent> {
        let mut found = Vec::new();
        if self.tokens.len() > MOST_WORDS {
            return found;
        }
        let said: Vec<String> = self.tokens.iter().map(|token| token.said.clone()).collect();
        for (at, token) in self.tokens.clone().iter().enumerate().filter(|(_, token)| token.is_word()) {
            // "l'ampoule" is two words in one.
            let (before, word) = token.folded.rsplit_once('\'').unwrap_or(("", &token.folded));
            let before = if before.is_empty() { String::new() } else { format!("{before}'") };
            let mut meant: Vec<String> = Vec::new();
            for (said, before) in [(word, before.as_str()), (token.stem(), "")] {
                let letters: Vec<char> = said.chars().collect();
                // A name may have an ending in the sentence: "Küches".
                for (stem, ending) in
                    (0..=LONGEST_ENDING).filter_map(|cut| letters.split_at_checked(letters.len().checked_sub(cut)?))
                {
                    for known in [self.grammar.known(), self.vocabulary.known()] {
                        let whole = |word: &[char]| before.chars().chain([word, ending].concat()).collect();
                        known.within_one(stem, |word| meant.push(whole(word)));
                    }
                }
            }
            meant.sort();
            meant.dedup();
            for word in meant {
                let mut words = said.clone();
                let Some(place) = words.get_mut(at) else { continue };
                *place = word;
                // Each word has few neighbours; the number of readings is bounded by the text.
                self.readings = 0;
                let read = self.reads_text(&joined(words.iter().map(String::as_str)));
                found.extend(read.filter(|it| it.score.wildcards == 0));
            }
        }
        found
    }

    /// The candidates for every unknown word.
    pub(super) fn typos(&self, kept: &[WordToken]) -> Vec<(usize, String, u32)> {
        let (grammar, home) = (self.grammar.known(), self.vocabulary.known());
        let strange = self.strange(kept);
        if strange.len() > MOST_STRANGE {
            return Vec::new();
        }
        let mut typos: Vec<(usize, String, u32)> = Vec::new();
        for at in strange {
            let Some(token) = kept.get(at) else { continue };
            let said: Vec<char> = token.stem().chars().collect();
            let suffix = token.folded.strip_prefix(token.stem()).unwrap_or_default();
            let mut meant: Vec<(u32, String)> = Vec::new();
            for known in [grammar, home] {
                known.near(&said, |word, cost| {
                    let word: String = word.iter().collect::<String>() + suffix;
                    // Without phrases for the language, only swapped letters are certain enough.
                    let is_sure = self.phrases.is_some() || cost <= 10;
                    if is_sure && !meant.iter().any(|(_, known)| *known == word) {
                        meant.push((cost, word));
                    }
                });
            }
            meant.sort();
            typos.extend(meant.into_iter().take(MOST_MEANT).map(|(cost, word)| (at, word, cost)));
        }
        typos.sort_by_key(|(_, _, cost)| *cost);
        typos
    }

    /// Matches the corrected words, and keeps the result.
    pub(super) fn take(
        &mut self,
        cost: u32,
        front: usize,
        back: usize,
        words: Vec<String>,
        corrections: Corrections,
        found: &mut Vec<FuzzyCandidate>,
    ) {
        let text = joined(words.iter().map(String::as_str));
        let Some(recognized) = self.reads_text(&text) else { return };
        let wild = recognized.slots.values().filter(|slot| slot.is_wildcard()).count();
        // Before a wildcard, nearly every small word would match.
        let is_article = |word: &String| self.phrases.is_some_and(|it| is_in(it.articles, &word.to_lowercase()));
        let is_guess = wild > 0
            && corrections.corrected.is_empty()
            && (corrections.added.iter().any(|it| self.is_small(it)) || corrections.left_out.iter().any(is_article));
        if !is_guess && self.is_command_clear(&recognized) {
            let cost = cost + WILD * u32::try_from(wild).unwrap_or(0);
            found.push(self.candidate(cost, front, back, &words, recognized, corrections));
        }
    }

    pub(super) fn candidate(
        &self,
        cost: u32,
        front: usize,
        back: usize,
        words: &[String],
        recognized: RecognizedIntent,
        mut corrections: Corrections,
    ) -> FuzzyCandidate {
        let end = self.tokens.len().saturating_sub(back);
        let part = |from: usize, to: usize| self.tokens.get(from..to).unwrap_or_default();
        let (front, kept, back) = (part(0, front), part(front, end), part(end, self.tokens.len()));
        corrections.left_out.extend(front.iter().chain(back).map(|token| token.said.clone()));
        let corrected = WordToken::all(&joined(words.iter().map(String::as_str)));
        let kept = if words.is_empty() { kept } else { &corrected };
        let said = UtteranceParts { text: self.text, front, kept, back };
        let is_allowed = {
            let language = self.grammar.language();
            guard::allows(&said, &recognized, &corrections, self.vocabulary, self.phrases, language)
        };
        FuzzyCandidate { cost, recognized, corrections, is_allowed }
    }

    fn is_small(&self, word: &str) -> bool {
        self.phrases.is_some_and(|phrases| phrases.small.contains(&word))
    }

    /// Whether a command within a command matches as well, and affects nothing sensitive.
    fn is_command_clear(&self, recognized: &RecognizedIntent) -> bool {
        let Some(command) = recognized.slots.get(COMMAND).and_then(|slot| slot.value.as_str()) else { return true };
        let inner = self.grammar.read(self.vocabulary, command, self.intent_context);
        inner.is_some_and(|inner| !guard::is_sensitive(&inner, self.vocabulary))
    }
}

/// The slot of a delayed command.
pub(super) const COMMAND: &str = "conversation_command";

/// Whether a match has less in wildcards than another: fewer wildcards, or parts of their words.
fn is_clearer(shorter: &RecognizedIntent, known: &RecognizedIntent) -> bool {
    let wild = |it: &RecognizedIntent| {
        it.slots.values().filter(|slot| slot.is_wildcard()).map(|it| it.text.clone()).collect::<Vec<_>>()
    };
    let (now, before) = (wild(shorter), wild(known));
    let is_part = |text: &String| before.iter().any(|whole| whole.contains(text.as_str()));
    now.len() < before.len() || shorter.intent == known.intent && now.len() == before.len() && now.iter().all(is_part)
}

pub(super) fn joined<'w>(words: impl Iterator<Item = &'w str>) -> String {
    words.collect::<Vec<_>>().join(" ")
}
