//! Who the user is: name, home, birthday, work, family.

use super::{RuleMatch, named, phrase, take};
use crate::language::{
    calendar::MONTHS,
    pattern::{after_any, first_is, is},
    rule_words::ENGLISH,
    words::{TokenizedText, Word},
};

/// "My name is Ada", "call me Ada", "Hi, I'm Ada".
pub(super) fn name<'w, 'm>(text: &TokenizedText<'m>, words: &'w [Word<'m>]) -> Option<RuleMatch<'w, 'm>> {
    let lasting = after_any(words, &ENGLISH.preferences.lasting).unwrap_or(words);
    if let Some(called) = after_any(lasting, &ENGLISH.person.name_openings) {
        return named(text, "name", called, &ENGLISH.values.no_names);
    }
    // "I'm Ada" alone could be a mood or a nation; after a greeting it introduces.
    let greeted = text.words.first().is_some_and(|word| is(word, &ENGLISH.person.greetings));
    let called = after_any(words, &ENGLISH.person.i_am)
        .filter(|called| greeted && called.first().is_some_and(Word::is_capital))?;
    let other = [&ENGLISH.values.languages, &ENGLISH.values.states, &ENGLISH.values.jobs]
        .iter()
        .any(|list| first_is(called, list));
    let whole =
        |found: &RuleMatch<'_, '_>| found.closed || found.rest.is_empty() || first_is(found.rest, &ENGLISH.grammar.and);
    named(text, "name", called, &ENGLISH.values.no_names).filter(|found| !other && whole(found))
}

/// "I live in Oslo", "I just moved to the Netherlands".
pub(super) fn home<'w, 'm>(text: &TokenizedText<'m>, words: &'w [Word<'m>]) -> Option<RuleMatch<'w, 'm>> {
    if let Some(address) = after_any(words, &ENGLISH.person.address) {
        return address.iter().any(Word::is_figure).then(|| take(text, Some("home"), address, address.len()));
    }
    let place = after_any(words, &ENGLISH.person.home_openings)?;
    if first_is(place, &ENGLISH.grammar.articles) && first_is(words, &ENGLISH.grammar.i) {
        return Some(take(text, None, words, phrase(words)));
    }
    let the = after_any(place, &ENGLISH.grammar.the).filter(|place| place.first().is_some_and(Word::is_capital));
    let found = named(text, "home", the.unwrap_or(place), &ENGLISH.values.no_places)?;
    // "Oslo, Norway" is one place.
    let country = found.rest.first().filter(|word| found.closed && word.is_capital() && !is(word, &ENGLISH.grammar.i));
    let joined = country.is_some_and(|word| found.rest.len() == 1 || word.ends_clause());
    Some(take(text, Some("home"), place, place.len() - found.rest.len() + usize::from(joined)))
}

/// "My birthday is 3 May", "I was born on 3 May 1990".
pub(super) fn birthday<'w, 'm>(text: &TokenizedText<'m>, words: &'w [Word<'m>]) -> Option<RuleMatch<'w, 'm>> {
    let date = after_any(words, &ENGLISH.person.birthday)?;
    // "My birthday is tomorrow" needs a clock; without a day or a month it is no lasting fact.
    let is_date = |word: &Word<'_>| word.is_figure() || is(word, MONTHS);
    let count = date.iter().take_while(|word| is_date(word) || is(word, &ENGLISH.person.in_date)).count();
    date.first().filter(|word| is_date(word)).map(|_| take(text, Some("birthday"), date, count))
}

/// "I work as a nurse", "I'm a software engineer", "I am retired".
pub(super) fn job<'w, 'm>(text: &TokenizedText<'m>, words: &'w [Word<'m>]) -> Option<RuleMatch<'w, 'm>> {
    let works = after_any(words, &ENGLISH.person.works_as);
    let named = after_any(words, &ENGLISH.person.profession).filter(|work| first_is(work, &ENGLISH.values.jobs));
    if let Some(work) = works.or(named).filter(|work| !work.is_empty()) {
        return Some(take(text, Some("job"), work, phrase(work)));
    }
    if let Some(place) =
        after_any(words, &ENGLISH.person.works_at).filter(|place| place.first().is_some_and(Word::is_capital))
    {
        return Some(take(text, None, words, words.len() - place.len() + phrase(place)));
    }
    let state = after_any(words, &ENGLISH.person.i_am_now)?;
    if first_is(state, &ENGLISH.person.without_employer) {
        return Some(take(text, Some("job"), state, 1));
    }
    let work = after_any(state, &ENGLISH.grammar.articles)?;
    // "A software engineer": the trade is the last of at most three words.
    let trade = work.iter().take(phrase(work).min(3)).position(|word| is(word, &ENGLISH.values.jobs))?;
    let place = after_any(&work[trade + 1..], &ENGLISH.person.job_at)
        .filter(|place| place.first().is_some_and(Word::is_capital));
    let count = place.map_or(trade + 1, |_| phrase(work));
    Some(take(text, Some("job"), work, count))
}

/// "My dog is called Rex", "I have two kids", "I am from Norway".
pub(super) fn relation<'w, 'm>(text: &TokenizedText<'m>, words: &'w [Word<'m>]) -> Option<RuleMatch<'w, 'm>> {
    let of = after_any(words, &ENGLISH.person.my).and_then(|words| words.get(1..)).unwrap_or_default();
    let called = after_any(of, &ENGLISH.person.relation_stated)
        .filter(|called| called.first().is_some_and(|word| word.is_capital() || word.is_figure()));
    let owned = after_any(words, &ENGLISH.person.has_relatives).filter(|owned| first_is(owned, &ENGLISH.values.family));
    let origin = after_any(words, &ENGLISH.person.origin).filter(|place| place.first().is_some_and(Word::is_capital));
    called.or(owned).or(origin).map(|_| take(text, None, words, phrase(words)))
}

/// "I am married", "I'm left-handed", "I am 34 years old", "I am Norwegian".
pub(super) fn state<'w, 'm>(text: &TokenizedText<'m>, words: &'w [Word<'m>]) -> Option<RuleMatch<'w, 'm>> {
    if let Some(rest) = after_any(words, &ENGLISH.person.whole_states) {
        return Some(take(text, None, words, words.len() - rest.len()));
    }
    let state = after_any(words, &ENGLISH.person.i_am_a)?;
    let nation = state.first().is_some_and(Word::is_capital) && first_is(state, &ENGLISH.values.languages);
    let stated = words.len() - state.len() + 1;
    let count = after_any(state, &ENGLISH.person.married_to).map_or(stated, |_| phrase(words));
    (nation || first_is(state, &ENGLISH.values.states)).then(|| take(text, None, words, count))
}
