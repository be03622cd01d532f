//! Redaction of text.
//!
//! The database decides what becomes of freed space, so only what is in rows can be searched.
//! [`Eraser::scrub`] vacuums, which makes the space of removed rows free for others; its bytes stay
//! until they are overwritten, and in the write-ahead log until it is recycled. The manual says so.

use async_trait::async_trait;
use futures::TryStreamExt;
use protocol::{ArtifactId, CURRENT_FORMAT, OwnerId, SessionId};

use super::{
    Postgres,
    artifacts::RemoveArtifacts,
    database::Write,
    failure::Failure,
    leases::HeldLease,
    params::{Param, number, params},
    pool::Connection,
    rows::{self, EVENT, id, stored_event},
    sessions::{check_lease, note_plans},
};
use crate::{
    Checksum, Eraser, Error, Lease, RedactedEvent, SessionSummary,
    encoding::{Head, PreparedSummary},
    needles::{PieceMatcher, PieceSearch, TextMatcher},
};

/// The columns that can contain text, by table.
const TEXTS: [(&str, &[&str]); 14] = [
    ("sessions", &["owner", "name", "view"]),
    ("events", &["agent", "body"]),
    ("snapshots", &["state"]),
    ("artifacts", &["owner", "view", "bytes"]),
    ("schedules", &["entity"]),
    ("vaults", &["owner", "title", "body"]),
    ("memories", &["owner", "title", "body"]),
    ("records", &["owner", "body"]),
    ("vectors", &["owner", "model", "bytes"]),
    ("write_keys", &["owner", "key", "digest", "answer"]),
    ("bookmarks", &["follower", "state"]),
    ("stored_values", &["owner", "key", "bytes"]),
    ("owner_totals", &["owner"]),
    ("nodes", &["id"]),
];

/// Events that are rewritten at a time.
const PAGE: usize = 256;

#[async_trait]
impl Eraser for Postgres {
    async fn sessions_with(&self, owner: &OwnerId, texts: &[String]) -> Result<Vec<SessionId>, Error> {
        let action = "search the sessions";
        let texts = TextMatcher::in_json(texts)?;
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let sql = "SELECT s.id, e.body FROM dwell.sessions s JOIN dwell.events e USING (sid) WHERE s.owner = $1
             ORDER BY s.sid, e.seq";
        let params = params![owner.as_str()];
        let mut found: Vec<SessionId> = Vec::new();
        self.scan(action, sql, &params, |row| {
            let session = SessionId::from_bytes(id(row, 0)?);
            if found.last() != Some(&session) && texts.are_in(row.try_get::<_, &str>(1)?.as_bytes()) {
                found.push(session);
            }
            Ok(())
        })
        .await?;
        Ok(found)
    }

    async fn redact(
        &self,
        lease: Lease,
        redactions: Vec<RedactedEvent>,
        summary: Option<Box<SessionSummary>>,
    ) -> Result<(), Error> {
        let action = "redact the session";
        let held = self.leases.get(lease).ok_or(Error::StaleLease)?;
        let summary = summary.map(|summary| PreparedSummary::of(&summary, false)).transpose();
        let summary = summary.map_err(|error| Failure::from(error).explain(action))?;
        let bodies = redactions.iter().map(|redact| serde_json::to_string(&redact.body).map(|body| (redact.seq, body)));
        let bodies = bodies.collect::<Result<Vec<_>, _>>().map_err(|error| Failure::from(error).explain(action))?;
        let redaction = Redact { session_id: lease.session_id, held, bodies, summary };
        match self.database.write(action, &redaction).await {
            Ok(head) => {
                self.leases.note(lease, Some(head));
                Ok(())
            }
            Err(error) => {
                self.leases.note(lease, None);
                Err(error)
            }
        }
    }

    async fn remove_artifacts_with(&self, owner: &OwnerId, texts: &[String]) -> Result<u64, Error> {
        let (plain, in_json) = (TextMatcher::anywhere(texts)?, TextMatcher::in_json(texts)?);
        let sql = "SELECT id, view, bytes FROM dwell.artifacts WHERE owner = $1";
        let params = params![owner.as_str()];
        let mut ids = Vec::new();
        self.scan("search the artifacts", sql, &params, |row| {
            if in_json.are_in(row.try_get::<_, &str>(1)?.as_bytes()) || plain.are_in(row.try_get(2)?) {
                ids.push(ArtifactId::from_bytes(id(row, 0)?));
            }
            Ok(())
        })
        .await?;
        if ids.is_empty() {
            return Ok(0);
        }
        self.database.write("remove the artifacts", &RemoveArtifacts { owner, ids: &ids }).await
    }

    async fn scrub(&self, texts: &[String]) -> Result<Vec<String>, Error> {
        self.vacuum().await?;
        let pieces = PieceMatcher::new(texts)?;
        if pieces.is_empty() {
            return Ok(Vec::new());
        }
        let mut search = pieces.search();
        for (table, columns) in TEXTS {
            self.look_in(table, columns, &mut search).await?;
        }
        Ok(search.texts_in(texts))
    }

    async fn begin_erasing(&self) -> Result<(), Error> {
        self.database.write("note an erasure", &NoteErasing { by: 1 }).await
    }

    async fn end_erasing(&self) -> Result<(), Error> {
        self.database.write("note an erasure", &NoteErasing { by: -1 }).await
    }

    async fn finish_erasing(&self) -> Result<bool, Error> {
        let action = "find unfinished erasures";
        let row =
            self.database.first(action, "SELECT value FROM dwell.meta WHERE name = $1", &params![ERASING]).await?;
        let unfinished: i64 = rows::one(action, row, |row| Ok(row.try_get(0)?))?.unwrap_or(0);
        if unfinished == 0 {
            return Ok(false);
        }
        self.vacuum().await?;
        self.database.write("note an erasure", &NoteErasing { by: -unfinished }).await?;
        Ok(true)
    }
}

impl Postgres {
    /// Visits all rows of a statement. It is not repeated when the connection is lost half-way.
    async fn scan(
        &self,
        action: &'static str,
        sql: &str,
        params: &[Param<'_>],
        mut visit: impl FnMut(&tokio_postgres::Row) -> Result<(), Failure> + Send,
    ) -> Result<(), Error> {
        let connection = self.database.connection().await?;
        let scanned = async {
            let rows = connection.stream(sql, params).await?;
            futures::pin_mut!(rows);
            while let Some(row) = rows.try_next().await? {
                visit(&row)?;
            }
            Ok::<_, Failure>(())
        };
        scanned.await.map_err(|failure| failure.explain(action))
    }

    async fn look_in(
        &self,
        table: &'static str,
        columns: &'static [&'static str],
        search: &mut PieceSearch<'_>,
    ) -> Result<(), Error> {
        let kind = |column: &&str| {
            if matches!(*column, "bytes" | "key") && table != "write_keys" {
                format!("coalesce({column}, '')")
            } else {
                format!("convert_to(coalesce({column}, ''), 'UTF8')")
            }
        };
        let wanted: Vec<String> = columns.iter().map(kind).collect();
        let sql = format!("SELECT {} FROM dwell.{table}", wanted.join(", "));
        self.scan("search the database", &sql, &[], |row| {
            for column in 0..columns.len() {
                search.look_in(row.try_get(column)?);
            }
            Ok(())
        })
        .await
    }

    /// Frees the space of removed rows.
    async fn vacuum(&self) -> Result<(), Error> {
        let connection = self.database.connection().await?;
        for (table, _) in TEXTS {
            // It runs outside of any transaction, and beside other writes.
            let vacuumed = connection.batch(&format!("VACUUM dwell.{table}")).await;
            vacuumed.map_err(|failure| failure.explain("vacuum the database"))?;
        }
        Ok(())
    }
}

/// A redaction; answers with the session's head after it.
struct Redact {
    session_id: SessionId,
    held: HeldLease,
    bodies: Vec<(u64, String)>,
    summary: Option<PreparedSummary>,
}

#[async_trait]
impl Write for Redact {
    type Answer = Head;

    async fn run(&self, on: &Connection) -> Result<Head, Failure> {
        let sid = self.held.sid;
        let mut head = check_lease(on, sid, self.held.epoch).await?;
        for (seq, body) in &self.bodies {
            let sql = "UPDATE dwell.events SET format = $3, body = $4 WHERE sid = $1 AND seq = $2";
            let params = params![sid, *seq, i64::from(CURRENT_FORMAT), body];
            if on.execute(sql, &params).await? == 0 {
                return Err(Error::NotFound.into());
            }
        }
        // The snapshot contains the erased text.
        on.execute("DELETE FROM dwell.snapshots WHERE sid = $1", &params![sid]).await?;
        if let Some(summary) = &self.summary {
            let sql =
                "UPDATE dwell.sessions SET updated_at = $2, is_moving = $3, wake_at = $4, view = $5 WHERE sid = $1";
            let wake_at = summary.wake_at.map(protocol::Timestamp::as_millis);
            let (updated_at, view) = (summary.updated_at.as_millis(), summary.view.get());
            on.execute(sql, &params![sid, updated_at, summary.is_moving, wake_at, view]).await?;
            note_plans(on, sid, summary).await?;
        }
        if let Some(first) = self.bodies.iter().map(|(seq, _)| *seq).min() {
            head = self.rechain(on, first).await?;
        }
        let bytes = "WITH counted AS (
                 SELECT coalesce(sum(octet_length(body)), 0)::bigint AS bytes FROM dwell.events WHERE sid = $1),
             before AS (SELECT bytes FROM dwell.heads WHERE sid = $1),
             moved AS (UPDATE dwell.heads SET bytes = c.bytes, head = $2, sum = $3 FROM counted c WHERE sid = $1)
             INSERT INTO dwell.owner_totals AS t (owner, slot, journal_bytes)
             SELECT s.owner, 0, c.bytes - b.bytes FROM dwell.sessions s, counted c, before b WHERE s.sid = $1
             ON CONFLICT (owner, slot) DO UPDATE SET journal_bytes = t.journal_bytes + excluded.journal_bytes";
        on.execute(bytes, &params![sid, head.seq, head.sum.as_bytes()]).await?;
        Ok(head)
    }
}

impl Redact {
    /// Recomputes the checksums from the first redacted event on, so that none is left that covers
    /// erased text.
    async fn rechain(&self, on: &Connection, first: u64) -> Result<Head, Failure> {
        let sid = self.held.sid;
        let before = "SELECT sum FROM dwell.events WHERE sid = $1 AND seq = $2";
        let row = on.first(before, &params![sid, first.saturating_sub(1)]).await?;
        let sum = row.map(|row| row.try_get(0).map(Checksum::from_slice)).transpose()?.flatten();
        let mut head = Head { seq: first.saturating_sub(1), sum: sum.unwrap_or(Checksum::START) };
        loop {
            let sql = format!("SELECT {EVENT} FROM dwell.events e WHERE sid = $1 AND seq > $2 ORDER BY seq LIMIT $3");
            let rows = on.query(&sql, &params![sid, head.seq, PAGE]).await?;
            let (mut numbers, mut sums) = (Vec::new(), Vec::new());
            for row in &rows {
                let stored = stored_event(row, self.session_id, 0)?;
                head = Head { seq: stored.seq(), sum: stored.chained(head.sum) };
                numbers.push(number(head.seq));
                sums.push(head.sum.as_bytes().to_vec());
            }
            let update = "UPDATE dwell.events e SET sum = n.sum FROM unnest($2::bigint[], $3::bytea[]) AS n(seq, sum)
                 WHERE e.sid = $1 AND e.seq = n.seq";
            on.execute(update, &params![sid, numbers, sums]).await?;
            if rows.len() < PAGE {
                return Ok(head);
            }
        }
    }
}

/// Name in `meta` of the number of unfinished erasures.
const ERASING: &str = "erasing";

struct NoteErasing {
    by: i64,
}

#[async_trait]
impl Write for NoteErasing {
    type Answer = ();

    async fn run(&self, on: &Connection) -> Result<(), Failure> {
        let sql = "INSERT INTO dwell.meta AS m (name, value) VALUES ($1, greatest(0, $2))
             ON CONFLICT (name) DO UPDATE SET value = greatest(0, m.value + $2)";
        on.execute(sql, &params![ERASING, self.by]).await.map(drop)
    }
}
