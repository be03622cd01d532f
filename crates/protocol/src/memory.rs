//! Records of memory: items of several levels, each with its source and the time in which it holds.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ItemId, MemoryId, Origin, SessionId, Timestamp, TurnId, VaultId, WindowId};

/// Level of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Text that every later prompt of its session contains.
    Pin,
    /// A keyed fact about the owner that every prompt contains.
    Profile,
    /// A lasting statement with the time in which it holds.
    Fact,
    /// A message or a note, verbatim.
    Entry,
    /// One version of a context document: a summary of a memory.
    Context,
}

impl Level {
    /// Name on the wire.
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

/// Source of a memory item.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ItemSource {
    /// The session in which it was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// The turn in which it was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// Sequence number of the event that contains the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// The item that this one was extracted from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item_id: Option<ItemId>,
    /// Whether that session was deleted since. Then the text exists only here.
    #[serde(skip_serializing_if = "crate::turn::is_no")]
    pub session_deleted: bool,
    /// The window in which it was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window_id: Option<WindowId>,
    /// Whether that window was closed since. Then models are no longer given the text.
    #[serde(skip_serializing_if = "crate::turn::is_no")]
    pub window_closed: bool,
    /// The file, program or client that it was imported from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub imported_from: Option<String>,
    /// The model that extracted it from the text. Absent if rules did, or if it was set as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extracted_by: Option<String>,
}

/// A vault: a collection of memories.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Vault {
    /// Id of the vault.
    pub vault_id: VaultId,
    /// Title, unique per owner.
    pub title: String,
    /// Purpose of the vault.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// When the vault was created.
    pub created_at: Timestamp,
    /// Whether title and description are trusted.
    #[serde(default = "Origin::trusted", skip_serializing_if = "Origin::is_trusted")]
    pub origin: Origin,
}

/// A memory: entries and context documents that belong together, for example those of one
/// conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Memory {
    /// Id of the memory.
    pub memory_id: MemoryId,
    /// The vault of the memory.
    pub vault_id: VaultId,
    /// Title, unique in its vault.
    pub title: String,
    /// What the memory is about.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The session that the memory follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// When the memory was created.
    pub created_at: Timestamp,
    /// Whether title and description are trusted.
    #[serde(default = "Origin::trusted", skip_serializing_if = "Origin::is_trusted")]
    pub origin: Origin,
}

/// A message or a note, verbatim. It never changes: a correction is a new entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Entry {
    /// Id of the entry.
    pub entry_id: ItemId,
    /// The memory of the entry.
    pub memory_id: MemoryId,
    /// The text.
    pub raw_entry: String,
    /// A short form of the text.
    pub summary: String,
    /// Role of the speaker: `user`, `assistant`, or another role.
    pub role: String,
    /// The speaker's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
    /// Labels, with any keys and values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tags: BTreeMap<String, String>,
    /// When it happened.
    pub conversation_time: Timestamp,
    /// When it was stored.
    pub stored_at: Timestamp,
    /// Source of the entry.
    #[serde(default)]
    pub source: ItemSource,
    /// Whether the text is trusted.
    #[serde(default)]
    pub origin: Origin,
    /// The entry that this one corrects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrects: Option<ItemId>,
    /// The entry that corrects this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrected_by: Option<ItemId>,
    /// When the entry expires and is deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
}

/// One version of a memory's summary. Earlier versions stay readable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ContextDocument {
    /// Id of this version.
    pub context_id: ItemId,
    /// The memory that it summarizes.
    pub memory_id: MemoryId,
    /// Version, from 1 without gaps.
    pub version: u32,
    /// The text.
    pub content: String,
    /// When it was stored.
    pub stored_at: Timestamp,
    /// Time of the latest event that it covers.
    pub conversation_time: Timestamp,
    /// Author of the text: name of a model, `extract` or `client`.
    pub written_by: String,
    /// Whether the text is trusted.
    #[serde(default)]
    pub origin: Origin,
}

/// A statement with the time in which it holds. Every prompt contains the facts with level
/// `profile`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Fact {
    /// Id of the fact.
    pub fact_id: ItemId,
    /// `profile` or `fact`.
    pub level: Level,
    /// Who or what it is about, if not the user, for example `sister` or `Mia`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The vault that it belongs to. Absent if it was said in a conversation of the user's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vault_id: Option<VaultId>,
    /// What the fact is about, for example `diet` or `5k time`. A newer fact with the same key ends
    /// the older one.
    pub key: String,
    /// The stated value.
    pub value: String,
    /// The statement as it was made.
    pub text: String,
    /// Importance, 0 to 100. More important facts come first in the prompt.
    pub priority: u8,
    /// Confidence in the fact, 0 to 1.
    #[serde(serialize_with = "crate::turn::share")]
    pub confidence: f32,
    /// Since when it holds.
    pub valid_from: Timestamp,
    /// Until when it held. Absent if it still holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_until: Option<Timestamp>,
    /// The fact that ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<ItemId>,
    /// When it was stored.
    pub stored_at: Timestamp,
    /// Source of the fact.
    #[serde(default)]
    pub source: ItemSource,
    /// Whether the text is trusted.
    #[serde(default)]
    pub origin: Origin,
    /// When the fact expires and is deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// Why it may no longer hold. Absent if nothing speaks against it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubt: Option<Doubt>,
}

/// Something that was said later and may have ended a fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Doubt {
    /// What was said, word for word.
    pub text: String,
    /// When it was said.
    pub at: Timestamp,
    /// The entry in which it was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item_id: Option<ItemId>,
}

impl Fact {
    /// Whether it still holds.
    pub const fn is_current(&self) -> bool {
        self.valid_until.is_none()
    }
}
