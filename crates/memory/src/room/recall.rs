//! Finding things again: for clients, and for a turn that is about to be answered.

use journal::{Filter, Place};
use protocol::{
    Fact, Found, Grouping, Item, ItemId, Level, MemoryGet, MemorySearch, MemorySnapshot, Origin, OwnerId, Scope, Score,
    SearchMode, SessionId, Timestamp, ends,
};

use super::{Error, Room, facts::BELIEF_MIN, overtaken};
use crate::{search::Query, summary};

/// Results unless told otherwise, and at most.
const LIMIT_DEFAULT: u32 = 8;
const LIMIT_MAX: u32 = 100;
/// Bytes of a question that are looked at: of a longer one its beginning and its end.
const QUERY_BYTES_MAX: usize = 2_000;
/// Lines of the profile that a turn is told.
const PROFILE_MAX: usize = 8;
/// Other things that a turn is told.
const ITEMS_MAX: u32 = 7;
/// What is less alike than this in meaning, and shares no rare word, has nothing to do with the question.
const SEMANTIC_MIN: f32 = 0.3;
const LEXICAL_MIN: f32 = 0.35;

/// What a turn is told of what is known from before.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recall {
    /// The most important lines of the profile.
    pub profile: Vec<Fact>,
    /// What the conversation came to before what is still told word for word.
    pub summary: Option<Summary>,
    /// What fits the message.
    pub items: Vec<Found>,
    /// What whoever looks should know.
    pub notices: Vec<String>,
}

/// The newest context document of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Its id.
    pub id: ItemId,
    /// The text.
    pub text: String,
    /// Which version.
    pub version: u32,
    /// When the newest thing it knows of happened.
    pub at: Timestamp,
    /// Whose words it may hold.
    pub origin: Origin,
    /// Who wrote it.
    pub written_by: String,
}

impl Room {
    /// What fits a question, best first, with every part of the score.
    pub async fn search(
        &self,
        owner: &OwnerId,
        asked: &MemorySearch,
        session_id: Option<SessionId>,
    ) -> Result<MemorySnapshot, Error> {
        let text = ends(&asked.query, QUERY_BYTES_MAX).into_owned();
        if text.trim().is_empty() {
            return Err(Error::Invalid("say what to look for in `query`".to_owned()));
        }
        if asked.scope == Scope::Conversation && session_id.is_none() {
            return Err(Error::Invalid("scope `conversation` needs `session_id` or `conversation_id`".to_owned()));
        }
        let mut notices = Vec::new();
        let vector = match asked.mode {
            SearchMode::Lexical => None,
            SearchMode::Hybrid | SearchMode::Semantic => self.meaning_of(&text, &mut notices).await,
        };
        if asked.mode == SearchMode::Semantic && vector.is_none() {
            let why = notices.pop().unwrap_or_default();
            return Err(Error::Unfit(format!("cannot search by meaning alone: {why}")));
        }
        let mode = if vector.is_none() { SearchMode::Lexical } else { asked.mode };
        let query = Query {
            text,
            vector,
            mode,
            session_id,
            scope: asked.scope,
            vault_id: asked.vault_id,
            memory_id: asked.memory_id,
            levels: asked.levels.clone(),
            tags: asked.tags.clone(),
            group: asked.group,
            is_history_wanted: false,
            limit: asked.limit.unwrap_or(LIMIT_DEFAULT).clamp(1, LIMIT_MAX) as usize,
        };
        let now = self.now();
        let items = self.read_much(owner, |shelf| {
            let hits = shelf.index.search(&query, now);
            let found = hits.into_iter().filter_map(|hit| Some(Found { item: shelf.item(hit.id)?, score: hit.score }));
            let mut found: Vec<Found> = found.filter(|found| !is_expired(&found.item, now)).collect();
            if asked.group == Grouping::Item {
                overtaken::bring_successors(shelf, &mut found, query.limit);
                overtaken::mark(shelf, &mut found);
            }
            found
        });
        Ok(MemorySnapshot { items: items.await?, mode, notices, next_cursor: None })
    }

    /// What is there, newest first, page by page; with a question, what fits it.
    pub async fn get(
        &self,
        owner: &OwnerId,
        asked: &MemoryGet,
        session_id: Option<SessionId>,
    ) -> Result<MemorySnapshot, Error> {
        if let Some(query) = &asked.query {
            let search = MemorySearch {
                query: query.clone(),
                scope: asked.scope,
                levels: asked.levels.clone(),
                limit: asked.limit,
                ..MemorySearch::default()
            };
            return self.search(owner, &search, session_id).await;
        }
        let limit = asked.limit.unwrap_or(LIMIT_DEFAULT).clamp(1, LIMIT_MAX) as usize;
        if let Some(key) = &asked.key {
            let facts = self.history(owner, key).await?;
            let ids: Vec<ItemId> = facts.into_iter().map(|fact| fact.fact_id).collect();
            return Ok(MemorySnapshot { items: self.listed(owner, &ids).await?, ..MemorySnapshot::default() });
        }
        let mut after = asked.cursor.as_deref().map(read_place).transpose()?;
        let mut snapshot = MemorySnapshot::default();
        let filter = Filter { levels: asked.levels.clone(), ..Filter::default() };
        let now = self.now();
        // What is left out makes room on the page, so a page may take several readings.
        while snapshot.items.len() < limit {
            let page = self.inner.store.records(owner, filter.clone(), after, limit).await?;
            let is_last = page.len() < limit;
            let ids: Vec<ItemId> = page.iter().map(journal::Record::id).collect();
            let end = page.last().map(|record| Place { at: record.at(), id: record.id().to_bytes() });
            for found in self.listed(owner, &ids).await? {
                let item = &found.item;
                after = Some(Place { at: item.at, id: item.id.to_bytes() });
                let is_here = asked.scope != Scope::Conversation || item.source.session_id == session_id;
                let holds = asked.history || (item.valid_until.is_none() && item.superseded_by.is_none());
                if is_here && holds && !is_expired(item, now) && snapshot.items.len() < limit {
                    snapshot.items.push(found);
                    if snapshot.items.len() == limit {
                        break;
                    }
                }
            }
            if snapshot.items.len() < limit {
                if is_last {
                    return Ok(snapshot);
                }
                // Also when something of the page was forgotten in between.
                after = end;
            }
        }
        snapshot.next_cursor = after.map(write_place);
        Ok(snapshot)
    }

    /// What a turn should be told for its message. Whatever cannot be had is left out: an answer never waits for memory.
    pub async fn recall(&self, owner: &OwnerId, message: &str, session_id: Option<SessionId>) -> Result<Recall, Error> {
        let mut profile = self.profile(owner).await?;
        profile.truncate(PROFILE_MAX);
        let summary = self.read(owner, |shelf| {
            let context = shelf.memory_of(session_id?).and_then(|memory| shelf.newest_context(memory.memory_id))?;
            Some(Summary {
                id: context.context_id,
                text: summary::up_to_date(&context.content, context.stored_at, &shelf.facts().collect::<Vec<_>>()),
                version: context.version,
                at: context.conversation_time,
                origin: context.origin,
                written_by: context.written_by.clone(),
            })
        });
        let summary = summary.await?;
        let mut recall = Recall { profile, summary, ..Recall::default() };
        if message.trim().is_empty() {
            return Ok(recall);
        }
        let search = MemorySearch {
            query: ends(message, QUERY_BYTES_MAX).into_owned(),
            // What the profile says is told anyway, and what a conversation came to is told by its own.
            levels: vec![Level::Fact, Level::Entry],
            limit: Some(ITEMS_MAX * 3),
            ..MemorySearch::default()
        };
        let snapshot = self.search(owner, &search, session_id).await?;
        let believed = self.read(owner, |shelf| {
            let is_believed = |item: &Item| match shelf.record(item.id) {
                Some(journal::Record::Fact(fact)) => self.belief(fact) >= BELIEF_MIN,
                _ => !shelf.is_repeating(item.id),
            };
            snapshot.items.into_iter().filter(|found| is_believed(&found.item)).collect::<Vec<_>>()
        });
        let fits = |score: &Score| score.semantic >= SEMANTIC_MIN || score.lexical >= LEXICAL_MIN;
        // A question that was asked before is no answer, and the same words need not be told twice.
        for found in believed.await?.into_iter().filter(|found| fits(&found.score)) {
            let is_told = recall.items.iter().any(|told| same_words(&told.item.text, &found.item.text));
            let is_message = same_words(&found.item.text, message);
            if !is_told && !is_message && recall.items.len() < ITEMS_MAX as usize {
                recall.items.push(found);
            }
        }
        recall.notices = snapshot.notices;
        Ok(recall)
    }

    async fn meaning_of(&self, text: &str, notices: &mut Vec<String>) -> Option<Vec<f32>> {
        if let Some(why) = self.without_meaning() {
            notices.push(format!("looked for words only: {why}; run `dwell setup` to search by meaning too"));
            return None;
        }
        match self.inner.meaning.of(text).await {
            Ok(vector) => vector,
            Err(why) => {
                notices.push(format!("looked for words only: {why}"));
                None
            }
        }
    }

    /// Items without a score, in the order of their ids given.
    async fn listed(&self, owner: &OwnerId, ids: &[ItemId]) -> Result<Vec<Found>, Error> {
        self.read(owner, |shelf| {
            let items = ids.iter().filter_map(|id| shelf.item(*id));
            items.map(|item| Found { item, score: Score::default() }).collect()
        })
        .await
    }
}

fn is_expired(item: &Item, now: Timestamp) -> bool {
    item.expires_at.is_some_and(|at| at <= now)
}

fn same_words(a: &str, b: &str) -> bool {
    let words = |text| str::split_whitespace(text).map(str::to_lowercase);
    // Word by word, so that long texts are told apart by their first words.
    words(a).eq(words(b))
}

/// A place in a list as clients pass it back.
pub fn write_place(place: Place) -> String {
    let id = ItemId::from_bytes(place.id);
    format!("{}.{id}", place.at.as_millis())
}

/// A place in a list, as a client gives it back.
pub fn read_place(text: &str) -> Result<Place, Error> {
    let parsed = text.split_once('.').and_then(|(millis, id)| {
        let id: ItemId = id.parse().ok()?;
        Some(Place { at: Timestamp::from_millis(millis.parse().ok()?), id: id.to_bytes() })
    });
    parsed.ok_or_else(|| Error::Invalid("the cursor is not one that a list gave".to_owned()))
}
