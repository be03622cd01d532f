//! Waits until everything written is durable and searchable, and reports what is not.

use std::{collections::BTreeSet, time::Duration};

use protocol::{Consistency, ItemId, MemoryId, MissingItem, OwnerId};

use super::{Error, LongTermMemory};

/// Failures listed in the report.
const NAMED_MAX: usize = 20;
/// Time allowed for storing, whatever the caller's timeout.
const STORING: Duration = Duration::from_secs(5);

impl LongTermMemory {
    /// Waits until every earlier write is durable and searchable, in one memory or in all. After
    /// the timeout it reports what is not.
    pub async fn await_consistency(
        &self,
        owner: &OwnerId,
        memory_id: Option<MemoryId>,
        patience: Duration,
    ) -> Result<Consistency, Error> {
        if let Some(id) = memory_id {
            self.memory(owner, id).await?;
        }
        let owner_writer = self.owner_writer(owner).await?;
        let mut looked = self.inner.embeddings.looked();
        let now = tokio::time::Instant::now();
        let deadline = now + patience;
        // Writes are stored in order: when this one is done, all earlier ones are.
        let queued = tokio::time::timeout_at(now + patience.max(STORING), owner_writer.write(|_| Ok((Vec::new(), ()))));
        let durable = match queued.await {
            Ok(done) => done.map(|()| true)?,
            Err(_) => false,
        };
        let asked_for = |ids: BTreeSet<ItemId>| {
            let is_in = |id: &ItemId| {
                memory_id.is_none() || owner_writer.read(|owner_records| owner_records.is_in(*id, memory_id))
            };
            ids.into_iter().filter(is_in).collect::<Vec<_>>()
        };
        let waits = || asked_for(owner_writer.read(|owner_records| owner_records.index.unembedded_ids()));
        let has_meaning = self.embedder_absence().is_none();
        let mut missing = if has_meaning { waits() } else { Vec::new() };
        while !missing.is_empty() {
            if tokio::time::timeout_at(deadline, looked.changed()).await.is_err() {
                break;
            }
            missing = waits();
        }
        // Texts that could not be embedded are named, but not waited for.
        if has_meaning {
            missing.extend(asked_for(owner_writer.read(|owner_records| owner_records.index.set_aside_ids())));
        }
        let why = |id: &ItemId| {
            let failure = self.inner.embeddings.failure(*id);
            failure.unwrap_or_else(|| "it is not embedded yet".to_owned())
        };
        let searchable = missing.is_empty();
        let mut named: Vec<MissingItem> =
            missing.iter().take(NAMED_MAX).map(|id| MissingItem { id: id.to_string(), why: why(id) }).collect();
        if !durable {
            named.push(MissingItem { id: owner.to_string(), why: "earlier writes are still being stored".to_owned() });
        }
        let notices =
            self.embedder_absence().map(|why| format!("searchable by words only: {why}")).into_iter().collect();
        Ok(Consistency { consistent: durable && searchable, durable, searchable, missing: named, notices })
    }
}
