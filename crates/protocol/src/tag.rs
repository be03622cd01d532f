//! Tags on messages. They select what a context contains and decide what leaves it first.

use std::{collections::BTreeSet, fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Maximum length of a tag in characters.
const TAG_CHARS_MAX: usize = 64;

/// A text that is not a valid tag.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{excerpt}` is not a valid tag: a tag has 1 to {TAG_CHARS_MAX} characters, none of them a space or a control character"
)]
pub struct TagError {
    excerpt: String,
}

/// A tag of a message, for example `important` or `context:lights`. 1 to 64 characters without
/// spaces and control characters.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(extend("minLength" = 1, "maxLength" = 64, "pattern" = crate::patterns::WORD))]
pub struct Tag(String);

/// The tags of a message, without duplicates.
pub type Tags = BTreeSet<Tag>;

impl Tag {
    /// Tag of messages that leave a context last.
    pub const IMPORTANT: &str = "important";
    /// Tag of messages that leave a context first.
    pub const EPHEMERAL: &str = "ephemeral";

    /// Tag of every message of a user.
    pub fn input() -> Self {
        Self("input".to_owned())
    }

    /// Tag of every answer.
    pub fn output() -> Self {
        Self("output".to_owned())
    }

    /// Tag of every round of tool calls.
    pub fn tool_call() -> Self {
        Self("tool_call".to_owned())
    }

    /// The tag as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether messages with this tag leave a context last.
    pub fn is_important(&self) -> bool {
        self.0 == Self::IMPORTANT
    }

    /// Whether messages with this tag leave a context first.
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
