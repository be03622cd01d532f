//! Idempotency keys: repeating a write under the same key gives the same answer and changes
//! nothing.

use std::time::Duration;

use journal::{Change, WriteKey};
use protocol::OwnerId;
use serde::{Serialize, de::DeserializeOwned};
use sha2::{Digest, Sha256};

use super::{Error, LongTermMemory, OwnerRecords};

/// How long a key is stored.
const KEPT: Duration = Duration::from_secs(24 * 60 * 60);
/// The longest key, in characters.
const KEY_CHARS_MAX: usize = 200;

/// The key of a write with a digest of the request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IdempotencyKey(Option<(String, String)>);

impl IdempotencyKey {
    /// A write without a key, which is carried out each time.
    pub const fn none() -> Self {
        Self(None)
    }

    /// A write that is carried out once under this key; `asked` is everything that it depends on.
    pub fn under(key: Option<&str>, asked: &impl Serialize) -> Result<Self, Error> {
        let Some(key) = key else { return Ok(Self(None)) };
        let length = key.chars().count();
        if length == 0 || length > KEY_CHARS_MAX || key.chars().any(char::is_control) {
            return Err(Error::Invalid(format!(
                "an idempotency key has 1 to {KEY_CHARS_MAX} characters and no control characters"
            )));
        }
        Ok(Self(Some((key.to_owned(), format!("{:032x}", digest(asked))))))
    }
}

/// A digest of a serializable value.
pub fn digest(asked: &impl Serialize) -> u128 {
    // Plain data always serializes; the fallback is the digest of no bytes.
    let bytes = serde_json::to_vec(asked).unwrap_or_default();
    Sha256::digest(bytes).iter().take(16).fold(0, |digest, byte| digest << 8 | u128::from(*byte))
}

impl LongTermMemory {
    /// Deletes keys that have expired at `now`.
    pub async fn expire_keys(&self, now: protocol::Timestamp) -> Result<(), Error> {
        let before = now.as_millis() - i64::try_from(KEPT.as_millis()).unwrap_or(i64::MAX);
        Ok(self.inner.store.expire_keys(protocol::Timestamp::from_millis(before)).await?)
    }

    /// Carries out a write once under its key.
    pub(super) async fn write_keyed<T: Clone + Serialize + DeserializeOwned + Send + 'static>(
        &self,
        owner: &OwnerId,
        idempotency_key: IdempotencyKey,
        decide: impl FnOnce(&OwnerRecords) -> Result<(Vec<Change>, T), Error> + Send + 'static,
    ) -> Result<T, Error> {
        let owner_writer = self.owner_writer(owner).await?;
        let IdempotencyKey(Some((key, digest))) = idempotency_key else { return owner_writer.write(decide).await };
        if let Some(known) = self.answered(owner, &key, &digest).await? {
            return Ok(known);
        }
        let (now, own_key, own_digest) = (self.now(), key.clone(), digest.clone());
        let written = owner_writer
            .write(move |owner_records| {
                let (mut changes, value) = decide(owner_records)?;
                let answer = serde_json::to_string(&value).map_err(|error| Error::Invalid(error.to_string()))?;
                changes.push(Change::Key(WriteKey { key: own_key, digest: own_digest, answer, at: now }));
                Ok((changes, value))
            })
            .await;
        match written {
            // The same request was made concurrently and finished first.
            Err(error) => self.answered(owner, &key, &digest).await?.ok_or(error),
            Ok(value) => Ok(value),
        }
    }

    /// The answer that was given under this key, if any; refuses a key that was used for another
    /// request.
    pub async fn answer_under<T: DeserializeOwned>(
        &self,
        owner: &OwnerId,
        idempotency_key: &IdempotencyKey,
    ) -> Result<Option<T>, Error> {
        match idempotency_key {
            IdempotencyKey(Some((key, digest))) => self.answered(owner, key, digest).await,
            IdempotencyKey(None) => Ok(None),
        }
    }

    /// Stores the answer to an operation that took several writes.
    pub async fn keep_answer(
        &self,
        owner: &OwnerId,
        idempotency_key: IdempotencyKey,
        answer: &impl Serialize,
    ) -> Result<(), Error> {
        let IdempotencyKey(Some((key, digest))) = idempotency_key else { return Ok(()) };
        let answer = serde_json::to_string(answer).map_err(|error| Error::Invalid(error.to_string()))?;
        let kept = WriteKey { key: key.clone(), digest: digest.clone(), answer, at: self.now() };
        match self.owner_writer(owner).await?.write(move |_| Ok((vec![Change::Key(kept)], ()))).await {
            // The same request was made concurrently and finished first.
            Err(Error::KeyConflict) => self.answered::<serde::de::IgnoredAny>(owner, &key, &digest).await.map(drop),
            written => written,
        }
    }

    async fn answered<T: DeserializeOwned>(
        &self,
        owner: &OwnerId,
        key: &str,
        digest: &str,
    ) -> Result<Option<T>, Error> {
        let Some(known) = self.inner.store.write_key(owner, key).await? else { return Ok(None) };
        if known.digest != digest {
            return Err(Error::KeyConflict);
        }
        serde_json::from_str(&known.answer).map(Some).map_err(|error| Error::Invalid(error.to_string()))
    }
}
