//! Questions answered from memory. Known items and earlier messages of the user are ranked by the
//! words they share with the question, rare words, numbers and names counting more, and the best is
//! quoted with its date. Nothing is inferred and nothing is made up.

mod candidates;
mod rank;

pub use candidates::COMMANDS;
use candidates::{Candidate, CandidateSource};
use rank::{QuestionTerms, RankedCandidate};

use super::{
    PromptContext, ReplyStep, dates, fallback,
    sentences::quote,
    words::{Clause, fits},
};

/// From this score on an item is quoted as the answer.
const SURE: f64 = 0.6;
/// From this score on an item is quoted as a possible answer.
const LIKELY: f64 = 0.34;
/// Others are quoted with the best from this share of its score on.
const CLOSE: f64 = 0.75;
/// The same for newer ones about the same subject.
const RELATED: f64 = 0.5;
const QUOTES_MAX: usize = 3;
const ABOUT_ME_MAX: usize = 7;

/// Openings of questions without a question word.
const OPENINGS: &[&str] = &[
    "do|did you know|remember|recall",
    "tell me about",
    "remind me about|of|what|when|where|who|which|how",
    "remember|recall when|how|what|where|who|which|if",
];

/// With a question mark these open questions too.
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

/// An answer if the clause is a question; if nothing is known, the answer says so.
pub fn recognise(clause: &Clause<'_>, scene: &PromptContext<'_>) -> Option<ReplyStep> {
    if clause.is_any(ABOUT_ME) {
        return Some(ReplyStep::Say(about_me(scene)));
    }
    is_question(clause).then(|| ReplyStep::Say(answer(clause, scene)))
}

/// Whether the clause asks something.
pub fn is_question(clause: &Clause<'_>) -> bool {
    clause.opens_with_question_word()
        || clause.begins_any(OPENINGS).is_some()
        || (clause.is_marked_as_question() && clause.begins(WITH_MARK).is_some())
}

/// The texts that are about the same as `about`, best first, only the first if it is clearly better
/// than the others.
pub fn closest(about: &str, texts: &[&str]) -> Vec<usize> {
    let query = QuestionTerms::new(about);
    let candidates: Vec<Candidate<'_>> = texts.iter().map(|text| Candidate::plain(text)).collect();
    let ranked = rank::rank(&query, &candidates);
    let best = ranked.first().map_or(0.0, |best| best.score);
    let near = ranked.iter().filter(|one| one.score >= LIKELY && one.score >= best - 0.01);
    near.map(|one| one.index).collect()
}

fn answer(clause: &Clause<'_>, scene: &PromptContext<'_>) -> String {
    let candidates = candidates::of(scene);
    let query = QuestionTerms::asked(clause);
    let ranked = rank::rank(&query, &candidates);
    let Some(best) = ranked.first().filter(|best| best.score >= LIKELY) else {
        return fallback::nothing_known();
    };
    let opening = if best.score >= SURE { "" } else { "I am not sure that this is about it, but:\n" };
    let chosen = choose(&ranked, &candidates, best);
    let lines: Vec<String> = chosen.into_iter().map(said).collect();
    format!("{opening}{}", lines.join("\n"))
}

/// The best and those close to it, without repetitions.
fn choose<'a, 'b>(
    ranked: &[RankedCandidate],
    candidates: &'b [Candidate<'a>],
    best: &RankedCandidate,
) -> Vec<&'b Candidate<'a>> {
    let text = |one: &RankedCandidate| candidates.get(one.index).map_or("", |candidate| candidate.text);
    let mut chosen: Vec<&RankedCandidate> = Vec::new();
    for one in ranked.iter().take_while(|one| one.score >= LIKELY.max(best.score * RELATED)) {
        let is_close = one.score >= best.score * CLOSE || chosen.iter().any(|other| corrects(one, other, candidates));
        if is_close && !chosen.iter().any(|other| rank::is_same(text(other), text(one))) {
            chosen.push(one);
        }
        if chosen.len() == QUOTES_MAX {
            break;
        }
    }
    // Where two differ about the same subject, the newer comes first.
    for at in 1..chosen.len() {
        if let Some(older) = chosen[..at].iter().position(|other| corrects(chosen[at], other, candidates)) {
            chosen[older..=at].rotate_right(1);
        }
    }
    told_once(chosen.into_iter().filter_map(|one| candidates.get(one.index)).collect())
}

/// Drops what would be told a second time: what was said later stands beside what it made doubtful,
/// and an earlier answer only repeats what the user said.
fn told_once<'a, 'b>(mut chosen: Vec<&'b Candidate<'a>>) -> Vec<&'b Candidate<'a>> {
    let is_answer = |one: &Candidate<'a>| one.role == Some("assistant");
    if chosen.iter().any(|one| !is_answer(one)) {
        chosen.retain(|one| !is_answer(one));
    }
    let later = |one: &Candidate<'a>| one.doubt.filter(|_| one.until.is_none()).map(|doubt| doubt.text.trim());
    let is_new = |at: usize| match later(chosen[at]) {
        Some(text) => chosen[..at].iter().all(|other| later(other) != Some(text)),
        None => chosen.iter().all(|other| later(other) != Some(chosen[at].text.trim())),
    };
    (0..chosen.len()).filter(|at| is_new(*at)).map(|at| chosen[at]).collect()
}

/// Whether the first is newer or still holds, is about the subject of the second, and answers the
/// question as well.
fn corrects(newer: &RankedCandidate, older: &RankedCandidate, candidates: &[Candidate<'_>]) -> bool {
    let (Some(new), Some(old)) = (candidates.get(newer.index), candidates.get(older.index)) else {
        return false;
    };
    newer.is_wanted_kind >= older.is_wanted_kind
        && newer.is_of_another == older.is_of_another
        && (new.until.is_none(), new.at, newer.index) > (old.until.is_none(), old.at, older.index)
        && rank::is_same_subject(new.text, old.text)
}

fn said(candidate: &Candidate<'_>) -> String {
    let (text, day) = (quote(candidate.text), dates::spoken(candidate.at));
    if let Some(doubt) = candidate.doubt.filter(|_| candidate.until.is_none()) {
        let (later, since) = (quote(&doubt.text), dates::spoken(doubt.at));
        return format!("On {since} you said: \"{later}\" Before that, which may no longer hold: \"{text}\"");
    }
    match candidate.source {
        // Who said it decides how it is quoted.
        CandidateSource::Entry if candidate.role == Some("assistant") => format!("On {day} I answered: \"{text}\""),
        CandidateSource::Entry if candidate.role.is_some() => {
            format!("On {day}, from {}: \"{text}\"", candidate.role.unwrap_or_default())
        }
        CandidateSource::Said => format!("Earlier in this conversation you said: \"{text}\""),
        CandidateSource::SaidThen => format!("Earlier in this conversation, on {day}, you said: \"{text}\""),
        CandidateSource::Pin => format!("On {day} you asked me to remember: \"{text}\""),
        CandidateSource::Profile if candidate.until.is_some() => {
            format!("From your profile ({}): \"{text}\"", held(candidate))
        }
        CandidateSource::Profile => format!("From your profile (since {day}): \"{text}\""),
        CandidateSource::Entry if candidate.until.is_some() => {
            format!("On {day} you said, which no longer holds: \"{text}\"")
        }
        CandidateSource::Entry => format!("On {day} you said: \"{text}\""),
        CandidateSource::Context => format!("From the notes of a conversation ({day}): \"{text}\""),
        CandidateSource::Fact if candidate.until.is_some() => format!("No longer so ({}): \"{text}\"", held(candidate)),
        CandidateSource::Fact => format!("Known since {day}: \"{text}\""),
    }
}

/// From when to when something held.
fn held(candidate: &Candidate<'_>) -> String {
    let until = candidate.until.unwrap_or(candidate.at);
    format!("{} until {}", dates::spoken(candidate.at), dates::spoken(until))
}

fn about_me(scene: &PromptContext<'_>) -> String {
    let mut known: Vec<Candidate<'_>> = candidates::known(scene.prompt);
    known.retain(|candidate| {
        matches!(candidate.source, CandidateSource::Profile | CandidateSource::Fact | CandidateSource::Pin)
    });
    // Items that still hold come first.
    known.sort_by_key(|candidate| (candidate.until.is_some(), std::cmp::Reverse(candidate.at)));
    if known.is_empty() {
        return "I know nothing about you yet.".to_owned();
    }
    known.iter().take(ABOUT_ME_MAX).map(said).collect::<Vec<_>>().join("\n")
}

/// The words at the start of a question that only name the kind of answer, and that kind.
fn kind(clause: &Clause<'_>) -> (AnswerKind, usize) {
    let words = clause.words();
    for (rule, kind) in [
        ("at? what|which time|day|date|year|month", AnswerKind::Number),
        ("how many|much|long|old|far|often|tall|big|late|early", AnswerKind::Number),
        ("when", AnswerKind::Number),
        ("who|whom|whose|where", AnswerKind::Name),
    ] {
        if let Some(count) = fits(words, rule) {
            return (kind, count);
        }
    }
    (AnswerKind::Any, 0)
}

/// The kind of answer that a question asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AnswerKind {
    Any,
    Number,
    Name,
}
