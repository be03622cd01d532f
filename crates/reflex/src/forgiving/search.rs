//! Tries what may be forgiven, the least first, each time with the strict reading.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use super::edges::{Edges, Knows, is_in, is_sound};
use super::guard::{self, Said};
use super::phrases::Phrases;
use super::settle::{Candidate, settle};
use super::token::Token;
use super::{Forgiven, Forgiveness};
use crate::context::Circumstances;
use crate::grammar::Grammar;
use crate::understood::Understood;
use crate::vocabulary::Vocabulary;

/// Longer texts are for somebody who thinks.
const MOST_WORDS: usize = 30;
/// How often the strict reading is tried for one text.
const MOST_READINGS: usize = 260;
/// Words that nobody knows; with more of them it is about something else.
const MOST_STRANGE: usize = 4;
/// Words that a strange one may have been.
const MOST_MEANT: usize = 12;
/// What it costs to believe that an article, or another small word, was dropped.
const ARTICLE: u32 = 6;
const SMALL: u32 = 9;
/// What words of any kind cost: a sentence without them is more likely.
const WILD: u32 = 4;
/// What it costs to believe that an article is one too many.
const NEEDLESS: u32 = 6;

/// Everything that one text is tried with.
pub(super) struct Search<'a> {
    pub grammar: &'a Grammar,
    pub vocabulary: &'a Vocabulary,
    pub circumstances: &'a Circumstances,
    pub text: &'a str,
    pub tokens: Vec<Token>,
    pub phrases: Option<&'static Phrases>,
    readings: usize,
    /// The text's words as far as they were looked up: the ends are tried in many lengths, each with the same words.
    words: RefCell<HashMap<String, Rc<Word>>>,
}

/// What is known of a word.
struct Word {
    is_of_grammar: bool,
    is_of_home: bool,
    /// Whether it may be a word of either with a slip, which takes longer to find out.
    is_near: OnceCell<bool>,
}

impl<'a> Search<'a> {
    fn looked_up(&self, word: &str) -> Rc<Word> {
        if let Some(known) = self.words.borrow().get(word) {
            return known.clone();
        }
        let letters: Vec<char> = word.chars().collect();
        let known = Rc::new(Word {
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
        circumstances: &'a Circumstances,
    ) -> Self {
        let phrases = Phrases::of(grammar.language());
        Self {
            grammar,
            vocabulary,
            circumstances,
            text,
            tokens: Token::all(text),
            phrases,
            readings: 0,
            words: RefCell::default(),
        }
    }

    /// What may be left out at the ends.
    pub(super) fn edges(&self, bold: bool) -> Edges {
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
        Edges::of(&self.tokens, self.phrases, &Knows { grammar: &grammar, home: &home, nearly: &nearly }, bold)
    }

    /// What a text means that is no sentence as it is.
    pub(super) fn forgive(&mut self) -> Forgiven {
        if self.tokens.len() > MOST_WORDS || self.grammar.is_unspaced() {
            return Forgiven::Nothing;
        }
        let timid = self.edges(false);
        if let Some(candidate) = self.without_edges(&timid, &timid) {
            return settle(vec![candidate]);
        }
        let bold = self.edges(true);
        if let Some(candidate) = (bold != timid).then(|| self.without_edges(&bold, &timid)).flatten() {
            return settle(vec![candidate]);
        }
        let mut cuts = vec![timid.most(), bold.most(), (0, 0)];
        cuts.dedup();
        for (front, back) in cuts {
            let candidates = self.repairs(front, back);
            if !candidates.is_empty() {
                return settle(candidates);
            }
        }
        Forgiven::Nothing
    }

    /// A sentence between words that say nothing; the longest one. Where it ends with words of any kind, only what is
    /// surely politeness (`timid`) is cut from it.
    fn without_edges(&mut self, edges: &Edges, timid: &Edges) -> Option<Candidate> {
        let mut cuts: Vec<(usize, usize)> =
            edges.front.iter().flat_map(|&front| edges.back.iter().map(move |&back| (front, back))).collect();
        cuts.retain(|&(front, back)| front + back > 0 && front + back < self.tokens.len());
        cuts.sort_by_key(|&(front, back)| front + back);
        for (front, back) in cuts {
            let Some(understood) = self.reads(front, back) else { continue };
            let last = self.tokens.len().checked_sub(back + 1).and_then(|last| self.tokens.get(last));
            let ends =
                |text: &str| Token::all(text).last().map(|it| it.folded.clone()) == last.map(|it| it.folded.clone());
            let is_wild = understood.slots.values().any(|slot| slot.is_wildcard());
            let is_open = understood.slots.values().any(|slot| slot.is_wildcard() && ends(&slot.text));
            if is_open && !timid.back.contains(&back) {
                continue;
            }
            let sure = Edges { front: edges.front.clone(), back: timid.back.clone() };
            let (front, back) =
                if is_wild && timid.back.contains(&back) { self.furthest(&sure, front, back)? } else { (front, back) };
            let understood = self.reads(front, back)?;
            if self.is_command_clear(&understood) {
                return Some(self.candidate(0, front, back, &[], understood, Forgiveness::default()));
            }
        }
        None
    }

    /// As much left out at the ends as leaves the same but for words of any kind.
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

    pub(super) fn reads(&mut self, front: usize, back: usize) -> Option<Understood> {
        let kept = self.tokens.get(front..self.tokens.len().checked_sub(back)?)?;
        let text = joined(kept.iter().map(|token| token.said.as_str()));
        self.reads_text(&text)
    }

    pub(super) fn reads_text(&mut self, text: &str) -> Option<Understood> {
        self.readings += 1;
        if self.readings > MOST_READINGS {
            return None;
        }
        self.grammar.read(self.vocabulary, text, self.circumstances)
    }

    /// What is left between the ends with one thing put right.
    pub(super) fn repairs(&mut self, front: usize, back: usize) -> Vec<Candidate> {
        let end = self.tokens.len().saturating_sub(back);
        let kept: Vec<Token> = self.tokens.get(front..end).unwrap_or_default().to_vec();
        let said: Vec<String> = kept.iter().map(|token| token.said.clone()).collect();
        let strange = self.strange(&kept);
        let mut found = self.less(front, back, &kept, &said);
        // A word that nobody knows is not explained by another one beside it.
        if strange.is_empty() && found.is_empty() {
            found = self.more(front, back, &said);
        }
        let slips = self.slips(&kept);
        for (at, meant, cost) in &slips {
            let mut words = said.clone();
            let Some(word) = words.get_mut(*at) else { continue };
            let forgiveness = Forgiveness {
                corrected: vec![(std::mem::replace(word, meant.clone()), meant.clone())],
                ..Forgiveness::default()
            };
            self.take(*cost, front, back, words, forgiveness, &mut found);
        }
        if found.is_empty() {
            // A slip, and an article that was dropped.
            for (at, meant, cost) in slips.iter().take(3) {
                let mut words = said.clone();
                let Some(word) = words.get_mut(*at) else { continue };
                let corrected = vec![(std::mem::replace(word, meant.clone()), meant.clone())];
                for (cost_of_word, words, mut forgiveness) in self.with_articles(&words) {
                    forgiveness.corrected.clone_from(&corrected);
                    self.take(cost + cost_of_word, front, back, words, forgiveness, &mut found);
                }
            }
        }
        found
    }

    /// Articles and sounds left out.
    fn less(&mut self, front: usize, back: usize, kept: &[Token], said: &[String]) -> Vec<Candidate> {
        let mut found = Vec::new();
        let Some(phrases) = self.phrases else { return found };
        let sounds: Vec<String> =
            kept.iter().filter(|token| is_sound(&token.folded)).map(|token| token.said.clone()).collect();
        if !sounds.is_empty() {
            let words = kept.iter().filter(|token| !is_sound(&token.folded)).map(|token| token.said.clone()).collect();
            let forgiveness = Forgiveness { left_out: sounds, ..Forgiveness::default() };
            self.take(0, front, back, words, forgiveness, &mut found);
        }
        for (at, _) in kept.iter().enumerate().filter(|(_, token)| is_in(phrases.articles, &token.folded)) {
            let mut words = said.to_vec();
            let forgiveness = Forgiveness { left_out: vec![words.remove(at)], ..Forgiveness::default() };
            self.take(NEEDLESS, front, back, words, forgiveness, &mut found);
        }
        found
    }

    /// Small words put in: an article, two of them, or another small word.
    fn more(&mut self, front: usize, back: usize, said: &[String]) -> Vec<Candidate> {
        let mut found = Vec::new();
        let Some(phrases) = self.phrases else { return found };
        let once = self.with_articles(said);
        for (cost, words, forgiveness) in &once {
            self.take(*cost, front, back, words.clone(), forgiveness.clone(), &mut found);
        }
        if !found.is_empty() {
            return found;
        }
        for at in 1..said.len() {
            for small in phrases.small {
                let mut words = said.to_vec();
                words.insert(at, (*small).to_owned());
                let forgiveness = Forgiveness { added: vec![(*small).to_owned()], ..Forgiveness::default() };
                self.take(SMALL, front, back, words, forgiveness, &mut found);
            }
        }
        if found.is_empty() {
            // Who drops one article drops the other one, too.
            for (cost, words, forgiveness) in once.iter().filter(|(_, _, it)| it.added == ["the"]) {
                let first = words.iter().zip(said).take_while(|(one, other)| one == other).count();
                for at in first + 2..words.len() {
                    let mut words = words.clone();
                    words.insert(at, "the".to_owned());
                    let mut forgiveness = forgiveness.clone();
                    forgiveness.added.push("the".to_owned());
                    self.take(cost + ARTICLE, front, back, words, forgiveness, &mut found);
                }
            }
        }
        found
    }

    /// The words with one article put in, wherever it may stand.
    pub(super) fn with_articles(&self, said: &[String]) -> Vec<(u32, Vec<String>, Forgiveness)> {
        let articles = self.phrases.map(|phrases| phrases.articles).unwrap_or_default();
        let places = (0..said.len()).flat_map(|at| articles.iter().map(move |article| (at, *article)));
        let with = |(at, article): (usize, &str)| {
            let mut words = said.to_vec();
            words.insert(at, article.to_owned());
            (ARTICLE, words, Forgiveness { added: vec![article.to_owned()], ..Forgiveness::default() })
        };
        places.map(with).collect()
    }

    /// The words that nobody knows, by their place.
    fn strange(&self, kept: &[Token]) -> Vec<usize> {
        let chars = |word: &str| word.chars().collect::<Vec<_>>();
        let is_loaded =
            |word: &str| self.phrases.is_some_and(|it| it.negations.contains(&word) || it.questions.contains(&word));
        let is_known = |word: &[char]| self.grammar.known().has(word) || self.vocabulary.known().has(word);
        let is_strange = |token: &Token| {
            token.is_word()
                && !is_loaded(&token.folded)
                && !is_known(&chars(&token.folded))
                && !is_known(&chars(token.stem()))
        };
        kept.iter().enumerate().filter(|(_, token)| is_strange(token)).map(|(at, _)| at).collect()
    }

    /// For every word that nobody knows, what it may have been.
    pub(super) fn slips(&self, kept: &[Token]) -> Vec<(usize, String, u32)> {
        let (grammar, home) = (self.grammar.known(), self.vocabulary.known());
        let strange = self.strange(kept);
        if strange.len() > MOST_STRANGE {
            return Vec::new();
        }
        let mut slips: Vec<(usize, String, u32)> = Vec::new();
        for at in strange {
            let Some(token) = kept.get(at) else { continue };
            let said: Vec<char> = token.stem().chars().collect();
            let suffix = token.folded.strip_prefix(token.stem()).unwrap_or_default();
            let mut meant: Vec<(u32, String)> = Vec::new();
            for known in [grammar, home] {
                known.near(&said, |word, cost| {
                    let word: String = word.iter().collect::<String>() + suffix;
                    // Only letters that changed places are sure enough where nothing else about a language is known.
                    let is_sure = self.phrases.is_some() || cost <= 10;
                    if is_sure && !meant.iter().any(|(_, known)| *known == word) {
                        meant.push((cost, word));
                    }
                });
            }
            meant.sort();
            slips.extend(meant.into_iter().take(MOST_MEANT).map(|(cost, word)| (at, word, cost)));
        }
        slips.sort_by_key(|(_, _, cost)| *cost);
        slips
    }

    /// Reads words that were put right, and keeps what they mean.
    pub(super) fn take(
        &mut self,
        cost: u32,
        front: usize,
        back: usize,
        words: Vec<String>,
        forgiveness: Forgiveness,
        found: &mut Vec<Candidate>,
    ) {
        let text = joined(words.iter().map(String::as_str));
        let Some(understood) = self.reads_text(&text) else { return };
        let wild = understood.slots.values().filter(|slot| slot.is_wildcard()).count();
        // Where words of any kind follow, nearly every small word would do.
        let is_article = |word: &String| self.phrases.is_some_and(|it| is_in(it.articles, &word.to_lowercase()));
        let is_guess = wild > 0
            && forgiveness.corrected.is_empty()
            && (forgiveness.added.iter().any(|it| self.is_small(it)) || forgiveness.left_out.iter().any(is_article));
        if !is_guess && self.is_command_clear(&understood) {
            let cost = cost + WILD * u32::try_from(wild).unwrap_or(0);
            found.push(self.candidate(cost, front, back, &words, understood, forgiveness));
        }
    }

    pub(super) fn candidate(
        &self,
        cost: u32,
        front: usize,
        back: usize,
        words: &[String],
        understood: Understood,
        mut forgiveness: Forgiveness,
    ) -> Candidate {
        let end = self.tokens.len().saturating_sub(back);
        let part = |from: usize, to: usize| self.tokens.get(from..to).unwrap_or_default();
        let (front, kept, back) = (part(0, front), part(front, end), part(end, self.tokens.len()));
        forgiveness.left_out.extend(front.iter().chain(back).map(|token| token.said.clone()));
        let corrected = Token::all(&joined(words.iter().map(String::as_str)));
        let kept = if words.is_empty() { kept } else { &corrected };
        let said = Said { text: self.text, front, kept, back };
        let is_allowed = guard::allows(&said, &understood, &forgiveness, self.vocabulary, self.phrases);
        Candidate { cost, understood, forgiveness, is_allowed }
    }

    fn is_small(&self, word: &str) -> bool {
        self.phrases.is_some_and(|phrases| phrases.small.contains(&word))
    }

    /// A command within a command is understood as well, and is about nothing dear.
    fn is_command_clear(&self, understood: &Understood) -> bool {
        let Some(command) = understood.slots.get(COMMAND).and_then(|slot| slot.value.as_str()) else { return true };
        let inner = self.grammar.read(self.vocabulary, command, self.circumstances);
        inner.is_some_and(|inner| !guard::is_sensitive(&inner, self.vocabulary, self.phrases))
    }
}

/// The slot that holds a command for later.
pub(super) const COMMAND: &str = "conversation_command";

/// Whether a reading is another one with less in words of any kind: with fewer of them, or with part of their words.
fn is_clearer(shorter: &Understood, known: &Understood) -> bool {
    let wild = |it: &Understood| {
        it.slots.values().filter(|slot| slot.is_wildcard()).map(|it| it.text.clone()).collect::<Vec<_>>()
    };
    let (now, before) = (wild(shorter), wild(known));
    let is_part = |text: &String| before.iter().any(|whole| whole.contains(text.as_str()));
    now.len() < before.len() || shorter.intent == known.intent && now.len() == before.len() && now.iter().all(is_part)
}

pub(super) fn joined<'w>(words: impl Iterator<Item = &'w str>) -> String {
    words.collect::<Vec<_>>().join(" ")
}
