//! Detects answers that only repeat recalled items: they belong to the conversation but add nothing
//! to memory.

use std::collections::BTreeSet;

/// The tag of an entry that only repeats known items.
pub const REPEATS: &str = "repeats";

/// Longer answers say more than they repeat.
const WORDS_MAX: usize = 80;
/// An answer that quotes a recalled text of at least this many words is a quotation.
const QUOTE_WORDS_MIN: usize = 3;
/// The share of an answer's words that come from recalled texts.
const SHARE_MIN: f32 = 0.6;

/// Whether an answer adds nothing to the recalled texts: it is a quotation, or has mostly the same
/// words.
pub fn repeats(answer: &str, told: &[String]) -> bool {
    let said = words(answer);
    if said.is_empty() || said.len() > WORDS_MAX {
        return false;
    }
    let is_quoted = |text: &String| {
        let text = words(text);
        text.len() >= QUOTE_WORDS_MIN && said.windows(text.len()).any(|window| window == text)
    };
    if told.iter().any(is_quoted) {
        return true;
    }
    let known: BTreeSet<String> = told.iter().flat_map(|text| words(text)).collect();
    let solid: Vec<&String> = said.iter().filter(|word| !is_filler(word)).collect();
    let repeated = solid.iter().filter(|word| known.contains(**word)).count();
    !solid.is_empty() && repeated as f32 >= SHARE_MIN * solid.len() as f32
}

fn words(text: &str) -> Vec<String> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, ':' | '\'' | '.' | '-');
    let words = text.split(|c: char| !is_part(c)).map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

fn is_filler(word: &str) -> bool {
    const FILLERS: &[&str] = &[
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "for",
        "from",
        "have",
        "i",
        "i'll",
        "in",
        "is",
        "it",
        "known",
        "noted",
        "now",
        "of",
        "ok",
        "on",
        "remember",
        "said",
        "that",
        "the",
        "this",
        "to",
        "told",
        "was",
        "were",
        "with",
        "you",
        "your",
        "you're",
        "thanks",
        "got",
        "my",
        "me",
        "since",
        "until",
        "current",
        "currently",
    ];
    FILLERS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told() -> Vec<String> {
        vec!["My 5k time is 25:50 now.".to_owned(), "5k time".to_owned(), "25:50".to_owned()]
    }

    #[test]
    fn confirming_and_quoting_is_repeating() {
        assert!(repeats("Noted: 5k time: 25:50.", &told()));
        assert!(repeats("Your 5k time is 25:50.", &told()));
        let quoted = "Earlier in this conversation, on 15 November 2026, you said: \"My 5k time is 25:50 now.\"";
        assert!(repeats(quoted, &told()));
    }

    #[test]
    fn an_answer_with_something_of_its_own_is_none() {
        let answer = "With 25:50 over 5k you could aim for a half marathon under two hours; build up to 40 km a week.";
        assert!(!repeats(answer, &told()));
        assert!(!repeats("The capital of Austria is Vienna.", &told()));
        assert!(!repeats("", &told()));
        assert!(!repeats("Anything.", &[]));
    }
}
