//! Questions answered from what is known. What is known and what the user said earlier is ranked by the words it shares
//! with the question, rare words, numbers and names counting more, and the best is quoted with its date. Nothing is
//! concluded and nothing is made up.

mod candidates;
mod rank;

pub use candidates::COMMANDS;
use candidates::{Candidate, Source};
use rank::{Query, Ranked};

use super::{
    Scene, Step, dates, fallback,
    sentences::quote,
    words::{Clause, fits},
};

/// From this on it is quoted as the answer.
const SURE: f64 = 0.6;
/// From this on it is quoted as something that may be the answer.
const LIKELY: f64 = 0.34;
/// Others are quoted beside the best if they come this close to it.
const CLOSE: f64 = 0.75;
/// If they say something newer about the same subject, this is enough.
const RELATED: f64 = 0.5;
const QUOTES_MAX: usize = 3;
const ABOUT_ME_MAX: usize = 7;

/// Openings of questions that no question word opens.
const OPENINGS: &[&str] = &[
    "do|did you know|remember|recall",
    "tell me about",
    "remind me about|of|what|when|where|who|which|how",
    "remember|recall when|how|what|where|who|which|if",
];

/// With a question mark these ask too.
const WITH_MARK: &str = "is|are|am|was|were|do|does|did|have|has|had|remember|should|shall|must|may|any|anything|about";

const ABOUT_ME: &[&str] = &[
    "what do you know about me",
    "what do|did i tell you about me|myself",
    "what have i told you about? me|myself?",
    "tell me about me|myself",
    "who am i",
    "what is my profile",
    "show me? my profile",
];

/// An answer if the clause is a question; one that says so if nothing is known.
pub fn recognise(clause: &Clause<'_>, scene: &Scene<'_>) -> Option<Step> {
    if clause.is_any(ABOUT_ME) {
        return Some(Step::Say(about_me(scene)));
    }
    is_question(clause).then(|| Step::Say(answer(clause, scene)))
}

/// Whether the clause asks something.
pub fn is_question(clause: &Clause<'_>) -> bool {
    clause.opens_with_question_word()
        || clause.begins_any(OPENINGS).is_some()
        || (clause.is_marked_as_question() && clause.begins(WITH_MARK).is_some())
}

/// The texts that are about the same as `about`, best first, only the first if it is clearly better than the others.
pub fn closest(about: &str, texts: &[&str]) -> Vec<usize> {
    let query = Query::new(about);
    let candidates: Vec<Candidate<'_>> = texts.iter().map(|text| Candidate::plain(text)).collect();
    let ranked = rank::rank(&query, &candidates);
    let best = ranked.first().map_or(0.0, |best| best.score);
    let near = ranked.iter().filter(|one| one.score >= LIKELY && one.score >= best - 0.01);
    near.map(|one| one.index).collect()
}

fn answer(clause: &Clause<'_>, scene: &Scene<'_>) -> String {
    let candidates = candidates::of(scene);
    let query = Query::asked(clause);
    let ranked = rank::rank(&query, &candidates);
    let Some(best) = ranked.first().filter(|best| best.score >= LIKELY) else {
        return fallback::nothing_known();
    };
    let opening = if best.score >= SURE { "" } else { "I am not sure that this is about it, but:\n" };
    let chosen = choose(&ranked, &candidates, best);
    let lines: Vec<String> = chosen.into_iter().map(said).collect();
    format!("{opening}{}", lines.join("\n"))
}

/// The best and what comes close to it, each thing once.
fn choose<'a, 'b>(ranked: &[Ranked], candidates: &'b [Candidate<'a>], best: &Ranked) -> Vec<&'b Candidate<'a>> {
    let text = |one: &Ranked| candidates.get(one.index).map_or("", |candidate| candidate.text);
    let mut chosen: Vec<&Ranked> = Vec::new();
    for one in ranked.iter().take_while(|one| one.score >= LIKELY.max(best.score * RELATED)) {
        let is_close = one.score >= best.score * CLOSE || chosen.iter().any(|other| corrects(one, other, candidates));
        if is_close && !chosen.iter().any(|other| rank::is_same(text(other), text(one))) {
            chosen.push(one);
        }
        if chosen.len() == QUOTES_MAX {
            break;
        }
    }
    // Where two say different things about the same subject, what was said last comes first.
    for at in 1..chosen.len() {
        if let Some(older) = chosen[..at].iter().position(|other| corrects(chosen[at], other, candidates)) {
            chosen[older..=at].rotate_right(1);
        }
    }
    chosen.into_iter().filter_map(|one| candidates.get(one.index)).collect()
}

/// Whether the first says something newer, or something that still holds, about the subject of the second, and answers the question as well as it does.
fn corrects(newer: &Ranked, older: &Ranked, candidates: &[Candidate<'_>]) -> bool {
    let (Some(new), Some(old)) = (candidates.get(newer.index), candidates.get(older.index)) else {
        return false;
    };
    newer.is_wanted_kind >= older.is_wanted_kind
        && (new.until.is_none(), new.at, newer.index) > (old.until.is_none(), old.at, older.index)
        && rank::is_same_subject(new.text, old.text)
}

fn said(candidate: &Candidate<'_>) -> String {
    let (text, day) = (quote(candidate.text), dates::spoken(candidate.at));
    match candidate.source {
        Source::Said => format!("Earlier in this conversation you said: \"{text}\""),
        Source::SaidThen => format!("Earlier in this conversation, on {day}, you said: \"{text}\""),
        Source::Pin => format!("On {day} you asked me to remember: \"{text}\""),
        Source::Profile if candidate.until.is_some() => format!("From your profile ({}): \"{text}\"", held(candidate)),
        Source::Profile => format!("From your profile (since {day}): \"{text}\""),
        Source::Entry if candidate.until.is_some() => {
            format!("On {day} you said, which no longer holds: \"{text}\"")
        }
        Source::Entry => format!("On {day} you said: \"{text}\""),
        Source::Context => format!("From the notes of a conversation ({day}): \"{text}\""),
        Source::Fact if candidate.until.is_some() => format!("No longer so ({}): \"{text}\"", held(candidate)),
        Source::Fact => format!("Known since {day}: \"{text}\""),
    }
}

/// From when to when something held.
fn held(candidate: &Candidate<'_>) -> String {
    let until = candidate.until.unwrap_or(candidate.at);
    format!("{} until {}", dates::spoken(candidate.at), dates::spoken(until))
}

fn about_me(scene: &Scene<'_>) -> String {
    let mut known: Vec<Candidate<'_>> = candidates::known(scene.prompt);
    known.retain(|candidate| matches!(candidate.source, Source::Profile | Source::Fact | Source::Pin));
    // What still holds comes first.
    known.sort_by_key(|candidate| (candidate.until.is_some(), std::cmp::Reverse(candidate.at)));
    if known.is_empty() {
        return "I know nothing about you yet.".to_owned();
    }
    known.iter().take(ABOUT_ME_MAX).map(said).collect::<Vec<_>>().join("\n")
}

/// Words in front of a question that only say what kind of answer is wanted, and that kind.
fn kind(clause: &Clause<'_>) -> (Kind, usize) {
    let words = clause.words();
    for (rule, kind) in [
        ("at? what|which time|day|date|year|month", Kind::Number),
        ("how many|much|long|old|far|often|tall|big|late|early", Kind::Number),
        ("when", Kind::Number),
        ("who|whom|whose|where", Kind::Name),
    ] {
        if let Some(count) = fits(words, rule) {
            return (kind, count);
        }
    }
    (Kind::Any, 0)
}

/// What kind of answer a question wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Any,
    Number,
    Name,
}
