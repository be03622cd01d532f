//! Statements that say that something is over, without a successor: "I sold my car", "I no longer
//! drink coffee".

use super::{
    clause::ClauseMarks,
    draft::{StatementDraft, extent, is_own, key_of, without_preposition},
    habits::{VERBS, verb_key},
    lists::HAD_FOR_NOW,
    rules::lists::{DIETS, JOBS},
};
use crate::language::{
    pattern::{after, after_any, first_is, is},
    words::{TokenizedText, Word},
};

/// Verbs after which one no longer has a thing.
const GIVEN_UP: &[&str] = &[
    "sold|cancelled|canceled|scrapped|lost|dropped|deleted|terminated|discontinued|abandoned|ditched|quit|ended|closed|rehomed",
    "got rid of",
    "gave up|away",
    "gave away|up",
    "returned",
    "broke up with",
    "split up? with|from",
    "stopped using|taking|doing|attending|visiting|seeing|having|paying for?",
    "do not need|own|have|use",
    "unsubscribed from",
    "moved out of",
];

/// What a clause says is over.
pub(super) fn find<'m>(text: &TokenizedText<'m>, words: &[Word<'m>], marks: ClauseMarks) -> Option<StatementDraft> {
    let said = after(words, "i|we")?;
    let said = after_any(said, &["have", "had to", "decided to"])
        .filter(|rest| !rest.is_empty() && !marks.ended)
        .unwrap_or(said);
    let denied = after_any(said, &["do|am|are|have|did not", "not"]);
    let over = marks.ended || (denied.is_some() && marks.update);
    if over {
        return no_longer(text, denied.unwrap_or(said));
    }
    if let Some(doing) = after_any(said, &["quit|stopped", "gave|given up", "gave|given up on"])
        .filter(|rest| rest.first().is_some_and(|word| word.lower.ends_with("ing")))
    {
        return habit(text, doing);
    }
    if let Some(given) = after_any(said, &["gave|given up on?", "cut out", "stopped eating|drinking", "went off"])
        .filter(|rest| !is_own(rest))
    {
        let given = &given[..extent(given)];
        let verb = if said.iter().any(|word| word.lower == "drinking") { "drink" } else { "eat" };
        return (!given.is_empty() && given.len() <= 4).then(|| StatementDraft::ended(verb, text.slice(given)));
    }
    if let Some(left) = after_any(
        said,
        &[
            "left",
            "quit",
            "resigned from",
            "got fired from|by|at",
            "got laid off by|from|at",
            "quit|left my job at|with",
        ],
    )
    .filter(|left| left.first().is_some_and(Word::is_capital))
    {
        return Some(StatementDraft::ended("employer", text.slice(&left[..extent(left)])));
    }
    if after(said, "quit|left|lost my job").is_some() {
        return Some(StatementDraft::ended("job", ""));
    }
    if after_any(said, &["broke|broken|split up", "separated"])
        .is_some_and(|rest| rest.is_empty() || first_is(rest, &["with", "and", "in"]))
    {
        return Some(StatementDraft::ended("partner", ""));
    }
    let thing = after_any(said, GIVEN_UP)?;
    let own = is_own(thing) || first_is(thing, &["a", "an"]);
    let capital = thing.first().is_some_and(Word::is_capital);
    if !own && !capital || after(said, "do not").is_some() && !marks.update {
        return None;
    }
    let key = key_of(text, &thing[..noun_end(thing)]);
    let fleeting = key.rsplit(' ').next().is_some_and(|head| HAD_FOR_NOW.contains(&head));
    (!key.is_empty()
        && !fleeting
        && !["way", "mind", "temper", "weight", "balance", "train", "bus", "door", "window", "ball", "keys"]
            .contains(&key.as_str()))
    .then(|| StatementDraft::ended(key, ""))
}

/// The number of words that name the thing given up.
fn noun_end(words: &[Word<'_>]) -> usize {
    let end = extent(words);
    words[..end]
        .iter()
        .position(|word| {
            is(word, &["last", "yesterday", "on", "in", "to", "this", "for", "at", "today", "with", "and"])
        })
        .filter(|&at| at > 0)
        .unwrap_or(end)
}

/// What follows "I no longer" or "I don't ... any more".
fn no_longer<'m>(text: &TokenizedText<'m>, said: &[Word<'m>]) -> Option<StatementDraft> {
    let said = after(said, "am|are").filter(|_| !first_is(said, &["have"])).unwrap_or(said);
    if let Some(thing) = after_any(said, &["have|own|need|got a|an|any|my|the?"]) {
        let thing = &thing[..noun_end(thing)];
        return (!thing.is_empty()).then(|| StatementDraft::ended(key_of(text, thing), ""));
    }
    let (verb, rest) = said.split_first()?;
    if is(verb, &["live", "living"]) {
        return Some(StatementDraft::ended(
            "home",
            text.slice(&without_preposition(rest)[..extent(without_preposition(rest))]),
        ));
    }
    if is(verb, &["work", "working", "employed"]) {
        let job = after(rest, "as a|an?");
        let place = job.unwrap_or_else(|| without_preposition(rest));
        return Some(StatementDraft::ended(
            if job.is_some() { "job" } else { "employer" },
            text.slice(&place[..extent(place)]),
        ));
    }
    if is(verb, &["drive"]) {
        let thing = after(rest, "a|an|the|my").unwrap_or(rest);
        return Some(StatementDraft::ended("car", text.slice(&thing[..extent(thing)])));
    }
    if is(verb, VERBS) || verb.lower.ends_with("ing") {
        return habit(text, said);
    }
    let state = after(said, "a|an|in|on|with").unwrap_or(said);
    let state = &state[..extent(state)];
    let key = match state.iter().find(|word| is(word, DIETS) || is(word, JOBS)) {
        Some(word) if is(word, DIETS) => "diet",
        Some(_) => "job",
        None if first_is(state, &["allergic"]) => "allergy",
        None if first_is(state, &["married", "single", "engaged", "divorced"]) => "relationship",
        None => "state",
    };
    let value = after(state, "allergic to").unwrap_or(state);
    (!value.is_empty()
        && value.len() <= 5
        && !first_is(value, &["sure", "hungry", "interested", "able", "angry", "tired", "sick", "going"]))
    .then(|| StatementDraft::ended(key, text.slice(value)))
}

/// "smoking", "drinking coffee", "go to the gym": a habit that is over.
fn habit<'m>(text: &TokenizedText<'m>, said: &[Word<'m>]) -> Option<StatementDraft> {
    let (verb, rest) = said.split_first()?;
    let plain = plain_verb(&verb.lower);
    if !VERBS.contains(&plain.as_str()) {
        return None;
    }
    let rest = &rest[..extent(rest)];
    let stated = without_preposition(rest);
    let key = verb_key(&plain, rest);
    let sort = if plain == "use" { super::lists::sort_of(text.slice(stated)).map(str::to_owned) } else { None };
    Some(StatementDraft::ended(sort.unwrap_or(key), text.slice(after(stated, "to? a|an|the|my").unwrap_or(stated))))
}

/// The verb that an "-ing" form belongs to.
pub(super) fn plain_verb(word: &str) -> String {
    let Some(root) = word.strip_suffix("ing") else { return word.to_owned() };
    let doubled =
        root.is_ascii() && root.len() > 2 && root.as_bytes()[root.len() - 1] == root.as_bytes()[root.len() - 2];
    let single = if doubled { &root[..root.len() - 1] } else { root };
    let candidates = [root.to_owned(), format!("{root}e"), single.to_owned()];
    candidates.into_iter().find(|verb| VERBS.contains(&verb.as_str())).unwrap_or_else(|| root.to_owned())
}
