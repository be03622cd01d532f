//! Looks for the last commits of this node in the database.
//!
//! Every new connection may lead to a database that lacks them, so they are looked up after each.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use protocol::{SessionId, Timestamp};

use super::{
    database::{Database, Write},
    failure::Failure,
    params::{number, params},
    pool::Connection,
    rows::{self, id, unsigned},
};
use crate::{Error, LostWrites};

/// Pause between two checks: a pool opens several connections at once.
const PAUSE: Duration = Duration::from_millis(500);
/// The rows that say what was lost, and when it was noticed. The node's id follows.
const COUNT: &str = "lost_writes/";
const NOTICED: &str = "lost_writes_noticed_at/";

/// Looks for the last commits after every new connection, until the task is aborted.
pub(super) async fn run(database: Arc<Database>, node: String) {
    loop {
        database.pool.connected.notified().await;
        if let Err(error) = check(&database, &node).await {
            // The connection is gone again; the next one comes here too.
            tracing::debug!(%error, "the last commits could not be looked up");
            database.pool.connected.notify_one();
        }
        tokio::time::sleep(PAUSE).await;
    }
}

async fn check(database: &Database, node: &str) -> Result<(), Error> {
    check_heads(database).await?;
    if let Some(token) = database.tail.token() {
        let sql = "SELECT 1 FROM dwell.writes WHERE token = $1";
        if database.first("look up the last write", sql, &params![token.as_str()]).await?.is_none() {
            database.tail.note_missing_write(&token);
        }
    }
    // What was lost is left in the database, for other nodes and for later.
    let missing = database.tail.unreported();
    if !missing.is_empty() {
        let noticed_at = database.write("note what was lost", &NoteLoss { node, count: missing.count() }).await?;
        database.tail.note_reported(&missing, noticed_at);
    }
    Ok(())
}

async fn check_heads(database: &Database) -> Result<(), Error> {
    let action = "look up the last commits";
    let known = database.tail.heads();
    let ids: Vec<[u8; 16]> = known.keys().map(|id| id.to_bytes()).collect();
    let sql = "SELECT s.id, h.head FROM dwell.sessions s JOIN dwell.heads h USING (sid) WHERE s.id = ANY($1)";
    let found = database.query(action, sql, &params![ids]).await?;
    let found =
        rows::all(action, &found, |row| Ok((SessionId::from_bytes(id(row, 0)?), unsigned(row.try_get::<_, i64>(1)?))))?;
    // A session that is not there may have been removed by another node.
    for (session_id, head) in found {
        let acknowledged = known.get(&session_id).copied().unwrap_or_default();
        if head < acknowledged {
            database.tail.note_missing(session_id, head, acknowledged);
        }
    }
    Ok(())
}

/// Forgets what was lost, since the operator knows it.
pub(super) async fn accept(database: &Database) -> Result<(), Error> {
    let sql = "DELETE FROM dwell.meta WHERE starts_with(name, $1) OR starts_with(name, $2)";
    database.query("accept what was lost", sql, &params![COUNT, NOTICED]).await?;
    database.tail.set_lost(None);
    Ok(())
}

/// What nodes have found missing in this database.
pub(super) async fn recorded(database: &Database) -> Result<Option<LostWrites>, Error> {
    let action = "read what was lost";
    let sql = "SELECT sum(value) FILTER (WHERE starts_with(name, $1))::bigint,
                      max(value) FILTER (WHERE starts_with(name, $2)) FROM dwell.meta";
    let row = database.first(action, sql, &params![COUNT, NOTICED]).await?;
    let read =
        rows::one(action, row, |row| Ok((row.try_get::<_, Option<i64>>(0)?, row.try_get::<_, Option<i64>>(1)?)))?;
    Ok(read.and_then(|(count, noticed_at)| {
        let count = unsigned(count?);
        Some(LostWrites { count, noticed_at: noticed_at.map(Timestamp::from_millis) })
    }))
}

struct NoteLoss<'a> {
    node: &'a str,
    count: u64,
}

#[async_trait]
impl Write for NoteLoss<'_> {
    type Answer = Timestamp;

    async fn run(&self, on: &Connection) -> Result<Timestamp, Failure> {
        let sql = "WITH counted AS (
                 INSERT INTO dwell.meta AS m (name, value) VALUES ($1, $3)
                 ON CONFLICT (name) DO UPDATE SET value = m.value + excluded.value)
             INSERT INTO dwell.meta (name, value)
             VALUES ($2, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
             ON CONFLICT (name) DO UPDATE SET value = excluded.value RETURNING value";
        let names = (format!("{COUNT}{}", self.node), format!("{NOTICED}{}", self.node));
        let row = on.first(sql, &params![names.0.as_str(), names.1.as_str(), number(self.count)]).await?;
        let at = row.map(|row| row.try_get(0)).transpose()?;
        Ok(Timestamp::from_millis(at.unwrap_or_default()))
    }
}
