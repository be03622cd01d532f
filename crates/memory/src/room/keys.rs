//! Writes under a key: doing one again gives the same answer and changes nothing.

use std::time::Duration;

use journal::{Change, WriteKey};
use protocol::OwnerId;
use serde::{Serialize, de::DeserializeOwned};
use sha2::{Digest, Sha256};

use super::{Error, Room, Shelf};

/// How long a key is remembered.
const KEPT: Duration = Duration::from_secs(24 * 60 * 60);
/// Characters of a key at most.
const KEY_CHARS_MAX: usize = 200;

/// The key of a write with a digest of what is asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keyed(Option<(String, String)>);

impl Keyed {
    /// A write that happens each time it is asked for.
    pub const fn none() -> Self {
        Self(None)
    }

    /// A write that happens once under this key; `asked` is all that it depends on.
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

/// A digest of all that something depends on.
pub fn digest(asked: &impl Serialize) -> u128 {
    // Plain data always serialises; what does not is alike only to itself, and then the digest of nothing is as good.
    let bytes = serde_json::to_vec(asked).unwrap_or_default();
    Sha256::digest(bytes).iter().take(16).fold(0, |digest, byte| digest << 8 | u128::from(*byte))
}

impl Room {
    /// Takes away keys that need not be remembered any longer at `now`.
    pub async fn expire_keys(&self, now: protocol::Timestamp) -> Result<(), Error> {
        let before = now.as_millis() - i64::try_from(KEPT.as_millis()).unwrap_or(i64::MAX);
        Ok(self.inner.store.expire_keys(protocol::Timestamp::from_millis(before)).await?)
    }

    /// A write, once under its key.
    pub(super) async fn write_keyed<T: Clone + Serialize + DeserializeOwned + Send + 'static>(
        &self,
        owner: &OwnerId,
        keyed: Keyed,
        decide: impl FnOnce(&Shelf) -> Result<(Vec<Change>, T), Error> + Send + 'static,
    ) -> Result<T, Error> {
        let librarian = self.librarian(owner).await?;
        let Keyed(Some((key, digest))) = keyed else { return librarian.write(decide).await };
        if let Some(known) = self.answered(owner, &key, &digest).await? {
            return Ok(known);
        }
        let (now, own_key, own_digest) = (self.now(), key.clone(), digest.clone());
        let written = librarian
            .write(move |shelf| {
                let (mut changes, value) = decide(shelf)?;
                let answer = serde_json::to_string(&value).map_err(|error| Error::Invalid(error.to_string()))?;
                changes.push(Change::Key(WriteKey { key: own_key, digest: own_digest, answer, at: now }));
                Ok((changes, value))
            })
            .await;
        match written {
            // Somebody asked the same at the same time and was first.
            Err(error) => self.answered(owner, &key, &digest).await?.ok_or(error),
            Ok(value) => Ok(value),
        }
    }

    /// The answer that was given under this key, where one was; a key that was used for something else is refused.
    pub async fn answer_under<T: DeserializeOwned>(&self, owner: &OwnerId, keyed: &Keyed) -> Result<Option<T>, Error> {
        match keyed {
            Keyed(Some((key, digest))) => self.answered(owner, key, digest).await,
            Keyed(None) => Ok(None),
        }
    }

    /// Keeps the answer to something that was done in several writes.
    pub async fn keep_answer(&self, owner: &OwnerId, keyed: Keyed, answer: &impl Serialize) -> Result<(), Error> {
        let Keyed(Some((key, digest))) = keyed else { return Ok(()) };
        let answer = serde_json::to_string(answer).map_err(|error| Error::Invalid(error.to_string()))?;
        let kept = WriteKey { key: key.clone(), digest: digest.clone(), answer, at: self.now() };
        match self.librarian(owner).await?.write(move |_| Ok((vec![Change::Key(kept)], ()))).await {
            // Somebody asked the same at the same time and was first.
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
