//! Values in the file: their queries, each in the scope of one owner.

mod near;
mod read;
pub(super) mod write;

use async_trait::async_trait;
use protocol::{OwnerId, Timestamp, ValueKey};

use super::{Sqlite, writer::Job};
use crate::{ChangedValues, Error, Value, ValueChange, ValueFilter, Values, needles::TextMatcher};

#[async_trait]
impl Values for Sqlite {
    async fn change_values(&self, owner: &OwnerId, change: ValueChange) -> Result<ChangedValues, Error> {
        let owner = owner.clone();
        self.ask(|reply| Job::ChangeValues { owner, change: Box::new(change), reply }).await
    }

    async fn values(
        &self,
        owner: &OwnerId,
        keys: Vec<ValueKey>,
        now: Timestamp,
        bytes_max: usize,
    ) -> Result<Vec<Value>, Error> {
        let owner = owner.clone();
        let read = move |connection: &_| read::all(connection, &owner, &keys, now, bytes_max);
        self.readers.query("read the values", read).await
    }

    async fn list_values(&self, owner: &OwnerId, filter: ValueFilter) -> Result<Vec<Value>, Error> {
        let owner = owner.clone();
        self.readers.query("list the values", move |connection| read::list(connection, &owner, &filter)).await
    }

    async fn nearest_values(
        &self,
        owner: &OwnerId,
        filter: ValueFilter,
        near: Vec<f32>,
        skip: usize,
    ) -> Result<Vec<Value>, Error> {
        let owner = owner.clone();
        let list = move |connection: &_| near::list(connection, &owner, &filter, &near, skip);
        self.readers.query("compare the values", list).await
    }

    async fn remove_values_with(&self, owner: &OwnerId, texts: &[String]) -> Result<u64, Error> {
        let (of, texts) = (owner.clone(), TextMatcher::anywhere(texts)?);
        let find = move |connection: &_| read::with_text(connection, &of, &texts);
        let found = self.readers.query("search the values", find).await?;
        if found.is_empty() {
            return Ok(0);
        }
        self.ask(|reply| Job::RemoveValues { found, reply }).await
    }

    async fn sweep_values(&self, now: Timestamp, limit: usize) -> Result<u64, Error> {
        self.ask(|reply| Job::SweepValues { now, limit, reply }).await
    }
}
