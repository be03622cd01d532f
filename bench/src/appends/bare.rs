//! The same bytes written to bare SQLite: the limit for any journal on SQLite.

use std::time::Instant;

use anyhow::Result;
use protocol::{AgentId, CURRENT_FORMAT, Event, TurnId};
use rusqlite::{CachedStatement, Connection, params};
use tempfile::TempDir;

use super::{
    AppendRate,
    load::{Load, event},
};

/// The journal's table of events without its index by turn and without the other tables.
const TABLE: &str = "
    CREATE TABLE events (
        sid    INTEGER NOT NULL,
        seq    INTEGER NOT NULL,
        format INTEGER NOT NULL,
        at     INTEGER NOT NULL,
        turn   BLOB,
        agent  TEXT,
        body   TEXT,
        PRIMARY KEY (sid, seq)
    ) STRICT, WITHOUT ROWID";

/// Inserts this many events of the load, with this many in each transaction.
pub(super) fn run(load: &Load, appends: usize, batch: usize) -> Result<AppendRate> {
    let folder = TempDir::new()?;
    let connection = Connection::open(folder.path().join("bare.db"))?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.execute_batch(TABLE)?;
    let rows = rows(load, appends)?;

    let mut commits = 0;
    let started_at = Instant::now();
    for batch in rows.chunks(batch) {
        let transaction = connection.unchecked_transaction()?;
        for row in batch {
            row.insert(transaction.prepare_cached("INSERT INTO events VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?)?;
        }
        transaction.commit()?;
        commits += 1;
    }
    Ok(AppendRate::new(appends, commits, started_at.elapsed().as_secs_f64()))
}

/// An event as it is stored.
struct Row {
    sid: usize,
    event: Event,
    body: String,
}

/// The events in the order in which the sessions append them: one of each, then the next of each.
fn rows(load: &Load, appends: usize) -> Result<Vec<Row>> {
    let order = (2..).flat_map(|seq| (0..load.sessions).map(move |session| (session, seq)));
    let row = |(session, seq)| {
        let event = event(session, seq);
        Ok(Row { sid: session + 1, body: serde_json::to_string(&event.body)?, event })
    };
    order.take(appends).map(row).collect()
}

impl Row {
    fn insert(&self, mut statement: CachedStatement<'_>) -> Result<()> {
        let Event { seq, at, turn_id, agent_id, .. } = &self.event;
        statement.execute(params![
            i64::try_from(self.sid)?,
            i64::try_from(*seq)?,
            CURRENT_FORMAT,
            at.as_millis(),
            turn_id.map(TurnId::to_bytes),
            agent_id.as_ref().map(AgentId::as_str),
            self.body,
        ])?;
        Ok(())
    }
}
