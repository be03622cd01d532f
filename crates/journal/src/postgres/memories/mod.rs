//! Long-term memory: its statements, each in the scope of one owner.

mod read;
mod write;

use async_trait::async_trait;
use protocol::{ItemId, Memory, OwnerId, SessionId, Timestamp, Vault, VaultId};

use super::Postgres;
use crate::{Bookmark, Change, Error, Memories, Record, RecordCursor, RecordFilter, UnreadSession, WriteKey};

#[async_trait]
impl Memories for Postgres {
    async fn change(&self, owner: &OwnerId, changes: Vec<Change>) -> Result<(), Error> {
        if changes.is_empty() {
            return Ok(());
        }
        self.database.write("change memory", &write::ChangeMemory { owner, changes: &changes, node: &self.node }).await
    }

    async fn vaults(&self, owner: &OwnerId, after: Option<RecordCursor>, limit: usize) -> Result<Vec<Vault>, Error> {
        read::vaults(&self.database, owner, after, limit).await
    }

    async fn memories(
        &self,
        owner: &OwnerId,
        vault_id: Option<VaultId>,
        after: Option<RecordCursor>,
        limit: usize,
    ) -> Result<Vec<Memory>, Error> {
        read::memories(&self.database, owner, vault_id, after, limit).await
    }

    async fn records(
        &self,
        owner: &OwnerId,
        filter: RecordFilter,
        after: Option<RecordCursor>,
        limit: usize,
    ) -> Result<Vec<Record>, Error> {
        read::records(&self.database, owner, &filter, after, limit).await
    }

    async fn record(&self, owner: &OwnerId, id: ItemId) -> Result<Option<Record>, Error> {
        read::record(&self.database, owner, id).await
    }

    async fn taken(&self, owner: &OwnerId, ids: Vec<[u8; 16]>) -> Result<Vec<[u8; 16]>, Error> {
        read::taken(&self.database, owner, ids).await
    }

    async fn vectors(&self, owner: &OwnerId, model: &str) -> Result<Vec<(ItemId, Vec<u8>)>, Error> {
        read::vectors(&self.database, owner, model).await
    }

    async fn write_key(&self, owner: &OwnerId, key: &str) -> Result<Option<WriteKey>, Error> {
        read::write_key(&self.database, owner, key).await
    }

    async fn expire_keys(&self, before: Timestamp) -> Result<(), Error> {
        write::expire_keys(&self.database, before).await
    }

    async fn bookmark(&self, follower: &str, session_id: SessionId) -> Result<Option<Bookmark>, Error> {
        read::bookmark(&self.database, follower, session_id).await
    }

    async fn unread(&self, follower: &str) -> Result<Vec<UnreadSession>, Error> {
        read::unread(&self.database, self.node.number, follower).await
    }

    async fn owners(&self) -> Result<Vec<OwnerId>, Error> {
        read::owners(&self.database).await
    }
}
