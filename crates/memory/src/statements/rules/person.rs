//! Who the user is: name, home, birthday, work, family.

use super::{
    RuleMatch,
    lists::{FAMILY, JOBS, LANGUAGES, NO_NAMES, NO_PLACES, STATES},
    named, phrase,
    preferences::LASTING,
    take,
};
use crate::language::{
    calendar::MONTHS,
    pattern::{after, after_any, first_is, is},
    words::{TokenizedText, Word},
};

/// How a name is stated, up to the name.
const NAME_OPENINGS: &[&str] = &[
    "my first|full|real|preferred? name is",
    "you? can|may|should? call me",
    "i am called",
    "i go by",
    "everyone calls me",
    "my friends call me",
];

/// How a home is stated, up to the place.
const HOME_OPENINGS: &[&str] = &[
    "i now|currently? live in",
    "i am now|currently? living in",
    "i am based in",
    "i have just? moved to",
    "i just|recently? moved to",
    "my home|house|flat|apartment is in",
    "we live in",
];

/// "My name is Ada", "call me Ada", "Hi, I'm Ada".
pub(super) fn name<'w, 'm>(text: &TokenizedText<'m>, words: &'w [Word<'m>]) -> Option<RuleMatch<'w, 'm>> {
    let lasting = after_any(words, LASTING).unwrap_or(words);
    if let Some(called) = after_any(lasting, NAME_OPENINGS) {
        return named(text, "name", called, NO_NAMES);
    }
    // "I'm Ada" alone could be a mood or a nation; after a greeting it introduces.
    let greeted = text.words.first().is_some_and(|word| is(word, &["hi", "hello", "hey"]));
    let called = after(words, "i am").filter(|called| greeted && called.first().is_some_and(Word::is_capital))?;
    let other = [LANGUAGES, STATES, JOBS].iter().any(|list| first_is(called, list));
    let whole = |found: &RuleMatch<'_, '_>| found.closed || found.rest.is_empty() || first_is(found.rest, &["and"]);
    named(text, "name", called, NO_NAMES).filter(|found| !other && whole(found))
}

/// "I live in Oslo", "I just moved to the Netherlands".
pub(super) fn home<'w, 'm>(text: &TokenizedText<'m>, words: &'w [Word<'m>]) -> Option<RuleMatch<'w, 'm>> {
    if let Some(address) = after(words, "my home? address is") {
        return address.iter().any(Word::is_figure).then(|| take(text, Some("home"), address, address.len()));
    }
    let place = after_any(words, HOME_OPENINGS)?;
    if first_is(place, &["a", "an"]) && first_is(words, &["i"]) {
        return Some(take(text, None, words, phrase(words)));
    }
    let the = after(place, "the").filter(|place| place.first().is_some_and(Word::is_capital));
    let found = named(text, "home", the.unwrap_or(place), NO_PLACES)?;
    // "Oslo, Norway" is one place.
    let country = found.rest.first().filter(|word| found.closed && word.is_capital() && !is(word, &["i"]));
    let joined = country.is_some_and(|word| found.rest.len() == 1 || word.ends_clause());
    Some(take(text, Some("home"), place, place.len() - found.rest.len() + usize::from(joined)))
}

/// "My birthday is 3 May", "I was born on 3 May 1990".
pub(super) fn birthday<'w, 'm>(text: &TokenizedText<'m>, words: &'w [Word<'m>]) -> Option<RuleMatch<'w, 'm>> {
    let date = after_any(words, &["my birthday is on|in? the?", "my date of birth is", "i was born on|in the?"])?;
    // "My birthday is tomorrow" needs a clock; without a day or a month it is no lasting fact.
    let is_date = |word: &Word<'_>| word.is_figure() || is(word, MONTHS);
    let count = date.iter().take_while(|word| is_date(word) || is(word, &["of", "the"])).count();
    date.first().filter(|word| is_date(word)).map(|_| take(text, Some("birthday"), date, count))
}

/// "I work as a nurse", "I'm a software engineer", "I am retired".
pub(super) fn job<'w, 'm>(text: &TokenizedText<'m>, words: &'w [Word<'m>]) -> Option<RuleMatch<'w, 'm>> {
    let works = after_any(words, &["i work as a|an", "i am working as a|an"]);
    let named =
        after_any(words, &["i work as", "my profession|occupation is a|an?"]).filter(|work| first_is(work, JOBS));
    if let Some(work) = works.or(named).filter(|work| !work.is_empty()) {
        return Some(take(text, Some("job"), work, phrase(work)));
    }
    if let Some(place) = after(words, "i work at|for|in").filter(|place| place.first().is_some_and(Word::is_capital)) {
        return Some(take(text, None, words, words.len() - place.len() + phrase(place)));
    }
    let state = after(words, "i am now|currently|recently?")?;
    if first_is(state, &["retired", "unemployed", "self-employed"]) {
        return Some(take(text, Some("job"), state, 1));
    }
    let work = after(state, "a|an")?;
    // "A software engineer": the trade is the last of at most three words.
    let trade = work.iter().take(phrase(work).min(3)).position(|word| is(word, JOBS))?;
    let place =
        after_any(&work[trade + 1..], &["at|for", "in"]).filter(|place| place.first().is_some_and(Word::is_capital));
    let count = place.map_or(trade + 1, |_| phrase(work));
    Some(take(text, Some("job"), work, count))
}

/// "My dog is called Rex", "I have two kids", "I am from Norway".
pub(super) fn relation<'w, 'm>(text: &TokenizedText<'m>, words: &'w [Word<'m>]) -> Option<RuleMatch<'w, 'm>> {
    let of = after(words, "my").and_then(|words| words.get(1..)).unwrap_or_default();
    let called = after_any(of, &["is called|named", "name is", "birthday is on?"])
        .filter(|called| called.first().is_some_and(|word| word.is_capital() || word.is_figure()));
    let owned = after(words, "i have a|an|#").filter(|owned| first_is(owned, FAMILY));
    let origin = after_any(words, &["i am originally? from the?", "i was born in the?", "i come from the?"])
        .filter(|place| place.first().is_some_and(Word::is_capital));
    called.or(owned).or(origin).map(|_| take(text, None, words, phrase(words)))
}

/// "I am married", "I'm left-handed", "I am 34 years old", "I am Norwegian".
pub(super) fn state<'w, 'm>(text: &TokenizedText<'m>, words: &'w [Word<'m>]) -> Option<RuleMatch<'w, 'm>> {
    if let Some(rest) = after_any(words, &["i am # years old", "i live alone"]) {
        return Some(take(text, None, words, words.len() - rest.len()));
    }
    let state = after(words, "i am a?")?;
    let nation = state.first().is_some_and(Word::is_capital) && first_is(state, LANGUAGES);
    let stated = words.len() - state.len() + 1;
    let count = after(state, "married to").map_or(stated, |_| phrase(words));
    (nation || first_is(state, STATES)).then(|| take(text, None, words, count))
}
