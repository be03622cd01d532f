//! What the user has and gets: "I have two cats", "we have a new landlord, Mrs. Winter", "we pay
//! 900 euros in rent".

use super::{
    StatementKind,
    clause::ClauseMarks,
    draft::{StatementDraft, StatementValue, extent, key_of, value, without_preposition},
    lists::{ATTRIBUTES, HAD_FOR_NOW, MOODS, OWNABLES, sort_of},
    things::measured_at,
};
use crate::language::{
    pattern::{after, after_any, first_is, is, is_number},
    words::{TokenizedText, Word},
};

/// What the user has: "two cats", "a blue Skoda", "a dentist appointment on Friday".
pub(super) fn owned<'m>(text: &TokenizedText<'m>, rest: &[Word<'m>], marks: ClauseMarks) -> Option<StatementDraft> {
    let end = extent(rest);
    let thing = &rest[..end];
    if let Some(noun) = after(thing, "no") {
        return lacked(text, noun);
    }
    let (counted, noun) = match after_any(thing, &["a|an", "my|another|some"]) {
        None if first_is(thing, &["one"]) => (thing.first(), &thing[1..]),
        Some(noun) => (None, noun),
        None if thing.first().is_some_and(is_number) => (thing.first(), &thing[1..]),
        None => return health(text, thing),
    };
    let scheduled = measured_at(noun);
    let named = noun.iter().position(|word| is(word, &["called", "named"])).filter(|&at| at > 0);
    const LINKS: &[&str] =
        &["on", "at", "in", "with", "called", "named", "for", "from", "who", "of", "to", "and", "since", "every"];
    let head_end =
        noun.iter().position(|word| is(word, LINKS)).unwrap_or(noun.len()).min(scheduled.unwrap_or(noun.len()));
    let head = noun.get(..head_end).filter(|head| !head.is_empty() && head.len() <= 4)?;
    let last = head.last()?;
    if head.iter().any(|word| is(word, HAD_FOR_NOW)) || is(last, MOODS) {
        return None;
    }
    let key = key_of(text, head);
    if let Some(at) = named {
        let name = value(text, noun.get(at + 1..)?)?;
        return Some(StatementDraft::new(format!("{key}'s name"), StatementKind::Possession, 0.85, name));
    }
    if let Some(count) = counted {
        let ownable = is(last, OWNABLES) || marks.told || marks.update;
        let value = StatementValue { text: count.text.to_owned(), replaces: None };
        return ownable.then(|| StatementDraft::new(key, StatementKind::Possession, 0.8, value));
    }
    if let Some(at) = scheduled {
        let found = value(text, without_preposition(&noun[at..]))?;
        return Some(StatementDraft::new(key, StatementKind::Attribute, 0.75, found));
    }
    if is(last, &["allergy", "intolerance"]) {
        return None;
    }
    let sort = sort_of(text.slice(head));
    let known = is(last, OWNABLES) || sort.is_some() || marks.told;
    let capital = head.iter().any(|word| word.is_capital()) && !is(last, OWNABLES) && head.len() <= 3;
    let named = if capital { "owns".to_owned() } else { last.lower.clone() };
    let key = sort.map_or(named, str::to_owned);
    let found = value(text, noun)?;
    (known || capital).then(|| StatementDraft::new(key, StatementKind::Possession, 0.7, found))
}

/// "(I have) no children", "(my dad does not have) a phone": what is not there.
pub(super) fn lacked<'m>(text: &TokenizedText<'m>, noun: &[Word<'m>]) -> Option<StatementDraft> {
    let end = noun
        .iter()
        .position(|word| is(word, &["on", "at", "in", "with", "for", "from", "to", "and", "yet", "of"]))
        .unwrap_or(noun.len());
    let head = noun.get(..end.min(extent(noun))).filter(|head| (1..=3).contains(&head.len()))?;
    if head.iter().any(|word| is(word, HAD_FOR_NOW)) || head.last().is_some_and(|last| is(last, MOODS)) {
        return None;
    }
    let none = StatementValue { text: "none".to_owned(), replaces: None };
    Some(StatementDraft::new(key_of(text, head), StatementKind::Possession, 0.75, none))
}

/// "I have asthma".
fn health<'m>(text: &TokenizedText<'m>, thing: &[Word<'m>]) -> Option<StatementDraft> {
    let ill = first_is(
        thing,
        &["asthma", "diabetes", "adhd", "dyslexia", "epilepsy", "type", "celiac", "coeliac", "arthritis", "hay"],
    );
    value(text, thing).filter(|_| ill).map(|value| StatementDraft::new("health", StatementKind::Attribute, 0.8, value))
}

/// "I bought a new car, a Polestar", "we adopted a third cat".
pub(super) fn bought<'m>(text: &TokenizedText<'m>, said: &[Word<'m>]) -> Option<StatementDraft> {
    let thing = after_any(said, &["bought|got|purchased|adopted|leased|ordered|acquired|had|took|upgraded in|to?"])?;
    let noun = after_any(thing, &["a|an|our|my|the|another"])?;
    const ORDINALS: &[(&str, &str)] =
        &[("second", "two"), ("third", "three"), ("fourth", "four"), ("fifth", "five"), ("sixth", "six")];
    if let Some((_, count)) = ORDINALS.iter().find(|(ordinal, _)| first_is(noun, &[ordinal])) {
        let kept = noun.get(1..2).filter(|kept| is(&kept[0], OWNABLES))?;
        let value = StatementValue { text: (*count).to_owned(), replaces: None };
        return Some(StatementDraft::changed(key_of(text, kept), StatementKind::Possession, 0.8, value));
    }
    if let Some(draft) = apposed(text, noun) {
        return Some(draft);
    }
    let fresh = first_is(noun, &["new"]);
    let noun = after(noun, "new").unwrap_or(noun);
    let head = noun.first()?;
    let rest = noun.get(1..)?;
    let named = after_any(rest, &["called|named"]);
    if is(head, OWNABLES) {
        let key = head.lower.clone();
        if let Some(name) = named {
            return value(text, name)
                .map(|value| StatementDraft::changed(format!("{key}'s name"), StatementKind::Possession, 0.8, value));
        }
        let make = after_any(rest, &["a|an|the|it? is? a|an|the?"]).filter(|_| head.ends_clause()).unwrap_or(rest);
        let make = after(make, "number").unwrap_or(make);
        let stated = make.first().is_some_and(|word| word.is_capital() || word.is_figure());
        return value(text, make)
            .filter(|_| stated)
            .map(|value| StatementDraft::changed(key, StatementKind::Possession, 0.8, value));
    }
    let found = value(text, noun)?;
    let sort = sort_of(&found.text);
    (sort.is_some() && (fresh || first_is(thing, &["a", "an"])))
        .then(|| StatementDraft::changed(sort.unwrap_or("uses"), StatementKind::Possession, 0.75, found))
}

/// "(we have a) new landlord, Mrs. Winter", "(there is a) new door code: 4471".
pub(super) fn apposed<'m>(text: &TokenizedText<'m>, noun: &[Word<'m>]) -> Option<StatementDraft> {
    let noun = after(noun, "new|different")?;
    let end = noun.iter().take(4).position(|word| word.after.contains([',', ':', '–', '—']))? + 1;
    let named = noun.get(end..)?;
    let named = after_any(named, &["it is", "namely"]).unwrap_or(named);
    let named = after_any(named, &["number|a|an|the"]).unwrap_or(named);
    let first = named.first()?;
    let attribute =
        is(&noun[end - 1], ATTRIBUTES) && !is(first, &["i", "we", "so", "which", "and", "but", "my", "it", "that"]);
    let clear = (first.is_capital() && !is(first, &["i"])) || first.is_figure() || attribute;
    let found = value(text, named).filter(|_| clear)?;
    Some(StatementDraft::changed(key_of(text, &noun[..end]), StatementKind::Attribute, 0.8, found))
}

/// What "I have a new X" is about, for what is said of it next.
pub(super) fn announced<'m>(text: &TokenizedText<'m>, words: &[Word<'m>]) -> Option<String> {
    let noun = after_any(words, &["i|we have|got|bought|found|chose a|an", "i|we have got a", "there is a"])?;
    let noun = after(noun, "new|different").filter(|noun| !noun.is_empty())?;
    Some(key_of(text, &noun[..extent(noun).min(4)])).filter(|key| !key.is_empty())
}

/// "We pay 900 euros in rent", "I pay 12 euros a month for Netflix".
pub(super) fn paid<'m>(text: &TokenizedText<'m>, said: &[Word<'m>]) -> Option<StatementDraft> {
    let sum = after_any(said, &["pay", "am paying"]).filter(|sum| sum.first().is_some_and(is_number))?;
    let sum = &sum[..extent(sum)];
    let at = sum.iter().position(|word| is(word, &["for", "in"])).filter(|&at| at > 0)?;
    let thing = key_of(text, &sum[at + 1..]);
    let found = value(text, &sum[..at])?;
    (!thing.is_empty()).then(|| StatementDraft::new(thing, StatementKind::Attribute, 0.85, found))
}
