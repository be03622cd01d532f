//! Sessions and events to write, with ids that count up.

use journal::{Append, Summary};
use protocol::{
    AgentId, Body, Event, OwnerId, Reset, SessionId, SessionName, SessionStatus, SessionView, Settings, Started, Stats,
    Text, Timestamp, TurnId,
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

fn at(n: u64) -> Timestamp {
    Timestamp::from_millis(1_700_000_000_000 + i64::try_from(n).unwrap())
}

pub(crate) fn started(id: SessionId, owner: &OwnerId, key: Option<&SessionName>) -> Event {
    let started = Started { owner: owner.clone(), key: key.cloned(), settings: Settings::default(), forked_from: None };
    Event { seq: 1, session_id: id, turn_id: None, agent_id: None, at: at(0), body: Body::SessionStarted(started) }
}

/// An event that belongs to no turn.
pub(crate) fn note(id: SessionId, seq: u64) -> Event {
    let body = Body::SessionReset(Reset { reason: Some(format!("note {seq}")) });
    Event { seq, session_id: id, turn_id: None, agent_id: None, at: at(seq), body }
}

/// A piece of a turn's text.
pub(crate) fn text(id: SessionId, seq: u64, turn_id: TurnId, delta: &str) -> Event {
    let body = Body::Text(Text { offset: 0, delta: delta.to_owned() });
    Event { seq, session_id: id, turn_id: Some(turn_id), agent_id: Some(AgentId::main()), at: at(seq), body }
}

pub(crate) fn summary(id: SessionId, owner: &OwnerId, key: Option<&SessionName>, updated: u64) -> Summary {
    let view = SessionView {
        session_id: id,
        owner: owner.clone(),
        key: key.cloned(),
        status: SessionStatus::Active,
        version: 1,
        last_seq: 1,
        created_at: at(0),
        updated_at: at(updated),
        settings: Settings::default(),
        stats: Stats::default(),
        open_turns: Vec::new(),
        title: None,
        forked_from: None,
    };
    Summary { view, is_moving: false }
}

/// Notes that follow `head`.
pub(crate) fn notes(id: SessionId, head: u64, count: u64) -> Append {
    Append { expected_head: head, events: (head + 1..=head + count).map(|seq| note(id, seq)).collect(), summary: None }
}
