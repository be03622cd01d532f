//! Requests about memory itself, and the answers to them: the phrases of each language, from its
//! file in `languages/requests/`.

use std::{
    collections::{BTreeMap, HashSet},
    sync::LazyLock,
};

use serde::Deserialize;

use super::{pattern::after, words::Word};

static LANGUAGES: LazyLock<Vec<RequestWords>> = LazyLock::new(|| {
    [
        ("en", include_str!("../../languages/requests/en.toml")),
        ("de", include_str!("../../languages/requests/de.toml")),
        ("es", include_str!("../../languages/requests/es.toml")),
        ("fr", include_str!("../../languages/requests/fr.toml")),
    ]
    .into_iter()
    .filter_map(|(code, file)| {
        // The files are part of the program, and a test reads each of them.
        let words: RequestWords = toml::from_str(file).ok()?;
        Some(RequestWords { code, ..words })
    })
    .collect()
});

/// The phrases of one language. Patterns are described in the English file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RequestWords {
    /// The language, as in `en`.
    #[serde(skip)]
    pub code: &'static str,
    /// Words around a request that say nothing.
    pub polite: Vec<String>,
    /// Forget everything about a subject.
    pub all_about: Vec<String>,
    /// Forget something of the user's own.
    pub own: Vec<String>,
    /// Forget something, where the message says that it is about memory.
    pub in_memory: Vec<String>,
    /// The message says that it is about memory.
    pub from_memory: Vec<String>,
    /// Words for what was just said.
    pub pronouns: Vec<String>,
    /// Tell what is known about the user.
    pub about_me: Vec<String>,
    /// Tell where the last answer comes from.
    pub why: Vec<String>,
    /// What was told is wrong; the right value follows.
    pub wrong: Vec<String>,
    /// Words that name nothing by themselves.
    #[serde(deserialize_with = "word_set")]
    pub empty: HashSet<String>,
    /// Notes, which have tools of their own.
    pub notes: Vec<String>,
    /// Openings before a line of the profile.
    pub set_profile: Vec<String>,
    /// What stands between the key and the value of a line.
    pub signs: Vec<String>,
    /// What stands in front of the key and is no part of it.
    pub before_key: Vec<String>,
    /// A plain yes.
    pub yes: Vec<String>,
    /// A plain no.
    pub no: Vec<String>,
    /// The answers by name.
    answers: BTreeMap<String, String>,
}

fn word_set<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<HashSet<String>, D::Error> {
    let words = String::deserialize(deserializer)?;
    Ok(words.split_whitespace().map(str::to_owned).collect())
}

impl RequestWords {
    /// All languages, English first.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        LANGUAGES.iter()
    }

    /// An answer, with these texts in its places.
    pub fn answer(&self, name: &str, places: &[(&str, &str)]) -> String {
        let text = self.answers.get(name).map_or("", String::as_str);
        let mut answer = String::new();
        let mut rest = text;
        // What is filled in may contain braces itself, so each place is filled once.
        while let Some((before, (place, after))) =
            rest.split_once('{').and_then(|(before, after)| Some((before, after.split_once('}')?)))
        {
            answer.push_str(before);
            answer.push_str(places.iter().find(|(name, _)| *name == place).map_or("", |(_, text)| text));
            rest = after;
        }
        answer + rest
    }

    /// What is left of a request without politeness around it.
    pub fn without_politeness<'w, 'm>(&self, words: &'w [Word<'m>]) -> &'w [Word<'m>] {
        let mut rest = words;
        while let Some(tail) = self.polite.iter().find_map(|polite| after(rest, polite)).filter(|tail| !tail.is_empty())
        {
            rest = tail;
        }
        while let Some(at) = (1..rest.len()).find(|at| is_all(&rest[*at..], &self.polite)) {
            rest = &rest[..at];
        }
        rest
    }
}

/// The words after a phrase that starts here. A comma after a word of the pattern asks for a pause
/// there.
pub fn follows<'w, 'm>(words: &'w [Word<'m>], pattern: &str) -> Option<&'w [Word<'m>]> {
    let mut rest = words;
    for part in pattern.split_whitespace() {
        let (part, is_pause) = part.strip_suffix(',').map_or((part, false), |part| (part, true));
        let tail = after(rest, part)?;
        let taken = rest.len() - tail.len();
        if is_pause && !rest[..taken].last().is_some_and(Word::ends_clause) {
            return None;
        }
        rest = tail;
    }
    Some(rest)
}

/// What a request with one of these patterns is about: the words at its `*`, or all that follow.
pub fn subject<'w, 'm>(words: &'w [Word<'m>], patterns: &[String]) -> Option<&'w [Word<'m>]> {
    patterns.iter().find_map(|pattern| {
        let (before, behind) = pattern.split_once('*').unwrap_or((pattern, ""));
        let named = follows(words, before)?;
        if behind.trim().is_empty() {
            return Some(named);
        }
        let end = (1..named.len()).find(|at| follows(&named[*at..], behind).is_some_and(<[_]>::is_empty))?;
        Some(&named[..end])
    })
}

/// Whether a phrase is all of these words.
pub fn is_all(words: &[Word<'_>], patterns: &[String]) -> bool {
    patterns.iter().any(|pattern| follows(words, pattern).is_some_and(<[_]>::is_empty))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_all_answers_with_the_same_places() {
        let codes: Vec<&str> = RequestWords::all().map(|words| words.code).collect();
        assert_eq!(codes, ["en", "de", "es", "fr"]);
        let places = |text: &str| {
            let mut places: Vec<String> =
                text.split('{').skip(1).map(|part| part.split_once('}').unwrap().0.to_owned()).collect();
            places.sort();
            places
        };
        let english = RequestWords::all().next().unwrap();
        for words in RequestWords::all() {
            assert!(words.answers.keys().eq(english.answers.keys()), "{}: {:?}", words.code, words.answers.keys());
            for (name, text) in &words.answers {
                assert_eq!(places(text), places(&english.answers[name]), "{}: {name}", words.code);
            }
        }
    }

    #[test]
    fn a_place_is_filled_with_the_text_as_it_is() {
        let english = RequestWords::all().next().unwrap();
        let places = [("key", "{value}"), ("value", "4711"), ("day", "2026-03-03")];
        assert_eq!(english.answer("known_line", &places), "{value}: 4711 (since 2026-03-03)");
    }
}
