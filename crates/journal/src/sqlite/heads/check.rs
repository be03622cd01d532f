//! Comparing what was acknowledged with what the database has.

use std::collections::HashMap;

use protocol::SessionId;
use rusqlite::{Connection, OptionalExtension};

use super::{Acknowledged, Head};
use crate::{Damage, Loss, LostEvents, Sum, sqlite::schema};

/// Which sessions are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Scope {
    /// All.
    All,
    /// Those that were touched since the file of heads was written anew; looking at each session of a large file takes long.
    Recent,
}

/// What comparing found.
#[derive(Debug, Default)]
pub(in super::super) struct Comparison {
    /// What the database misses.
    pub(in super::super) loss: Option<Loss>,
    /// Sessions whose newest event is another than the one that was acknowledged.
    pub(in super::super) changed: Vec<Damage>,
}

/// The number of the last commit in the database.
pub(in super::super) fn commits(connection: &Connection) -> rusqlite::Result<u64> {
    let commits: Option<i64> =
        connection.query_row("SELECT value FROM meta WHERE name = 'commits'", [], |row| row.get(0)).optional()?;
    Ok(commits.and_then(|commits| u64::try_from(commits).ok()).unwrap_or(0))
}

/// How every session stands.
pub(in super::super) fn all(connection: &Connection) -> rusqlite::Result<HashMap<SessionId, Head>> {
    let mut statement = connection.prepare(
        "SELECT s.id, e.seq, e.sum FROM sessions s
         JOIN events e ON e.sid = s.sid AND e.seq = (SELECT max(seq) FROM events WHERE sid = s.sid)",
    )?;
    let rows = statement.query_map([], |row| {
        let seq = u64::try_from(row.get::<_, i64>(1)?).unwrap_or(0);
        // A sum that is none is found when the session is read; it must not keep the others from being read.
        let sum = Sum::from_slice(&row.get::<_, Vec<u8>>(2)?).unwrap_or(Sum::START);
        Ok((SessionId::from_bytes(row.get(0)?), Head { seq, sum }))
    })?;
    rows.collect()
}

/// All that was acknowledged is lost: there is no database.
pub(in super::super) fn lost_whole(acknowledged: &Acknowledged) -> Option<Loss> {
    if acknowledged.commits == 0 && acknowledged.heads.is_empty() {
        return None;
    }
    let lost = acknowledged.heads.iter().map(|(id, head)| lost(*id, 0, head.seq));
    Some(loss(acknowledged, 0, lost.collect()))
}

/// What the log has beyond the database.
#[derive(Debug, Default)]
pub(in super::super) struct LogHeads {
    /// The number of its last commit; 0 if it has none.
    pub(in super::super) commits: u64,
    /// How sessions stand by it.
    pub(in super::super) heads: HashMap<SessionId, Head>,
}

/// Compares, and changes nothing.
pub(in super::super) fn compare(
    connection: &Connection,
    ahead: &LogHeads,
    acknowledged: &Acknowledged,
    scope: Scope,
) -> rusqlite::Result<Comparison> {
    let format = schema::format(connection)?;
    if format == 0 {
        return Ok(Comparison { loss: lost_whole(acknowledged), changed: Vec::new() });
    }
    let has_sums = format >= schema::WITH_SUMS;
    let commits = if has_sums { commits(connection)?.max(ahead.commits) } else { 0 };
    let is_exact = commits == acknowledged.commits && acknowledged.bad_lines == 0;
    let (mut missing, mut changed) = (Vec::new(), Vec::new());
    let is_wanted = |id: &SessionId| scope == Scope::All || acknowledged.recent.contains(id);
    for (id, head) in acknowledged.heads.iter().filter(|(id, _)| is_wanted(id)) {
        let in_log = ahead.heads.get(id).map(|head| (head.seq, Some(head.sum)));
        let found = newest(connection, *id, has_sums)?.filter(|(seq, _)| in_log.is_none_or(|(ahead, _)| ahead <= *seq));
        match found.or(in_log) {
            // A later commit, of which the file does not know, may have removed it.
            None if commits > acknowledged.commits || acknowledged.bad_lines > 0 => {}
            None => missing.push(lost(*id, 0, head.seq)),
            Some((seq, _)) if seq < head.seq => missing.push(lost(*id, seq, head.seq)),
            Some((seq, sum)) if is_exact && seq == head.seq && sum != Some(head.sum) => {
                let detail = "its sum is not the one that was noted when it was committed".to_owned();
                changed.push(Damage { session_id: *id, seq, detail });
            }
            Some(_) => {}
        }
    }
    let is_lost = commits < acknowledged.commits || !missing.is_empty();
    Ok(Comparison { loss: is_lost.then(|| loss(acknowledged, commits, missing)), changed })
}

/// The newest event of a session; none if there is no such session.
fn newest(connection: &Connection, id: SessionId, has_sums: bool) -> rusqlite::Result<Option<(u64, Option<Sum>)>> {
    let sum = if has_sums { "e.sum" } else { "NULL" };
    connection
        .prepare_cached(&format!(
            "SELECT e.seq, {sum} FROM sessions s LEFT JOIN events e ON e.sid = s.sid
             WHERE s.id = ?1 ORDER BY e.seq DESC LIMIT 1"
        ))?
        .query_row([id.to_bytes()], |row| {
            let seq = row.get::<_, Option<i64>>(0)?.and_then(|seq| u64::try_from(seq).ok()).unwrap_or(0);
            let sum = row.get::<_, Option<Vec<u8>>>(1)?.and_then(|sum| Sum::from_slice(&sum));
            Ok((seq, sum))
        })
        .optional()
}

const fn lost(session_id: SessionId, found: u64, acknowledged: u64) -> LostEvents {
    LostEvents { session_id, found, acknowledged }
}

fn loss(acknowledged: &Acknowledged, found_commits: u64, mut sessions: Vec<LostEvents>) -> Loss {
    sessions.sort_unstable_by_key(|lost| lost.session_id);
    Loss { acknowledged_commits: acknowledged.commits, found_commits, sessions }
}
