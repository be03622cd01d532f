//! Artifacts.

use async_trait::async_trait;
use protocol::{ArtifactId, ArtifactView, OwnerId, SessionId, Timestamp};

use super::{
    Postgres,
    database::Write,
    failure::Failure,
    params::params,
    pool::Connection,
    rows::{self, id, json, time, unsigned},
};
use crate::{Artifact, ArtifactCursor, ArtifactPage, Artifacts, Error, RemovedArtifacts, encoding::item_sums};

#[async_trait]
impl Artifacts for Postgres {
    async fn put(&self, artifact: Artifact) -> Result<(), Error> {
        let action = "store the artifact";
        let view = &artifact.view;
        let text = serde_json::to_string(view).map_err(|error| Failure::from(error).explain(action))?;
        let sum = item_sums::of_artifact(&view.artifact_id.to_bytes(), &artifact.bytes);
        // The owner is checked here too: an artifact under another owner's session would outlive
        // its owner's sessions.
        let sql = "WITH s AS (SELECT sid FROM dwell.sessions WHERE id = $2 AND owner = $3 FOR KEY SHARE),
             added AS (
                 INSERT INTO dwell.artifacts (id, sid, owner, created_at, size, view, sum, bytes)
                 SELECT $1, s.sid, $3, $4, $5, $6, $7, $8 FROM s ON CONFLICT (id) DO NOTHING)
             SELECT sid FROM s";
        let params = params![
            view.artifact_id.to_bytes(),
            view.session_id.to_bytes(),
            artifact.owner.as_str(),
            view.created_at.as_millis(),
            artifact.bytes.len(),
            &text,
            sum.as_bytes(),
            &artifact.bytes,
        ];
        self.database.first(action, sql, &params).await?.map(drop).ok_or(Error::NotFound)
    }

    async fn artifact(&self, owner: &OwnerId, wanted: ArtifactId) -> Result<Option<(ArtifactView, Vec<u8>)>, Error> {
        let action = "read the artifact";
        let sql = "SELECT view, bytes, sum FROM dwell.artifacts WHERE id = $1 AND owner = $2";
        let params = params![wanted.to_bytes(), owner.as_str()];
        let row = self.database.query_as(owner, action, sql, &params).await?.into_iter().next();
        rows::one(action, row, |row| {
            let bytes: Vec<u8> = row.try_get(1)?;
            if item_sums::of_artifact(&wanted.to_bytes(), &bytes).as_bytes() != row.try_get::<_, &[u8]>(2)? {
                return Err(Error::DamagedArtifact(wanted).into());
            }
            Ok((json(row, 0, "read an artifact")?, bytes))
        })
    }

    async fn artifacts(
        &self,
        owner: &OwnerId,
        session_id: Option<SessionId>,
        after: Option<ArtifactCursor>,
        limit: usize,
    ) -> Result<ArtifactPage, Error> {
        let action = "list the artifacts";
        // Two statements rather than one with OR, so that each uses its index.
        let of = match session_id {
            None => "true",
            Some(_) => "sid = (SELECT s.sid FROM dwell.sessions s WHERE s.id = $5)",
        };
        let sql = format!(
            "SELECT created_at, id, view FROM dwell.artifacts
             WHERE owner = $1 AND {of} AND (created_at, id) < ($2, $3) ORDER BY created_at DESC, id DESC LIMIT $4"
        );
        let (created_at, before) = after
            .map_or((i64::MAX, [0xff; 16]), |cursor| (cursor.created_at.as_millis(), cursor.artifact_id.to_bytes()));
        let params = params![owner.as_str(), created_at, before, limit, session_id.map(SessionId::to_bytes)];
        let found = self.database.query_as(owner, action, &sql, &params).await?;
        let found = rows::all(action, &found, |row| {
            let artifact_id = ArtifactId::from_bytes(id(row, 1)?);
            Ok((ArtifactCursor { created_at: time(row, 0)?, artifact_id }, json(row, 2, "read an artifact")?))
        })?;
        let next = found.last().map(|(place, _)| *place).filter(|_| found.len() >= limit);
        Ok(ArtifactPage { artifacts: found.into_iter().map(|(_, view)| view).collect(), next })
    }

    async fn artifact_bytes(&self, session_id: SessionId) -> Result<u64, Error> {
        let action = "measure the artifacts";
        let sql = "SELECT coalesce(sum(a.size), 0)::bigint FROM dwell.artifacts a JOIN dwell.sessions s USING (sid)
             WHERE s.id = $1";
        let row = self.database.first(action, sql, &params![session_id.to_bytes()]).await?;
        Ok(rows::one(action, row, |row| Ok(unsigned(row.try_get(0)?)))?.unwrap_or(0))
    }

    async fn owner_artifact_bytes(&self, owner: &OwnerId) -> Result<u64, Error> {
        let action = "measure the artifacts";
        let sql = "SELECT coalesce(sum(artifact_bytes), 0)::bigint FROM dwell.owner_totals WHERE owner = $1";
        let row = self.database.first(action, sql, &params![owner.as_str()]).await?;
        Ok(rows::one(action, row, |row| Ok(unsigned(row.try_get(0)?)))?.unwrap_or(0))
    }

    async fn remove_artifact(&self, owner: &OwnerId, id: ArtifactId) -> Result<bool, Error> {
        let removal = RemoveArtifacts { owner, ids: &[id] };
        Ok(self.database.write("remove the artifact", &removal).await? > 0)
    }

    async fn sweep_artifacts(&self, before: Timestamp, limit: usize) -> Result<RemovedArtifacts, Error> {
        self.database.write("remove old artifacts", &SweepArtifacts { before, limit }).await
    }
}

/// Artifacts of an owner to remove; answers how many there were.
pub(super) struct RemoveArtifacts<'a> {
    pub(super) owner: &'a OwnerId,
    pub(super) ids: &'a [ArtifactId],
}

#[async_trait]
impl Write for RemoveArtifacts<'_> {
    type Answer = u64;

    async fn run(&self, on: &Connection) -> Result<u64, Failure> {
        let ids: Vec<[u8; 16]> = self.ids.iter().map(|id| id.to_bytes()).collect();
        on.execute("DELETE FROM dwell.artifacts WHERE id = ANY($1) AND owner = $2", &params![ids, self.owner.as_str()])
            .await
    }
}

struct SweepArtifacts {
    before: Timestamp,
    limit: usize,
}

#[async_trait]
impl Write for SweepArtifacts {
    type Answer = RemovedArtifacts;

    async fn run(&self, on: &Connection) -> Result<RemovedArtifacts, Failure> {
        let sql = "WITH gone AS (
                 DELETE FROM dwell.artifacts WHERE id IN (
                     SELECT id FROM dwell.artifacts WHERE created_at < $1 ORDER BY created_at, id LIMIT $2)
                 RETURNING size)
             SELECT count(*), coalesce(sum(size), 0)::bigint FROM gone";
        let row = on.first(sql, &params![self.before.as_millis(), self.limit]).await?;
        let Some(row) = row else { return Ok(RemovedArtifacts::default()) };
        Ok(RemovedArtifacts { artifacts: unsigned(row.try_get(0)?), bytes: unsigned(row.try_get(1)?) })
    }
}
