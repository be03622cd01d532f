//! Sources of research: one trait, and a file for each kind.

pub mod brave;
mod library;
pub mod pages;
mod search_service;
pub mod searxng;

use async_trait::async_trait;
pub use library::LibrarySource;
use protocol::{OwnerId, SourceKind};

/// A query, and its owner.
#[derive(Debug, Clone, Copy)]
pub struct SourceQuery<'a> {
    /// The owner whose library may be searched.
    pub owner: &'a OwnerId,
    /// The question, in natural language.
    pub question: &'a str,
    /// Number of leads that are useful.
    pub limit: usize,
}

/// A search result that has not been read yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Lead {
    /// Its URL, or `library:` and a path.
    pub address: String,
    /// Its title, if known.
    pub title: String,
    /// The search's excerpt.
    pub snippet: String,
    /// Its date, if known.
    pub published: Option<String>,
}

/// A source that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceDocument {
    /// The final address, after redirects.
    pub address: String,
    /// Its own title.
    pub title: Option<String>,
    /// Its date, if stated.
    pub published: Option<String>,
    /// Its passages in order, verbatim.
    pub passages: Vec<String>,
    /// Whether it comes from the cache.
    pub is_cached: bool,
}

/// Why a source fails, in words that help a person to fix it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SourceError(pub String);

/// Finds and reads documents.
#[async_trait]
pub trait Source: Send + Sync + 'static {
    /// Name of the source, for example `library` or `searxng`.
    fn name(&self) -> &str;

    /// Kind of its results.
    fn kind(&self) -> SourceKind;

    /// Whether a query is sent to another machine.
    fn sends_out(&self) -> bool;

    /// Whether it can have results for this owner.
    async fn is_there(&self, owner: &OwnerId) -> bool;

    /// The best leads for the question, best first.
    async fn find(&self, asked: SourceQuery<'_>) -> Result<Vec<Lead>, SourceError>;

    /// Reads one of its leads.
    async fn read(&self, owner: &OwnerId, lead: &Lead) -> Result<SourceDocument, SourceError>;
}
