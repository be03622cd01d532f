//! Export and import of an owner's memory.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ContextDocument, Entry, Fact, Memory, Origin, Timestamp, Vault};

/// The whole memory of one owner. `memory.export` returns it and `memory.import` accepts it.
/// Forgotten items are not included.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryArchive {
    /// Always `dwell.memory`.
    #[schemars(regex(pattern = r"^dwell\.memory$"))]
    pub format: String,
    /// Version of the archive format, currently 1.
    #[schemars(range(min = 1, max = 1))]
    pub version: u32,
    /// When the archive was exported.
    pub exported_at: Timestamp,
    /// Vaults, oldest first.
    #[serde(default)]
    pub vaults: Vec<Vault>,
    /// Memories, oldest first. Each belongs to one of `vaults`.
    #[serde(default)]
    pub memories: Vec<Memory>,
    /// Entries, ordered by the time they happened. Each belongs to one of `memories`.
    #[serde(default)]
    pub entries: Vec<Entry>,
    /// All versions of all context documents.
    #[serde(default)]
    pub contexts: Vec<ContextDocument>,
    /// Facts and profile lines, including those that no longer hold.
    #[serde(default)]
    pub facts: Vec<Fact>,
    /// Counts and checksums, by which an import detects damage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest: Option<ArchiveManifest>,
}

/// Counts and checksums of an archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ArchiveManifest {
    /// Number of items of each kind. The keys are `vaults`, `memories`, `entries`, `contexts` and
    /// `facts`.
    pub counts: BTreeMap<String, u64>,
    /// The first eight hexadecimal digits of each item's SHA-256, concatenated. They identify the
    /// damaged item.
    pub marks: String,
    /// SHA-256 of all items. Each item is serialized without spaces and followed by a line feed.
    pub digest: String,
    /// Signature over owner and digest, made with a key of the server that wrote the archive. If it
    /// is missing or from another server, the import treats all text of the archive as untrusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

impl MemoryArchive {
    /// Value of `format`.
    pub const FORMAT: &'static str = "dwell.memory";
    /// The version that is written, and the newest version that can be read.
    pub const VERSION: u32 = 1;

    /// An archive without items.
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

/// `memory.import`: an archive of Dwell, or a file of another program.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MemoryImport {
    /// An archive as `memory.export` returns it. Give either this or `text`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archive: Option<Box<MemoryArchive>>,
    /// The text of a file: an archive, or a file of another program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Format of `text`: `dwell.memory`, `mem0`, `langchain`, `langgraph`, `openai` or `ingest`.
    /// Default: detected from the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// The vault for conversations and notes of another program. Default: `imported`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vault: Option<String>,
    /// The title of the new memory, if the file of another program holds one conversation. Default:
    /// the title in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Where the items come from. Each new item records it. Default: the format.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub imported_from: Option<String>,
    /// Idempotency key. A repeated request with the same key changes nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 200), regex(pattern = crate::patterns::NO_CONTROL))]
    pub idempotency_key: Option<String>,
    /// `trusted` if the owner vouches for the file: then an archive keeps the origins in it, and a
    /// file of another program is the owner's own words. Default: only an unchanged archive that
    /// this server wrote for this owner keeps them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// Imports the intact part of a damaged archive. The answer lists the damage. Default: false.
    #[serde(skip_serializing_if = "crate::turn::is_no")]
    pub accept_damage: bool,
}

/// Result of `memory.import`: how many items of each kind are new.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MemoryImportResult {
    /// New vaults.
    pub vaults: u64,
    /// New memories.
    pub memories: u64,
    /// New entries.
    pub entries: u64,
    /// New versions of context documents.
    pub contexts: u64,
    /// New facts.
    pub facts: u64,
    /// Items that existed already.
    pub known: u64,
    /// Notices for the caller, for example that a memory was given another title.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    /// The damage that was found, if the archive was imported nevertheless.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub damage: Vec<String>,
    /// Whether the text keeps its level of trust. True if the archive is unchanged and this server
    /// wrote it for this owner, or if the owner vouches for it.
    pub origins_kept: bool,
}
