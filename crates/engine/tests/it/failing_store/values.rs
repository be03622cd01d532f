//! Values always go to the real store.

use async_trait::async_trait;
use journal::{ChangedValues, Error, Value, ValueChange, ValueFilter, Values};
use protocol::{OwnerId, Timestamp, ValueKey};

use super::FailingStore;

#[async_trait]
impl Values for FailingStore {
    async fn change_values(&self, owner: &OwnerId, change: ValueChange) -> Result<ChangedValues, Error> {
        self.inner.change_values(owner, change).await
    }

    async fn values(
        &self,
        owner: &OwnerId,
        keys: Vec<ValueKey>,
        now: Timestamp,
        bytes_max: usize,
    ) -> Result<Vec<Value>, Error> {
        self.inner.values(owner, keys, now, bytes_max).await
    }

    async fn list_values(&self, owner: &OwnerId, filter: ValueFilter) -> Result<Vec<Value>, Error> {
        self.inner.list_values(owner, filter).await
    }

    async fn nearest_values(
        &self,
        owner: &OwnerId,
        filter: ValueFilter,
        near: Vec<f32>,
        skip: usize,
    ) -> Result<Vec<Value>, Error> {
        self.inner.nearest_values(owner, filter, near, skip).await
    }

    async fn remove_values_with(&self, owner: &OwnerId, texts: &[String]) -> Result<u64, Error> {
        self.inner.remove_values_with(owner, texts).await
    }

    async fn sweep_values(&self, now: Timestamp, limit: usize) -> Result<u64, Error> {
        self.inner.sweep_values(now, limit).await
    }
}
