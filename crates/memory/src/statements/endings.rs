//! Statements that say that something is over, without a successor: "I sold my car", "I no longer
//! drink coffee".

use super::{
    clause::ClauseMarks,
    draft::{StatementDraft, extent, is_own, key_of, without_preposition},
    habits::verb_key,
};
use crate::language::{
    pattern::{after_any, first_is, is},
    rule_words::ENGLISH,
    words::{TokenizedText, Word},
};

/// What a clause says is over.
pub(super) fn find<'m>(text: &TokenizedText<'m>, words: &[Word<'m>], marks: ClauseMarks) -> Option<StatementDraft> {
    let said = after_any(words, &ENGLISH.grammar.speakers)?;
    let said =
        after_any(said, &ENGLISH.endings.before_verb).filter(|rest| !rest.is_empty() && !marks.ended).unwrap_or(said);
    let denied = after_any(said, &ENGLISH.endings.negations);
    let over = marks.ended || (denied.is_some() && marks.update);
    if over {
        return no_longer(text, denied.unwrap_or(said));
    }
    if let Some(doing) = after_any(said, &ENGLISH.endings.stopped)
        .filter(|rest| rest.first().is_some_and(|word| word.lower.ends_with("ing")))
    {
        return habit(text, doing);
    }
    if let Some(given) = after_any(said, &ENGLISH.endings.food_stopped).filter(|rest| !is_own(rest)) {
        let given = &given[..extent(given)];
        let verb = if said.iter().any(|word| word.lower == "drinking") { "drink" } else { "eat" };
        return (!given.is_empty() && given.len() <= 4).then(|| StatementDraft::ended(verb, text.slice(given)));
    }
    if let Some(left) =
        after_any(said, &ENGLISH.endings.employer_left).filter(|left| left.first().is_some_and(Word::is_capital))
    {
        return Some(StatementDraft::ended("employer", text.slice(&left[..extent(left)])));
    }
    if after_any(said, &ENGLISH.endings.job_left).is_some() {
        return Some(StatementDraft::ended("job", ""));
    }
    if after_any(said, &ENGLISH.endings.separated)
        .is_some_and(|rest| rest.is_empty() || first_is(rest, &ENGLISH.endings.separated_from))
    {
        return Some(StatementDraft::ended("partner", ""));
    }
    let thing = after_any(said, &ENGLISH.endings.given_up)?;
    let own = is_own(thing) || first_is(thing, &ENGLISH.grammar.articles);
    let capital = thing.first().is_some_and(Word::is_capital);
    if !own && !capital || after_any(said, &ENGLISH.grammar.do_not).is_some() && !marks.update {
        return None;
    }
    let key = key_of(text, &thing[..noun_end(thing)]);
    let fleeting = key.rsplit(' ').next().is_some_and(|head| ENGLISH.nouns.had_for_now.contains(&head));
    (!key.is_empty() && !fleeting && !ENGLISH.endings.lost_for_now.contains(&key.as_str()))
        .then(|| StatementDraft::ended(key, ""))
}

/// The number of words that name the thing given up.
fn noun_end(words: &[Word<'_>]) -> usize {
    let end = extent(words);
    words[..end].iter().position(|word| is(word, &ENGLISH.endings.noun_ends)).filter(|&at| at > 0).unwrap_or(end)
}

/// What follows "I no longer" or "I don't ... any more".
fn no_longer<'m>(text: &TokenizedText<'m>, said: &[Word<'m>]) -> Option<StatementDraft> {
    let said = after_any(said, &ENGLISH.endings.am).filter(|_| !first_is(said, &ENGLISH.endings.have)).unwrap_or(said);
    if let Some(thing) = after_any(said, &ENGLISH.endings.owned) {
        let thing = &thing[..noun_end(thing)];
        return (!thing.is_empty()).then(|| StatementDraft::ended(key_of(text, thing), ""));
    }
    let (verb, rest) = said.split_first()?;
    if is(verb, &ENGLISH.endings.lived) {
        return Some(StatementDraft::ended(
            "home",
            text.slice(&without_preposition(rest)[..extent(without_preposition(rest))]),
        ));
    }
    if is(verb, &ENGLISH.endings.worked) {
        let job = after_any(rest, &ENGLISH.endings.as_a);
        let place = job.unwrap_or_else(|| without_preposition(rest));
        return Some(StatementDraft::ended(
            if job.is_some() { "job" } else { "employer" },
            text.slice(&place[..extent(place)]),
        ));
    }
    if is(verb, &ENGLISH.endings.drove) {
        let thing = after_any(rest, &ENGLISH.endings.driven).unwrap_or(rest);
        return Some(StatementDraft::ended("car", text.slice(&thing[..extent(thing)])));
    }
    if is(verb, &ENGLISH.habits.verbs) || verb.lower.ends_with("ing") {
        return habit(text, said);
    }
    let state = after_any(said, &ENGLISH.endings.state_openings).unwrap_or(said);
    let state = &state[..extent(state)];
    let key = match state.iter().find(|word| is(word, &ENGLISH.values.diets) || is(word, &ENGLISH.values.jobs)) {
        Some(word) if is(word, &ENGLISH.values.diets) => "diet",
        Some(_) => "job",
        None if first_is(state, &ENGLISH.grammar.allergic) => "allergy",
        None if first_is(state, &ENGLISH.endings.relationships) => "relationship",
        None => "state",
    };
    let value = after_any(state, &ENGLISH.grammar.allergic_to).unwrap_or(state);
    (!value.is_empty() && value.len() <= 5 && !first_is(value, &ENGLISH.endings.moods))
        .then(|| StatementDraft::ended(key, text.slice(value)))
}

/// "smoking", "drinking coffee", "go to the gym": a habit that is over.
fn habit<'m>(text: &TokenizedText<'m>, said: &[Word<'m>]) -> Option<StatementDraft> {
    let (verb, rest) = said.split_first()?;
    let plain = plain_verb(&verb.lower);
    if !ENGLISH.habits.verbs.contains(&plain.as_str()) {
        return None;
    }
    let rest = &rest[..extent(rest)];
    let stated = without_preposition(rest);
    let key = verb_key(&plain, rest);
    let sort = if plain == "use" { super::lists::sort_of(text.slice(stated)).map(str::to_owned) } else { None };
    Some(StatementDraft::ended(
        sort.unwrap_or(key),
        text.slice(after_any(stated, &ENGLISH.endings.habit_object).unwrap_or(stated)),
    ))
}

/// The verb that an "-ing" form belongs to.
pub(super) fn plain_verb(word: &str) -> String {
    let Some(root) = word.strip_suffix("ing") else { return word.to_owned() };
    let doubled =
        root.is_ascii() && root.len() > 2 && root.as_bytes()[root.len() - 1] == root.as_bytes()[root.len() - 2];
    let single = if doubled { &root[..root.len() - 1] } else { root };
    let candidates = [root.to_owned(), format!("{root}e"), single.to_owned()];
    candidates.into_iter().find(|verb| ENGLISH.habits.verbs.contains(&verb.as_str())).unwrap_or_else(|| root.to_owned())
}
