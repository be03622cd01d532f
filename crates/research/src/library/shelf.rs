//! What one owner can find: the documents of their folders and of the shared ones, held in memory for the search.

use std::collections::HashMap;

use memory::search::{Document, Index, Query};
use protocol::{Grouping, Level, OwnerId, Timestamp};

use super::{
    place,
    spot::{DocumentNo, Spot},
    store::Filed,
};

/// Nothing in a library is newer than anything else: what fits best comes first.
const ANY_TIME: i64 = 0;

/// The documents of one owner.
#[derive(Debug)]
pub(super) struct Shelf {
    owner: OwnerId,
    index: Index,
    cards: HashMap<DocumentNo, Card>,
    by_source: HashMap<String, DocumentNo>,
}

/// What is known of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Card {
    title: String,
    published: Option<String>,
    source: String,
    passages: u32,
}

/// A passage that was found.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Found {
    pub(crate) title: String,
    pub(crate) published: Option<String>,
    pub(crate) source: String,
    pub(crate) text: String,
    /// From 0 to 1.
    pub(crate) score: f32,
}

/// A document, taken from the shelf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Taken {
    pub(crate) title: String,
    pub(crate) published: Option<String>,
    pub(crate) passages: Vec<String>,
}

impl Shelf {
    pub(super) fn new(owner: OwnerId) -> Self {
        Self { owner, index: Index::new(), cards: HashMap::new(), by_source: HashMap::new() }
    }

    pub(super) const fn owner(&self) -> &OwnerId {
        &self.owner
    }

    /// Puts a document there, in place of what was known of it. `name` is that of its folder.
    pub(super) fn put(&mut self, name: &str, filed: Filed) {
        let Filed { document, folder: _, path, title, published, passages } = filed;
        self.remove(document);
        let count = u32::try_from(passages.len()).unwrap_or(u32::MAX);
        for (ordinal, (text, vector)) in (0_u32..).zip(passages) {
            let id = Spot { document, ordinal }.id();
            self.index.insert(Document {
                key: Some(title.clone()),
                memory_id: Some(Spot::whole(document)),
                ..Document::new(id, Level::Context, text, Timestamp::from_millis(ANY_TIME))
            });
            if let Some(bytes) = vector {
                self.index.restore(id, &bytes);
            }
        }
        let source = place::source(name, &path);
        self.by_source.insert(source.clone(), document);
        self.cards.insert(document, Card { title, published, source, passages: count });
    }

    /// Takes a document away; harmless if there is none.
    pub(super) fn remove(&mut self, document: DocumentNo) {
        let Some(card) = self.cards.remove(&document) else { return };
        (0..card.passages).for_each(|ordinal| self.index.remove(Spot { document, ordinal }.id()));
        self.by_source.remove(&card.source);
    }

    /// Says what a passage means; harmless if it is not here.
    pub(super) fn learn(&mut self, spot: Spot, bytes: &[u8]) {
        self.index.restore(spot.id(), bytes);
    }

    /// What fits a question, best first; passage by passage, or the best of each document.
    pub(super) fn find(
        &self,
        question: String,
        vector: Option<Vec<f32>>,
        limit: usize,
        by_document: bool,
        now: Timestamp,
    ) -> Vec<Found> {
        let group = if by_document { Grouping::Memory } else { Grouping::Item };
        let query = Query { vector, group, ..Query::new(question, limit) };
        let hits = self.index.search(&query, now);
        let found = hits.into_iter().filter_map(|hit| {
            let card = self.cards.get(&Spot::of(hit.id).document)?;
            Some(Found {
                title: card.title.clone(),
                published: card.published.clone(),
                source: card.source.clone(),
                text: self.index.get(hit.id)?.text.clone(),
                score: hit.score.total.clamp(0.0, 1.0),
            })
        });
        found.collect()
    }

    /// A document by its address. Of a long one, as many passages as are wanted, with the one that reads like `around` among them.
    pub(super) fn take(&self, source: &str, around: &str, limit: usize) -> Option<Taken> {
        let document = *self.by_source.get(source)?;
        let card = self.cards.get(&document)?;
        let text = |ordinal| Some(self.index.get(Spot { document, ordinal }.id())?.text.as_str());
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        let from = match card.passages.checked_sub(limit) {
            None | Some(0) => 0,
            Some(last) => {
                let place = (0..card.passages).find(|ordinal| text(*ordinal) == Some(around)).unwrap_or(0);
                place.saturating_sub(limit / 2).min(last)
            }
        };
        let to = from.saturating_add(limit).min(card.passages);
        Some(Taken {
            title: card.title.clone(),
            published: card.published.clone(),
            passages: (from..to).filter_map(text).map(str::to_owned).collect(),
        })
    }
}
