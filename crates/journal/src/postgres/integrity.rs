//! Checks of sessions in the running store.

use async_trait::async_trait;
use protocol::SessionId;

use super::{
    Postgres,
    params::params,
    rows::{self, id},
};
use crate::{Damage, Error, Integrity, LostWrites, SessionCheck};

/// Events checked in one read.
const PAGE: usize = 512;

#[async_trait]
impl Integrity for Postgres {
    async fn verify(&self, session_id: SessionId) -> Result<SessionCheck, Error> {
        let mut events = 0;
        loop {
            match self.damages.watch(self.walk(session_id, events, PAGE).await) {
                Ok(page) => {
                    events += page.len() as u64;
                    if page.len() < PAGE {
                        return Ok(SessionCheck { events, damage: self.damages.of(session_id) });
                    }
                }
                Err(Error::DamagedSession { session_id, seq, detail }) => {
                    let damage = Some(Damage { session_id, seq, detail });
                    return Ok(SessionCheck { events: seq.saturating_sub(1), damage });
                }
                Err(error) => return Err(error),
            }
        }
    }

    async fn next_session(&self, after: Option<SessionId>) -> Result<Option<SessionId>, Error> {
        let action = "find the next session";
        let after = after.map_or_else(Vec::new, |id| id.to_bytes().to_vec());
        let sql = "SELECT id FROM dwell.sessions WHERE id > $1 ORDER BY id LIMIT 1";
        let row = self.database.first(action, sql, &params![&after]).await?;
        rows::one(action, row, |row| id(row, 0).map(SessionId::from_bytes))
    }

    fn damaged(&self) -> Vec<Damage> {
        self.damages.all()
    }

    fn lost_writes(&self) -> Option<LostWrites> {
        self.database.tail.lost()
    }

    fn take_outdated(&self) -> Vec<SessionId> {
        self.database.tail.take_outdated()
    }

    async fn probe(&self) -> Result<(), Error> {
        let sql = "INSERT INTO dwell.meta (name, value) VALUES ('probe', 0)
             ON CONFLICT (name) DO UPDATE SET value = excluded.value";
        self.database.query("write to the journal", sql, &[]).await.map(drop)
    }
}
