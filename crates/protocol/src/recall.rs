//! Searching, listing, correcting and forgetting items of memory.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Doubt, ItemId, ItemSource, Level, MemoryFilter, MemoryId, Origin, SessionId, SessionRef, Timestamp, VaultId,
};

/// Where to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SearchScope {
    /// All items of the owner, from every conversation.
    User,
    /// Items of the given conversation only.
    Conversation,
    /// All items of the owner. Items of the given conversation rank higher.
    #[default]
    Both,
}

/// How items are matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SearchMode {
    /// By words and by embeddings.
    #[default]
    Hybrid,
    /// By words only.
    Lexical,
    /// By embeddings only.
    Semantic,
}

/// What counts as one result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Grouping {
    /// Each item.
    #[default]
    Item,
    /// Each memory, represented by its best item.
    Memory,
}

/// `memory.search`: searches memory.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(extend("required" = ["query"]))]
pub struct MemorySearch {
    /// The query, in natural language.
    #[schemars(regex(pattern = crate::patterns::NOT_BLANK))]
    pub query: String,
    /// The current conversation. Its items rank higher. With `scope` `conversation`, only its items
    /// are found.
    #[serde(flatten)]
    pub session: SessionRef,
    /// Where to search. Default: `both`.
    pub scope: SearchScope,
    /// Only items of this vault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vault_id: Option<VaultId>,
    /// Only items of this memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_id: Option<MemoryId>,
    /// Only items of these levels. Default: all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<Level>,
    /// Only items that have all of these tags.
    #[serde(skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    pub tags: std::collections::BTreeMap<String, String>,
    /// Only items said in this role, for example `user` or `assistant`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = crate::patterns::NOT_BLANK))]
    pub role: Option<String>,
    /// Only items of this time or later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Timestamp>,
    /// Only items before this time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Timestamp>,
    /// Only items that fulfil this condition, beside those of the other fields.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<MemoryFilter>,
    /// How items are matched. Default: `hybrid`.
    pub mode: SearchMode,
    /// What counts as one result. Default: `item`.
    pub group: Grouping,
    /// Only results with at least this total score. Default: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_score: Option<f32>,
    /// Maximum number of results: 1 to 100. Default: 8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// How many of the best results are left out: 0 to 900. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 900))]
    pub offset: Option<u32>,
    /// `next_cursor` of the previous page, instead of `offset`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// An item of memory, of any level.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryItem {
    /// Id of the item.
    pub id: ItemId,
    /// Level of the item.
    pub level: Level,
    /// The text.
    pub text: String,
    /// What the item is about, if it has a key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The stated value, if it has a key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Role of the speaker.
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
    /// Until when it held. Absent if it still holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_until: Option<Timestamp>,
    /// The item that replaced this one: a newer fact, a correction or a newer version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<ItemId>,
    /// Why it may no longer hold. Absent if nothing speaks against it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubt: Option<Doubt>,
    /// Who or what it is about, if not the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The memory of the item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_id: Option<MemoryId>,
    /// The vault of the item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vault_id: Option<VaultId>,
    /// Confidence in the item, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "crate::turn::maybe_share")]
    pub confidence: Option<f32>,
    /// Importance, 0 to 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<u8>,
    /// When the item expires and is deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// Source of the item.
    #[serde(default)]
    pub source: ItemSource,
    /// Whether the text is trusted.
    #[serde(default)]
    pub origin: Origin,
}

/// Score of a result, part by part. `total` is the sum of `relevance`, `recency`, `pinned`,
/// `conversation`, `entity` and `time`. `relevance` is computed from `lexical` and `semantic`.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Score {
    /// The score by which results are ranked.
    #[serde(serialize_with = "crate::turn::share")]
    pub total: f32,
    /// 0.6 times the match of words and embeddings: 0 to 0.6.
    #[serde(serialize_with = "crate::turn::share")]
    pub relevance: f32,
    /// 0.05 times exp(-age / 30 days), or 0.3 times that where the query asks for what is new. The
    /// first factor is the setting `memory.recency`.
    #[serde(serialize_with = "crate::turn::share")]
    pub recency: f32,
    /// 0.2 for pins and profile lines.
    #[serde(serialize_with = "crate::turn::share")]
    pub pinned: f32,
    /// 0.1 for items of the same conversation.
    #[serde(serialize_with = "crate::turn::share")]
    pub conversation: f32,
    /// 0.1 for items that name the same people, places or things, and 0.05 for items that name them
    /// by another name: `sister` where the query says `Maria`.
    #[serde(serialize_with = "crate::turn::share")]
    pub entity: f32,
    /// At most 0.1 for items from the time that the query names. Negative for items that no longer
    /// hold.
    #[serde(serialize_with = "crate::turn::share")]
    pub time: f32,
    /// Match of words, 0 to 1.
    #[serde(serialize_with = "crate::turn::share")]
    pub lexical: f32,
    /// Similarity of embeddings, 0 to 1. 0 if embeddings were not used.
    #[serde(serialize_with = "crate::turn::share")]
    pub semantic: f32,
}

/// A result of a search in memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryHit {
    /// The item.
    #[serde(flatten)]
    pub item: MemoryItem,
    /// Its score.
    pub score: Score,
}

/// `memory.snapshot`: the answer to `memory.get` and `memory.search`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MemorySnapshot {
    /// The results, best first.
    pub items: Vec<MemoryHit>,
    /// How the items were matched.
    pub mode: SearchMode,
    /// Notices for the user, for example that there is no embedding model and how to install one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    /// Cursor of the next page. Absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// `memory.get`: lists the profile and the newest items, or with `query` searches memory.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MemoryGet {
    /// The current conversation.
    #[serde(flatten)]
    pub session: SessionRef,
    /// The query. If absent, the items are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Where to search. Default: `both`.
    pub scope: SearchScope,
    /// Only items of these levels. Default: all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<Level>,
    /// Only items with this key, including their history.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Whether items that no longer hold are listed too. Default: false.
    #[serde(skip_serializing_if = "crate::turn::is_no")]
    pub history: bool,
    /// `next_cursor` of the previous page. Default: the first page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Maximum number of items: 1 to 100. Default: 8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// `memory.set`: sets a line of the profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemorySet {
    /// What the line is about.
    #[schemars(length(max = 100), regex(pattern = crate::patterns::LINE))]
    pub key: String,
    /// The stated value.
    #[schemars(length(max = 2_000), regex(pattern = crate::patterns::LINE))]
    pub value: String,
    /// Importance, 0 to 100. Default: 50.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 100))]
    pub priority: Option<u8>,
    /// Time to live in seconds, after which the line is deleted. Default: unlimited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl_s: Option<u64>,
    /// Idempotency key. A repeated request with the same key changes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 200), regex(pattern = crate::patterns::NO_CONTROL))]
    pub idempotency_key: Option<String>,
}

/// `memory.correct`: replaces a wrong item. The old item stays readable as history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryCorrect {
    /// The wrong item.
    pub id: ItemId,
    /// The correct text: the new value of a fact, or the new text of an entry.
    #[schemars(regex(pattern = crate::patterns::NOT_BLANK))]
    pub text: String,
    /// Idempotency key. A repeated request with the same key changes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 200), regex(pattern = crate::patterns::NO_CONTROL))]
    pub idempotency_key: Option<String>,
}

/// The text that replaces redacted text.
pub const FORGOTTEN: &str = "[forgotten]";

/// `memory.forget`: deletes items and redacts their text everywhere. At least one field is
/// required.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MemoryForget {
    /// These items, and the text that they come from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ids: Vec<ItemId>,
    /// All items with this key, including their history.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// This text, wherever it occurs.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = crate::patterns::THREE_CHARACTERS))]
    pub text: Option<String>,
    /// This memory with all its items.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_id: Option<MemoryId>,
    /// This vault with all its memories and facts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vault_id: Option<VaultId>,
}

/// The result of `memory.forget`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ForgetResult {
    /// Deleted items.
    pub items: Vec<ItemId>,
    /// Sessions in which text was redacted.
    pub sessions: Vec<SessionId>,
    /// Number of redacted records. They keep their sequence numbers.
    pub records: u64,
    /// Number of deleted artifacts.
    pub artifacts: u64,
    /// Number of deleted values of programs.
    pub values: u64,
}
