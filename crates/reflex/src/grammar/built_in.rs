//! The built-in sentences. Those of languages other than English are the ones that need their words
//! in order; all else is read by frames, with the lexicon of the language.

use super::english;
use crate::source::GrammarSection;

/// The sentences of a language; `None` if it has none.
pub(super) fn part(language: &str) -> Option<Result<GrammarSection, toml::de::Error>> {
    if language == "en" {
        return Some(english::part());
    }
    text(language).map(toml::from_str)
}

fn text(language: &str) -> Option<&'static str> {
    Some(match language {
        "de" => include_str!("../../sentences/de/sentences.toml"),
        "es" => include_str!("../../sentences/es/sentences.toml"),
        "fr" => include_str!("../../sentences/fr/sentences.toml"),
        "it" => include_str!("../../sentences/it/sentences.toml"),
        "nl" => include_str!("../../sentences/nl/sentences.toml"),
        _ => return None,
    })
}
