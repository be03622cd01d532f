//! Conditions on items of memory, joined by AND, OR and NOT.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Level, MemoryId, Timestamp, VaultId};

/// A condition on items of memory, as a tree: an object with one field. For example
/// `{"and": [{"level": "entry"}, {"not": {"role": "assistant"}}]}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MemoryFilter {
    /// All of these hold.
    And(Vec<MemoryFilter>),
    /// At least one of these holds.
    Or(Vec<MemoryFilter>),
    /// This does not hold.
    Not(Box<MemoryFilter>),
    /// Items of this level.
    Level(Level),
    /// Items said in this role, for example `user` or `assistant`.
    Role(#[schemars(regex(pattern = crate::patterns::NOT_BLANK))] String),
    /// Items with this tag.
    Tag(TagCondition),
    /// Items of this vault.
    VaultId(VaultId),
    /// Items of this memory.
    MemoryId(MemoryId),
    /// Items said by this speaker: the whole name or one word of it, in any case.
    Speaker(#[schemars(regex(pattern = crate::patterns::NOT_BLANK))] String),
    /// Items with this key, in any case.
    Key(#[schemars(regex(pattern = crate::patterns::NOT_BLANK))] String),
    /// Items about this person or thing, in any case.
    Subject(#[schemars(regex(pattern = crate::patterns::NOT_BLANK))] String),
    /// Items of this time or later.
    After(Timestamp),
    /// Items before this time.
    Before(Timestamp),
}

/// A tag that an item has to have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TagCondition {
    /// Name of the tag.
    #[schemars(regex(pattern = crate::patterns::NOT_BLANK))]
    pub name: String,
    /// Its value. Default: any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

impl MemoryFilter {
    /// The deepest tree.
    pub const DEPTH_MAX: usize = 8;
    /// The most conditions in a tree.
    pub const CONDITIONS_MAX: usize = 64;

    /// What is wrong with the tree, and what to do about it.
    pub fn fault(&self) -> Option<String> {
        let mut conditions = 0;
        self.fault_at(1, &mut conditions)
    }

    fn fault_at(&self, depth: usize, conditions: &mut usize) -> Option<String> {
        *conditions += 1;
        if depth > Self::DEPTH_MAX {
            return Some(format!("`filter` is nested deeper than {} levels", Self::DEPTH_MAX));
        }
        if *conditions > Self::CONDITIONS_MAX {
            return Some(format!("`filter` has more than {} conditions", Self::CONDITIONS_MAX));
        }
        let blank = |name: &str, text: &str| {
            text.trim().is_empty().then(|| format!("`{name}` in `filter` is empty: give a text, or leave it out"))
        };
        match self {
            Self::And(all) | Self::Or(all) if all.is_empty() => {
                Some("`and` and `or` in `filter` need at least one condition".to_owned())
            }
            Self::And(all) | Self::Or(all) => all.iter().find_map(|inner| inner.fault_at(depth + 1, conditions)),
            Self::Not(inner) => inner.fault_at(depth + 1, conditions),
            Self::Role(text) => blank("role", text),
            Self::Tag(tag) => blank("tag", &tag.name),
            Self::Speaker(text) => blank("speaker", text),
            Self::Key(text) => blank("key", text),
            Self::Subject(text) => blank("subject", text),
            Self::Level(_) | Self::VaultId(_) | Self::MemoryId(_) | Self::After(_) | Self::Before(_) => None,
        }
    }
}
