//! Beginning, leasing and removing sessions.

use async_trait::async_trait;
use protocol::{CURRENT_FORMAT, SessionId};

use super::{
    Postgres, batch,
    database::Write,
    failure::Failure,
    leases::HeldLease,
    node::Node,
    notices, owners,
    params::{number, params},
    pool::Connection,
    rows::{self, head, id, unsigned},
};
use crate::{
    Error, Lease, OwnerLeases,
    encoding::{Head, PreparedEvent, PreparedSummary},
};

/// A session to begin.
pub(super) struct CreateSession<'a> {
    pub(super) events: &'a [PreparedEvent],
    pub(super) summary: &'a PreparedSummary,
    /// The heads after each of the events.
    pub(super) sums: Vec<Head>,
    pub(super) node: &'a Node,
}

#[async_trait]
impl Write for CreateSession<'_> {
    type Answer = ();

    async fn run(&self, on: &Connection) -> Result<(), Failure> {
        let Self { events, summary, sums, node } = self;
        owners::fence(on, &summary.owner, node).await?;
        let name = summary.name.as_deref();
        let taken = "SELECT id FROM dwell.sessions WHERE owner = $1 AND name = $2";
        if let Some(row) = on.first(taken, &params![summary.owner.as_str(), name]).await? {
            return Err(Error::NameTaken(SessionId::from_bytes(id(&row, 0)?)).into());
        }
        let made = on
            .first(
                "WITH made AS (
                     INSERT INTO dwell.sessions (id, owner, name, updated_at, is_moving, is_temporary, wake_at, view)
                     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING sid, owner),
                 headed AS (
                     INSERT INTO dwell.heads (sid, head, sum, bytes) SELECT sid, $9, $10, $11 FROM made),
                 counted AS (
                     INSERT INTO dwell.owner_totals AS t (owner, slot, journal_bytes) SELECT owner, $12, $11 FROM made
                     ON CONFLICT (owner, slot) DO UPDATE SET journal_bytes = t.journal_bytes + excluded.journal_bytes),
                 added AS (
                     INSERT INTO dwell.events (sid, seq, format, at, turn, agent, body, sum)
                     SELECT made.sid, e.* FROM made, unnest($13::bigint[], $14::bigint[], $15::bigint[], $16::bytea[],
                         $17::text[], $18::text[], $19::bytea[]) AS e(seq, format, at, turn, agent, body, sum))
                 SELECT sid FROM made",
                &params![
                    summary.session_id.to_bytes(),
                    summary.owner.as_str(),
                    name,
                    summary.updated_at.as_millis(),
                    summary.is_moving,
                    summary.is_temporary,
                    summary.wake_at.map(protocol::Timestamp::as_millis),
                    summary.view.get(),
                    sums.last().map_or(0, |head| number(head.seq)),
                    sums.last().copied().unwrap_or(Head::START).sum.as_bytes(),
                    batch::bytes(events),
                    node.number,
                    events.iter().map(|event| number(event.seq)).collect::<Vec<_>>(),
                    events.iter().map(|_| i64::from(CURRENT_FORMAT)).collect::<Vec<_>>(),
                    events.iter().map(|event| event.at.as_millis()).collect::<Vec<_>>(),
                    events.iter().map(|event| event.turn.map(|turn| turn.to_bytes().to_vec())).collect::<Vec<_>>(),
                    events.iter().map(|event| event.agent.as_deref()).collect::<Vec<_>>(),
                    events.iter().map(|event| event.body.get()).collect::<Vec<_>>(),
                    sums.iter().map(|head| head.sum.as_bytes().to_vec()).collect::<Vec<_>>(),
                ],
            )
            .await?;
        if let Some(row) = made {
            note_plans(on, row.try_get(0)?, summary).await?;
        }
        Ok(())
    }
}

/// Notes in which session new schedules, alerts and turns in the background are. Most sessions plan
/// nothing.
pub(super) async fn note_plans(on: &Connection, sid: i64, summary: &PreparedSummary) -> Result<(), Failure> {
    if summary.schedules.is_empty() && summary.alerts.is_empty() && summary.background.is_empty() {
        return Ok(());
    }
    let sql = format!("WITH chosen AS (SELECT $9::bigint AS sid), {} SELECT 1", batch::plans_tables(0));
    let mut all = Vec::from(batch::plans_params(std::iter::once((sid, summary))));
    all.extend(params![sid]);
    on.execute(&sql, &all).await.map(drop)
}

/// A session to remove.
pub(super) struct RemoveSession {
    pub(super) session_id: SessionId,
    pub(super) sid: i64,
    pub(super) epoch: u64,
    /// The number of this node, if others have to be told.
    pub(super) tell_as: Option<i64>,
}

#[async_trait]
impl Write for RemoveSession {
    type Answer = ();

    async fn run(&self, on: &Connection) -> Result<(), Failure> {
        let sid = self.sid;
        check_lease(on, sid, self.epoch).await?;
        // The session's row goes first: a write that refers to it has either locked it before, and
        // is waited for, or finds nothing.
        on.execute(
            "WITH gone AS (DELETE FROM dwell.sessions WHERE sid = $1 RETURNING sid, owner)
             INSERT INTO dwell.owner_totals AS t (owner, slot, journal_bytes)
             SELECT g.owner, 0, -h.bytes FROM gone g JOIN dwell.heads h USING (sid)
             ON CONFLICT (owner, slot) DO UPDATE SET journal_bytes = t.journal_bytes + excluded.journal_bytes",
            &params![sid],
        )
        .await?;
        for table in
            ["events", "snapshots", "artifacts", "bookmarks", "schedules", "background_turns", "alerts", "heads"]
        {
            on.execute(&format!("DELETE FROM dwell.{table} WHERE sid = $1"), &params![sid]).await?;
        }
        if let Some(node) = self.tell_as {
            on.execute(&notices::removal(), &params![self.session_id.to_bytes(), node]).await?;
        }
        Ok(())
    }
}

/// Locks a session's head, and refuses a lease that is not its last.
pub(super) async fn check_lease(on: &Connection, sid: i64, epoch: u64) -> Result<Head, Failure> {
    let sql = "SELECT epoch, head, sum FROM dwell.heads WHERE sid = $1 FOR NO KEY UPDATE";
    let row = on.first(sql, &params![sid]).await?.ok_or(Error::NotFound)?;
    if unsigned(row.try_get(0)?) != epoch {
        return Err(Error::StaleLease.into());
    }
    head(&row, 1)
}

impl Postgres {
    /// Acquires a lease, unless another node has a living one. Its owner is taken over first. The
    /// node that serves the owner takes it also from a node that had lost the owner and is alive
    /// again: that one has no use for the session any more, and does not give it back.
    pub(super) async fn acquire_lease(&self, session_id: SessionId) -> Result<Lease, Error> {
        let action = "acquire the session";
        let sql = "SELECT owner FROM dwell.sessions WHERE id = $1";
        let row = self.database.first(action, sql, &params![session_id.to_bytes()]).await?;
        let owner = rows::one(action, row, |row| rows::owner(row, 0))?.ok_or(Error::NotFound)?;
        self.hold(&owner).await?;
        // The owner's row is locked, so that the owner does not move meanwhile.
        let sql = "WITH served AS MATERIALIZED (
                 SELECT l.node FROM dwell.owner_leases l JOIN dwell.sessions s ON s.owner = l.owner
                 WHERE s.id = $1 FOR SHARE OF l)
             UPDATE dwell.heads h SET epoch = h.epoch + 1, node = $2 FROM dwell.sessions s
             WHERE s.id = $1 AND h.sid = s.sid AND (h.node IS NULL OR h.node = $2
                 OR EXISTS (SELECT 1 FROM served WHERE node = $2)
                 OR NOT EXISTS (
                     SELECT 1 FROM dwell.nodes n WHERE n.number = h.node AND n.lease_until > clock_timestamp()))
             RETURNING h.sid, h.epoch, h.head, h.sum";
        // It may run twice, after a lost answer: then the first epoch is simply not used.
        let row = self.database.first(action, sql, &params![session_id.to_bytes(), self.node.number]).await?;
        let Some(row) = row else { return Err(self.why_not_acquired(session_id).await?) };
        let read = || Ok((row.try_get(0)?, unsigned(row.try_get(1)?), head(&row, 2)?));
        let (sid, epoch, head) = read().map_err(|failure: Failure| failure.explain(action))?;
        self.leases.enter(session_id, HeldLease { sid, epoch, head: Some(head) });
        self.count_leases();
        Ok(Lease { session_id, epoch })
    }

    async fn why_not_acquired(&self, session_id: SessionId) -> Result<Error, Error> {
        let action = "find who has the session";
        let sql = "SELECT n.id, (extract(epoch FROM n.lease_until - clock_timestamp()) * 1000)::bigint
             FROM dwell.sessions s JOIN dwell.heads h USING (sid) LEFT JOIN dwell.nodes n ON n.number = h.node
             WHERE s.id = $1";
        let Some(row) = self.database.first(action, sql, &params![session_id.to_bytes()]).await? else {
            return Ok(Error::NotFound);
        };
        let read = || Ok::<_, tokio_postgres::Error>((row.try_get(0)?, row.try_get(1)?));
        let (node, left): (Option<String>, Option<i64>) =
            read().map_err(|error| Failure::from(error).explain(action))?;
        let node = node.unwrap_or_else(|| "another".to_owned());
        Ok(Error::Held { session_id, node, left_ms: unsigned(left.unwrap_or(0)) })
    }

    pub(super) async fn release_lease(&self, lease: Lease) {
        let Some(held) = self.leases.take(lease) else { return };
        self.count_leases();
        let sql = "UPDATE dwell.heads SET node = NULL WHERE sid = $1 AND epoch = $2";
        let params = params![held.sid, held.epoch];
        if let Err(error) = self.database.query("release the session", sql, &params).await {
            // Its node's lease ends by itself, or this node takes it again.
            tracing::debug!(%error, session = %lease.session_id, "a lease was not released in the database");
        }
    }
}
