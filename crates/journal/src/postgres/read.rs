//! Events, the catalog and snapshots: what is read of sessions.

use async_trait::async_trait;
use protocol::{Event, Order, OwnerId, SessionId, SessionName, SessionView, Timestamp, TurnId};
use tokio_postgres::Row;

use super::{
    Postgres,
    failure::Failure,
    owners::not_elsewhere,
    params::params,
    rows::{self, EVENT, id, json, stored_event, time, unsigned},
};
use crate::{
    Catalog, CatalogPage, Checksum, Cursor, Damage, Error, SessionFilter, Snapshot, TurnEntry, TurnLocation,
    encoding::{StoredEvent, item_sums},
};

/// Rows read at a time where a filter may drop most of them.
const FILTERED_ROWS: usize = 256;
/// Events read at a time where all of a turn's are wanted.
const TURN_PAGE: usize = 1024;

impl Postgres {
    /// Reads at most `limit` events after a number. Each of them must exist and be what was
    /// written.
    pub(super) async fn walk(
        &self,
        session_id: SessionId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<StoredEvent>, Error> {
        let action = "read the session";
        // The event at `after` comes too, without its body, for its checksum. The inner query goes
        // by the key and stops at the limit, however long the session is.
        let sql = "SELECT e.seq, e.format, e.at, e.turn, e.agent, e.body, e.sum FROM dwell.sessions s
             LEFT JOIN LATERAL (
                 SELECT seq, format, at, turn, agent, CASE WHEN seq > $2 THEN body END AS body, sum FROM dwell.events
                 WHERE sid = s.sid AND seq >= $2 ORDER BY seq LIMIT $3) e ON true
             WHERE s.id = $1 ORDER BY e.seq";
        let wanted = limit.saturating_add(usize::from(after > 0));
        let found = self.database.query(action, sql, &params![session_id.to_bytes(), after, wanted]).await?;
        if found.is_empty() {
            return Err(Error::NotFound);
        }
        checked(session_id, after, limit, &found).map_err(|failure| failure.explain(action))
    }
}

/// The events of rows that begin with the event at `after`, if there is one.
fn checked(session_id: SessionId, after: u64, limit: usize, found: &[Row]) -> Result<Vec<StoredEvent>, Failure> {
    let missing = |seq| Error::from(Damage { session_id, seq, detail: "it is missing".to_owned() });
    let mut before = (after == 0).then_some(Checksum::START);
    let (mut expected, mut events) = (after, Vec::new());
    for row in found {
        let Some(seq) = row.try_get::<_, Option<i64>>(0)?.map(unsigned) else { break };
        if seq == after && after > 0 {
            // An invalid checksum matches no event after it.
            before = Some(Checksum::from_slice(row.try_get(6)?).unwrap_or(Checksum::START));
            continue;
        }
        if events.len() == limit {
            break;
        }
        let Some(sum) = before else { return Err(missing(expected).into()) };
        expected += 1;
        if seq != expected {
            return Err(missing(expected).into());
        }
        let stored = stored_event(row, session_id, 0)?;
        before = Some(stored.verify(sum).map_err(Error::from)?);
        events.push(stored);
    }
    Ok(events)
}

#[async_trait]
impl Catalog for Postgres {
    async fn named(&self, owner: &OwnerId, name: &SessionName) -> Result<Option<SessionId>, Error> {
        let action = "find the session";
        let sql = "SELECT id FROM dwell.sessions WHERE owner = $1 AND name = $2";
        let rows = self.database.query_as(owner, action, sql, &params![owner.as_str(), name.as_str()]).await?;
        rows::one(action, rows.into_iter().next(), |row| id(row, 0).map(SessionId::from_bytes))
    }

    async fn list(
        &self,
        owner: &OwnerId,
        wanted: &SessionFilter,
        after: Option<Cursor>,
        limit: usize,
    ) -> Result<CatalogPage, Error> {
        let action = "list the sessions";
        let sql = "SELECT s.updated_at, s.id, s.view, h.head FROM dwell.sessions s JOIN dwell.heads h USING (sid)
             WHERE s.owner = $1 AND (s.updated_at, s.id) < ($2, $3)
             ORDER BY s.updated_at DESC, s.id DESC LIMIT $4";
        let batch = if *wanted == SessionFilter::default() { limit } else { limit.max(FILTERED_ROWS) };
        let mut page = CatalogPage { sessions: Vec::new(), next: None };
        let mut place = after
            .map_or((i64::MAX, [0xff; 16]), |cursor| (cursor.updated_at.as_millis(), cursor.session_id.to_bytes()));
        while page.sessions.len() < limit {
            let params = params![owner.as_str(), place.0, place.1, batch];
            let found = self.database.query_as(owner, action, sql, &params).await?;
            let rows = rows::all(action, &found, |row| {
                let mut view: SessionView = json(row, 2, "read the catalog")?;
                // Events with text only do not update the catalog's row.
                view.last_seq = unsigned(row.try_get(3)?);
                Ok((time(row, 0)?, id(row, 1)?, view))
            })?;
            let is_last = rows.len() < batch;
            for (updated_at, id, view) in rows {
                place = (updated_at.as_millis(), id);
                if page.sessions.len() < limit && wanted.has(&view) {
                    page.next = Some(Cursor { updated_at, session_id: SessionId::from_bytes(id) });
                    page.sessions.push(view);
                }
            }
            if is_last {
                break;
            }
        }
        if page.sessions.len() < limit {
            page.next = None;
        }
        Ok(page)
    }

    async fn idle(
        &self,
        before: Timestamp,
        after: Option<(OwnerId, Cursor)>,
        limit: usize,
    ) -> Result<Vec<SessionView>, Error> {
        let action = "find idle sessions";
        let sql = format!(
            "SELECT s.view FROM dwell.sessions s
             WHERE (s.owner, s.updated_at, s.id) > ($1, $2, $3) AND s.updated_at < $4 AND NOT s.is_temporary AND {}
             ORDER BY s.owner, s.updated_at, s.id LIMIT $5",
            not_elsewhere(6)
        );
        let (owner, updated_at, id) = after.as_ref().map_or(("", i64::MIN, [0; 16]), |(owner, cursor)| {
            (owner.as_str(), cursor.updated_at.as_millis(), cursor.session_id.to_bytes())
        });
        let params = params![owner, updated_at, id, before.as_millis(), limit, self.node.number];
        let found = self.database.query(action, &sql, &params).await?;
        rows::all(action, &found, |row| json(row, 0, "read the catalog"))
    }

    async fn moving(&self) -> Result<Vec<SessionId>, Error> {
        let action = "find open turns";
        let sql =
            format!("SELECT s.id FROM dwell.sessions s WHERE s.is_moving AND {} ORDER BY random()", not_elsewhere(1));
        let found = self.database.query(action, &sql, &params![self.node.number]).await?;
        rows::all(action, &found, |row| id(row, 0).map(SessionId::from_bytes))
    }

    async fn turn(&self, turn_id: TurnId) -> Result<Vec<Event>, Error> {
        let mut events: Vec<Event> = Vec::new();
        loop {
            let after = events.last().map_or(0, |event| event.seq);
            let page = self.turn_events(turn_id, after, TURN_PAGE).await?;
            let is_last = page.len() < TURN_PAGE;
            events.extend(page);
            if is_last {
                return Ok(events);
            }
        }
    }

    async fn turn_events(&self, turn_id: TurnId, after: u64, limit: usize) -> Result<Vec<Event>, Error> {
        let action = "read the turn";
        let sql = format!(
            "SELECT s.id, {EVENT}, p.sum FROM dwell.events e JOIN dwell.sessions s USING (sid)
             LEFT JOIN dwell.events p ON p.sid = e.sid AND p.seq = e.seq - 1
             WHERE e.turn = $1 AND e.seq > $2 ORDER BY e.sid, e.seq LIMIT $3"
        );
        let found = self.database.query(action, &sql, &params![turn_id.to_bytes(), after, limit]).await?;
        self.damages.watch(rows::all(action, &found, |row| {
            let stored = stored_event(row, SessionId::from_bytes(id(row, 0)?), 1)?;
            let before = match row.try_get::<_, Option<&[u8]>>(8)? {
                Some(sum) => Checksum::from_slice(sum).unwrap_or(Checksum::START),
                None if stored.seq() == 1 => Checksum::START,
                None => {
                    let (session_id, seq) = (stored.session_id(), stored.seq() - 1);
                    return Err(Error::from(Damage { session_id, seq, detail: "it is missing".to_owned() }).into());
                }
            };
            stored.verify(before).map_err(Error::from)?;
            Ok(stored.event()?)
        }))
    }

    async fn turn_place(&self, turn_id: TurnId) -> Result<Option<TurnLocation>, Error> {
        let action = "find the turn";
        let sql = "SELECT s.id, e.seq FROM dwell.events e JOIN dwell.sessions s USING (sid)
             WHERE e.turn = $1 ORDER BY e.sid DESC, e.seq DESC LIMIT 1";
        let row = self.database.first(action, sql, &params![turn_id.to_bytes()]).await?;
        rows::one(action, row, |row| {
            Ok(TurnLocation { session_id: SessionId::from_bytes(id(row, 0)?), last_seq: unsigned(row.try_get(1)?) })
        })
    }

    async fn turns(
        &self,
        session_id: SessionId,
        order: Order,
        from: Option<u64>,
        limit: usize,
    ) -> Result<Vec<TurnEntry>, Error> {
        let action = "list the turns";
        let (than, order, from) = match order {
            Order::Oldest => (">", "ASC", from.unwrap_or(0)),
            Order::Newest => ("<", "DESC", from.unwrap_or(u64::MAX)),
        };
        // A turn starts at the first event with its id. The inner query follows the order of events
        // and stops at the last requested turn.
        let sql = format!(
            "SELECT t.seq, t.turn FROM dwell.sessions s LEFT JOIN LATERAL (
                 SELECT e.seq, e.turn FROM dwell.events e
                 WHERE e.sid = s.sid AND e.seq {than} $2 AND e.turn IS NOT NULL AND NOT EXISTS (
                     SELECT 1 FROM dwell.events f WHERE f.turn = e.turn AND f.sid = e.sid AND f.seq < e.seq)
                 ORDER BY e.seq {order} LIMIT $3) t ON true
             WHERE s.id = $1 ORDER BY t.seq {order}"
        );
        let found = self.database.query(action, &sql, &params![session_id.to_bytes(), from, limit]).await?;
        if found.is_empty() {
            return Err(Error::NotFound);
        }
        let entries = rows::all(action, &found, |row| match row.try_get::<_, Option<i64>>(0)? {
            Some(seq) => Ok(Some(TurnEntry { first_seq: unsigned(seq), turn_id: TurnId::from_bytes(id(row, 1)?) })),
            None => Ok(None),
        })?;
        Ok(entries.into_iter().flatten().collect())
    }
}

impl Postgres {
    /// Replaces the snapshot of a session.
    pub(super) async fn save_snapshot(&self, session_id: SessionId, snapshot: &Snapshot) -> Result<(), Error> {
        let sql = "WITH s AS (SELECT sid FROM dwell.sessions WHERE id = $1 FOR KEY SHARE)
             INSERT INTO dwell.snapshots (sid, seq, format, state, event_sum, sum)
             SELECT s.sid, $2, $3, $4, (SELECT e.sum FROM dwell.events e WHERE e.sid = s.sid AND e.seq = $2), $5 FROM s
             ON CONFLICT (sid) DO UPDATE SET seq = excluded.seq, format = excluded.format, state = excluded.state,
                 event_sum = excluded.event_sum, sum = excluded.sum
             RETURNING sid";
        let sum = item_sums::of_snapshot(session_id, snapshot);
        let (format, state) = (i64::from(snapshot.format), snapshot.state.as_str());
        let params = params![session_id.to_bytes(), snapshot.seq, format, state, sum.as_bytes()];
        let written = self.database.first("save the snapshot", sql, &params).await?;
        written.map(drop).ok_or(Error::NotFound)
    }

    /// The newest snapshot. A damaged or outdated snapshot is ignored, since the events hold the
    /// same state.
    pub(super) async fn latest_snapshot(&self, session_id: SessionId) -> Result<Option<Snapshot>, Error> {
        let action = "read the snapshot";
        let sql = "SELECT p.seq, p.format, p.state, p.sum, p.event_sum IS NOT DISTINCT FROM e.sum
             FROM dwell.snapshots p JOIN dwell.sessions s USING (sid)
             LEFT JOIN dwell.events e ON e.sid = p.sid AND e.seq = p.seq WHERE s.id = $1";
        let row = self.database.first(action, sql, &params![session_id.to_bytes()]).await?;
        let found = rows::one(action, row, |row| {
            let format = u32::try_from(row.try_get::<_, i64>(1)?).unwrap_or(u32::MAX);
            let snapshot = Snapshot { seq: unsigned(row.try_get(0)?), format, state: row.try_get(2)? };
            let is_whole = item_sums::of_snapshot(session_id, &snapshot).as_bytes() == row.try_get::<_, &[u8]>(3)?;
            Ok((snapshot, is_whole, row.try_get::<_, bool>(4)?))
        })?;
        Ok(found.and_then(|(snapshot, is_whole, fits)| {
            if is_whole && fits {
                return Some(snapshot);
            }
            let detail = if is_whole { "it does not match the events" } else { "it is not what was written" };
            tracing::warn!(session = %session_id, seq = snapshot.seq, detail, "a snapshot is damaged; the events are read instead");
            None
        }))
    }
}
