//! Words that make a command none for now, in all languages that have sentences: "not", "if",
//! "why", "tomorrow". `conditions.toml` is the table of them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::text::{NormalizedText, is_word};

/// The words of a language.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ConditionWords {
    not: Vec<String>,
    #[serde(rename = "if")]
    conditions: Vec<String>,
    #[serde(rename = "why")]
    questions: Vec<String>,
    #[serde(rename = "when")]
    times: Vec<String>,
}

/// Languages whose words are not separated by spaces.
const UNSPACED: &[&str] = &["ja", "th", "zh"];

/// A phrase, folded, with whether it negates or asks.
type ConditionPhrase = (Vec<char>, bool);

// A test parses it: a mistake in it is found before it is built in.
static TABLE: LazyLock<BTreeMap<String, Vec<ConditionPhrase>>> = LazyLock::new(|| {
    let parsed: BTreeMap<String, ConditionWords> = toml::from_str(include_str!("conditions.toml")).unwrap_or_default();
    let phrases = |words: ConditionWords| {
        let folded = |phrase: &String| NormalizedText::new(phrase).folded().to_vec();
        let loose = words.not.iter().chain(&words.questions).map(|phrase| (folded(phrase), true));
        loose.chain(words.conditions.iter().chain(&words.times).map(|phrase| (folded(phrase), false))).collect()
    };
    parsed.into_iter().map(|(language, words)| (language, phrases(words))).collect()
});

/// Whether a text negates, is conditional, asks, or is about another time. A language that is not
/// in the table has no such words.
pub fn has_condition(language: &str, text: &str) -> bool {
    any_phrase(language, text, |_, _| true)
}

/// Whether what is to be played has a condition or a time in it, or ends with a negation. Titles
/// begin with negations and have them within: "play Don't Stop Me Now".
pub fn ends_conditionally(language: &str, title: &str) -> bool {
    any_phrase(language, title, |is_loose, is_last| !is_loose || is_last)
}

/// Whether a text has a phrase that counts, by whether it negates or asks, and is last.
fn any_phrase(language: &str, text: &str, counts: impl Fn(bool, bool) -> bool) -> bool {
    let normalized = NormalizedText::new(text);
    let text = normalized.folded();
    let family = language.split(['-', '_']).next().unwrap_or_default();
    let is_unspaced = UNSPACED.contains(&family);
    let Some(phrases) = TABLE.get(language).or_else(|| TABLE.get(family)) else { return false };
    let is_part = |at: usize| text.get(at).is_some_and(|&next| is_word(next));
    let is_whole = |from: usize, to: usize| is_unspaced || (from == 0 || !is_part(from - 1)) && !is_part(to);
    phrases.iter().any(|(phrase, is_loose)| {
        text.windows(phrase.len().max(1)).enumerate().any(|(at, window)| {
            let end = at + phrase.len();
            window == phrase.as_slice() && is_whole(at, end) && counts(*is_loose, end == text.len())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_read_whole() {
        let parsed: Result<BTreeMap<String, ConditionWords>, _> = toml::from_str(include_str!("conditions.toml"));
        assert_eq!(parsed.map(|table| table.len()), Ok(65));
    }

    #[test]
    fn a_title_may_negate_and_a_command_may_not() {
        for (title, expected) in [
            ("Don't Stop Me Now", false),
            ("jazz tomorrow", true),
            ("jazz if it rains", true),
            ("the last song not", true),
            ("some jazz", false),
        ] {
            assert_eq!(ends_conditionally("en", title), expected, "{title}");
        }
    }

    #[test]
    fn a_condition_is_a_whole_word_or_phrase() {
        for (language, text, expected) in [
            ("pl", "Nie włączaj światła", true),
            ("pl", "włącz światło w dnie", false),
            ("pt-BR", "acenda a luz mais tarde!", true),
            ("pt-BR", "acenda mais luz", false),
            ("nb-NO", "slå på lyset i morgen", true),
            ("zh-CN", "明天打开灯", true),
            ("zh-CN", "打开灯", false),
            ("ja", "もし雨なら電気をつけて", true),
            ("xx", "not", false),
        ] {
            assert_eq!(has_condition(language, text), expected, "{language} {text}");
        }
    }
}
