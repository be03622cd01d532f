//! Requests and answers about vaults, memories, entries and context documents.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ContextDocument, Entry, ItemId, Level, Memory, MemoryId, Origin, Timestamp, Vault, VaultId};

/// A vault to create.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewVault {
    /// Title, unique per owner.
    #[schemars(length(max = 200), regex(pattern = crate::patterns::LINE))]
    pub title: String,
    /// Purpose of the vault.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 4_000))]
    pub description: String,
}

/// A memory to create.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewMemory {
    /// Title, unique in its vault.
    #[schemars(length(max = 200), regex(pattern = crate::patterns::LINE))]
    pub title: String,
    /// What the memory is about.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 4_000))]
    pub description: String,
}

/// A new title or description of a vault or a memory.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TitleUpdate {
    /// The new title. Default: unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200), regex(pattern = crate::patterns::LINE))]
    pub title: Option<String>,
    /// The new description. Default: unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 4_000))]
    pub description: Option<String>,
}

/// Changes the title or the description of a vault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VaultUpdate {
    /// The vault.
    pub vault_id: VaultId,
    /// The new title. Default: unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200), regex(pattern = crate::patterns::LINE))]
    pub title: Option<String>,
    /// The new description. Default: unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 4_000))]
    pub description: Option<String>,
}

/// Changes the title or the description of a memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryTitleUpdate {
    /// The vault of the memory.
    pub vault_id: VaultId,
    /// The memory.
    pub memory_id: MemoryId,
    /// The new title. Default: unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200), regex(pattern = crate::patterns::LINE))]
    pub title: Option<String>,
    /// The new description. Default: unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 4_000))]
    pub description: Option<String>,
}

/// An entry to add.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddEntry {
    /// The text, at most 256 KiB.
    #[schemars(regex(pattern = crate::patterns::NOT_BLANK))]
    pub raw_entry: String,
    /// A short form of the text. Default: made from the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Role of the speaker. Default: `user`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 40))]
    pub role: Option<String>,
    /// The speaker's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
    /// Labels, with any keys and values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("maxProperties" = 32, "propertyNames" = { "maxLength": 200 }, "additionalProperties" = { "type": "string", "maxLength": 200 }))]
    pub tags: BTreeMap<String, String>,
    /// When it happened. Default: now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation_time: Option<Timestamp>,
    /// Time to live in seconds, after which the entry is deleted. Default: unlimited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl_s: Option<u64>,
    /// Whether the text is the owner's own, or vouched for by the owner. Text that is not `trusted`
    /// is stored and found, but nothing in it becomes a fact. Default: `untrusted`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// Idempotency key. For 24 hours a repeated request with the same key returns the same entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 200), regex(pattern = crate::patterns::NO_CONTROL))]
    pub idempotency_key: Option<String>,
}

/// A new version of a context document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PutContext {
    /// The text, at most 64 KiB.
    #[schemars(regex(pattern = crate::patterns::NOT_BLANK))]
    pub content: String,
    /// Whether the text is the owner's own, or vouched for by the owner. Text that is not `trusted`
    /// is stored and found, but nothing in it becomes a fact. Default: `untrusted`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
}

/// Waits until everything that was written can be found.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AwaitConsistency {
    /// Only writes to this memory. Default: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_id: Option<MemoryId>,
    /// Maximum time to wait in milliseconds, at most 60000. Default: 10000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

/// Whether earlier writes are durable and searchable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Consistency {
    /// Whether all earlier writes are durable and searchable.
    pub consistent: bool,
    /// Whether all earlier writes are on disk.
    pub durable: bool,
    /// Whether all earlier writes can be found: by words and, if there is an embedding model, by
    /// embeddings.
    pub searchable: bool,
    /// What cannot be found yet, with the reason. At most 20.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<MissingItem>,
    /// Notices for the caller, for example that there is no embedding model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

/// An item that cannot be found yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MissingItem {
    /// Id of the item, or of the session whose messages have not all been processed.
    pub id: String,
    /// Reason.
    pub why: String,
}

/// A page of vaults.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VaultPage {
    /// The vaults, oldest first.
    pub data: Vec<Vault>,
    /// Cursor of the next page. Absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A page of memories.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryPage {
    /// The memories, oldest first.
    pub data: Vec<Memory>,
    /// Cursor of the next page. Absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A page of entries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EntryPage {
    /// The entries. Default order: newest first.
    pub data: Vec<Entry>,
    /// Cursor of the next page. Absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// The versions of a context document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ContextPage {
    /// The versions, oldest first.
    pub data: Vec<ContextDocument>,
}

/// A conversation from another program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ingest {
    /// Title of the vault. It is created on first use. Default: `imported`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200), regex(pattern = crate::patterns::LINE))]
    pub vault: Option<String>,
    /// Title of the memory. It is created on first use.
    #[schemars(length(max = 200), regex(pattern = crate::patterns::LINE))]
    pub title: String,
    /// The messages, in order. Known messages are skipped.
    pub messages: Vec<IngestMessage>,
    /// Whether the text is the owner's own, or vouched for by the owner. Text that is not `trusted`
    /// is stored and found, but nothing in it becomes a fact. Default: `untrusted`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// Whether the conversation has ended, so that all of it is summarized. Default: true.
    #[serde(default = "crate::turn::yes")]
    pub end: bool,
}

/// A message of a conversation from another program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IngestMessage {
    /// Role of the speaker: `user`, `assistant`, or another role.
    #[schemars(length(min = 1, max = 40))]
    pub role: String,
    /// The text.
    #[schemars(regex(pattern = crate::patterns::NOT_BLANK))]
    pub content: String,
    /// The speaker's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
    /// When it was said. Default: now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
}

/// The result of an ingested conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IngestResult {
    /// The vault.
    pub vault_id: VaultId,
    /// The memory.
    pub memory_id: MemoryId,
    /// New entries.
    pub entries: u64,
    /// Messages that were known already.
    pub known: u64,
    /// New versions of the context document.
    pub contexts: u64,
    /// The context document as it was before, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<ContextDocument>,
}

/// The result of an audit of memory.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Audit {
    /// Number of items by level.
    pub counts: BTreeMap<String, u64>,
    /// Items with the same text as another.
    pub duplicates: Finding,
    /// Items with nearly the same text as another.
    pub near_duplicates: Finding,
    /// Facts that hold and contradict each other.
    pub contradictions: Finding,
    /// Facts that hold and whose confidence has become low.
    pub stale: Finding,
    /// Items that seem to contain a secret.
    pub secrets: Finding,
    /// Items that have no embedding yet.
    pub unsearchable: Finding,
}

/// One kind of finding of an audit.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Finding {
    /// Number of findings.
    pub count: u64,
    /// Some examples, each with the items that belong together.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<Example>,
}

/// An example of a finding. It does not repeat the text, which may be confidential.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Example {
    /// The items.
    pub ids: Vec<ItemId>,
    /// Level of the items.
    pub level: Level,
    /// Key of the items, if they have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}
