//! Long-term memory in the file: its queries, each in the scope of one owner.

mod read;
pub(super) mod write;

use async_trait::async_trait;
use protocol::{ItemId, Memory, OwnerId, SessionId, Timestamp, Vault, VaultId};

use super::{Sqlite, writer::Job};
use crate::{Bookmark, Change, Error, Memories, Record, RecordCursor, RecordFilter, UnreadSession, WriteKey};

#[async_trait]
impl Memories for Sqlite {
    async fn change(&self, owner: &OwnerId, changes: Vec<Change>) -> Result<(), Error> {
        let owner = owner.clone();
        self.ask(|reply| Job::Change { owner, changes, reply }).await
    }

    async fn vaults(&self, owner: &OwnerId, after: Option<RecordCursor>, limit: usize) -> Result<Vec<Vault>, Error> {
        let owner = owner.clone();
        self.readers.query("list the vaults", move |connection| read::vaults(connection, &owner, after, limit)).await
    }

    async fn memories(
        &self,
        owner: &OwnerId,
        vault_id: Option<VaultId>,
        after: Option<RecordCursor>,
        limit: usize,
    ) -> Result<Vec<Memory>, Error> {
        let owner = owner.clone();
        let list = move |connection: &_| read::memories(connection, &owner, vault_id, after, limit);
        self.readers.query("list the memories", list).await
    }

    async fn records(
        &self,
        owner: &OwnerId,
        filter: RecordFilter,
        after: Option<RecordCursor>,
        limit: usize,
    ) -> Result<Vec<Record>, Error> {
        let owner = owner.clone();
        let list = move |connection: &_| read::records(connection, &owner, &filter, after, limit);
        self.readers.query("list the records of memory", list).await
    }

    async fn record(&self, owner: &OwnerId, id: ItemId) -> Result<Option<Record>, Error> {
        let owner = owner.clone();
        self.readers.look("read a record of memory", move |connection| read::record(connection, &owner, id)).await
    }

    async fn taken(&self, owner: &OwnerId, ids: Vec<[u8; 16]>) -> Result<Vec<[u8; 16]>, Error> {
        let owner = owner.clone();
        self.readers.look("look up ids", move |connection| read::taken(connection, &owner, ids)).await
    }

    async fn vectors(&self, owner: &OwnerId, model: &str) -> Result<Vec<(ItemId, Vec<u8>)>, Error> {
        let (owner, model) = (owner.clone(), model.to_owned());
        self.readers.query("read the vectors", move |connection| read::vectors(connection, &owner, &model)).await
    }

    async fn write_key(&self, owner: &OwnerId, key: &str) -> Result<Option<WriteKey>, Error> {
        let (owner, key) = (owner.clone(), key.to_owned());
        self.readers.look("look up a key", move |connection| read::write_key(connection, &owner, &key)).await
    }

    async fn expire_keys(&self, before: Timestamp) -> Result<(), Error> {
        self.ask(|reply| Job::ExpireKeys { before, reply }).await
    }

    async fn bookmark(&self, follower: &str, session_id: SessionId) -> Result<Option<Bookmark>, Error> {
        let follower = follower.to_owned();
        let find = move |connection: &_| read::bookmark(connection, &follower, session_id);
        self.readers.look("find the bookmark", find).await
    }

    async fn unread(&self, follower: &str) -> Result<Vec<UnreadSession>, Error> {
        let follower = follower.to_owned();
        self.readers.query("find unread sessions", move |connection| read::unread(connection, &follower)).await
    }

    async fn owners(&self) -> Result<Vec<OwnerId>, Error> {
        self.readers.query("list the owners", read::owners).await
    }
}
