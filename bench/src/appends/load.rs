//! The load, and how Dwell appends it.

use std::{sync::Arc, time::Instant};

use anyhow::{Result, ensure};
use futures::future::try_join_all;
use journal::{Append, Journal, Lease, SessionSummary, sqlite::Sqlite};
use protocol::{
    AgentId, Body, Event, OwnerId, SessionId, SessionStarted, SessionStatus, SessionView, Settings, Stats, TextDelta,
    Timestamp, TurnId,
};
use tempfile::TempDir;
use tokio::task::JoinSet;

use super::AppendRate;

/// Bytes of text in an event.
const TEXT_BYTES: usize = 200;
/// Approximate number of events of a turn.
const TURN_EVENTS: u64 = 6;

/// The total number of appends, and the number of concurrent sessions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Load {
    pub(super) sessions: usize,
    pub(super) appends: usize,
}

impl Load {
    /// Appends everything to a journal in a folder of its own.
    pub(super) async fn run(&self) -> Result<AppendRate> {
        let folder = TempDir::new()?;
        let store = Arc::new(Sqlite::open(folder.path())?);
        let leases = try_join_all((0..self.sessions).map(|session| open(&store, session))).await?;
        let before = store.counters();
        let started_at = Instant::now();
        let mut tasks = JoinSet::new();
        for (session, lease) in leases.into_iter().enumerate() {
            tasks.spawn(append_all(store.clone(), lease, session, self.share_of(session)));
        }
        while let Some(appended) = tasks.join_next().await {
            appended??;
        }
        let seconds = started_at.elapsed().as_secs_f64();
        let after = store.counters();
        let appends = after.appends - before.appends;
        ensure!(appends == self.appends as u64, "{appends} appends instead of {}", self.appends);
        Ok(AppendRate::new(self.appends, after.commits - before.commits, seconds))
    }

    /// How many appends a session makes.
    fn share_of(&self, session: usize) -> usize {
        self.appends / self.sessions + usize::from(session < self.appends % self.sessions)
    }
}

async fn open(store: &Sqlite, session: usize) -> Result<Lease> {
    let owner: OwnerId = "bench".parse()?;
    let id = session_id(session);
    let started = SessionStarted {
        owner: owner.clone(),
        key: None,
        settings: Settings::default(),
        forked_from: None,
        imported: None,
        temporary: false,
    };
    let event =
        Event { seq: 1, session_id: id, turn_id: None, agent_id: None, at: at(1), body: Body::SessionStarted(started) };
    let view = SessionView {
        session_id: id,
        owner,
        key: None,
        status: SessionStatus::Active,
        version: 1,
        last_seq: 1,
        created_at: at(1),
        updated_at: at(1),
        ended_at: None,
        settings: Settings::default(),
        stats: Stats::default(),
        open_turns: Vec::new(),
        title: None,
        forked_from: None,
        imported: None,
        origin: protocol::Origin::Trusted,
        tainted: false,
        read_by: std::collections::BTreeMap::new(),
    };
    store.create(vec![event], SessionSummary::new(view, false)).await?;
    Ok(store.acquire(id).await?)
}

/// Appends one event after the other, each once the previous one is durable, as a session does.
async fn append_all(store: Arc<Sqlite>, lease: Lease, session: usize, count: usize) -> Result<()> {
    for seq in (2..).take(count) {
        let append = Append::new(seq - 1, vec![event(session, seq)], None);
        store.append(lease, append).await?;
    }
    Ok(())
}

/// A session's event with this number: a part of an answer.
pub(super) fn event(session: usize, seq: u64) -> Event {
    let turn = u128::from(seq / TURN_EVENTS) << 64 | session as u128;
    Event {
        seq,
        session_id: session_id(session),
        turn_id: Some(TurnId::from_bytes(turn.to_be_bytes())),
        agent_id: Some(AgentId::main()),
        at: at(seq),
        body: Body::Text(TextDelta { offset: seq, delta: "x".repeat(TEXT_BYTES) }),
    }
}

fn session_id(session: usize) -> SessionId {
    SessionId::from_bytes((session as u128 + 1).to_be_bytes())
}

/// A fixed time, so that runs are comparable.
fn at(seq: u64) -> Timestamp {
    Timestamp::from_millis(1_700_000_000_000 + i64::try_from(seq).unwrap_or(0))
}
