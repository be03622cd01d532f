//! The built-in English sentences, in several files that are read as one.

use crate::source::GrammarSection;

/// The first file has the language and the words that the others share.
const TEXT: &str = concat!(
    include_str!("../../sentences/en/words.toml"),
    include_str!("../../sentences/en/switching.toml"),
    include_str!("../../sentences/en/openings.toml"),
    include_str!("../../sentences/en/lights.toml"),
    include_str!("../../sentences/en/climate.toml"),
    include_str!("../../sentences/en/media.toml"),
    include_str!("../../sentences/en/questions.toml"),
    include_str!("../../sentences/en/questions-openings.toml"),
    include_str!("../../sentences/en/timers.toml"),
    include_str!("../../sentences/en/chores.toml"),
);

pub(super) fn part() -> Result<GrammarSection, toml::de::Error> {
    toml::from_str(TEXT)
}
