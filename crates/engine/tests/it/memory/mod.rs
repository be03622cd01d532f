//! Memory around a conversation: what is derived from messages, and what later prompts contain of
//! it.

mod expiring;
mod following;
mod forgetting;
mod recalling;
mod restarts;
mod summaries;
mod tainting;
mod write_failures;

use std::collections::BTreeMap;

use protocol::{
    AddEntry, AwaitConsistency, Body, ContextDocument, Entry, Event, Fact, Ingest, IngestMessage, IngestResult, ItemId,
    Memory, MemoryGet, MemoryUsed, Origin, PageRequest, SessionId, Timestamp, TurnId,
};

use crate::{driven_model::ModelCall, harness::Harness};

/// All of a list.
fn all() -> PageRequest {
    PageRequest { limit: Some(200), ..PageRequest::default() }
}

impl Harness {
    /// Waits until everything is remembered.
    async fn consistent(&self) {
        let asked = AwaitConsistency { memory_id: None, timeout_ms: Some(20_000) };
        let state = self.hub.await_consistency(&self.ada, &asked).await.unwrap();
        assert!(state.durable && state.missing.is_empty(), "{state:?}");
    }

    /// All memories.
    async fn memories(&self) -> Vec<Memory> {
        let mut memories = Vec::new();
        for vault in self.hub.vaults(&self.ada, &all()).await.unwrap().data {
            memories.extend(self.hub.memories(&self.ada, vault.vault_id, &all()).await.unwrap().data);
        }
        memories
    }

    /// The memory of a session, if it has one.
    async fn memory_of(&self, session: SessionId) -> Option<Memory> {
        self.memories().await.into_iter().find(|memory| memory.session_id == Some(session))
    }

    /// The entries of a memory, oldest first.
    async fn entries_in(&self, memory: &Memory) -> Vec<Entry> {
        self.hub.entries(&self.ada, memory.vault_id, memory.memory_id, &all(), true).await.unwrap().data
    }

    /// The entries of a session, oldest first, once everything is remembered.
    async fn entries(&self, session: SessionId) -> Vec<Entry> {
        self.consistent().await;
        match self.memory_of(session).await {
            Some(memory) => self.entries_in(&memory).await,
            None => Vec::new(),
        }
    }

    /// The versions of a session's summary, once everything is remembered; they have no gaps.
    async fn contexts(&self, session: SessionId) -> Vec<ContextDocument> {
        self.consistent().await;
        let Some(memory) = self.memory_of(session).await else { return Vec::new() };
        let contexts = self.hub.contexts(&self.ada, memory.vault_id, memory.memory_id).await.unwrap().data;
        for (context, version) in contexts.iter().zip(1..) {
            assert_eq!(context.version, version, "versions come without gap and repeat");
        }
        contexts
    }

    /// All values ever stated under a key, newest first.
    async fn history(&self, key: &str) -> Vec<Fact> {
        self.hub.profile_history(&self.ada, key).await.unwrap_or_default()
    }

    /// The whole content of memory, in no order.
    async fn everything(&self) -> String {
        let mut asked = MemoryGet { limit: Some(100), history: true, ..MemoryGet::default() };
        let mut all = String::new();
        loop {
            let snapshot = self.hub.memory_get(&self.ada, &asked).await.unwrap();
            snapshot.items.iter().for_each(|found| all.push_str(&format!("{:?}\n", found.item)));
            asked.cursor = snapshot.next_cursor;
            if asked.cursor.is_none() {
                return all;
            }
        }
    }

    /// Imports a finished conversation, with a minute between two messages.
    async fn ingest(&self, title: &str, messages: &[(&str, &str)]) -> IngestResult {
        self.take_in(title, messages, true).await
    }

    /// Imports a conversation that is still open.
    async fn ingest_open(&self, title: &str, messages: &[(&str, &str)]) -> IngestResult {
        self.take_in(title, messages, false).await
    }

    async fn take_in(&self, title: &str, messages: &[(&str, &str)], end: bool) -> IngestResult {
        let beginning = 1_700_000_000_000;
        let messages = messages.iter().zip(0..).map(|((role, content), minute)| IngestMessage {
            role: (*role).to_owned(),
            content: (*content).to_owned(),
            speaker: None,
            at: Some(Timestamp::from_millis(beginning + 60_000 * minute)),
        });
        let asked = Ingest { vault: None, title: title.to_owned(), messages: messages.collect(), origin: None, end };
        self.hub.ingest(&self.ada, asked).await.unwrap()
    }

    /// Writes an entry under a key.
    async fn add(&self, memory: &Memory, words: &str, key: &str) -> Entry {
        let asked = AddEntry { idempotency_key: Some(key.to_owned()), ..plain(words) };
        self.hub
            .add_entry(&self.ada, memory.vault_id, memory.memory_id, asked, protocol::Origin::Trusted)
            .await
            .unwrap()
    }

    /// Sends a message. Returns the model's call.
    async fn asked(&self, session: SessionId, message: &str) -> (TurnId, ModelCall) {
        let turn = self.say(session, message).await;
        (turn, self.model.call().await)
    }
}

/// An entry with only a text.
fn plain(words: &str) -> AddEntry {
    AddEntry {
        raw_entry: words.to_owned(),
        summary: None,
        role: None,
        speaker: None,
        tags: BTreeMap::new(),
        conversation_time: None,
        ttl_s: None,
        origin: None,
        idempotency_key: None,
    }
}

/// Role and text of entries.
fn said(entries: &[Entry]) -> Vec<(&str, &str)> {
    entries.iter().map(|entry| (entry.role.as_str(), entry.raw_entry.as_str())).collect()
}

/// The context of a turn as the journal records it.
fn used(events: &[Event], turn: TurnId) -> MemoryUsed {
    let mut told = events.iter().filter(|event| event.turn_id == Some(turn)).filter_map(|event| match &event.body {
        Body::MemoryUsed(used) => Some(used.clone()),
        _ => None,
    });
    told.next_back().unwrap()
}

/// The whole prompt.
fn prompt(call: &ModelCall) -> String {
    format!("{}\n{:?}\n{:?}", call.prompt.system, call.prompt.messages, call.prompt.known)
}

/// How often each item was announced, and as what.
fn announced(events: &[Event]) -> BTreeMap<(ItemId, Option<String>), usize> {
    let mut count = BTreeMap::new();
    for event in events {
        let news = match &event.body {
            Body::MemoryWritten(written) => written.id.map(|id| (id, written.value.clone())),
            Body::SummaryCreated(summary) => Some((summary.id, Some(summary.value.clone()))),
            _ => None,
        };
        if let Some(news) = news {
            *count.entry(news).or_default() += 1;
        }
    }
    count
}

/// Every message of a journal, as memory should have it: role, text, turn, number.
fn messages(events: &[Event]) -> Vec<(&'static str, String, Option<TurnId>, u64)> {
    let messages = events.iter().filter_map(|event| {
        let (role, words) = match &event.body {
            Body::MessageAccepted(accepted) if accepted.retry_of.is_none() => ("user", &accepted.request.message),
            Body::MessageSteered(steered) => ("user", &steered.request.message),
            Body::Final(response) => ("assistant", &response.message),
            _ => return None,
        };
        Some((role, words.clone(), event.turn_id, event.seq))
    });
    messages.collect()
}

/// Compares the entries of a session with its journal: each message once, with its role, its turn
/// and its number.
async fn check_entries(harness: &Harness, session: SessionId) -> Vec<Entry> {
    let entries = harness.entries(session).await;
    let events = harness.journal(session).await;
    let mut stored: Vec<_> = entries
        .iter()
        .map(|entry| {
            assert_eq!(entry.source.session_id, Some(session));
            (entry.source.seq.unwrap(), entry.role.clone(), entry.raw_entry.clone(), entry.source.turn_id)
        })
        .collect();
    stored.sort_by_key(|(seq, ..)| *seq);
    let expected: Vec<_> =
        messages(&events).into_iter().map(|(role, words, turn, seq)| (seq, role.to_owned(), words, turn)).collect();
    assert_eq!(stored, expected);
    for ((id, news), count) in announced(&events) {
        assert_eq!(count, 1, "{id} was announced {count} times: {news:?}");
    }
    entries
}

/// The origins of entries.
fn origins(entries: &[Entry]) -> Vec<Origin> {
    entries.iter().map(|entry| entry.origin).collect()
}
