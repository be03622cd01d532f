//! Values of programs, each in the scope of one owner.

mod read;
mod write;

use async_trait::async_trait;
use protocol::{OwnerId, Timestamp, ValueKey};

use super::Postgres;
use crate::{ChangedValues, Error, Value, ValueChange, ValueFilter, Values, needles::TextMatcher};

#[async_trait]
impl Values for Postgres {
    async fn change_values(&self, owner: &OwnerId, change: ValueChange) -> Result<ChangedValues, Error> {
        self.database.write("change the values", &write::ChangeValues { owner, change: &change }).await
    }

    async fn values(
        &self,
        owner: &OwnerId,
        keys: Vec<ValueKey>,
        now: Timestamp,
        bytes_max: usize,
    ) -> Result<Vec<Value>, Error> {
        read::all(&self.database, owner, &keys, now, bytes_max).await
    }

    async fn list_values(&self, owner: &OwnerId, filter: ValueFilter) -> Result<Vec<Value>, Error> {
        read::list(&self.database, owner, &filter).await
    }

    async fn nearest_values(
        &self,
        owner: &OwnerId,
        filter: ValueFilter,
        near: Vec<f32>,
        skip: usize,
    ) -> Result<Vec<Value>, Error> {
        read::nearest(&self.database, owner, &filter, &near, skip).await
    }

    async fn remove_values_with(&self, owner: &OwnerId, texts: &[String]) -> Result<u64, Error> {
        let found = read::with_text(&self.database, owner, &TextMatcher::anywhere(texts)?).await?;
        if found.is_empty() {
            return Ok(0);
        }
        self.database.write("remove the values", &write::RemoveValues { found }).await
    }

    async fn sweep_values(&self, now: Timestamp, limit: usize) -> Result<u64, Error> {
        self.database.write("remove expired values", &write::SweepValues { now, limit }).await
    }
}
