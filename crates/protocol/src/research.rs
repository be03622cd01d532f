//! Research: its events, the passages that were read, and the library of documents.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ArtifactId, Citation, ClockDoubt, FolderId, PassageId, Timestamp, Usage};

/// Kind of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    /// A document of the local library.
    Library,
    /// A page that a web search returned.
    Search,
    /// A page whose URL is in the question.
    Page,
}

/// Events of a research: it started, then each source, then it ended.
#[derive(Debug, Clone, PartialEq)]
pub enum ResearchEvent {
    /// The research started.
    Started(ResearchStarted),
    /// A source was found, read or skipped.
    Chunk(ResearchChunk),
    /// The research ended.
    Done(ResearchDone),
}

/// The start of a research.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ResearchStarted {
    /// The call that runs the research.
    pub call_id: String,
    /// The question.
    pub query: String,
    /// The questions that it was divided into.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<String>,
    /// Names of the searched sources. Empty if none is configured.
    #[serde(default)]
    pub sources: Vec<String>,
    /// Maximum number of sources that are read.
    pub sources_max: u32,
}

/// Status of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChunkStatus {
    /// The source was found and will be read.
    Found,
    /// The source was read.
    Read,
    /// The source could not be read, or must not be.
    Failed,
}

/// A source and its status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ResearchChunk {
    /// The call that runs the research.
    pub call_id: String,
    /// Status of the source.
    pub status: ChunkStatus,
    /// Number of the source, from 1. It stays the same when the status changes.
    pub number: u32,
    /// The round that found the source, from 1.
    pub round: u32,
    /// Kind of the source.
    pub kind: SourceKind,
    /// Title of the source.
    pub title: String,
    /// URL of the source, or `library:` and a path.
    pub source: String,
    /// Number of passages that were read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passages: Option<u32>,
    /// Whether the text came from the cache.
    #[serde(default, skip_serializing_if = "crate::turn::is_no")]
    pub cached: bool,
    /// Why the source could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A passage of a source, as it was read. An answer can cite it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Passage {
    /// Id of the passage. The same text in the same source has the same id.
    pub passage_id: PassageId,
    /// The text in square brackets that cites the passage.
    pub mark: String,
    /// Title of the source.
    pub title: String,
    /// URL of the source, or `library:` and a path.
    pub source: String,
    /// Kind of the source.
    pub kind: SourceKind,
    /// Text of the passage.
    pub text: String,
    /// Date of publication, as stated by the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    /// When the source was read.
    pub read_at: Timestamp,
}

/// Sources that contradict each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Contradiction {
    /// What they disagree about.
    pub about: String,
    /// Marks of the passages.
    pub marks: Vec<String>,
}

/// The result of a research.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ResearchDone {
    /// The call that ran the research.
    pub call_id: String,
    /// The findings in at most 150 tokens, with marks in square brackets.
    pub notes: String,
    /// The sources that the notes cite, in their order.
    #[serde(default)]
    pub citations: Vec<Citation>,
    /// All stored passages. Marks and citations refer to them.
    #[serde(default)]
    pub passages: Vec<Passage>,
    /// Contradictions between sources.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contradictions: Vec<Contradiction>,
    /// Questions that remain open.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open_questions: Vec<String>,
    /// Number of sources that were found.
    pub found: u32,
    /// Number of sources that were read.
    pub read: u32,
    /// Number of sources that could not be read.
    pub failed: u32,
    /// Number of rounds.
    pub rounds: u32,
    /// Notices about the search, for the user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    /// Usage of language models.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

/// Passages that a turn can cite.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PassagePage {
    /// The passages, in the order in which they were found.
    pub data: Vec<Passage>,
}

/// A folder of the library.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FolderView {
    /// Id of the folder.
    pub folder_id: FolderId,
    /// Path on the server's machine.
    pub path: String,
    /// Whether all owners can search the folder.
    #[serde(default)]
    pub shared: bool,
    /// When the folder was added.
    pub added_at: Timestamp,
    /// Number of documents.
    pub documents: u64,
    /// Number of passages.
    pub passages: u64,
    /// Number of passages that have no embedding yet. They are found by words only.
    pub waiting: u64,
    /// When the folder was last scanned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scanned_at: Option<Timestamp>,
    /// The first documents that cannot be read, with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub troubles: Vec<UnreadableDocument>,
    /// Number of documents that cannot be read.
    #[serde(default)]
    pub troubled: u64,
}

/// A document that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnreadableDocument {
    /// Path within the folder.
    pub path: String,
    /// Reason.
    pub reason: String,
}

/// The library.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LibraryView {
    /// The folders, oldest first.
    pub folders: Vec<FolderView>,
    /// Why the library is searched by words only. Absent if embeddings are used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub without_meaning: Option<String>,
}

/// A folder to add to the library.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddFolder {
    /// Absolute path on the server's machine.
    pub path: String,
    /// Whether all owners can search the folder. Default: false.
    #[serde(default)]
    pub shared: bool,
}

/// A search in the library.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LibrarySearch {
    /// The query, in natural language.
    pub query: String,
    /// Maximum number of passages. Default: 10.
    #[serde(default)]
    pub limit: Option<u32>,
}

/// A passage of the library that matches a query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LibraryHit {
    /// Title of the document.
    pub title: String,
    /// `library:` and the path of the document.
    pub source: String,
    /// Text of the passage.
    pub text: String,
    /// How well the passage matches, 0 to 1.
    pub score: f32,
}

/// Passages of the library that match a query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LibraryHits {
    /// The passages, best match first.
    pub data: Vec<LibraryHit>,
}

/// The result of a sweep: what was deleted, archived or expired.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct SweepResult {
    /// Deleted artifacts.
    pub artifacts: u64,
    /// Bytes of the deleted artifacts.
    pub bytes: u64,
    /// Deleted memory items whose time to live had passed.
    pub memories: u64,
    /// Why nothing was deleted, if the clock is in doubt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<ClockDoubt>,
    /// Sessions that expired because they were idle for too long.
    #[serde(default)]
    pub expired: u64,
    /// Expired sessions that were archived to a file and deleted.
    #[serde(default)]
    pub archived: u64,
    /// Expired sessions that were deleted.
    #[serde(default)]
    pub deleted: u64,
}

/// An artifact shown in a window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShownArtifact {
    /// Id of the artifact.
    pub artifact_id: ArtifactId,
    /// Name of the artifact.
    pub name: String,
    /// Media type, for example `text/csv`.
    pub media_type: String,
}
