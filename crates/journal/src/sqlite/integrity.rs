//! Checks of sessions in the running store.

use async_trait::async_trait;
use protocol::SessionId;
use rusqlite::{Connection, OptionalExtension};

use super::{Sqlite, chain, read::ReadResult, writer::Job};
use crate::{Damage, Error, Integrity, SessionCheck};

/// Events checked in one read. A long read would block the checkpoint of the write-ahead log.
pub(super) const PAGE: usize = 512;

#[async_trait]
impl Integrity for Sqlite {
    async fn verify(&self, session_id: SessionId) -> Result<SessionCheck, Error> {
        let mut events = 0;
        loop {
            let check = move |connection: &_| check(connection, session_id, events);
            let checked = self.damages.watch(self.readers.query("check the session", check).await);
            match checked {
                Ok(count) => events += count,
                Err(Error::DamagedSession { session_id, seq, detail }) => {
                    let damage = Some(Damage { session_id, seq, detail });
                    return Ok(SessionCheck { events: seq.saturating_sub(1), damage });
                }
                Err(error) => return Err(error),
            }
            if checked.is_ok_and(|count| count < PAGE as u64) {
                return Ok(SessionCheck { events, damage: self.damages.of(session_id) });
            }
        }
    }

    async fn next_session(&self, after: Option<SessionId>) -> Result<Option<SessionId>, Error> {
        self.readers.query("find the next session", move |connection| next(connection, after)).await
    }

    fn damaged(&self) -> Vec<Damage> {
        self.damages.all()
    }

    async fn probe(&self) -> Result<(), Error> {
        self.ask(|reply| Job::Probe { reply }).await
    }
}

/// Checks a page of events after a number, and returns how many there were.
pub(super) fn check(connection: &Connection, session_id: SessionId, after: u64) -> ReadResult<u64> {
    let mut count = 0;
    let walked = chain::walk(connection, session_id, after, PAGE, |_| {
        count += 1;
        Ok(())
    })?;
    Ok(walked.map(|()| count))
}

fn next(connection: &Connection, after: Option<SessionId>) -> ReadResult<Option<SessionId>> {
    let after = after.map_or_else(Vec::new, |id| id.to_bytes().to_vec());
    connection
        .prepare_cached("SELECT id FROM sessions WHERE id > ?1 ORDER BY id LIMIT 1")?
        .query_row([after], |row| row.get(0).map(SessionId::from_bytes))
        .optional()
        .map(Ok)
}
