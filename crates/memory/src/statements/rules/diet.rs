//! The user's diet and allergies.

use super::{
    RuleMatch, list,
    lists::{DIETS, FOODS},
    take,
};
use crate::language::{
    pattern::{after, after_any, first_is, is},
    words::{TokenizedText, Word},
};

/// How a diet is stated, up to its name.
const DIET_OPENINGS: &[&str] = &[
    // Before "i am", which would match it too.
    "i am on a",
    "i am now|also|still|strictly|actually|fully|mostly? a|an? strict?",
    "i eat only|strictly?",
    "i have become|gone|turned a?",
    "i became|went|turned a?",
    "my diet is",
    "i follow|keep a?",
];

/// How an allergy is stated, up to its cause.
const ALLERGY_OPENINGS: &[&str] = &[
    "i am also|very|severely|highly|extremely|deathly|mildly? allergic to",
    "i have an? severe|bad? allergy to",
    "i am intolerant to",
    "my allergies are",
    "my allergy is",
];

/// "I'm vegan", "I don't eat pork", "I am no longer vegetarian".
pub(super) fn diet<'w, 'm>(text: &TokenizedText<'m>, words: &'w [Word<'m>]) -> Option<RuleMatch<'w, 'm>> {
    if let Some(food) = after_any(words, &["i do not eat any?", "i never eat", "i can not eat any?"]) {
        let found = list(text, "diet", food).filter(|_| first_is(food, FOODS))?;
        return Some(RuleMatch { value: format!("no {}", found.value), ..found });
    }
    if let Some(rest) = after_any(words, &["i am not a? vegan|vegetarian", "i am no longer a? vegan|vegetarian"]) {
        let stated = &words[..words.len() - rest.len()];
        let diet = stated.last()?;
        return Some(RuleMatch {
            key: Some("diet"),
            value: format!("not {}", diet.lower),
            closed: diet.ends_clause(),
            rest: after(rest, "any? more").unwrap_or(rest),
        });
    }
    let named = after_any(words, DIET_OPENINGS).filter(|named| first_is(named, DIETS))?;
    let found = take(text, Some("diet"), named, 1);
    let value = found.value.to_lowercase();
    match after(found.rest, "diet").filter(|_| !found.closed) {
        Some(rest) => Some(RuleMatch { value, closed: found.rest[0].ends_clause(), rest, ..found }),
        None => Some(RuleMatch { value, ..found }),
    }
}

/// "I am allergic to nuts", "I have a nut allergy", "I'm lactose intolerant".
pub(super) fn allergy<'w, 'm>(text: &TokenizedText<'m>, words: &'w [Word<'m>]) -> Option<RuleMatch<'w, 'm>> {
    if let Some(to) = after_any(words, ALLERGY_OPENINGS) {
        return list(text, "allergy", to);
    }
    let cause = after_any(words, &["i have a|an severe|bad?", "i am"])?;
    let (noun, rest) = cause.get(1..)?.split_first()?;
    let found = take(text, Some("allergy"), cause, 1);
    is(noun, &["allergy", "intolerant", "intolerance"]).then(|| RuleMatch { closed: noun.ends_clause(), rest, ..found })
}
