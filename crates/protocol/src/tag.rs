//! Tags: free words on messages, by which a context is picked and by which it decides what leaves it first.

use std::{collections::BTreeSet, fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The longest tag.
const TAG_CHARS_MAX: usize = 64;

/// Why a text is no tag.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{excerpt}` is no tag: a tag has 1 to {TAG_CHARS_MAX} characters, none of them a space or a control character"
)]
pub struct TagError {
    excerpt: String,
}

/// A free word on a message, as in `important` or `context:lights`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct Tag(#[schemars(length(min = 1, max = 64), regex(pattern = r"^\S+$"))] String);

/// The tags of a message, each once.
pub type Tags = BTreeSet<Tag>;

impl Tag {
    /// The tag of what leaves a context last.
    pub const IMPORTANT: &str = "important";
    /// The tag of what leaves a context first.
    pub const EPHEMERAL: &str = "ephemeral";

    /// The tag that every message of a user has.
    pub fn input() -> Self {
        Self("input".to_owned())
    }

    /// The tag that every answer has.
    pub fn output() -> Self {
        Self("output".to_owned())
    }

    /// The tag that every round of calls has.
    pub fn tool_call() -> Self {
        Self("tool_call".to_owned())
    }

    /// The tag as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether what has it leaves a context last.
    pub fn is_important(&self) -> bool {
        self.0 == Self::IMPORTANT
    }

    /// Whether what has it leaves a context first.
    pub fn is_ephemeral(&self) -> bool {
        self.0 == Self::EPHEMERAL
    }
}

impl TryFrom<String> for Tag {
    type Error = TagError;

    fn try_from(text: String) -> Result<Self, TagError> {
        let length = text.chars().count();
        let is_bad = |char: char| char.is_control() || char.is_whitespace();
        if length == 0 || length > TAG_CHARS_MAX || text.chars().any(is_bad) {
            return Err(TagError { excerpt: text.chars().take(TAG_CHARS_MAX).collect() });
        }
        Ok(Self(text))
    }
}

impl FromStr for Tag {
    type Err = TagError;

    fn from_str(text: &str) -> Result<Self, TagError> {
        Self::try_from(text.to_owned())
    }
}

impl From<Tag> for String {
    fn from(tag: Tag) -> String {
        tag.0
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_one_short_word() {
        for good in ["important", "context:lights", "a", "größe", &"x".repeat(64)] {
            assert_eq!(good.parse::<Tag>().unwrap().as_str(), good);
        }
        for bad in ["", " ", "two words", "line\nbreak", "bell\u{7}", "wide\u{3000}space", &"x".repeat(65)] {
            let error = bad.parse::<Tag>().unwrap_err().to_string();
            assert!(error.contains("1 to 64 characters"), "{error}");
        }
    }

    #[test]
    fn a_bad_tag_is_refused_by_name_on_the_wire() {
        let error = serde_json::from_str::<Tags>(r#"["fine", "not fine"]"#).unwrap_err().to_string();
        assert!(error.contains("`not fine` is no tag"), "{error}");
    }
}
