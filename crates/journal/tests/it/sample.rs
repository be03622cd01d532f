//! Sample sessions and events, with ids that count up.

use std::collections::BTreeMap;

use journal::{Append, Artifact, Record, SessionSummary};
use protocol::{
    AgentId, ArtifactId, ArtifactView, Body, ContextDocument, Entry, Event, Fact, ItemId, ItemSource, Level, Memory,
    MemoryId, Origin, OwnerId, SessionId, SessionName, SessionReset, SessionStarted, SessionStatus, SessionView,
    Settings, Stats, TextDelta, Timestamp, TurnId, Vault, VaultId,
};
use ulid::Ulid;

pub(crate) fn session(n: u64) -> SessionId {
    SessionId::new(Ulid::from_parts(n, 0))
}

pub(crate) fn turn(n: u64) -> TurnId {
    TurnId::new(Ulid::from_parts(n, 0))
}

pub(crate) fn owner(name: &str) -> OwnerId {
    name.parse().unwrap()
}

pub(crate) fn at(n: u64) -> Timestamp {
    Timestamp::from_millis(1_700_000_000_000 + i64::try_from(n).unwrap())
}

pub(crate) fn started(id: SessionId, owner: &OwnerId, key: Option<&SessionName>) -> Event {
    let started = SessionStarted {
        owner: owner.clone(),
        key: key.cloned(),
        settings: Settings::default(),
        forked_from: None,
        imported: None,
        temporary: false,
    };
    Event { seq: 1, session_id: id, turn_id: None, agent_id: None, at: at(0), body: Body::SessionStarted(started) }
}

/// An event that belongs to no turn.
pub(crate) fn note(id: SessionId, seq: u64) -> Event {
    let body = Body::SessionReset(SessionReset { reason: Some(format!("note {seq}")) });
    Event { seq, session_id: id, turn_id: None, agent_id: None, at: at(seq), body }
}

/// A piece of a turn's text.
pub(crate) fn text(id: SessionId, seq: u64, turn_id: TurnId, delta: &str) -> Event {
    let body = Body::Text(TextDelta { offset: 0, delta: delta.to_owned() });
    Event { seq, session_id: id, turn_id: Some(turn_id), agent_id: Some(AgentId::main()), at: at(seq), body }
}

pub(crate) fn summary(id: SessionId, owner: &OwnerId, key: Option<&SessionName>, updated: u64) -> SessionSummary {
    let view = SessionView {
        session_id: id,
        owner: owner.clone(),
        key: key.cloned(),
        status: SessionStatus::Active,
        version: 1,
        last_seq: 1,
        created_at: at(0),
        updated_at: at(updated),
        ended_at: None,
        settings: Settings::default(),
        stats: Stats::default(),
        open_turns: Vec::new(),
        title: None,
        forked_from: None,
        imported: None,
        origin: Origin::Trusted,
        tainted: false,
        read_by: std::collections::BTreeMap::new(),
    };
    SessionSummary::new(view, false)
}

/// Notes that follow `head`.
pub(crate) fn notes(id: SessionId, head: u64, count: u64) -> Append {
    Append::new(head, (head + 1..=head + count).map(|seq| note(id, seq)).collect(), None)
}

pub(crate) fn artifact_id(n: u64) -> ArtifactId {
    ArtifactId::new(Ulid::from_parts(n, 0))
}

/// An artifact with that many bytes, made at that time.
pub(crate) fn artifact(n: u64, session_id: SessionId, who: &OwnerId, made: u64, bytes: usize) -> Artifact {
    let view = ArtifactView {
        artifact_id: artifact_id(n),
        session_id,
        turn_id: Some(turn(1)),
        name: format!("log {n}.txt"),
        media_type: "text/plain".to_owned(),
        bytes: bytes as u64,
        origin: Origin::Untrusted,
        created_at: at(made),
    };
    Artifact { view, owner: who.clone(), bytes: vec![b'x'; bytes] }
}

pub(crate) fn vault_id(n: u64) -> VaultId {
    VaultId::new(Ulid::from_parts(n, 0))
}

pub(crate) fn memory_id(n: u64) -> MemoryId {
    MemoryId::new(Ulid::from_parts(n, 0))
}

pub(crate) fn item_id(n: u64) -> ItemId {
    ItemId::new(Ulid::from_parts(n, 0))
}

pub(crate) fn vault(n: u64) -> Vault {
    Vault {
        vault_id: vault_id(n),
        title: format!("vault {n}"),
        description: String::new(),
        created_at: at(n),
        origin: Origin::Trusted,
    }
}

pub(crate) fn memory(n: u64, vault: u64) -> Memory {
    Memory {
        memory_id: memory_id(n),
        vault_id: vault_id(vault),
        title: format!("memory {n}"),
        description: String::new(),
        session_id: None,
        created_at: at(n),
        origin: Origin::Trusted,
    }
}

/// An entry of a memory.
pub(crate) fn entry(n: u64, memory: u64, when: u64, words: &str) -> Record {
    Record::Entry(Entry {
        entry_id: item_id(n),
        memory_id: memory_id(memory),
        raw_entry: words.to_owned(),
        summary: String::new(),
        role: "user".to_owned(),
        speaker: None,
        tags: BTreeMap::new(),
        conversation_time: at(when),
        stored_at: at(n),
        source: ItemSource::default(),
        origin: Origin::Trusted,
        corrects: None,
        corrected_by: None,
        expires_at: None,
    })
}

pub(crate) fn context(n: u64, memory: u64, when: u64) -> Record {
    Record::Context(ContextDocument {
        context_id: item_id(n),
        memory_id: memory_id(memory),
        version: 1,
        content: format!("context {n}"),
        stored_at: at(n),
        conversation_time: at(when),
        written_by: "client".to_owned(),
        origin: Origin::Trusted,
    })
}

pub(crate) fn fact(n: u64, level: Level, when: u64) -> Record {
    Record::Fact(Fact {
        fact_id: item_id(n),
        level,
        key: format!("key {n}"),
        value: "value".to_owned(),
        text: format!("fact {n}"),
        priority: 50,
        confidence: 0.5,
        valid_from: at(when),
        valid_until: None,
        superseded_by: None,
        stored_at: at(n),
        source: ItemSource::default(),
        origin: Origin::Trusted,
        expires_at: None,
        subject: None,
        vault_id: None,
        doubt: None,
    })
}
