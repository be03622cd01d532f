//! What memory holds, as everybody speaks of it: items of several levels, each with where it comes from and when it holds.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ItemId, MemoryId, Origin, SessionId, Timestamp, TurnId, VaultId};

/// What kind of memory something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Text that every later turn of its session is told.
    Pin,
    /// A keyed fact about the owner that every turn is told.
    Profile,
    /// A lasting statement, with the time in which it holds.
    Fact,
    /// A message or a note, word for word.
    Entry,
    /// A context document: what a memory comes to, one version of it.
    Context,
}

impl Level {
    /// Its name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pin => "pin",
            Self::Profile => "profile",
            Self::Fact => "fact",
            Self::Entry => "entry",
            Self::Context => "context",
        }
    }
}

/// Where something in memory comes from.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Source {
    /// The session in which it was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// The turn in which it was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// The number of the event that holds the words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// The item it was read off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item_id: Option<ItemId>,
    /// Whether that session was deleted since, so that the words can be read here alone.
    #[serde(skip_serializing_if = "crate::turn::is_no")]
    pub session_deleted: bool,
    /// The file, program or client it was taken over from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub imported_from: Option<String>,
}

/// A vault: a shelf of memories.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Vault {
    /// Its id.
    pub vault_id: VaultId,
    /// Its title, unique per owner.
    pub title: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Since when it exists.
    pub created_at: Timestamp,
    /// Whose words its title and its description are.
    #[serde(default = "Origin::trusted", skip_serializing_if = "Origin::is_trusted")]
    pub origin: Origin,
}

/// A memory: entries and context documents that belong together, as those of one conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Memory {
    /// Its id.
    pub memory_id: MemoryId,
    /// The vault it stands in.
    pub vault_id: VaultId,
    /// Its title, unique in its vault.
    pub title: String,
    /// What it is about.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The session it follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Since when it exists.
    pub created_at: Timestamp,
    /// Whose words its title and its description are.
    #[serde(default = "Origin::trusted", skip_serializing_if = "Origin::is_trusted")]
    pub origin: Origin,
}

/// A message or a note, word for word. It never changes: a correction is an entry of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Entry {
    /// Its id.
    pub entry_id: ItemId,
    /// The memory it belongs to.
    pub memory_id: MemoryId,
    /// The words.
    pub raw_entry: String,
    /// What they come to.
    pub summary: String,
    /// Who said it: `user`, `assistant`, or another role.
    pub role: String,
    /// The speaker's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
    /// Free labels.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tags: BTreeMap<String, String>,
    /// When it happened.
    pub conversation_time: Timestamp,
    /// When it was stored.
    pub stored_at: Timestamp,
    /// Where it comes from.
    #[serde(default)]
    pub source: Source,
    /// Whose words it is.
    #[serde(default)]
    pub origin: Origin,
    /// The entry it corrects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrects: Option<ItemId>,
    /// The entry that corrects it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrected_by: Option<ItemId>,
    /// When it is forgotten by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
}

/// What a memory comes to, one version of it. Earlier versions stay readable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Context {
    /// Its id.
    pub context_id: ItemId,
    /// The memory it sums up.
    pub memory_id: MemoryId,
    /// 1 for the first, then without gaps.
    pub version: u32,
    /// The text.
    pub content: String,
    /// When it was stored.
    pub stored_at: Timestamp,
    /// When the newest thing it knows of happened.
    pub conversation_time: Timestamp,
    /// Who wrote it: a model's name, `extract`, or `client`.
    pub written_by: String,
    /// Whose words it may hold.
    #[serde(default)]
    pub origin: Origin,
}

/// A statement with the time in which it holds. With level `profile` it is told to every turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Fact {
    /// Its id.
    pub fact_id: ItemId,
    /// `profile` or `fact`.
    pub level: Level,
    /// What it is about, as in `diet` or `5k time`. A newer fact of the same key ends the older one.
    pub key: String,
    /// What is stated of that.
    pub value: String,
    /// The statement in words, as it was made.
    pub text: String,
    /// 0 to 100; what is more important is told first.
    pub priority: u8,
    /// How surely it was understood, 0 to 1.
    #[serde(serialize_with = "crate::turn::share")]
    pub confidence: f32,
    /// Since when it holds.
    pub valid_from: Timestamp,
    /// Until when it held; none means that it still holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_until: Option<Timestamp>,
    /// The fact that ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<ItemId>,
    /// When it was stored.
    pub stored_at: Timestamp,
    /// Where it comes from.
    #[serde(default)]
    pub source: Source,
    /// Whose words it is.
    #[serde(default)]
    pub origin: Origin,
    /// When it is forgotten by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
}

impl Fact {
    /// Whether it still holds.
    pub const fn is_current(&self) -> bool {
        self.valid_until.is_none()
    }
}
