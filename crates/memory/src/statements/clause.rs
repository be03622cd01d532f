//! Splits a sentence into clauses, each with its subject in front and without the small words that
//! only say "now", "also" or "by the way". What those words said is kept as marks.

use super::profile;
use crate::language::{
    calendar::{MONTHS, WEEKDAYS},
    pattern::{after, after_any, body, first_is, is, is_number},
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

/// Openings that say that something is new.
const NEWS: &[&str] = &[
    "as of today|now|yesterday|tomorrow|monday|tuesday|wednesday|thursday|friday|saturday|sunday",
    "as of last|this|next week|month|year|monday|friday|spring|summer|autumn|winter",
    "as of #",
    "from now on",
    "from today on?",
    "these days",
    "a? small|quick|little|short? update|correction|change|news on|about?",
    "good|bad|big news",
    "it? turns out that?",
    "change of plans?|plan",
    "nowadays",
    "lately",
    "recently",
    "meanwhile",
    "in the meantime",
    "since last|this week|month|year|summer|winter|spring|autumn|monday|tuesday|wednesday|thursday|friday|weekend",
    "since then|yesterday|today|christmas|easter",
    "since the? #",
    "starting today|now|tomorrow",
    "starting next|this week|month|year|monday",
    "last|this week|month|year|summer|winter|spring|autumn|weekend",
    "yesterday",
    "finally",
    "after all",
    "in fact",
    "i have to correct myself",
    "i need to correct myself",
    "i was wrong|mistaken",
    "sorry i meant",
    "scratch that",
    "for # years|months|weeks now?",
    "for a while now?",
];

/// Openings that say nothing about the fact.
const LEADS: &[&str] = &[
    "just? so you know",
    "for context|reference|reminder|info|information",
    "some context|background",
    "as i said|mentioned",
    "as you know",
    "you should know that?",
    "i should|must mention that?",
    "i should|must add that?",
    "i wanted|want to tell you that?",
    "i forgot to mention|say that?",
    "did i mention that?",
    "about me",
    "reminder",
    "info",
    "ps",
    "p s",
    "heads up",
    "to be clear|precise|exact",
    "in general|short",
    "at work|home",
    "on weekdays|weekends",
    "in my free|spare time",
    "luckily|unfortunately|sadly|happily|thankfully|honestly|basically|apparently|officially|also|plus|and|but|well",
];

/// Ends of a clause, and whether they say that something is new.
const TAILS: &[(&str, ClauseMark)] = &[
    ("any more", ClauseMark::Update),
    ("anymore", ClauseMark::Update),
    ("now", ClauseMark::Update),
    ("nowadays", ClauseMark::Update),
    ("these days", ClauseMark::Update),
    ("instead", ClauseMark::Update),
    ("again", ClauseMark::Update),
    ("lately|recently", ClauseMark::Update),
    ("as of today|now|yesterday|tomorrow|monday|tuesday|wednesday|thursday|friday", ClauseMark::Update),
    ("as of last|this|next week|month|year", ClauseMark::Update),
    ("from now on", ClauseMark::Update),
    ("from today on?", ClauseMark::Update),
    ("after all", ClauseMark::Update),
    ("since last|this week|month|year|summer|winter|spring|autumn", ClauseMark::Update),
    ("last|this week|month|year|summer|winter|spring|autumn|weekend", ClauseMark::Nothing),
    ("since yesterday|today|then", ClauseMark::Update),
    ("yesterday", ClauseMark::Nothing),
    ("too", ClauseMark::Adds),
    ("as well", ClauseMark::Adds),
    ("also", ClauseMark::Adds),
    ("at the moment", ClauseMark::Moment),
    ("right now", ClauseMark::Moment),
    ("for now", ClauseMark::Moment),
    ("tonight|today", ClauseMark::Moment),
    ("this morning|evening|afternoon", ClauseMark::Moment),
    ("btw", ClauseMark::Nothing),
    ("by the way", ClauseMark::Nothing),
    ("please|thanks|though|anyway|actually|fyi|already|finally|sadly|still|haha|lol|yay", ClauseMark::Nothing),
    ("thank you", ClauseMark::Nothing),
    ("for good", ClauseMark::Nothing),
    ("just so you know", ClauseMark::Nothing),
    ("for your information", ClauseMark::Nothing),
    ("# years|months|weeks|days ago", ClauseMark::Nothing),
    ("a few|couple of? years|months|weeks|days ago", ClauseMark::Nothing),
    ("for the last|past # years|months|weeks", ClauseMark::Nothing),
];

/// The mark that a small word sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ClauseMark {
    Nothing,
    Update,
    Adds,
    Moment,
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

/// Small words that are left out wherever they stand.
const SMALL: &[&str] = &[
    "now",
    "currently",
    "just",
    "recently",
    "nowadays",
    "finally",
    "officially",
    "also",
    "already",
    "still",
    "actually",
    "meanwhile",
    "presently",
    "technically",
    "obviously",
    "apparently",
    "sadly",
    "luckily",
    "happily",
];

/// Small words that are left out in front of the verb.
const HABITS: &[&str] =
    &["usually", "normally", "generally", "typically", "mostly", "always", "often", "really", "mainly", "regularly"];

/// Words that begin another clause.
const SUBJECTS: &[&str] = &["i", "we", "my", "our", "it", "he", "she", "they", "you", "that", "this", "there"];

/// Verbs that go on with the subject of the clause before: "I left Siemens and joined Bosch".
const SHARED: &[&str] = &[
    "joined", "moved", "started", "switched", "now", "work", "live", "am", "are", "got", "have", "bought", "became",
    "went", "changed", "use", "drive", "took", "adopted", "run", "drink", "eat", "play", "study", "weigh", "pay",
    "earn", "sold", "quit", "left", "stopped", "gave", "is", "was", "has", "lives", "works", "starts", "costs",
    "leaves", "do", "no", "prefer", "like", "love", "hate", "allergic", "speak", "go", "get", "wake", "own", "teach",
    "takes",
];

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
            if first_is(&words, &["allergic"]) {
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
        } else if let Some(lead) = after_any(rest, LEADS) {
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
    if let Some(rest) = after_any(words, NEWS) {
        return Some(rest);
    }
    // "Since May", "as of 3 May", "starting Monday".
    if let Some((first, rest)) =
        after_any(words, &["since|from|as|in of?", "starting on|in?"]).and_then(<[_]>::split_first)
    {
        if is(first, MONTHS) || is(first, WEEKDAYS) {
            return Some(after(rest, "on").unwrap_or(rest));
        }
        if first.is_figure() && rest.first().is_some_and(|word| is(word, MONTHS)) {
            return rest.get(1..);
        }
    }
    // "Since we moved, ...", "after the birth, ...": up to the comma.
    let clause = after_any(words, &["since|after i|we|my|our|the|a", "now that", "instead|rather of|than"])?;
    let comma = clause.iter().take(12).position(|word| word.after.contains(','))?;
    clause.get(comma + 1..)
}

/// The user's own words: text after a colon is quoted speech or a text, unless a label precedes it.
fn spoken<'w, 'm>(text: &TokenizedText<'m>, words: &'w [Word<'m>]) -> Option<&'w [Word<'m>]> {
    let Some(colon) = words.iter().position(|word| word.after.contains(':')) else { return Some(words) };
    let _ = text;
    if first_is(words, &["my", "our", "new", "updated", "i", "we"]) { Some(words) } else { words.get(..=colon) }
}

/// The parts of a sentence, each with whether it goes on with the subject of the one before.
fn parts<'w, 'm>(words: &'w [Word<'m>]) -> Vec<(&'w [Word<'m>], bool)> {
    const JOINTS: &[&str] = &["and", "but", "so", "plus", "yet", "then", "though", "although"];
    let mut parts = Vec::new();
    let (mut from, mut follows, mut at) = (0, false, 1);
    while at < words.len() {
        let broken = words[at - 1].ends_clause();
        let joint = is(&words[at], JOINTS);
        let next = words.get(at + usize::from(joint));
        let skip = next.filter(|word| is(word, &["now", "then", "so", "also", "just", "recently"])).map_or(0, |_| 1);
        let next = words.get(at + usize::from(joint) + skip).or(next);
        let new_subject = next.is_some_and(|word| is(word, SUBJECTS) || (broken && is(word, &["the", "not"])));
        let shared = next.is_some_and(|word| is(word, SHARED));
        let contrast = !joint && broken && is(&words[at], &["not"]);
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
    if first_is(words, &["i", "we"]) {
        return Some(vec![words[0].clone()]);
    }
    let verb = words.iter().take(7).position(|word| is(word, super::things::VERBS))?;
    (verb > 0 && first_is(words, &["my", "our", "the"])).then(|| words[..verb].to_vec())
}

/// Removes small words and keeps what they say as marks.
fn small_words<'m>(words: Vec<Word<'m>>, mut marks: ClauseMarks) -> Clause<'m> {
    let mut end = words.len();
    // Repeated, since "now btw" has two.
    for _ in 0..3 {
        let from = end.saturating_sub(6);
        let tail = (from.max(1)..end).find_map(|at| {
            TAILS.iter().find(|(tail, _)| after(&words[at..end], tail).is_some_and(<[_]>::is_empty)).map(|t| (at, t.1))
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
    let dated =
        end > 5 && first_is(&words, &["i", "we"]) && is(&words[end - 1], MONTHS) && is(&words[end - 2], &["in"]);
    if dated {
        end -= 2;
    }
    let mut kept = Vec::with_capacity(end);
    let mut iter = words.into_iter().take(end).enumerate().peekable();
    while let Some((at, word)) = iter.next() {
        let next = iter.peek().map(|(_, next)| next.lower.as_str());
        if word.lower == "no" && next == Some("longer") {
            marks.ended = true;
            iter.next();
            continue;
        }
        let pair = (word.lower.as_str(), next.unwrap_or_default());
        if [("these", "days"), ("by", "now"), ("at", "present"), ("of", "late"), ("at", "last")].contains(&pair) {
            marks.update = true;
            iter.next();
            continue;
        }
        if word.lower == "right" && next == Some("now") {
            marks.moment = true;
            continue;
        }
        // "I play the mandolin now too, in a band": it need not be the last word.
        if is(&word, &["too"]) && word.ends_clause() && at > 1 && !word.quoted {
            marks.adds = true;
            continue;
        }
        let early = next.is_some_and(|next| super::things::VERBS.contains(&next));
        let small = is(&word, SMALL)
            || (at < 4 && is(&word, HABITS))
            || (early && at > 0 && is(&word, &["only", "always", "usually"]));
        if !small || word.quoted {
            kept.push(word);
            continue;
        }
        match word.lower.as_str() {
            "now" | "nowadays" | "recently" | "finally" | "currently" | "meanwhile" | "officially" => {
                marks.update = true;
            }
            "also" => marks.adds = true,
            _ => {}
        }
    }
    Clause { words: kept, marks }
}

/// "since May", "since 3 March", "from June", "as of 1 June", "starting next Monday", at the end.
fn is_since(words: &[Word<'_>]) -> bool {
    let date = |word: &Word<'_>| is(word, MONTHS) || is(word, WEEKDAYS) || is_number(word) || is(word, &["of", "next"]);
    after_any(words, &["since the?", "as of the?", "from the? next?", "starting on|in|from?", "effective"])
        .is_some_and(|when| when.first().is_some_and(|word| !is(word, &["of"])) && when.iter().all(date))
        // "From 9 to 5" and "from 9" are hours.
        && (!first_is(words, &["from"]) || words.iter().any(|word| is(word, MONTHS)))
}
