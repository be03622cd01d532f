//! The library as a source: documents on this machine. Questions are not sent to another machine.

use async_trait::async_trait;
use protocol::{OwnerId, SourceKind};

use super::{Lead, Source, SourceDocument, SourceError, SourceQuery};
use crate::library::Library;

/// Maximum number of passages that are read of one document.
const PASSAGES_MAX: usize = 200;

/// Finds documents of the library and reads them.
#[derive(Clone)]
pub struct LibrarySource(Library);

impl LibrarySource {
    /// Searches this library.
    pub const fn new(library: Library) -> Self {
        Self(library)
    }
}

#[async_trait]
impl Source for LibrarySource {
    fn name(&self) -> &str {
        "library"
    }

    fn kind(&self) -> SourceKind {
        SourceKind::Library
    }

    fn sends_out(&self) -> bool {
        false
    }

    async fn is_there(&self, owner: &OwnerId) -> bool {
        self.0.has_documents(owner).await
    }

    async fn find(&self, asked: SourceQuery<'_>) -> Result<Vec<Lead>, SourceError> {
        let found = self.0.find(asked.owner, asked.question, asked.limit, true).await;
        let lead = |it: crate::library::PassageHit| Lead {
            address: it.source,
            title: it.title,
            snippet: it.text,
            published: it.published,
        };
        found.map(|found| found.into_iter().map(lead).collect()).map_err(|error| SourceError(error.to_string()))
    }

    async fn read(&self, owner: &OwnerId, lead: &Lead) -> Result<SourceDocument, SourceError> {
        let taken = self.0.document(owner, &lead.address, &lead.snippet, PASSAGES_MAX).await;
        let taken = taken.map_err(|error| SourceError(error.to_string()))?;
        let taken = taken.ok_or_else(|| SourceError(format!("{} is not in the library any more", lead.address)))?;
        Ok(SourceDocument {
            address: lead.address.clone(),
            title: Some(taken.title),
            published: taken.published,
            passages: taken.passages,
            is_cached: false,
        })
    }
}
