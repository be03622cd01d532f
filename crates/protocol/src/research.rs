//! Looking for sources: what is told while it goes on, what was read, and where.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ArtifactId, Citation, ClockDoubt, FolderId, PassageId, Timestamp, Usage};

/// Where something was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    /// A document of the local library.
    Library,
    /// A page that a search of the web named.
    Search,
    /// A page that the question names by its address.
    Page,
}

/// What is told of looking for sources, in this order: that it began, each source, what came of it.
#[derive(Debug, Clone, PartialEq)]
pub enum Research {
    /// It began.
    Started(ResearchStarted),
    /// A source was found, read, or left aside.
    Chunk(ResearchChunk),
    /// It ended.
    Done(ResearchDone),
}

/// Sources are looked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ResearchStarted {
    /// The call that does it.
    pub call_id: String,
    /// What is asked.
    pub query: String,
    /// The questions it was divided into.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<String>,
    /// Where it is looked; nothing where there is no source at all.
    #[serde(default)]
    pub sources: Vec<String>,
    /// How many sources are read at most.
    pub sources_max: u32,
}

/// How far a source is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChunkStatus {
    /// It was found and will be looked at.
    Found,
    /// It was read.
    Read,
    /// It could not be read, or may not be.
    Failed,
}

/// A source, as far as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ResearchChunk {
    /// The call that looks.
    pub call_id: String,
    /// How far the source is.
    pub status: ChunkStatus,
    /// Its number among those that were found, from 1; the same when it is read.
    pub number: u32,
    /// Which round found it, from 1.
    pub round: u32,
    /// Where it was found.
    pub kind: SourceKind,
    /// What it is called.
    pub title: String,
    /// Where it is: an address, or `library:` and a path.
    pub source: String,
    /// How many passages were read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passages: Option<u32>,
    /// Whether it was read before and is remembered.
    #[serde(default, skip_serializing_if = "crate::turn::is_no")]
    pub cached: bool,
    /// Why it could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Words of a source that an answer may rest on, as they were read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Passage {
    /// Its id: that of the same words in the same source.
    pub passage_id: PassageId,
    /// What stands for it in square brackets.
    pub mark: String,
    /// What the source is called.
    pub title: String,
    /// Where the source is: an address, or `library:` and a path.
    pub source: String,
    /// Where it was found.
    pub kind: SourceKind,
    /// The words.
    pub text: String,
    /// When the source says that it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    /// When it was read.
    pub read_at: Timestamp,
}

/// Sources that do not agree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Contradiction {
    /// What they do not agree about, in words.
    pub about: String,
    /// The passages, by their marks.
    pub marks: Vec<String>,
}

/// What came of looking for sources.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ResearchDone {
    /// The call that did it.
    pub call_id: String,
    /// What was found, in at most 150 tokens, with marks in square brackets.
    pub notes: String,
    /// The sources that the notes cite, in their order.
    #[serde(default)]
    pub citations: Vec<Citation>,
    /// All passages that were kept: what marks and citations resolve to.
    #[serde(default)]
    pub passages: Vec<Passage>,
    /// Where sources do not agree.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contradictions: Vec<Contradiction>,
    /// Questions that stay open.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open_questions: Vec<String>,
    /// How many sources were found.
    pub found: u32,
    /// How many were read.
    pub read: u32,
    /// How many could not be read.
    pub failed: u32,
    /// How many rounds it took.
    pub rounds: u32,
    /// What the asker should know of how it was looked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    /// What asking a language model took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

/// Passages that a turn may rest on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PassagePage {
    /// The passages, in the order they were found.
    pub data: Vec<Passage>,
}

/// A folder of the library.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FolderView {
    /// Its id.
    pub folder_id: FolderId,
    /// Where it is on the server's machine.
    pub path: String,
    /// Whether every owner may look into it.
    #[serde(default)]
    pub shared: bool,
    /// When it was added.
    pub added_at: Timestamp,
    /// How many documents are in it.
    pub documents: u64,
    /// How many passages they have.
    pub passages: u64,
    /// How many of them can be found by their words and not yet by their meaning.
    pub waiting: u64,
    /// When it was looked through last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scanned_at: Option<Timestamp>,
    /// Documents that cannot be read, and why; the first of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub troubles: Vec<Trouble>,
    /// How many cannot be read.
    #[serde(default)]
    pub troubled: u64,
}

/// A document that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Trouble {
    /// Which, by its path in the folder.
    pub path: String,
    /// Why.
    pub reason: String,
}

/// The library.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LibraryView {
    /// Its folders, oldest first.
    pub folders: Vec<FolderView>,
    /// Why it is searched by words alone, where that is so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub without_meaning: Option<String>,
}

/// A folder to be added to the library.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddFolder {
    /// Where it is on the server's machine, from the root on.
    pub path: String,
    /// Whether every owner may look into it.
    #[serde(default)]
    pub shared: bool,
}

/// What is looked for in the library.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LibrarySearch {
    /// The question, in plain words.
    pub query: String,
    /// At most this many passages; 10 unless told.
    #[serde(default)]
    pub limit: Option<u32>,
}

/// A passage of the library that fits a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LibraryHit {
    /// What the document is called.
    pub title: String,
    /// Where it is: `library:` and a path.
    pub source: String,
    /// The words.
    pub text: String,
    /// How well it fits, from 0 to 1.
    pub score: f32,
}

/// Passages of the library that fit a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LibraryHits {
    /// The passages, best first.
    pub data: Vec<LibraryHit>,
}

/// What the sweeper has collected.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Swept {
    /// Artifacts that were kept long enough.
    pub artifacts: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Memories that were to be kept for a while only.
    pub memories: u64,
    /// Why nothing was deleted, where the clock is in doubt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<ClockDoubt>,
    /// Sessions that have expired, since they were idle for too long.
    #[serde(default)]
    pub expired: u64,
    /// Expired sessions that were written to a file and removed.
    #[serde(default)]
    pub archived: u64,
    /// Expired sessions that were deleted for good.
    #[serde(default)]
    pub deleted: u64,
}

/// What a window shows of an artifact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShownArtifact {
    /// Which.
    pub artifact_id: ArtifactId,
    /// What it is called.
    pub name: String,
    /// Its kind, as in `text/csv`.
    pub media_type: String,
}
