//! Taking memory out and in, whole.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Context, Entry, Fact, Memory, Timestamp, Vault};

/// All that memory holds of one owner, as `memory.export` gives and `memory.import` takes it. What was forgotten is not in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryArchive {
    /// [`MemoryArchive::FORMAT`].
    pub format: String,
    /// [`MemoryArchive::VERSION`].
    pub version: u32,
    /// When it was taken out.
    pub exported_at: Timestamp,
    /// Vaults, oldest first.
    #[serde(default)]
    pub vaults: Vec<Vault>,
    /// Memories, oldest first. The vault of each is among the vaults.
    #[serde(default)]
    pub memories: Vec<Memory>,
    /// Entries by when they happened. The memory of each is among the memories.
    #[serde(default)]
    pub entries: Vec<Entry>,
    /// All versions of all context documents.
    #[serde(default)]
    pub contexts: Vec<Context>,
    /// Facts and lines of the profile, also those that no longer hold.
    #[serde(default)]
    pub facts: Vec<Fact>,
    /// What it says of itself, so that damage is noticed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest: Option<ArchiveManifest>,
}

/// What an archive says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ArchiveManifest {
    /// How many of each kind there are: `vaults`, `memories`, `entries`, `contexts`, `facts`.
    pub counts: BTreeMap<String, u64>,
    /// The first eight hexadecimal digits of the SHA-256 of each of them, one after the other: by them the one that is wrong is
    /// named.
    pub marks: String,
    /// The SHA-256 of all of them, each written without spaces and ended by a line feed.
    pub digest: String,
    /// What only the server that wrote the archive can make of owner and digest. Without it, or elsewhere, all words of the
    /// archive are untrusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

impl MemoryArchive {
    /// What `format` says.
    pub const FORMAT: &'static str = "dwell.memory";
    /// The version that is written, and the newest that is read.
    pub const VERSION: u32 = 1;

    /// One with nothing in it.
    pub fn empty(exported_at: Timestamp) -> Self {
        Self {
            format: Self::FORMAT.to_owned(),
            version: Self::VERSION,
            exported_at,
            vaults: Vec::new(),
            memories: Vec::new(),
            entries: Vec::new(),
            contexts: Vec::new(),
            facts: Vec::new(),
            manifest: None,
        }
    }
}

/// `memory.import`: an archive, or what another program wrote.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MemoryImport {
    /// An archive as `memory.export` gives it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archive: Option<Box<MemoryArchive>>,
    /// Or the text of a file: an archive, or what another program wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What the text is: `dwell.memory`, `mem0`, `langchain`, `langgraph`, `openai` or `ingest`; found out unless told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// The vault that conversations and notes of other programs go to, `imported` unless told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vault: Option<String>,
    /// The title of the memory that the one conversation of another program goes to; what the file says unless told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Where it comes from, as each new thing will say; the format unless told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub imported_from: Option<String>,
    /// Sending again with the same key changes nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
    /// Takes what there is of an archive that is damaged. What is wrong with it is told in the answer.
    #[serde(skip_serializing_if = "crate::turn::is_no")]
    pub accept_damage: bool,
}

/// What taking an archive in came to: how much of each kind is new.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Imported {
    /// Vaults that are new.
    pub vaults: u64,
    /// Memories that are new.
    pub memories: u64,
    /// Entries that are new.
    pub entries: u64,
    /// Versions of context documents that are new.
    pub contexts: u64,
    /// Facts that are new.
    pub facts: u64,
    /// Things that were there already.
    pub known: u64,
    /// What the importer should know: as that a memory got another title.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    /// What is wrong with the archive, where it was taken in all the same.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub damage: Vec<String>,
    /// Whether its words are trusted as they were: the archive is unchanged, and this server wrote it for this owner.
    pub origins_kept: bool,
}
