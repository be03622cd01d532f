//! Values in a store: bytes under keys, each in the scope of one owner.

use async_trait::async_trait;
use protocol::{OwnerId, Timestamp, ValueKey, ValueOrder};

use crate::{Error, value_key};

/// A value to store.
#[derive(Debug, Clone, PartialEq)]
pub struct NewValue {
    /// The key; an earlier value under it is replaced.
    pub key: ValueKey,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Time to live.
    pub ttl_ms: Option<i64>,
    /// Embeddings, all of the same length.
    pub vectors: Vec<Vec<f32>>,
    /// Leave a value that is there already as it is.
    pub keep: bool,
}

/// Changes of an owner's values. Deletions come first.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueChange {
    /// Keys whose values are deleted.
    pub deletes: Vec<ValueKey>,
    /// Values are deleted whose keys begin with one of these and have further parts.
    pub deletes_below: Vec<ValueKey>,
    /// Values to store.
    pub puts: Vec<NewValue>,
    /// Keys whose time to live starts again.
    pub refreshes: Vec<ValueKey>,
    /// The current time.
    pub now: Timestamp,
    /// Bytes that the owner may have.
    pub bytes_max: Option<u64>,
}

/// Result of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ChangedValues {
    /// Stored values.
    pub written: u64,
    /// Deleted values.
    pub deleted: u64,
}

/// A value as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Value {
    /// The key.
    pub key: ValueKey,
    /// The bytes, if they were asked for.
    pub bytes: Option<Vec<u8>>,
    /// Number of the bytes.
    pub size: u64,
    /// When there first was a value under the key.
    pub created_at: Timestamp,
    /// When it was stored.
    pub updated_at: Timestamp,
    /// When it expires.
    pub expires_at: Option<Timestamp>,
    /// Similarity to the embedding in question.
    pub score: Option<f64>,
}

/// Position in a list of values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueCursor {
    /// When the last value of the previous page was stored.
    pub updated_at: Timestamp,
    /// Its key as bytes that sort like keys.
    pub key: Vec<u8>,
}

impl ValueCursor {
    /// The position after a value.
    pub fn after(last: &Value) -> Self {
        Self { updated_at: last.updated_at, key: value_key::encode(&last.key.0) }
    }
}

/// Selects values.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueFilter {
    /// Keys begin with these parts and have further ones.
    pub below: Vec<String>,
    /// Keys come before this one.
    pub before: Option<ValueKey>,
    /// The order.
    pub order: ValueOrder,
    /// Position of the page.
    pub after: Option<ValueCursor>,
    /// Maximum number of values.
    pub limit: usize,
    /// The page ends when it has more bytes.
    pub bytes_max: usize,
    /// Whether the bytes are read.
    pub with_bytes: bool,
    /// The current time: expired values are left out.
    pub now: Timestamp,
}

impl ValueFilter {
    /// The bytes between which the keys of the selected values lie, both exclusive.
    pub(crate) fn range(&self) -> (Vec<u8>, Vec<u8>) {
        let low = value_key::encode(&self.below);
        let end = value_key::end_of(low.clone());
        let high = self.before.as_ref().map_or(end.clone(), |before| value_key::encode(&before.0).min(end));
        (low, high)
    }
}

/// The store of values. Every query names the owner, and never returns another owner's data.
#[async_trait]
pub trait Values: Send + Sync + 'static {
    /// Makes all changes atomically, and answers once they are on the disk. Refused with
    /// [`Error::ValuesFull`] if the owner would have more bytes than allowed.
    async fn change_values(&self, owner: &OwnerId, change: ValueChange) -> Result<ChangedValues, Error>;

    /// The values under these keys, in their order; keys without a value are left out. Refused with
    /// [`Error::TooLarge`] if they have more bytes together.
    async fn values(
        &self,
        owner: &OwnerId,
        keys: Vec<ValueKey>,
        now: Timestamp,
        bytes_max: usize,
    ) -> Result<Vec<Value>, Error>;

    /// The selected values. The page is the last one if it has fewer values and fewer bytes than
    /// the filter allows.
    async fn list_values(&self, owner: &OwnerId, filter: ValueFilter) -> Result<Vec<Value>, Error>;

    /// The selected values, the most similar first, without the given number of the first ones.
    /// Those without an embedding of the same length come last, without a score.
    async fn nearest_values(
        &self,
        owner: &OwnerId,
        filter: ValueFilter,
        near: Vec<f32>,
        skip: usize,
    ) -> Result<Vec<Value>, Error>;

    /// Removes the owner's values that contain one of the texts, in their bytes or keys, and
    /// returns their number.
    async fn remove_values_with(&self, owner: &OwnerId, texts: &[String]) -> Result<u64, Error>;

    /// Removes at most `limit` expired values of all owners, in one transaction.
    async fn sweep_values(&self, now: Timestamp, limit: usize) -> Result<u64, Error>;
}
