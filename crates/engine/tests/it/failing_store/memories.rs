//! Memory writes go to the real store unless a fault is scheduled; redactions always do.

use async_trait::async_trait;
use journal::{
    Bookmark, Change, Eraser, Error, Lease, Memories, OwnerTotals, Record, RecordCursor, RecordFilter, RedactedEvent,
    SessionSummary, Totals, UnreadSession, WriteKey,
};
use protocol::{ItemId, Memory, OwnerId, SessionId, Timestamp, Vault, VaultId};

use super::{FailingStore, WriteFault};

#[async_trait]
impl Totals for FailingStore {
    async fn totals(&self, owner: &OwnerId) -> Result<OwnerTotals, Error> {
        self.inner.totals(owner).await
    }

    async fn all_totals(&self) -> Result<Vec<(OwnerId, OwnerTotals)>, Error> {
        self.inner.all_totals().await
    }
}

#[async_trait]
impl Memories for FailingStore {
    async fn change(&self, owner: &OwnerId, changes: Vec<Change>) -> Result<(), Error> {
        // What can be derived again is stored while nothing else happens; faults are for writes.
        if changes.iter().all(|change| matches!(change, Change::Vector { .. })) {
            return self.inner.change(owner, changes).await;
        }
        match self.changes.next() {
            Some(WriteFault::Refused) => Err(self.failure()),
            Some(WriteFault::Misreported) => {
                self.inner.change(owner, changes).await?;
                Err(self.failure())
            }
            None => self.inner.change(owner, changes).await,
        }
    }

    async fn vaults(&self, owner: &OwnerId, after: Option<RecordCursor>, limit: usize) -> Result<Vec<Vault>, Error> {
        self.inner.vaults(owner, after, limit).await
    }

    async fn memories(
        &self,
        owner: &OwnerId,
        vault_id: Option<VaultId>,
        after: Option<RecordCursor>,
        limit: usize,
    ) -> Result<Vec<Memory>, Error> {
        self.inner.memories(owner, vault_id, after, limit).await
    }

    async fn records(
        &self,
        owner: &OwnerId,
        filter: RecordFilter,
        after: Option<RecordCursor>,
        limit: usize,
    ) -> Result<Vec<Record>, Error> {
        self.inner.records(owner, filter, after, limit).await
    }

    async fn record(&self, owner: &OwnerId, id: ItemId) -> Result<Option<Record>, Error> {
        self.inner.record(owner, id).await
    }

    async fn taken(&self, owner: &OwnerId, ids: Vec<[u8; 16]>) -> Result<Vec<[u8; 16]>, Error> {
        self.inner.taken(owner, ids).await
    }

    async fn vectors(&self, owner: &OwnerId, model: &str) -> Result<Vec<(ItemId, Vec<u8>)>, Error> {
        self.inner.vectors(owner, model).await
    }

    async fn write_key(&self, owner: &OwnerId, key: &str) -> Result<Option<WriteKey>, Error> {
        self.inner.write_key(owner, key).await
    }

    async fn expire_keys(&self, before: Timestamp) -> Result<(), Error> {
        self.inner.expire_keys(before).await
    }

    async fn bookmark(&self, follower: &str, session_id: SessionId) -> Result<Option<Bookmark>, Error> {
        self.inner.bookmark(follower, session_id).await
    }

    async fn unread(&self, follower: &str) -> Result<Vec<UnreadSession>, Error> {
        self.inner.unread(follower).await
    }

    async fn owners(&self) -> Result<Vec<OwnerId>, Error> {
        self.inner.owners().await
    }
}

#[async_trait]
impl Eraser for FailingStore {
    async fn sessions_with(&self, owner: &OwnerId, texts: &[String]) -> Result<Vec<SessionId>, Error> {
        self.inner.sessions_with(owner, texts).await
    }

    async fn redact(
        &self,
        lease: Lease,
        strikes: Vec<RedactedEvent>,
        summary: Option<Box<SessionSummary>>,
    ) -> Result<(), Error> {
        self.inner.redact(lease, strikes, summary).await
    }

    async fn remove_artifacts_with(&self, owner: &OwnerId, texts: &[String]) -> Result<u64, Error> {
        self.inner.remove_artifacts_with(owner, texts).await
    }

    async fn scrub(&self, texts: &[String]) -> Result<Vec<String>, Error> {
        self.inner.scrub(texts).await
    }

    async fn begin_erasing(&self) -> Result<(), Error> {
        self.inner.begin_erasing().await
    }

    async fn end_erasing(&self) -> Result<(), Error> {
        self.inner.end_erasing().await
    }

    async fn finish_erasing(&self) -> Result<bool, Error> {
        self.inner.finish_erasing().await
    }
}
