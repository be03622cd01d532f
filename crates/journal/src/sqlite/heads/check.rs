//! Comparison of what was acknowledged with what the database has.

use std::collections::HashMap;

use protocol::SessionId;
use rusqlite::{Connection, OptionalExtension};

use super::AcknowledgedHeads;
use crate::{Checksum, Damage, Loss, LostEvents, encoding::Head, sqlite::schema};

/// Which sessions are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum CheckScope {
    /// All sessions.
    All,
    /// Those that were touched since the file of heads was rewritten. A lookup of every session of
    /// a large file takes long.
    Recent,
}

/// Result of the comparison.
#[derive(Debug, Default)]
pub(in super::super) struct HeadsComparison {
    /// Acknowledged data that the database does not have.
    pub(in super::super) loss: Option<Loss>,
    /// Sessions whose newest event differs from the acknowledged one.
    pub(in super::super) changed: Vec<Damage>,
}

/// The number of the last commit in the database.
pub(in super::super) fn commits(connection: &Connection) -> rusqlite::Result<u64> {
    let commits: Option<i64> =
        connection.query_row("SELECT value FROM meta WHERE name = 'commits'", [], |row| row.get(0)).optional()?;
    Ok(commits.and_then(|commits| u64::try_from(commits).ok()).unwrap_or(0))
}

/// The heads of all sessions.
pub(in super::super) fn all(connection: &Connection) -> rusqlite::Result<HashMap<SessionId, Head>> {
    let mut statement = connection.prepare(
        "SELECT s.id, e.seq, e.sum FROM sessions s
         JOIN events e ON e.sid = s.sid AND e.seq = (SELECT max(seq) FROM events WHERE sid = s.sid)",
    )?;
    let rows = statement.query_map([], |row| {
        let seq = u64::try_from(row.get::<_, i64>(1)?).unwrap_or(0);
        // An invalid checksum is found when its session is read. It must not prevent reading the
        // others.
        let sum = Checksum::from_slice(&row.get::<_, Vec<u8>>(2)?).unwrap_or(Checksum::START);
        Ok((SessionId::from_bytes(row.get(0)?), Head { seq, sum }))
    })?;
    rows.collect()
}

/// Everything that was acknowledged is lost: there is no database.
pub(in super::super) fn lost_whole(acknowledged: &AcknowledgedHeads) -> Option<Loss> {
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
    /// The heads of sessions according to the log.
    pub(in super::super) heads: HashMap<SessionId, Head>,
}

/// Compares without changing anything.
pub(in super::super) fn compare(
    connection: &Connection,
    ahead: &LogHeads,
    acknowledged: &AcknowledgedHeads,
    scope: CheckScope,
) -> rusqlite::Result<HeadsComparison> {
    let format = schema::format(connection)?;
    if format == 0 {
        return Ok(HeadsComparison { loss: lost_whole(acknowledged), changed: Vec::new() });
    }
    let has_sums = format >= schema::WITH_SUMS;
    let commits = if has_sums { commits(connection)?.max(ahead.commits) } else { 0 };
    let is_exact = commits == acknowledged.commits && acknowledged.bad_lines == 0;
    let (mut missing, mut changed) = (Vec::new(), Vec::new());
    let is_wanted = |id: &SessionId| scope == CheckScope::All || acknowledged.recent.contains(id);
    for (id, head) in acknowledged.heads.iter().filter(|(id, _)| is_wanted(id)) {
        let in_log = ahead.heads.get(id).map(|head| (head.seq, Some(head.sum)));
        let found = newest(connection, *id, has_sums)?.filter(|(seq, _)| in_log.is_none_or(|(ahead, _)| ahead <= *seq));
        match found.or(in_log) {
            // A later commit that the file does not have may have removed it.
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
    Ok(HeadsComparison { loss: is_lost.then(|| loss(acknowledged, commits, missing)), changed })
}

/// The newest event of a session; `None` if there is no such session.
fn newest(connection: &Connection, id: SessionId, has_sums: bool) -> rusqlite::Result<Option<(u64, Option<Checksum>)>> {
    let sum = if has_sums { "e.sum" } else { "NULL" };
    connection
        .prepare_cached(&format!(
            "SELECT e.seq, {sum} FROM sessions s LEFT JOIN events e ON e.sid = s.sid
             WHERE s.id = ?1 ORDER BY e.seq DESC LIMIT 1"
        ))?
        .query_row([id.to_bytes()], |row| {
            let seq = row.get::<_, Option<i64>>(0)?.and_then(|seq| u64::try_from(seq).ok()).unwrap_or(0);
            let sum = row.get::<_, Option<Vec<u8>>>(1)?.and_then(|sum| Checksum::from_slice(&sum));
            Ok((seq, sum))
        })
        .optional()
}

const fn lost(session_id: SessionId, found: u64, acknowledged: u64) -> LostEvents {
    LostEvents { session_id, found, acknowledged }
}

fn loss(acknowledged: &AcknowledgedHeads, found_commits: u64, mut sessions: Vec<LostEvents>) -> Loss {
    sessions.sort_unstable_by_key(|lost| lost.session_id);
    Loss { acknowledged_commits: acknowledged.commits, found_commits, sessions }
}
