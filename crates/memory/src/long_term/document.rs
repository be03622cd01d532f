//! A record as a document of the index and as an item that clients see.

use std::collections::BTreeMap;

use journal::Record;
use protocol::{Level, Memory, MemoryItem};

use crate::{
    agent::{
        conversation_event::{ANSWERED_BY, BY_REFLEX},
        echo::REPEATS,
    },
    search::Document,
};

/// The document of the index for an item.
pub(super) fn of(item: MemoryItem, tags: BTreeMap<String, String>) -> Document {
    let is_by_reflex = tags.get(ANSWERED_BY).is_some_and(|by| by == BY_REFLEX);
    Document {
        id: item.id,
        level: item.level,
        text: item.text,
        key: item.key,
        value: item.value,
        subject: item.subject,
        role: item.role,
        speaker: item.speaker,
        at: item.at,
        memory_id: item.memory_id,
        vault_id: item.vault_id,
        session_id: item.source.session_id,
        valid_until: item.valid_until,
        // An item that only repeats another ranks behind it.
        is_superseded: item.superseded_by.is_some() || item.valid_until.is_some() || tags.contains_key(REPEATS),
        tags,
        // A context document is rewritten every few messages; the entries it summarizes are found
        // by their embeddings. A command to a device says what it means by its words.
        by_words_only: item.level == Level::Context || is_by_reflex,
    }
}

/// A record as clients see it.
pub(super) fn item(record: &Record, memory: Option<&Memory>) -> MemoryItem {
    let vault_id = memory.map(|memory| memory.vault_id);
    let blank = |id, level, text: &str, at, stored_at| MemoryItem {
        id,
        level,
        text: text.to_owned(),
        key: None,
        value: None,
        role: None,
        speaker: None,
        at,
        stored_at,
        valid_from: None,
        valid_until: None,
        superseded_by: None,
        doubt: None,
        subject: None,
        memory_id: None,
        vault_id,
        confidence: None,
        priority: None,
        expires_at: None,
        source: protocol::ItemSource::default(),
        origin: protocol::Origin::default(),
    };
    match record {
        Record::Entry(entry) => MemoryItem {
            role: Some(entry.role.clone()),
            speaker: entry.speaker.clone(),
            superseded_by: entry.corrected_by,
            memory_id: Some(entry.memory_id),
            expires_at: entry.expires_at,
            source: entry.source.clone(),
            origin: entry.origin,
            ..blank(entry.entry_id, Level::Entry, &entry.raw_entry, entry.conversation_time, entry.stored_at)
        },
        Record::Context(context) => MemoryItem {
            key: Some(format!("version {}", context.version)),
            memory_id: Some(context.memory_id),
            origin: context.origin,
            source: protocol::ItemSource {
                session_id: memory.and_then(|memory| memory.session_id),
                ..protocol::ItemSource::default()
            },
            ..blank(context.context_id, Level::Context, &context.content, context.conversation_time, context.stored_at)
        },
        Record::Fact(fact) => MemoryItem {
            key: Some(fact.key.clone()),
            value: Some(fact.value.clone()),
            valid_from: Some(fact.valid_from),
            valid_until: fact.valid_until,
            superseded_by: fact.superseded_by,
            doubt: fact.doubt.clone(),
            subject: fact.subject.clone(),
            vault_id: fact.vault_id.or(vault_id),
            confidence: Some(fact.confidence),
            priority: Some(fact.priority),
            expires_at: fact.expires_at,
            source: fact.source.clone(),
            origin: fact.origin,
            ..blank(fact.fact_id, fact.level, &fact.text, fact.valid_from, fact.stored_at)
        },
    }
}
