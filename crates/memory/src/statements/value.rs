//! Comparison of values.

use crate::language::rule_words::ENGLISH;
use std::collections::BTreeSet;

use crate::language::calendar;

fn figures(word: &str) -> Option<&'static str> {
    let also = || ENGLISH.value.as_numbers.iter().find(|(name, _)| *name == word).map(|(_, figures)| *figures);
    calendar::number(word).or_else(also)
}

/// The word without its plural ending.
pub(super) fn stem(word: &str) -> String {
    if word.chars().count() <= 3 || word.ends_with("ss") || word.ends_with("us") || word.ends_with("is") {
        return word.to_owned();
    }
    if let Some(root) = word.strip_suffix("ies") {
        return format!("{root}y");
    }
    for (ending, keep) in [("sses", 2), ("shes", 2), ("ches", 2), ("xes", 1), ("s", 0)] {
        if let Some(root) = word.strip_suffix(ending) {
            return format!("{root}{}", &ending[..keep]);
        }
    }
    word.to_owned()
}

/// The content words of a text, normalized: lower case, singular, numbers in figures.
pub(super) fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase().replace('’', "'");
    lower
        .split(|c: char| c.is_whitespace() || c == ';' || c == '"' || c == '(' || c == ')')
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && !"€$£%+#".contains(c)))
        .map(|word| word.strip_suffix("'s").unwrap_or(word))
        .filter(|word| !word.is_empty() && !ENGLISH.value.empty.contains(word))
        .map(|word| figures(word).map_or_else(|| stem(word), str::to_owned))
        .collect()
}

fn set(text: &str) -> BTreeSet<String> {
    words(text).into_iter().collect()
}

/// Whether a word has a digit in it.
pub(super) fn is_figure(word: &str) -> bool {
    word.contains(|c: char| c.is_ascii_digit())
}

/// Whether two values say the same.
pub(super) fn same_value(a: &str, b: &str) -> bool {
    a == b || set(a) == set(b)
}

/// Whether one value only says more of the same: "Oslo" and "Oslo, Norway".
pub(super) fn refines(a: &str, b: &str) -> bool {
    let (a, b) = (set(a), set(b));
    let (small, large) = if a.len() <= b.len() { (&a, &b) } else { (&b, &a) };
    let extra = large.difference(small).any(|word| is_figure(word) || ENGLISH.value.denials.contains(&word.as_str()));
    !small.is_empty() && small.is_subset(large) && !extra
}

/// Whether all words of `part` occur in `whole`.
pub(super) fn mentions(whole: &str, part: &str) -> bool {
    let part = set(part);
    !part.is_empty() && part.is_subset(&set(whole))
}

/// Whether two values are of the same thing in another number: "two coffees a day" and "one coffee
/// a day".
pub(super) fn other_number(a: &str, b: &str) -> bool {
    let parts = |text: &str| -> (BTreeSet<String>, BTreeSet<String>) {
        set(text).into_iter().partition(|word| is_figure(word))
    };
    let ((numbers_a, words_a), (numbers_b, words_b)) = (parts(a), parts(b));
    numbers_a != numbers_b
        && !numbers_a.is_empty()
        && !numbers_b.is_empty()
        && (words_a == words_b || (words_a.is_empty() || words_b.is_empty()))
}

/// Whether two values are of the same sort by their last word: "aisle seats" and "window seats".
pub(super) fn same_head(a: &str, b: &str) -> bool {
    words(a).last().is_some_and(|head| words(b).last() == Some(head))
}
