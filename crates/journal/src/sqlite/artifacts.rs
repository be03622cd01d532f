//! SQL statements about artifacts, both writing and reading.

use protocol::{ArtifactId, ArtifactView, OwnerId, SessionId, Timestamp};
use rusqlite::{Connection, OptionalExtension, params};

use super::{read::ReadResult, write, write::WriteFailure};
use crate::{Artifact, ArtifactCursor, ArtifactPage, Error, RemovedArtifacts, encoding::item_sums};

pub(super) fn put(connection: &Connection, artifact: &Artifact) -> Result<(), WriteFailure> {
    let view = &artifact.view;
    // The owner is checked here too: an artifact under another owner's session would outlive its
    // owner's sessions.
    let sid: Option<i64> = connection
        .prepare_cached("SELECT sid FROM sessions WHERE id = ?1 AND owner = ?2")?
        .query_row(params![view.session_id.to_bytes(), artifact.owner.as_str()], |row| row.get(0))
        .optional()?;
    let sid = sid.ok_or(WriteFailure::Refused(Error::NotFound))?;
    connection
        .prepare_cached(
            "INSERT INTO artifacts (id, sid, owner, created_at, size, view, bytes, sum)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
             ON CONFLICT (id) DO NOTHING",
        )?
        .execute(params![
            view.artifact_id.to_bytes(),
            sid,
            artifact.owner.as_str(),
            view.created_at.as_millis(),
            i64::try_from(artifact.bytes.len()).unwrap_or(i64::MAX),
            serde_json::to_string(view)?,
            artifact.bytes,
            item_sums::of_artifact(&view.artifact_id.to_bytes(), &artifact.bytes).as_bytes(),
        ])?;
    Ok(())
}

pub(super) fn one(
    connection: &Connection,
    owner: &OwnerId,
    id: ArtifactId,
) -> ReadResult<Option<(ArtifactView, Vec<u8>)>> {
    let found: Option<(String, Vec<u8>, Option<Vec<u8>>)> = connection
        .prepare_cached("SELECT view, bytes, sum FROM artifacts WHERE id = ?1 AND owner = ?2")?
        .query_row(params![id.to_bytes(), owner.as_str()], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    let Some((text, bytes, sum)) = found else { return Ok(Ok(None)) };
    // Artifacts that are older than the checksums have none.
    if sum.is_some_and(|sum| item_sums::of_artifact(&id.to_bytes(), &bytes).as_bytes() != sum) {
        return Ok(Err(Error::DamagedArtifact(id)));
    }
    Ok(view(&text).map(|view| Some((view, bytes))))
}

pub(super) fn list(
    connection: &Connection,
    owner: &OwnerId,
    session_id: Option<SessionId>,
    after: Option<ArtifactCursor>,
    limit: usize,
) -> ReadResult<ArtifactPage> {
    let empty = ArtifactPage { artifacts: Vec::new(), next: None };
    // Two statements rather than one with OR, so that each uses its index. The plus excludes the
    // index by owner from the second.
    let (filter, sid) = match session_id {
        None => ("owner = ?1 AND ?5 IS NULL", None),
        Some(id) => match write::sid(connection, id)? {
            Some(sid) => ("sid = ?5 AND +owner = ?1", Some(sid)),
            None => return Ok(Ok(empty)),
        },
    };
    let mut statement = connection.prepare_cached(&format!(
        "SELECT created_at, id, view FROM artifacts
         WHERE {filter} AND (created_at, id) < (?2, ?3) ORDER BY created_at DESC, id DESC LIMIT ?4"
    ))?;
    let (created_at, id) =
        after.map_or((i64::MAX, [0xff; 16]), |cursor| (cursor.created_at.as_millis(), cursor.artifact_id.to_bytes()));
    let limit_or_all = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut rows = statement.query(params![owner.as_str(), created_at, id, limit_or_all, sid])?;
    let mut page = empty;
    while let Some(row) = rows.next()? {
        let text: String = row.get(2)?;
        match view(&text) {
            Ok(view) => page.artifacts.push(view),
            Err(error) => return Ok(Err(error)),
        }
        let created_at = Timestamp::from_millis(row.get(0)?);
        page.next = Some(ArtifactCursor { created_at, artifact_id: ArtifactId::from_bytes(row.get(1)?) });
    }
    if page.artifacts.len() < limit {
        page.next = None;
    }
    Ok(Ok(page))
}

pub(super) fn bytes(connection: &Connection, session_id: SessionId) -> ReadResult<u64> {
    let Some(sid) = write::sid(connection, session_id)? else { return Ok(Ok(0)) };
    let total: i64 = connection
        .prepare_cached("SELECT coalesce(sum(size), 0) FROM artifacts WHERE sid = ?1")?
        .query_row([sid], |row| row.get(0))?;
    Ok(Ok(u64::try_from(total).unwrap_or(0)))
}

pub(super) fn owner_bytes(connection: &Connection, owner: &OwnerId) -> ReadResult<u64> {
    let total: Option<i64> = connection
        .prepare_cached("SELECT artifact_bytes FROM owner_totals WHERE owner = ?1")?
        .query_row([owner.as_str()], |row| row.get(0))
        .optional()?;
    Ok(Ok(total.and_then(|total| u64::try_from(total).ok()).unwrap_or(0)))
}

pub(super) fn sweep(
    connection: &Connection,
    before: Timestamp,
    limit: usize,
) -> Result<RemovedArtifacts, WriteFailure> {
    let oldest: Vec<([u8; 16], i64)> = connection
        .prepare_cached("SELECT id, size FROM artifacts WHERE created_at < ?1 ORDER BY created_at, id LIMIT ?2")?
        .query_map(params![before.as_millis(), i64::try_from(limit).unwrap_or(i64::MAX)], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?
        .collect::<rusqlite::Result<_>>()?;
    let mut statement = connection.prepare_cached("DELETE FROM artifacts WHERE id = ?1")?;
    let mut collected = RemovedArtifacts::default();
    for (id, size) in oldest {
        statement.execute([id])?;
        collected.artifacts += 1;
        collected.bytes += u64::try_from(size).unwrap_or(0);
    }
    Ok(collected)
}

fn view(text: &str) -> Result<ArtifactView, Error> {
    serde_json::from_str(text).map_err(|error| Error::Storage { action: "read an artifact", cause: error.to_string() })
}
