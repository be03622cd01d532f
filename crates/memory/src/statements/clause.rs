//! Splits a sentence into clauses, each with its subject in front and without the small words that
//! only say "now", "also" or "by the way". What those words said is kept as marks.

use super::profile;
use crate::language::{
    calendar::{MONTHS, WEEKDAYS},
    pattern::{after, after_any, body, first_is, is, is_number},
    rule_words::{ENGLISH, WordList},
    words::{TokenizedText, Word},
};

/// One clause, prepared for the rules.
#[derive(Debug, Clone)]
pub(super) struct Clause<'m> {
    /// Its words, without the small ones.
    pub words: Vec<Word<'m>>,
    /// What the small words said.
    pub marks: ClauseMarks,
}

/// What small words and openings say about a clause.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ClauseMarks {
    /// The user asks for it to be remembered.
    pub told: bool,
    /// It is so now and was not before.
    pub update: bool,
    /// It is added to what was so before.
    pub adds: bool,
    /// It is so for the moment only.
    pub moment: bool,
    /// It ended.
    pub ended: bool,
}

/// The mark that a small word sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ClauseMark {
    Nothing,
    Update,
    Adds,
    Moment,
}

impl ClauseMark {
    /// Ends of a clause, and what they say.
    fn tails() -> [(&'static WordList, Self); 4] {
        let words = &ENGLISH.clause;
        [
            (&words.update_tails, Self::Update),
            (&words.adds_tails, Self::Adds),
            (&words.moment_tails, Self::Moment),
            (&words.nothing_tails, Self::Nothing),
        ]
    }
}

impl ClauseMarks {
    const fn set(&mut self, mark: ClauseMark) {
        match mark {
            ClauseMark::Nothing => {}
            ClauseMark::Update => self.update = true,
            ClauseMark::Adds => self.adds = true,
            ClauseMark::Moment => self.moment = true,
        }
    }
}

/// The clauses of a sentence.
pub(super) fn clauses<'m>(text: &TokenizedText<'m>, sentence: &[Word<'m>]) -> Vec<Clause<'m>> {
    let mut marks = ClauseMarks::default();
    let words = opened(sentence, &mut marks);
    let Some(words) = spoken(text, words) else { return Vec::new() };
    let mut clauses: Vec<Clause<'m>> = Vec::new();
    let mut subject: Option<Vec<Word<'m>>> = None;
    for (part, follows) in parts(words) {
        let mut marks = ClauseMarks { update: marks.update, told: marks.told, ..ClauseMarks::default() };
        let part = opened(part, &mut marks);
        let mut words = part.to_vec();
        if follows && let Some(subject) = &subject {
            let mut front = subject.clone();
            // "I'm vegan and allergic to nuts" leaves its verb out.
            if first_is(&words, &ENGLISH.grammar.allergic) {
                front.extend(subject.last().map(|word| Word { lower: "am".to_owned(), ..word.clone() }));
            }
            words.splice(0..0, front);
        }
        subject = subject_of(&words).or(subject);
        clauses.push(small_words(words, marks));
    }
    clauses
}

/// The sentence behind its openings.
fn opened<'w, 'm>(sentence: &'w [Word<'m>], marks: &mut ClauseMarks) -> &'w [Word<'m>] {
    let mut rest = body(sentence);
    loop {
        let next = if let Some(told) = profile::frame(rest) {
            marks.told = true;
            told
        } else if let Some(news) = news(rest) {
            marks.update = true;
            news
        } else if let Some(lead) = after_any(rest, &ENGLISH.clause.leads) {
            lead
        } else {
            return rest;
        };
        if next.len() >= rest.len() || next.is_empty() {
            return rest;
        }
        rest = body(next);
    }
}

fn news<'w, 'm>(words: &'w [Word<'m>]) -> Option<&'w [Word<'m>]> {
    if let Some(rest) = after_any(words, &ENGLISH.clause.news) {
        return Some(rest);
    }
    // "Since May", "as of 3 May", "starting Monday".
    if let Some((first, rest)) = after_any(words, &ENGLISH.clause.since_date).and_then(<[_]>::split_first) {
        if is(first, MONTHS) || is(first, WEEKDAYS) {
            return Some(after_any(rest, &ENGLISH.grammar.on).unwrap_or(rest));
        }
        if first.is_figure() && rest.first().is_some_and(|word| is(word, MONTHS)) {
            return rest.get(1..);
        }
    }
    // "Since we moved, ...", "after the birth, ...": up to the comma.
    let clause = after_any(words, &ENGLISH.clause.since_event)?;
    let comma = clause.iter().take(12).position(|word| word.after.contains(','))?;
    clause.get(comma + 1..)
}

/// The user's own words: text after a colon is quoted speech or a text, unless a label precedes it.
fn spoken<'w, 'm>(text: &TokenizedText<'m>, words: &'w [Word<'m>]) -> Option<&'w [Word<'m>]> {
    let Some(colon) = words.iter().position(|word| word.after.contains(':')) else { return Some(words) };
    let _ = text;
    if first_is(words, &ENGLISH.clause.labels) { Some(words) } else { words.get(..=colon) }
}

/// The parts of a sentence, each with whether it goes on with the subject of the one before.
fn parts<'w, 'm>(words: &'w [Word<'m>]) -> Vec<(&'w [Word<'m>], bool)> {
    let mut parts = Vec::new();
    let (mut from, mut follows, mut at) = (0, false, 1);
    while at < words.len() {
        let broken = words[at - 1].ends_clause();
        let joint = is(&words[at], &ENGLISH.clause.joints);
        let next = words.get(at + usize::from(joint));
        let skip = next.filter(|word| is(word, &ENGLISH.clause.after_joint)).map_or(0, |_| 1);
        let next = words.get(at + usize::from(joint) + skip).or(next);
        let new_subject = next.is_some_and(|word| {
            is(word, &ENGLISH.clause.subjects) || (broken && is(word, &ENGLISH.clause.after_break))
        });
        let shared = next.is_some_and(|word| is(word, &ENGLISH.clause.shared));
        let contrast = !joint && broken && is(&words[at], &ENGLISH.grammar.not);
        if (joint && (new_subject || shared)) || (broken && new_subject && !contrast) {
            parts.push((&words[from..at], follows));
            from = at + usize::from(joint);
            follows = joint && shared && !new_subject;
            at = from;
        }
        at += 1;
    }
    if from < words.len() {
        parts.push((&words[from..], follows));
    }
    parts
}

/// The words up to the verb, for a clause that shares them.
fn subject_of<'m>(words: &[Word<'m>]) -> Option<Vec<Word<'m>>> {
    if first_is(words, &ENGLISH.grammar.speakers) {
        return Some(vec![words[0].clone()]);
    }
    let verb = words.iter().take(7).position(|word| is(word, &ENGLISH.things.verbs))?;
    (verb > 0 && first_is(words, &ENGLISH.grammar.own_or_the)).then(|| words[..verb].to_vec())
}

/// Removes small words and keeps what they say as marks.
fn small_words<'m>(words: Vec<Word<'m>>, mut marks: ClauseMarks) -> Clause<'m> {
    let mut end = words.len();
    // Repeated, since "now btw" has two.
    for _ in 0..3 {
        let from = end.saturating_sub(6);
        let tail = (from.max(1)..end).find_map(|at| {
            let is_tail =
                |tails: &WordList| tails.iter().any(|tail| after(&words[at..end], tail).is_some_and(<[_]>::is_empty));
            ClauseMark::tails().into_iter().find(|(tails, _)| is_tail(tails)).map(|(_, mark)| (at, mark))
        });
        let Some((at, mark)) = tail else { break };
        marks.set(mark);
        end = at;
    }
    if end > 3
        && let Some(at) = (2..end).rev().take(6).find(|&at| is_since(&words[at..end]))
    {
        marks.update = true;
        end = at;
    }
    // "I started at Seewind in March": the month is when it began.
    let dated = end > 5
        && first_is(&words, &ENGLISH.grammar.speakers)
        && is(&words[end - 1], MONTHS)
        && is(&words[end - 2], &ENGLISH.grammar.within);
    if dated {
        end -= 2;
    }
    let mut kept = Vec::with_capacity(end);
    let mut iter = words.into_iter().take(end).enumerate().peekable();
    while let Some((at, word)) = iter.next() {
        let next = iter.peek().map(|(_, next)| next.lower.as_str());
        let pair = format!("{} {}", word.lower, next.unwrap_or_default());
        if ENGLISH.clause.ended_pairs.contains(&pair.as_str()) {
            marks.ended = true;
            iter.next();
            continue;
        }
        if ENGLISH.clause.news_pairs.contains(&pair.as_str()) {
            marks.update = true;
            iter.next();
            continue;
        }
        if ENGLISH.clause.moment_pairs.contains(&pair.as_str()) {
            marks.moment = true;
            continue;
        }
        // "I play the mandolin now too, in a band": it need not be the last word.
        if is(&word, &ENGLISH.clause.too) && word.ends_clause() && at > 1 && !word.quoted {
            marks.adds = true;
            continue;
        }
        let early = next.is_some_and(|next| ENGLISH.things.verbs.contains(&next));
        let small = is(&word, &ENGLISH.clause.small_words)
            || (at < 4 && is(&word, &ENGLISH.clause.habit_words))
            || (early && at > 0 && is(&word, &ENGLISH.clause.before_verb));
        if !small || word.quoted {
            kept.push(word);
            continue;
        }
        marks.update |= is(&word, &ENGLISH.clause.news_words);
        marks.adds |= is(&word, &ENGLISH.clause.adding_words);
    }
    Clause { words: kept, marks }
}

/// "since May", "since 3 March", "from June", "as of 1 June", "starting next Monday", at the end.
fn is_since(words: &[Word<'_>]) -> bool {
    let date = |word: &Word<'_>| {
        is(word, MONTHS) || is(word, WEEKDAYS) || is_number(word) || is(word, &ENGLISH.clause.in_date)
    };
    after_any(words, &ENGLISH.clause.since_openings)
        .is_some_and(|when| when.first().is_some_and(|word| !is(word, &ENGLISH.grammar.of)) && when.iter().all(date))
        // "From 9 to 5" and "from 9" are hours.
        && (!first_is(words, &ENGLISH.grammar.from) || words.iter().any(|word| is(word, MONTHS)))
}
