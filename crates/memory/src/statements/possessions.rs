//! What the user has and gets: "I have two cats", "we have a new landlord, Mrs. Winter", "we pay
//! 900 euros in rent".

use super::{
    StatementKind,
    clause::ClauseMarks,
    draft::{StatementDraft, StatementValue, extent, key_of, value, without_preposition},
    lists::sort_of,
    things::measured_at,
};
use crate::language::{
    pattern::{after_any, first_is, is, is_number},
    rule_words::ENGLISH,
    words::{TokenizedText, Word},
};

/// What the user has: "two cats", "a blue Skoda", "a dentist appointment on Friday".
pub(super) fn owned<'m>(text: &TokenizedText<'m>, rest: &[Word<'m>], marks: ClauseMarks) -> Option<StatementDraft> {
    let end = extent(rest);
    let thing = &rest[..end];
    if let Some(noun) = after_any(thing, &ENGLISH.grammar.no) {
        return lacked(text, noun);
    }
    let (counted, noun) = match after_any(thing, &ENGLISH.possessions.owned_articles) {
        None if first_is(thing, &ENGLISH.grammar.one) => (thing.first(), &thing[1..]),
        Some(noun) => (None, noun),
        None if thing.first().is_some_and(is_number) => (thing.first(), &thing[1..]),
        None => return health(text, thing),
    };
    let scheduled = measured_at(noun);
    let named = noun.iter().position(|word| is(word, &ENGLISH.grammar.called)).filter(|&at| at > 0);
    let head_end = noun
        .iter()
        .position(|word| is(word, &ENGLISH.possessions.links))
        .unwrap_or(noun.len())
        .min(scheduled.unwrap_or(noun.len()));
    let head = noun.get(..head_end).filter(|head| !head.is_empty() && head.len() <= 4)?;
    let last = head.last()?;
    if head.iter().any(|word| is(word, &ENGLISH.nouns.had_for_now)) || is(last, &ENGLISH.nouns.moods) {
        return None;
    }
    let key = key_of(text, head);
    if let Some(at) = named {
        let name = value(text, noun.get(at + 1..)?)?;
        return Some(StatementDraft::new(format!("{key}'s name"), StatementKind::Possession, 0.85, name));
    }
    if let Some(count) = counted {
        let ownable = is(last, &ENGLISH.nouns.ownables) || marks.told || marks.update;
        let value = StatementValue { text: count.text.to_owned(), replaces: None };
        return ownable.then(|| StatementDraft::new(key, StatementKind::Possession, 0.8, value));
    }
    if let Some(at) = scheduled {
        let found = value(text, without_preposition(&noun[at..]))?;
        return Some(StatementDraft::new(key, StatementKind::Attribute, 0.75, found));
    }
    if is(last, &ENGLISH.possessions.allergies) {
        return None;
    }
    let sort = sort_of(text.slice(head));
    let known = is(last, &ENGLISH.nouns.ownables) || sort.is_some() || marks.told;
    let capital = head.iter().any(|word| word.is_capital()) && !is(last, &ENGLISH.nouns.ownables) && head.len() <= 3;
    let named = if capital { "owns".to_owned() } else { last.lower.clone() };
    let key = sort.map_or(named, str::to_owned);
    let found = value(text, noun)?;
    (known || capital).then(|| StatementDraft::new(key, StatementKind::Possession, 0.7, found))
}

/// "(I have) no children", "(my dad does not have) a phone": what is not there.
pub(super) fn lacked<'m>(text: &TokenizedText<'m>, noun: &[Word<'m>]) -> Option<StatementDraft> {
    let end = noun.iter().position(|word| is(word, &ENGLISH.possessions.lacked_end)).unwrap_or(noun.len());
    let head = noun.get(..end.min(extent(noun))).filter(|head| (1..=3).contains(&head.len()))?;
    if head.iter().any(|word| is(word, &ENGLISH.nouns.had_for_now))
        || head.last().is_some_and(|last| is(last, &ENGLISH.nouns.moods))
    {
        return None;
    }
    let none = StatementValue { text: "none".to_owned(), replaces: None };
    Some(StatementDraft::new(key_of(text, head), StatementKind::Possession, 0.75, none))
}

/// "I have asthma".
fn health<'m>(text: &TokenizedText<'m>, thing: &[Word<'m>]) -> Option<StatementDraft> {
    let ill = first_is(thing, &ENGLISH.possessions.illnesses);
    value(text, thing).filter(|_| ill).map(|value| StatementDraft::new("health", StatementKind::Attribute, 0.8, value))
}

/// "I bought a new car, a Polestar", "we adopted a third cat".
pub(super) fn bought<'m>(text: &TokenizedText<'m>, said: &[Word<'m>]) -> Option<StatementDraft> {
    let thing = after_any(said, &ENGLISH.possessions.bought)?;
    let noun = after_any(thing, &ENGLISH.possessions.bought_articles)?;
    if let Some((_, count)) = ENGLISH.possessions.ordinals.iter().find(|(ordinal, _)| first_is(noun, &[ordinal])) {
        let kept = noun.get(1..2).filter(|kept| is(&kept[0], &ENGLISH.nouns.ownables))?;
        let value = StatementValue { text: (*count).to_owned(), replaces: None };
        return Some(StatementDraft::changed(key_of(text, kept), StatementKind::Possession, 0.8, value));
    }
    if let Some(draft) = apposed(text, noun) {
        return Some(draft);
    }
    let fresh = first_is(noun, &ENGLISH.grammar.new);
    let noun = after_any(noun, &ENGLISH.grammar.new).unwrap_or(noun);
    let head = noun.first()?;
    let rest = noun.get(1..)?;
    let named = after_any(rest, &ENGLISH.grammar.called);
    if is(head, &ENGLISH.nouns.ownables) {
        let key = head.lower.clone();
        if let Some(name) = named {
            return value(text, name)
                .map(|value| StatementDraft::changed(format!("{key}'s name"), StatementKind::Possession, 0.8, value));
        }
        let make = after_any(rest, &ENGLISH.possessions.apposition).filter(|_| head.ends_clause()).unwrap_or(rest);
        let make = after_any(make, &ENGLISH.possessions.number).unwrap_or(make);
        let stated = make.first().is_some_and(|word| word.is_capital() || word.is_figure());
        return value(text, make)
            .filter(|_| stated)
            .map(|value| StatementDraft::changed(key, StatementKind::Possession, 0.8, value));
    }
    let found = value(text, noun)?;
    let sort = sort_of(&found.text);
    (sort.is_some() && (fresh || first_is(thing, &ENGLISH.grammar.articles)))
        .then(|| StatementDraft::changed(sort.unwrap_or("uses"), StatementKind::Possession, 0.75, found))
}

/// "(we have a) new landlord, Mrs. Winter", "(there is a) new door code: 4471".
pub(super) fn apposed<'m>(text: &TokenizedText<'m>, noun: &[Word<'m>]) -> Option<StatementDraft> {
    let noun = after_any(noun, &ENGLISH.grammar.new_or_different)?;
    let end = noun.iter().take(4).position(|word| word.after.contains([',', ':', '–', '—']))? + 1;
    let named = noun.get(end..)?;
    let named = after_any(named, &ENGLISH.grammar.namely).unwrap_or(named);
    let named = after_any(named, &ENGLISH.possessions.apposed_articles).unwrap_or(named);
    let first = named.first()?;
    let attribute = is(&noun[end - 1], &ENGLISH.nouns.attributes) && !is(first, &ENGLISH.possessions.not_apposed);
    let clear = (first.is_capital() && !is(first, &ENGLISH.grammar.i)) || first.is_figure() || attribute;
    let found = value(text, named).filter(|_| clear)?;
    Some(StatementDraft::changed(key_of(text, &noun[..end]), StatementKind::Attribute, 0.8, found))
}

/// What "I have a new X" is about, for what is said of it next.
pub(super) fn announced<'m>(text: &TokenizedText<'m>, words: &[Word<'m>]) -> Option<String> {
    let noun = after_any(words, &ENGLISH.possessions.announced)?;
    let noun = after_any(noun, &ENGLISH.grammar.new_or_different).filter(|noun| !noun.is_empty())?;
    Some(key_of(text, &noun[..extent(noun).min(4)])).filter(|key| !key.is_empty())
}

/// "We pay 900 euros in rent", "I pay 12 euros a month for Netflix".
pub(super) fn paid<'m>(text: &TokenizedText<'m>, said: &[Word<'m>]) -> Option<StatementDraft> {
    let sum = after_any(said, &ENGLISH.possessions.pays).filter(|sum| sum.first().is_some_and(is_number))?;
    let sum = &sum[..extent(sum)];
    let at = sum.iter().position(|word| is(word, &ENGLISH.possessions.paid_for)).filter(|&at| at > 0)?;
    let thing = key_of(text, &sum[at + 1..]);
    let found = value(text, &sum[..at])?;
    (!thing.is_empty()).then(|| StatementDraft::new(thing, StatementKind::Attribute, 0.85, found))
}
