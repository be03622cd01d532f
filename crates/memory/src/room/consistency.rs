//! Waiting until what was written can be found, or hearing what cannot.

use std::time::Duration;

use protocol::{Consistency, ItemId, MemoryId, Missing, OwnerId};

use super::{Error, Room};

/// Failures that are named.
const NAMED_MAX: usize = 20;
/// How long storing may take, whatever the patience for the rest.
const STORING: Duration = Duration::from_secs(5);

impl Room {
    /// Waits until every earlier write is durable and searchable, in one memory or in all; past the patience it says what
    /// is not.
    pub async fn await_consistency(
        &self,
        owner: &OwnerId,
        memory_id: Option<MemoryId>,
        patience: Duration,
    ) -> Result<Consistency, Error> {
        if let Some(id) = memory_id {
            self.memory(owner, id).await?;
        }
        let librarian = self.librarian(owner).await?;
        let mut looked = self.inner.meaning.looked();
        let now = tokio::time::Instant::now();
        let deadline = now + patience;
        // Writes are done in order, so when this one is, those before it are.
        let queued = tokio::time::timeout_at(now + patience.max(STORING), librarian.write(|_| Ok((Vec::new(), ()))));
        let durable = match queued.await {
            Ok(done) => done.map(|()| true)?,
            Err(_) => false,
        };
        let waits = || {
            let wanting = |id: &ItemId| memory_id.is_none() || librarian.read(|shelf| shelf.is_in(*id, memory_id));
            let all = librarian.read(|shelf| shelf.index.wanting_ids());
            all.into_iter().filter(wanting).collect::<Vec<_>>()
        };
        let has_meaning = self.without_meaning().is_none();
        let mut missing = if has_meaning { waits() } else { Vec::new() };
        while !missing.is_empty() {
            if tokio::time::timeout_at(deadline, looked.changed()).await.is_err() {
                break;
            }
            missing = waits();
        }
        let why = |id: &ItemId| {
            let failure = self.inner.meaning.failure(*id);
            failure.unwrap_or_else(|| "what it means has not been looked at yet".to_owned())
        };
        let searchable = missing.is_empty();
        let mut named: Vec<Missing> =
            missing.iter().take(NAMED_MAX).map(|id| Missing { id: id.to_string(), why: why(id) }).collect();
        if !durable {
            named.push(Missing { id: owner.to_string(), why: "earlier writes are still being stored".to_owned() });
        }
        let notices = self.without_meaning().map(|why| format!("found by words only: {why}")).into_iter().collect();
        Ok(Consistency { consistent: durable && searchable, durable, searchable, missing: named, notices })
    }
}
