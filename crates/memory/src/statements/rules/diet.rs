//! The user's diet and allergies.

use super::{RuleMatch, list, take};
use crate::language::{
    pattern::{after_any, first_is, is},
    rule_words::ENGLISH,
    words::{TokenizedText, Word},
};

/// "I'm vegan", "I don't eat pork", "I am no longer vegetarian".
pub(super) fn diet<'w, 'm>(text: &TokenizedText<'m>, words: &'w [Word<'m>]) -> Option<RuleMatch<'w, 'm>> {
    if let Some(food) = after_any(words, &ENGLISH.diet.not_eaten) {
        let found = list(text, "diet", food).filter(|_| first_is(food, &ENGLISH.values.foods))?;
        return Some(RuleMatch { value: format!("no {}", found.value), ..found });
    }
    if let Some(rest) = after_any(words, &ENGLISH.diet.denied) {
        let stated = &words[..words.len() - rest.len()];
        let diet = stated.last()?;
        return Some(RuleMatch {
            key: Some("diet"),
            value: format!("not {}", diet.lower),
            closed: diet.ends_clause(),
            rest: after_any(rest, &ENGLISH.diet.any_more).unwrap_or(rest),
        });
    }
    let named = after_any(words, &ENGLISH.diet.diet_openings).filter(|named| first_is(named, &ENGLISH.values.diets))?;
    let found = take(text, Some("diet"), named, 1);
    let value = found.value.to_lowercase();
    match after_any(found.rest, &ENGLISH.diet.diet).filter(|_| !found.closed) {
        Some(rest) => Some(RuleMatch { value, closed: found.rest[0].ends_clause(), rest, ..found }),
        None => Some(RuleMatch { value, ..found }),
    }
}

/// "I am allergic to nuts", "I have a nut allergy", "I'm lactose intolerant".
pub(super) fn allergy<'w, 'm>(text: &TokenizedText<'m>, words: &'w [Word<'m>]) -> Option<RuleMatch<'w, 'm>> {
    if let Some(to) = after_any(words, &ENGLISH.diet.allergy_openings) {
        return list(text, "allergy", to);
    }
    let cause = after_any(words, &ENGLISH.diet.allergy_before_cause)?;
    let (noun, rest) = cause.get(1..)?.split_first()?;
    let found = take(text, Some("allergy"), cause, 1);
    is(noun, &ENGLISH.diet.allergy_nouns).then(|| RuleMatch { closed: noun.ends_clause(), rest, ..found })
}
