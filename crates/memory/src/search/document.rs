//! The types of search: documents, queries and hits.

use std::collections::BTreeMap;

use protocol::{
    Grouping, ItemId, Level, MemoryFilter, MemoryId, Score, SearchMode, SearchScope, SessionId, Timestamp, VaultId,
};

use super::filter;

/// An item of the owner as it is indexed.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// Its id.
    pub id: ItemId,
    /// Its level of memory.
    pub level: Level,
    /// The text.
    pub text: String,
    /// Its key, if it has one.
    pub key: Option<String>,
    /// Its value, if it has a key.
    pub value: Option<String>,
    /// Who or what it is about, if that is known.
    pub subject: Option<String>,
    /// Who said it: `user`, `assistant`, or another role.
    pub role: Option<String>,
    /// The speaker's name.
    pub speaker: Option<String>,
    /// When it happened.
    pub at: Timestamp,
    /// The memory it belongs to.
    pub memory_id: Option<MemoryId>,
    /// The vault it is in.
    pub vault_id: Option<VaultId>,
    /// The session it comes from.
    pub session_id: Option<SessionId>,
    /// Free labels.
    pub tags: BTreeMap<String, String>,
    /// Until when it held.
    pub valid_until: Option<Timestamp>,
    /// Whether another item replaces it: a correction, a newer fact.
    pub is_superseded: bool,
    /// Whether it is found by its words only, and is not embedded.
    pub by_words_only: bool,
}

impl Document {
    /// A document with only an id, a level, a text and a time.
    pub fn new(id: ItemId, level: Level, text: impl Into<String>, at: Timestamp) -> Self {
        Self {
            id,
            level,
            text: text.into(),
            key: None,
            value: None,
            subject: None,
            role: None,
            speaker: None,
            at,
            memory_id: None,
            vault_id: None,
            session_id: None,
            tags: BTreeMap::new(),
            valid_until: None,
            is_superseded: false,
            by_words_only: false,
        }
    }

    /// Whether it still holds at that moment.
    pub fn holds(&self, now: Timestamp) -> bool {
        !self.is_superseded && self.valid_until.is_none_or(|until| until > now)
    }
}

/// A document with what the store has of it: see [`super::DocumentIndex::words`] and
/// [`super::DocumentIndex::vectors`].
#[derive(Debug)]
pub struct StoredDocument<'a> {
    /// The document.
    pub document: Document,
    /// Its words.
    pub words: Option<&'a [u8]>,
    /// Its vectors.
    pub vectors: Option<&'a [u8]>,
}

/// A query and its filters.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// The query text.
    pub text: String,
    /// Its vector; without it only words are compared.
    pub vector: Option<Vec<f32>>,
    /// By words, by embedding, or both.
    pub mode: SearchMode,
    /// The conversation the question is asked in.
    pub session_id: Option<SessionId>,
    /// Whether only that conversation is searched.
    pub scope: SearchScope,
    /// Only in this vault.
    pub vault_id: Option<VaultId>,
    /// Only in this memory.
    pub memory_id: Option<MemoryId>,
    /// Only these levels; none means all.
    pub levels: Vec<Level>,
    /// Only what has all of these tags.
    pub tags: BTreeMap<String, String>,
    /// Only what was said in this role.
    pub role: Option<String>,
    /// Only what happened at this time or later.
    pub after: Option<Timestamp>,
    /// Only what happened before this time.
    pub before: Option<Timestamp>,
    /// Only what fulfils this condition.
    pub filter: Option<MemoryFilter>,
    /// What counts as one result.
    pub group: Grouping,
    /// At most this many.
    pub limit: usize,
    /// Whether ended items rank like current ones.
    pub is_history_wanted: bool,
    /// The weight of recency; none for that of the recipe.
    pub recency: Option<f32>,
}

impl Query {
    /// A query over all of the owner's items.
    pub fn new(text: impl Into<String>, limit: usize) -> Self {
        Self {
            text: text.into(),
            vector: None,
            mode: SearchMode::Hybrid,
            session_id: None,
            scope: SearchScope::Both,
            vault_id: None,
            memory_id: None,
            levels: Vec::new(),
            tags: BTreeMap::new(),
            role: None,
            after: None,
            before: None,
            filter: None,
            group: Grouping::Item,
            limit,
            is_history_wanted: false,
            recency: None,
        }
    }

    /// Whether it has no filter, so that every document passes.
    pub(super) fn is_unfiltered(&self) -> bool {
        self.scope != SearchScope::Conversation
            && self.vault_id.is_none()
            && self.memory_id.is_none()
            && self.levels.is_empty()
            && self.tags.is_empty()
            && self.role.is_none()
            && self.after.is_none()
            && self.before.is_none()
            && self.filter.is_none()
    }

    /// Whether the document passes the filters.
    pub(super) fn admits(&self, document: &Document) -> bool {
        let is_of_session = || self.session_id.is_some() && document.session_id == self.session_id;
        (self.scope != SearchScope::Conversation || is_of_session())
            && self.vault_id.is_none_or(|vault| document.vault_id == Some(vault))
            && self.memory_id.is_none_or(|memory| document.memory_id == Some(memory))
            && (self.levels.is_empty() || self.levels.contains(&document.level))
            && self.tags.iter().all(|(name, value)| document.tags.get(name) == Some(value))
            && self.role.as_ref().is_none_or(|role| document.role.as_ref() == Some(role))
            && self.after.is_none_or(|after| document.at >= after)
            && self.before.is_none_or(|before| document.at < before)
            && self.filter.as_ref().is_none_or(|filter| filter::admits(filter, document))
    }
}

/// A hit: an item and its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The item.
    pub id: ItemId,
    /// Its score, part by part.
    pub score: Score,
}

/// A text that lacks its vector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnembeddedText {
    /// The document it is of.
    pub id: ItemId,
    /// Which piece of its text, counted from 0; a short text has just one.
    pub piece: u8,
    /// The text.
    pub text: String,
}
