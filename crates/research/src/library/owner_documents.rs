//! The index of one owner: the documents of the owner's folders and of the shared ones, in memory.

use std::collections::HashMap;

use memory::search::{Document, DocumentIndex, Query};
use protocol::{Grouping, Level, OwnerId, Timestamp};

use super::{
    folder_path,
    passage_location::{DocumentNo, PassageLocation},
    store::StoredDocument,
};

/// Time does not affect the ranking of documents, so all have the same.
const ANY_TIME: i64 = 0;

/// The documents of one owner.
#[derive(Debug)]
pub(super) struct OwnerDocuments {
    owner: OwnerId,
    index: DocumentIndex,
    infos: HashMap<DocumentNo, DocumentInfo>,
    by_source: HashMap<String, DocumentNo>,
}

/// Metadata of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
struct DocumentInfo {
    title: String,
    published: Option<String>,
    source: String,
    passages: u32,
}

/// A passage that was found.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PassageHit {
    pub(crate) title: String,
    pub(crate) published: Option<String>,
    pub(crate) source: String,
    pub(crate) text: String,
    /// 0 to 1.
    pub(crate) score: f32,
}

/// A document with its passages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DocumentPassages {
    pub(crate) title: String,
    pub(crate) published: Option<String>,
    pub(crate) passages: Vec<String>,
}

impl OwnerDocuments {
    pub(super) fn new(owner: OwnerId) -> Self {
        Self { owner, index: DocumentIndex::new(), infos: HashMap::new(), by_source: HashMap::new() }
    }

    pub(super) const fn owner(&self) -> &OwnerId {
        &self.owner
    }

    /// Adds a document or replaces it. `name` is that of its folder.
    pub(super) fn put(&mut self, name: &str, filed: StoredDocument) {
        let StoredDocument { document, folder: _, path, title, published, passages } = filed;
        self.remove(document);
        let count = u32::try_from(passages.len()).unwrap_or(u32::MAX);
        for (ordinal, (text, vector)) in (0_u32..).zip(passages) {
            let id = PassageLocation { document, ordinal }.id();
            self.index.insert(Document {
                key: Some(title.clone()),
                memory_id: Some(PassageLocation::whole(document)),
                ..Document::new(id, Level::Context, text, Timestamp::from_millis(ANY_TIME))
            });
            if let Some(bytes) = vector {
                self.index.restore(id, &bytes);
            }
        }
        let source = folder_path::source(name, &path);
        self.by_source.insert(source.clone(), document);
        self.infos.insert(document, DocumentInfo { title, published, source, passages: count });
    }

    /// Removes a document. Does nothing if there is none.
    pub(super) fn remove(&mut self, document: DocumentNo) {
        let Some(card) = self.infos.remove(&document) else { return };
        (0..card.passages).for_each(|ordinal| self.index.remove(PassageLocation { document, ordinal }.id()));
        self.by_source.remove(&card.source);
    }

    /// Sets the embedding of a passage. Does nothing if the passage is not in the index.
    pub(super) fn set_vector(&mut self, passage_location: PassageLocation, bytes: &[u8]) {
        self.index.restore(passage_location.id(), bytes);
    }

    /// Passages that match a question, best first: all of them, or the best one of each document.
    pub(super) fn find(
        &self,
        question: String,
        vector: Option<Vec<f32>>,
        limit: usize,
        by_document: bool,
        now: Timestamp,
    ) -> Vec<PassageHit> {
        let group = if by_document { Grouping::Memory } else { Grouping::Item };
        let query = Query { vector, group, ..Query::new(question, limit) };
        let hits = self.index.search(&query, now);
        let found = hits.into_iter().filter_map(|hit| {
            let card = self.infos.get(&PassageLocation::of(hit.id).document)?;
            Some(PassageHit {
                title: card.title.clone(),
                published: card.published.clone(),
                source: card.source.clone(),
                text: self.index.get(hit.id)?.text.clone(),
                score: hit.score.total.clamp(0.0, 1.0),
            })
        });
        found.collect()
    }

    /// A document by its source. Of a long one, at most `limit` passages, including the one most
    /// like `around`.
    pub(super) fn document(&self, source: &str, around: &str, limit: usize) -> Option<DocumentPassages> {
        let document = *self.by_source.get(source)?;
        let card = self.infos.get(&document)?;
        let text = |ordinal| Some(self.index.get(PassageLocation { document, ordinal }.id())?.text.as_str());
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        let from = match card.passages.checked_sub(limit) {
            None | Some(0) => 0,
            Some(last) => {
                let place = (0..card.passages).find(|ordinal| text(*ordinal) == Some(around)).unwrap_or(0);
                place.saturating_sub(limit / 2).min(last)
            }
        };
        let to = from.saturating_add(limit).min(card.passages);
        Some(DocumentPassages {
            title: card.title.clone(),
            published: card.published.clone(),
            passages: (from..to).filter_map(text).map(str::to_owned).collect(),
        })
    }
}
