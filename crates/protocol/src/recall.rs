//! Finding things in memory, and what is done with them: search, list, correct, forget.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ItemId, Level, MemoryId, Origin, SessionId, SessionRef, Source, Timestamp, VaultId};

/// Where to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// All that the owner has, from every conversation.
    User,
    /// The conversation that is named.
    Conversation,
    /// All of it, and what is from the named conversation first.
    #[default]
    Both,
}

/// Which kind of likeness counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SearchMode {
    /// Words and meaning together.
    #[default]
    Hybrid,
    /// Words alone.
    Lexical,
    /// Meaning alone.
    Semantic,
}

/// What is counted as one result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Grouping {
    /// Each item.
    #[default]
    Item,
    /// Each memory, by the best of its items.
    Memory,
}

/// `memory.search`
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MemorySearch {
    /// What is looked for, in plain words.
    pub query: String,
    /// The conversation it is about: its items come first, and with `scope` `conversation` alone.
    #[serde(flatten)]
    pub session: SessionRef,
    /// Where to look.
    pub scope: Scope,
    /// Only in this vault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vault_id: Option<VaultId>,
    /// Only in this memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_id: Option<MemoryId>,
    /// Only these levels; none means all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<Level>,
    /// Only what has all of these tags.
    #[serde(skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    pub tags: std::collections::BTreeMap<String, String>,
    /// Words, meaning, or both.
    pub mode: SearchMode,
    /// What counts as one result.
    pub group: Grouping,
    /// At most this many, 8 unless told, 100 at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// Something memory holds, whichever level it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Item {
    /// Its id.
    pub id: ItemId,
    /// What kind it is.
    pub level: Level,
    /// The words.
    pub text: String,
    /// What it is about, where it has a key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// What is stated of that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Who said it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The speaker's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
    /// When it happened.
    pub at: Timestamp,
    /// When it was stored.
    pub stored_at: Timestamp,
    /// Since when it holds, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<Timestamp>,
    /// Until when it held; none means that it still holds as far as is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_until: Option<Timestamp>,
    /// What took its place: a newer fact, a correction, a newer version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<ItemId>,
    /// The memory it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_id: Option<MemoryId>,
    /// The vault it stands in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vault_id: Option<VaultId>,
    /// How surely it was understood.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "crate::turn::maybe_share")]
    pub confidence: Option<f32>,
    /// How important it is, 0 to 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<u8>,
    /// When it is forgotten by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// Where it comes from.
    #[serde(default)]
    pub source: Source,
    /// Whose words it is.
    #[serde(default)]
    pub origin: Origin,
}

/// Why something was found, part by part. `total` is the sum of `relevance`, `recency`, `pinned`, `conversation`,
/// `entity` and `time`; `lexical` and `semantic` are what `relevance` was made of.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Score {
    /// What it is ranked by.
    #[serde(serialize_with = "crate::turn::share")]
    pub total: f32,
    /// 0.6 times how well words and meaning fit, 0 to 0.6.
    #[serde(serialize_with = "crate::turn::share")]
    pub relevance: f32,
    /// 0.3 times exp(-age / 30 days).
    #[serde(serialize_with = "crate::turn::share")]
    pub recency: f32,
    /// 0.2 for what is pinned or in the profile.
    #[serde(serialize_with = "crate::turn::share")]
    pub pinned: f32,
    /// 0.1 for what is from the same conversation.
    #[serde(serialize_with = "crate::turn::share")]
    pub conversation: f32,
    /// 0.1 for what names the same people, places or things.
    #[serde(serialize_with = "crate::turn::share")]
    pub entity: f32,
    /// At most 0.1 for what happened in the time the question names; below zero for what no longer holds.
    #[serde(serialize_with = "crate::turn::share")]
    pub time: f32,
    /// How well the words fit, 0 to 1.
    #[serde(serialize_with = "crate::turn::share")]
    pub lexical: f32,
    /// How close the meaning is, 0 to 1; 0 where meaning was not looked at.
    #[serde(serialize_with = "crate::turn::share")]
    pub semantic: f32,
}

/// Something that was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Found {
    /// What.
    #[serde(flatten)]
    pub item: Item,
    /// Why.
    pub score: Score,
}

/// The answer to `memory.get` and `memory.search`: `memory.snapshot`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MemorySnapshot {
    /// What was found, best first.
    pub items: Vec<Found>,
    /// How it was looked for: `hybrid`, `lexical` or `semantic`.
    pub mode: SearchMode,
    /// What the asker should know: as that meaning could not be looked at, and what to do about it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    /// Where the next page of a list begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// `memory.get`: the profile and the newest of the rest, or with `query` what fits it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MemoryGet {
    /// The conversation it is about.
    #[serde(flatten)]
    pub session: SessionRef,
    /// What is looked for; none lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Where to look.
    pub scope: Scope,
    /// Only these levels; none means all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<Level>,
    /// Only what is kept under this key, with its history.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Whether what no longer holds is listed too.
    #[serde(skip_serializing_if = "crate::turn::is_no")]
    pub history: bool,
    /// Go on after this cursor of the page before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// At most this many, 8 unless told, 100 at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// `memory.set`: a line of the profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemorySet {
    /// What it is about.
    pub key: String,
    /// What is stated of it.
    pub value: String,
    /// 0 to 100, 50 unless told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<u8>,
    /// Seconds after which it is forgotten by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl_s: Option<u64>,
    /// Sending again with the same key changes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// `memory.correct`: what is right instead. The old item stays readable as history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryCorrect {
    /// What is wrong.
    pub id: ItemId,
    /// What is right: the new value of a fact, the new words of an entry.
    pub text: String,
    /// Sending again with the same key changes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// What stands where words were struck out.
pub const FORGOTTEN: &str = "[forgotten]";

/// `memory.forget`: what is to be gone, from everywhere. At least one way of saying what.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MemoryForget {
    /// These items, with the words they come from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ids: Vec<ItemId>,
    /// All that is kept under this key, with its history.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// These words, wherever they stand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// This whole memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_id: Option<MemoryId>,
}

/// What forgetting took away.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Forgotten {
    /// Items that are gone.
    pub items: Vec<ItemId>,
    /// Sessions in which words were struck out.
    pub sessions: Vec<SessionId>,
    /// Records that keep their number and have lost words.
    pub records: u64,
    /// Artifacts that are gone.
    pub artifacts: u64,
}
