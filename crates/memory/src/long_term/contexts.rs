//! Context documents: the summary of a memory, version by version.

use journal::{Change, Record};
use protocol::{ContextDocument, MemoryId, Origin, OwnerId, Timestamp};
use serde::Serialize;

use super::{Error, FollowerProgress, IdempotencyKey, LongTermMemory, OwnerRecords, owner_writer::Admission};

/// The largest document, in bytes.
const CONTEXT_BYTES_MAX: usize = 64 * 1024;

/// The author of documents that clients write.
pub const CLIENT: &str = "client";

/// A new version of a context document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NewContext {
    /// The text.
    pub content: String,
    /// Who wrote it.
    pub written_by: String,
    /// The time of the newest entry that it covers; by default that of the memory's newest entry.
    pub conversation_time: Option<Timestamp>,
    /// Whether its text can be trusted.
    pub origin: Origin,
}

impl LongTermMemory {
    /// Writes the next version of a memory's context document.
    pub async fn put_context(
        &self,
        owner: &OwnerId,
        memory_id: MemoryId,
        new: NewContext,
        idempotency_key: IdempotencyKey,
        reading: Option<FollowerProgress>,
    ) -> Result<ContextDocument, Error> {
        if new.content.trim().is_empty() {
            return Err(Error::Invalid("`content` is empty".to_owned()));
        }
        if new.content.len() > CONTEXT_BYTES_MAX {
            return Err(Error::Invalid(format!(
                "a context document has at most {CONTEXT_BYTES_MAX} bytes, this one {}",
                new.content.len()
            )));
        }
        let (context_id, now) = (self.item_id(), self.now());
        let is_clients = new.written_by == CLIENT;
        let decide = move |owner_records: &OwnerRecords| {
            if owner_records.memory(memory_id).is_none() {
                return Err(Error::NoMemory(memory_id));
            }
            let newest = owner_records.entries(memory_id).next_back().map(|entry| entry.conversation_time);
            let context = ContextDocument {
                context_id,
                memory_id,
                version: owner_records.newest_context(memory_id).map_or(1, |context| context.version + 1),
                content: new.content,
                stored_at: owner_records.stamp_context(memory_id, now),
                conversation_time: new.conversation_time.or(newest).unwrap_or(now),
                written_by: new.written_by,
                origin: new.origin,
            };
            let mut changes = vec![Change::Put(Record::Context(context.clone()))];
            changes.extend(reading.map(|reading| reading.due(false).untold(vec![context_id]).change()));
            Ok((changes, context))
        };
        if is_clients || idempotency_key != IdempotencyKey::none() {
            return self.write_keyed(owner, idempotency_key, decide).await;
        }
        // A summary is small beside the entries, so the quota does not refuse it.
        self.owner_writer(owner).await?.write_with(Admission::Granted, decide).await
    }

    /// A version of a memory's context document, by default the newest.
    pub async fn context(
        &self,
        owner: &OwnerId,
        memory_id: MemoryId,
        version: Option<u32>,
    ) -> Result<ContextDocument, Error> {
        let found = self.read(owner, |owner_records| {
            owner_records.memory(memory_id).ok_or(Error::NoMemory(memory_id))?;
            let context = match version {
                Some(version) => owner_records.context(memory_id, version),
                None => owner_records.newest_context(memory_id),
            };
            context.cloned().ok_or(Error::NoContext)
        });
        found.await?
    }

    /// All versions of a memory's context document, oldest first.
    pub async fn contexts(&self, owner: &OwnerId, memory_id: MemoryId) -> Result<Vec<ContextDocument>, Error> {
        let found = self.read(owner, |owner_records| {
            owner_records.memory(memory_id).ok_or(Error::NoMemory(memory_id))?;
            Ok(owner_records.contexts(memory_id).cloned().collect())
        });
        found.await?
    }
}
