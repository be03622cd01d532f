//! What clients ask of vaults and memories, and what they are answered.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Context, Entry, ItemId, Level, Memory, MemoryId, Timestamp, Vault, VaultId};

/// A vault to be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewVault {
    /// Its title, unique per owner.
    pub title: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
}

/// A memory to be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewMemory {
    /// Its title, unique in its vault.
    pub title: String,
    /// What it is about.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
}

/// An entry to be written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddEntry {
    /// The words.
    pub raw_entry: String,
    /// What they come to; made from the words where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Who said it, `user` unless told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The speaker's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
    /// Free labels.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tags: BTreeMap<String, String>,
    /// When it happened; now unless told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation_time: Option<Timestamp>,
    /// Seconds after which it is forgotten by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl_s: Option<u64>,
    /// Sending again with the same key gives the same entry for 24 hours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// The next version of a context document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PutContext {
    /// The text.
    pub content: String,
}

/// How long to wait until what was written can be found.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AwaitConsistency {
    /// In this memory; none means in all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_id: Option<MemoryId>,
    /// Milliseconds, 10,000 unless told, 60,000 at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

/// How it stands with what was written before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Consistency {
    /// Whether every earlier write is on the disk and can be found, in every way there is.
    pub consistent: bool,
    /// Whether every earlier write is on the disk.
    pub durable: bool,
    /// Whether every earlier write can be found: by words, and by meaning where meaning is looked at.
    pub searchable: bool,
    /// What cannot be found yet, and why; at most 20 are named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<Missing>,
    /// What whoever waits should know: as that meaning is not looked at here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

/// Something that cannot be found yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Missing {
    /// Which item, or the session whose messages have not all been read.
    pub id: String,
    /// Why.
    pub why: String,
}

/// A page of vaults.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VaultPage {
    /// The vaults, oldest first.
    pub data: Vec<Vault>,
    /// Where the next page begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A page of memories.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryPage {
    /// The memories, oldest first.
    pub data: Vec<Memory>,
    /// Where the next page begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A page of entries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EntryPage {
    /// The entries, newest first unless told.
    pub data: Vec<Entry>,
    /// Where the next page begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// The versions of a context document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ContextPage {
    /// The versions, oldest first.
    pub data: Vec<Context>,
}

/// A conversation that happened elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ingest {
    /// The vault it goes to, `imported` unless told; made on first use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vault: Option<String>,
    /// The memory it goes to, by title; made on first use.
    pub title: String,
    /// What was said, in order. What was taken in before is left alone.
    pub messages: Vec<Said>,
    /// Whether the conversation is over, so that it is summed up to its end; true unless told.
    #[serde(default = "crate::turn::yes")]
    pub end: bool,
}

/// A message of a conversation that happened elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Said {
    /// Who said it: `user`, `assistant`, or another role.
    pub role: String,
    /// The words.
    pub content: String,
    /// The speaker's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
    /// When; now unless told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
}

/// What taking a conversation in came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ingested {
    /// The vault.
    pub vault_id: VaultId,
    /// The memory.
    pub memory_id: MemoryId,
    /// Entries that are new.
    pub entries: u64,
    /// Messages that were there already.
    pub known: u64,
    /// Versions of the context document that were written.
    pub contexts: u64,
    /// What the conversation came to before this, where something was known of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<Context>,
}

/// What looking memory through found.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Audit {
    /// How much there is, by level.
    pub counts: BTreeMap<String, u64>,
    /// Items with the same words as another.
    pub duplicates: Finding,
    /// Items that say the same as another in nearly the same words.
    pub near_duplicates: Finding,
    /// Facts that hold and contradict each other.
    pub contradictions: Finding,
    /// Facts that hold on paper and are hardly believed any more.
    pub stale: Finding,
    /// Items with something that looks like a secret.
    pub secrets: Finding,
    /// Items that cannot be found by meaning yet.
    pub unsearchable: Finding,
}

/// One kind of thing that was found.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Finding {
    /// How many.
    pub count: u64,
    /// Some of them, each with those it belongs with.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<Example>,
}

/// An example of a finding. The words are not repeated here: they may be what should not be seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Example {
    /// The items it is about.
    pub ids: Vec<ItemId>,
    /// What kind they are.
    pub level: Level,
    /// What it is about, where there is a key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}
