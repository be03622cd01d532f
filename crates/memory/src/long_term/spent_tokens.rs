//! Tokens that a model has spent for an owner in the background, so that a budget outlives the
//! server.
//!
//! They are kept where the keys of writes are: there they expire by themselves, belong to an owner,
//! and are in no list. Each hour counts them from 0, so that they can be read back one by one.

use std::time::Duration;

use journal::{Change, WriteKey};
use protocol::{OwnerId, Timestamp};

use super::{Error, LongTermMemory};

/// The period by which they are numbered.
const HOUR: Duration = Duration::from_secs(60 * 60);
/// The most that are read of an hour.
const PER_HOUR_MAX: u64 = 100_000;

/// Tokens that were spent at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpentTokens {
    /// When.
    pub at: Timestamp,
    /// How many.
    pub tokens: u64,
}

impl LongTermMemory {
    /// Stores tokens that were spent for a purpose.
    pub async fn add_spent(&self, owner: &OwnerId, purpose: &str, spent: SpentTokens) -> Result<(), Error> {
        let SpentTokens { at, tokens } = spent;
        for number in self.first_free(owner, purpose, hour(at)).await?..PER_HOUR_MAX {
            // Keys whose answer has a forgotten text are removed, so the number is not there.
            let key =
                WriteKey { key: key(purpose, hour(at), number), digest: tokens.to_string(), answer: String::new(), at };
            match self.inner.store.change(owner, vec![Change::Key(key)]).await {
                // Another call was counted meanwhile.
                Err(journal::Error::KeyTaken(_)) => {}
                stored => return Ok(stored?),
            }
        }
        Ok(())
    }

    /// The tokens that were spent for a purpose within the last hour, oldest first.
    pub async fn spent_tokens(&self, owner: &OwnerId, purpose: &str) -> Result<Vec<SpentTokens>, Error> {
        let now = self.now();
        let mut spent = self.spent_in(owner, purpose, hour(now) - 1).await?;
        spent.extend(self.spent_in(owner, purpose, hour(now)).await?);
        spent.retain(|spent| now.since(spent.at) < HOUR);
        spent.sort_by_key(|spent| spent.at);
        Ok(spent)
    }

    /// The first number of an hour that is not in use. The numbers before it all are.
    async fn first_free(&self, owner: &OwnerId, purpose: &str, hour: i64) -> Result<u64, Error> {
        let is_free = async |number| -> Result<bool, Error> {
            Ok(self.inner.store.write_key(owner, &key(purpose, hour, number)).await?.is_none())
        };
        let (mut used, mut free) = (0, 1);
        while free < PER_HOUR_MAX && !is_free(free - 1).await? {
            (used, free) = (free, free * 2);
        }
        // The numbers below `used` are in use, and that before `free` is not.
        while used + 1 < free {
            let middle = used + (free - used) / 2;
            if is_free(middle - 1).await? { free = middle } else { used = middle }
        }
        Ok(used)
    }

    async fn spent_in(&self, owner: &OwnerId, purpose: &str, hour: i64) -> Result<Vec<SpentTokens>, Error> {
        let mut spent = Vec::new();
        for number in 0..PER_HOUR_MAX {
            match self.inner.store.write_key(owner, &key(purpose, hour, number)).await? {
                Some(found) => spent.push(SpentTokens { at: found.at, tokens: found.digest.parse().unwrap_or(0) }),
                None => break,
            }
        }
        Ok(spent)
    }
}

fn hour(at: Timestamp) -> i64 {
    at.as_millis().div_euclid(i64::try_from(HOUR.as_millis()).unwrap_or(i64::MAX))
}

/// Keys of clients have no control characters.
fn key(purpose: &str, hour: i64, number: u64) -> String {
    format!("\u{1}{purpose} spent {hour} {number}")
}
