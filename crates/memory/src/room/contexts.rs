//! Context documents: what a memory comes to, version by version.

use journal::{Change, Record};
use protocol::{Context, MemoryId, Origin, OwnerId, Timestamp};
use serde::Serialize;

use super::{Error, Keyed, Reading, Room, Shelf, librarian::Admission};

/// Bytes of a document at most.
const CONTEXT_BYTES_MAX: usize = 64 * 1024;

/// Who writes documents that clients bring.
pub const CLIENT: &str = "client";

/// A version to be written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NewContext {
    /// The text.
    pub content: String,
    /// Who wrote it.
    pub written_by: String,
    /// When the newest thing it knows of happened; that of the newest entry where it is absent.
    pub conversation_time: Option<Timestamp>,
    /// Whose words it may hold.
    pub origin: Origin,
}

impl Room {
    /// Writes the next version of a memory's context document.
    pub async fn put_context(
        &self,
        owner: &OwnerId,
        memory_id: MemoryId,
        new: NewContext,
        keyed: Keyed,
        reading: Option<Reading>,
    ) -> Result<Context, Error> {
        if new.content.trim().is_empty() {
            return Err(Error::Invalid("a context document has words: `content` is empty".to_owned()));
        }
        if new.content.len() > CONTEXT_BYTES_MAX {
            return Err(Error::Invalid(format!(
                "a context document has at most {CONTEXT_BYTES_MAX} bytes, this one {}",
                new.content.len()
            )));
        }
        let (context_id, now) = (self.item_id(), self.now());
        let is_clients = new.written_by == CLIENT;
        let decide = move |shelf: &Shelf| {
            if shelf.memory(memory_id).is_none() {
                return Err(Error::NoMemory(memory_id));
            }
            let newest = shelf.entries(memory_id).next_back().map(|entry| entry.conversation_time);
            let context = Context {
                context_id,
                memory_id,
                version: shelf.newest_context(memory_id).map_or(1, |context| context.version + 1),
                content: new.content,
                stored_at: shelf.stamp_context(memory_id, now),
                conversation_time: new.conversation_time.or(newest).unwrap_or(now),
                written_by: new.written_by,
                origin: new.origin,
            };
            let mut changes = vec![Change::Put(Record::Context(context.clone()))];
            changes.extend(reading.map(|reading| reading.due(false).untold(vec![context_id]).change()));
            Ok((changes, context))
        };
        if is_clients || keyed != Keyed::none() {
            return self.write_keyed(owner, keyed, decide).await;
        }
        // What memory says of what is there is small beside it, and is not held back where there is no room for more.
        self.librarian(owner).await?.write_in(Admission::Granted, decide).await
    }

    /// A version of a memory's context document, the newest unless told.
    pub async fn context(&self, owner: &OwnerId, memory_id: MemoryId, version: Option<u32>) -> Result<Context, Error> {
        let found = self.read(owner, |shelf| {
            shelf.memory(memory_id).ok_or(Error::NoMemory(memory_id))?;
            let context = match version {
                Some(version) => shelf.context(memory_id, version),
                None => shelf.newest_context(memory_id),
            };
            context.cloned().ok_or(Error::NoContext)
        });
        found.await?
    }

    /// All versions of a memory's context document, oldest first.
    pub async fn contexts(&self, owner: &OwnerId, memory_id: MemoryId) -> Result<Vec<Context>, Error> {
        let found = self.read(owner, |shelf| {
            shelf.memory(memory_id).ok_or(Error::NoMemory(memory_id))?;
            Ok(shelf.contexts(memory_id).cloned().collect())
        });
        found.await?
    }
}
