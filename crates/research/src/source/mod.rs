//! Where sources come from: one narrow trait, and a file for each kind.

pub mod brave;
mod library;
pub mod pages;
pub mod searxng;
mod wire;

use async_trait::async_trait;
pub use library::LibrarySource;
use protocol::{OwnerId, SourceKind};

/// What is looked for, and for whom.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// Whose library may be looked into.
    pub owner: &'a OwnerId,
    /// The question, in plain words.
    pub question: &'a str,
    /// How many leads are of use.
    pub limit: usize,
}

/// Something that may answer a question, before it is read.
#[derive(Debug, Clone, PartialEq)]
pub struct Lead {
    /// Where it is: an address, or `library:` and a path.
    pub address: String,
    /// What it is called, as far as is known.
    pub title: String,
    /// What the search says of it.
    pub snippet: String,
    /// When it was written, as far as is known.
    pub published: Option<String>,
}

/// A source that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// Where it is in the end: a redirect may have led elsewhere.
    pub address: String,
    /// What it calls itself.
    pub title: Option<String>,
    /// When it was written, as far as it says.
    pub published: Option<String>,
    /// Its passages in order, word for word.
    pub passages: Vec<String>,
    /// Whether it is remembered from before rather than fetched now.
    pub is_cached: bool,
}

/// Why a source finds nothing or cannot be read; in words that a person can do something with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SourceError(pub String);

/// Something that finds and reads.
#[async_trait]
pub trait Source: Send + Sync + 'static {
    /// Its name, as in `library` or `searxng`.
    fn name(&self) -> &str;

    /// What it finds.
    fn kind(&self) -> SourceKind;

    /// Whether looking there sends the question out of the house.
    fn sends_out(&self) -> bool;

    /// Whether there is anything to be found for this owner.
    async fn is_there(&self, owner: &OwnerId) -> bool;

    /// What may answer the question, best first.
    async fn find(&self, asked: Asked<'_>) -> Result<Vec<Lead>, SourceError>;

    /// Reads one of its leads.
    async fn read(&self, owner: &OwnerId, lead: &Lead) -> Result<Reading, SourceError>;
}
