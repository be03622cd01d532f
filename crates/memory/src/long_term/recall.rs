//! Search for clients, and recall for a turn that is about to be answered.

use journal::{RecordCursor, RecordFilter};
use protocol::{
    Fact, Grouping, ItemId, Level, MemoryFilter, MemoryGet, MemoryHit, MemoryItem, MemorySearch, MemorySnapshot,
    Origin, OwnerId, Score, SearchMode, SearchScope, SessionId, Timestamp, ends,
};

use super::{Error, LongTermMemory, OpenWindows, OwnerRecords, facts::BELIEF_MIN, superseded, windows::WindowView};
use crate::{search::Query, summary};

/// The default and the largest number of results.
const LIMIT_DEFAULT: u32 = 8;
const LIMIT_MAX: u32 = 100;
/// The most results that may be left out before a page.
const OFFSET_MAX: u32 = 900;
/// Bytes of a query that are used: of a longer one its beginning and its end.
const QUERY_BYTES_MAX: usize = 2_000;
/// Lines of the profile in a recall.
const PROFILE_MAX: usize = 8;
/// Other items in a recall.
const ITEMS_MAX: u32 = 7;
/// An item below this similarity that shares no rare word with the query is not relevant. It is the
/// limit for the default embedding model.
const SEMANTIC_MIN: f32 = 0.3;
const LEXICAL_MIN: f32 = 0.35;

/// What a prompt contains from memory.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recall {
    /// The most important lines of the profile.
    pub profile: Vec<Fact>,
    /// The summary of the conversation before the messages that the prompt contains word for word.
    pub summary: Option<ConversationSummary>,
    /// Items relevant to the message.
    pub items: Vec<MemoryHit>,
    /// Notices for the client.
    pub notices: Vec<String>,
}

/// The newest context document of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationSummary {
    /// Its id.
    pub id: ItemId,
    /// The text.
    pub text: String,
    /// Which version.
    pub version: u32,
    /// The time of the newest entry that it covers.
    pub at: Timestamp,
    /// Whether its text can be trusted.
    pub origin: Origin,
    /// Who wrote it.
    pub written_by: String,
}

impl LongTermMemory {
    /// Searches for a query; the best hits first, with every part of the score.
    pub async fn search(
        &self,
        owner: &OwnerId,
        asked: &MemorySearch,
        session_id: Option<SessionId>,
    ) -> Result<MemorySnapshot, Error> {
        let text = ends(&asked.query, QUERY_BYTES_MAX).into_owned();
        if text.trim().is_empty() {
            return Err(Error::Invalid("`query` is empty: give a text to search for".to_owned()));
        }
        check(asked, session_id)?;
        let offset = offset(asked)?;
        let mut notices = Vec::new();
        let vector = match asked.mode {
            SearchMode::Lexical => None,
            SearchMode::Hybrid | SearchMode::Semantic => self.meaning_of(&text, &mut notices).await,
        };
        if asked.mode == SearchMode::Semantic && vector.is_none() {
            let why = notices.pop().unwrap_or_default();
            return Err(Error::Unfit(format!("semantic search is not available: {why}")));
        }
        let mode = if vector.is_none() { SearchMode::Lexical } else { asked.mode };
        let limit = asked.limit.unwrap_or(LIMIT_DEFAULT).clamp(1, LIMIT_MAX) as usize;
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
            role: asked.role.clone(),
            after: asked.after,
            before: asked.before,
            filter: asked.filter.clone(),
            group: asked.group,
            is_history_wanted: false,
            recency: Some(self.inner.options.recency),
            // One more shows whether there is a next page.
            limit: offset + limit + 1,
        };
        let now = self.now();
        let items = self.read_offloaded(owner, |owner_records| {
            let hits = owner_records.index.search(&query, now);
            let found = hits
                .into_iter()
                .filter_map(|hit| Some(MemoryHit { item: owner_records.item(hit.id)?, score: hit.score }));
            let mut found: Vec<MemoryHit> = found.filter(|found| !is_expired(&found.item, now)).collect();
            if asked.group == Grouping::Item {
                superseded::bring_successors(owner_records, &query, &mut found);
                superseded::bring_topics(owner_records, &query, now, &mut found);
                superseded::mark(owner_records, &mut found);
            }
            found
        });
        let mut items = items.await?;
        items.retain(|found| asked.min_score.is_none_or(|least| found.score.total >= least));
        let end = offset + limit;
        let next_cursor = (items.len() > end && end <= OFFSET_MAX as usize).then(|| format!("{SEARCH_CURSOR}{end}"));
        let items = items.into_iter().skip(offset).take(limit).collect();
        Ok(MemorySnapshot { items, mode, notices, next_cursor })
    }

    /// Lists items page by page, newest first; with a query, the hits.
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
                cursor: asked.cursor.clone(),
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
        let mut after = asked.cursor.as_deref().map(decode_cursor).transpose()?;
        let mut snapshot = MemorySnapshot::default();
        let filter = RecordFilter { levels: asked.levels.clone(), ..RecordFilter::default() };
        let now = self.now();
        // Filtered items do not count, so that filling a page may take several reads.
        while snapshot.items.len() < limit {
            let page = self.inner.store.records(owner, filter.clone(), after, limit).await?;
            let is_last = page.len() < limit;
            let ids: Vec<ItemId> = page.iter().map(journal::Record::id).collect();
            let end = page.last().map(|record| RecordCursor { at: record.at(), id: record.id().to_bytes() });
            for found in self.listed(owner, &ids).await? {
                let item = &found.item;
                after = Some(RecordCursor { at: item.at, id: item.id.to_bytes() });
                let is_here = asked.scope != SearchScope::Conversation || item.source.session_id == session_id;
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
                // Also when an item of the page was forgotten in between.
                after = end;
            }
        }
        snapshot.next_cursor = after.map(encode_cursor);
        Ok(snapshot)
    }

    /// Recalls what is relevant to a message. What is unavailable is left out: an answer never
    /// waits for memory.
    pub async fn recall(
        &self,
        owner: &OwnerId,
        message: &str,
        session_id: Option<SessionId>,
        open: Option<&OpenWindows>,
    ) -> Result<Recall, Error> {
        let view = WindowView::of(session_id, open);
        let mut profile = self.profile(owner).await?;
        profile.truncate(PROFILE_MAX);
        let beside = self.read(owner, |owner_records| {
            let profile =
                profile.into_iter().filter_map(|fact| view.told_fact(owner_records, fact)).collect::<Vec<Fact>>();
            (profile, summary_of(owner_records, session_id, view))
        });
        let (profile, summary) = beside.await?;
        let mut recall = Recall { profile, summary, ..Recall::default() };
        if message.trim().is_empty() {
            return Ok(recall);
        }
        let search = MemorySearch {
            query: ends(message, QUERY_BYTES_MAX).into_owned(),
            // The profile is always part of a recall, and the summary is the conversation's own.
            levels: vec![Level::Fact, Level::Entry],
            limit: Some(ITEMS_MAX * 3),
            ..MemorySearch::default()
        };
        let snapshot = self.search(owner, &search, session_id).await?;
        let believed = self.read(owner, |owner_records| {
            let is_believed = |item: &MemoryItem| match owner_records.record(item.id) {
                // What belongs to a vault is not about the user.
                Some(journal::Record::Fact(fact)) => {
                    self.belief(fact) >= BELIEF_MIN && owner_records.vault_of(fact).is_none()
                }
                _ => !owner_records.is_repeating(item.id),
            };
            let believed = snapshot.items.into_iter().filter(|found| is_believed(&found.item));
            let told = |found: MemoryHit| Some(MemoryHit { item: view.told(owner_records, found.item)?, ..found });
            believed.filter_map(told).collect::<Vec<_>>()
        });
        let semantic_min = SEMANTIC_MIN * self.inner.embeddings.similarity_scale();
        let fits = |score: &Score| score.semantic >= semantic_min || score.lexical >= LEXICAL_MIN;
        // An earlier question is no answer, and the same text need not occur twice.
        for found in believed.await?.into_iter().filter(|found| fits(&found.score)) {
            if same_words(&found.item.text, message) {
                continue;
            }
            match recall.items.iter().position(|told| same_words(&told.item.text, &found.item.text)) {
                // The entry is kept and not the fact made of it: it may stand in the prompt anyway.
                Some(place) if recall.items[place].item.level == Level::Fact && found.item.level == Level::Entry => {
                    recall.items[place] = found;
                }
                Some(_) => {}
                None if recall.items.len() < ITEMS_MAX as usize => recall.items.push(found),
                None => {}
            }
        }
        recall.notices = snapshot.notices;
        Ok(recall)
    }

    async fn meaning_of(&self, text: &str, notices: &mut Vec<String>) -> Option<Vec<f32>> {
        if let Some(why) = self.embedder_absence() {
            notices.push(format!("searched by words only: {why}; run `dwell setup` to download the embedding model"));
            return None;
        }
        match self.inner.embeddings.embed(text).await {
            Ok(vector) => vector,
            Err(why) => {
                notices.push(format!("searched by words only: {why}"));
                None
            }
        }
    }

    /// Items without a score, in the order of the given ids.
    async fn listed(&self, owner: &OwnerId, ids: &[ItemId]) -> Result<Vec<MemoryHit>, Error> {
        self.read(owner, |owner_records| {
            let items = ids.iter().filter_map(|id| owner_records.item(*id));
            items.map(|item| MemoryHit { item, score: Score::default() }).collect()
        })
        .await
    }
}

/// The newest summary of a session's conversation, with what has changed since.
fn summary_of(
    owner_records: &OwnerRecords,
    session_id: Option<SessionId>,
    view: WindowView<'_>,
) -> Option<ConversationSummary> {
    let memory = owner_records.memory_of(session_id?)?;
    let context = owner_records.newest_context(memory.memory_id)?;
    let facts = owner_records.facts_beside(context.memory_id);
    let facts: Vec<Fact> = facts.filter_map(|fact| view.told_fact(owner_records, fact.clone())).collect();
    Some(ConversationSummary {
        id: context.context_id,
        text: summary::up_to_date(&context.content, context.stored_at, &facts.iter().collect::<Vec<_>>()),
        version: context.version,
        at: context.conversation_time,
        origin: context.origin,
        written_by: context.written_by.clone(),
    })
}

/// Refuses a search that cannot be made.
fn check(asked: &MemorySearch, session_id: Option<SessionId>) -> Result<(), Error> {
    if asked.scope == SearchScope::Conversation && session_id.is_none() {
        return Err(Error::Invalid("scope `conversation` needs `session_id` or `conversation_id`".to_owned()));
    }
    if asked.after.zip(asked.before).is_some_and(|(after, before)| after >= before) {
        return Err(Error::Invalid("`after` is not before `before`: no item can match".to_owned()));
    }
    if asked.role.as_deref().is_some_and(|role| role.trim().is_empty()) {
        return Err(Error::Invalid("`role` is empty: give a role, or leave it out".to_owned()));
    }
    asked.filter.as_ref().and_then(MemoryFilter::fault).map_or(Ok(()), |fault| Err(Error::Invalid(fault)))
}

/// In front of the offset in the cursor of a search.
const SEARCH_CURSOR: &str = "offset-";

/// How many of the best results are left out.
fn offset(asked: &MemorySearch) -> Result<usize, Error> {
    let offset = match (&asked.cursor, asked.offset) {
        (Some(_), Some(_)) => {
            return Err(Error::Invalid("`cursor` and `offset` exclude each other: give one of them".to_owned()));
        }
        (Some(cursor), None) => cursor
            .strip_prefix(SEARCH_CURSOR)
            .and_then(|offset| offset.parse().ok())
            .ok_or_else(|| Error::Invalid("the cursor is not valid: use `next_cursor` of a search".to_owned()))?,
        (None, offset) => offset.unwrap_or(0),
    };
    if offset > OFFSET_MAX {
        return Err(Error::Invalid(format!("`offset` is {offset}, but at most {OFFSET_MAX} results can be skipped")));
    }
    Ok(offset as usize)
}

fn is_expired(item: &MemoryItem, now: Timestamp) -> bool {
    item.expires_at.is_some_and(|at| at <= now)
}

fn same_words(a: &str, b: &str) -> bool {
    let words = |text| str::split_whitespace(text).map(str::to_lowercase);
    // Word by word, so that long texts differ after their first words.
    words(a).eq(words(b))
}

/// Encodes a position in a list as a cursor for clients.
pub fn encode_cursor(place: RecordCursor) -> String {
    let id = ItemId::from_bytes(place.id);
    format!("{}.{id}", place.at.as_millis())
}

/// Decodes a client's cursor.
pub fn decode_cursor(text: &str) -> Result<RecordCursor, Error> {
    let parsed = text.split_once('.').and_then(|(millis, id)| {
        let id: ItemId = id.parse().ok()?;
        Some(RecordCursor { at: Timestamp::from_millis(millis.parse().ok()?), id: id.to_bytes() })
    });
    parsed.ok_or_else(|| Error::Invalid("the cursor is not valid".to_owned()))
}
