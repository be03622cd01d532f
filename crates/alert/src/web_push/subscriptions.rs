//! The browsers that an owner has subscribed.

use std::{collections::BTreeMap, io, path::PathBuf};

use async_trait::async_trait;
use aws_lc_rs::digest::{SHA256, digest};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use protocol::{OwnerId, Timestamp};
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;

/// How many browsers an owner may subscribe; for one more, the oldest is dropped.
const OWNER_MAX: usize = 16;
/// The longest address of a push service.
const ENDPOINT_BYTES_MAX: usize = 2048;
/// The longest name of a browser.
const NAME_CHARS_MAX: usize = 100;

/// A browser's subscription: its push service, and its keys.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PushSubscription {
    /// The address at the push service.
    pub endpoint: String,
    /// The browser's public key (P-256, uncompressed) in Base64url.
    pub p256dh: String,
    /// The secret that it shares with senders: 16 bytes in Base64url.
    pub auth: String,
    /// What the browser is called, to recognise it in a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// When it was subscribed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added_at: Option<Timestamp>,
}

impl PushSubscription {
    pub(super) fn public_key(&self) -> Option<Vec<u8>> {
        decode(&self.p256dh).filter(|bytes| bytes.len() == 65)
    }

    pub(super) fn auth_secret(&self) -> Option<Vec<u8>> {
        decode(&self.auth).filter(|bytes| bytes.len() == 16)
    }

    /// Names it without its endpoint, which is a secret: the first 16 bytes of the endpoint's
    /// digest, as hexadecimal digits. The page calculates the same to find its own.
    pub fn id(&self) -> String {
        digest(&SHA256, self.endpoint.as_bytes()).as_ref().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
    }

    /// The host of its push service.
    pub fn service(&self) -> String {
        let url = reqwest::Url::parse(&self.endpoint).ok();
        url.and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default()
    }

    /// Checks it; the error says what is wrong.
    pub fn check(&self) -> Result<(), SubscriptionError> {
        let bad = |problem: &'static str| Err(SubscriptionError::Invalid(problem));
        let url = reqwest::Url::parse(&self.endpoint).ok();
        if self.endpoint.len() > ENDPOINT_BYTES_MAX || !url.is_some_and(|url| matches!(url.scheme(), "http" | "https"))
        {
            return bad("`endpoint` must be a URL of at most 2048 bytes");
        }
        if self.public_key().is_none() {
            return bad("`p256dh` must be 65 bytes in Base64url");
        }
        if self.auth_secret().is_none() {
            return bad("`auth` must be 16 bytes in Base64url");
        }
        if self.name.as_ref().is_some_and(|name| name.chars().count() > NAME_CHARS_MAX) {
            return bad("`name` must have at most 100 characters");
        }
        Ok(())
    }
}

/// Browsers pad Base64url or not.
fn decode(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok()
}

/// Why subscriptions cannot be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum SubscriptionError {
    /// A subscription is not valid.
    #[error("{0}")]
    Invalid(&'static str),
    /// The store failed.
    #[error("the subscriptions of browsers cannot be read or written: {0}")]
    Store(#[from] io::Error),
}

/// The subscriptions of all owners.
#[async_trait]
pub trait PushSubscriptions: Send + Sync + 'static {
    /// The subscriptions of an owner, oldest first.
    async fn list(&self, owner: &OwnerId) -> Result<Vec<PushSubscription>, SubscriptionError>;

    /// Adds a subscription; one with the same endpoint is replaced.
    async fn add(&self, owner: &OwnerId, subscription: PushSubscription) -> Result<(), SubscriptionError>;

    /// Removes the subscription with this endpoint, if there is one.
    async fn remove(&self, owner: &OwnerId, endpoint: &str) -> Result<(), SubscriptionError>;
}

/// The subscriptions of all owners, as they are stored.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SubscriptionList {
    owners: BTreeMap<String, Vec<PushSubscription>>,
}

impl SubscriptionList {
    /// Reads a stored list.
    pub fn read(bytes: &[u8]) -> io::Result<Self> {
        serde_json::from_slice(bytes).map_err(io::Error::other)
    }

    /// The list as it is stored.
    pub fn to_bytes(&self) -> io::Result<Vec<u8>> {
        serde_json::to_vec_pretty(self).map_err(io::Error::other)
    }

    /// The subscriptions of an owner, oldest first.
    pub fn of(&self, owner: &OwnerId) -> Vec<PushSubscription> {
        self.owners.get(owner.as_str()).cloned().unwrap_or_default()
    }

    /// Adds a subscription; one with the same endpoint is replaced.
    pub fn add(&mut self, owner: &OwnerId, subscription: PushSubscription) {
        let kept = self.owners.entry(owner.to_string()).or_default();
        kept.retain(|other| other.endpoint != subscription.endpoint);
        kept.push(subscription);
        let excess = kept.len().saturating_sub(OWNER_MAX);
        kept.drain(..excess);
    }

    /// Removes the subscription with this endpoint, if there is one.
    pub fn remove(&mut self, owner: &OwnerId, endpoint: &str) {
        if let Some(kept) = self.owners.get_mut(owner.as_str()) {
            kept.retain(|other| other.endpoint != endpoint);
        }
        self.owners.retain(|_, kept| !kept.is_empty());
    }
}

/// Subscriptions in a file of their own. They are no part of any session, and a browser makes
/// another one if it is lost.
pub struct FileSubscriptions {
    path: PathBuf,
    /// Held while the file is changed; an async lock, since that is I/O.
    writing: Mutex<()>,
}

impl FileSubscriptions {
    /// The subscriptions in this file, which need not exist.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), writing: Mutex::default() }
    }

    async fn read(&self) -> Result<SubscriptionList, SubscriptionError> {
        match tokio::fs::read(&self.path).await {
            Ok(bytes) => Ok(SubscriptionList::read(&bytes)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(SubscriptionList::default()),
            Err(error) => Err(error.into()),
        }
    }

    async fn change(&self, change: impl FnOnce(&mut SubscriptionList)) -> Result<(), SubscriptionError> {
        let _writing = self.writing.lock().await;
        let before = self.read().await?;
        let mut list = before.clone();
        change(&mut list);
        if list == before {
            return Ok(());
        }
        // Written beside it and renamed: a crash leaves the old file or the new one.
        let draft = self.path.with_extension("new");
        write_private(&draft, &list.to_bytes()?).await?;
        Ok(tokio::fs::rename(&draft, &self.path).await?)
    }
}

/// Writes a file that only this user can read: with a subscription, others could send messages.
async fn write_private(path: &std::path::Path, bytes: &[u8]) -> io::Result<()> {
    use tokio::io::AsyncWriteExt as _;
    let mut options = tokio::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    options.mode(0o600);
    let mut file = options.open(path).await?;
    file.write_all(bytes).await?;
    file.sync_all().await
}

#[async_trait]
impl PushSubscriptions for FileSubscriptions {
    async fn list(&self, owner: &OwnerId) -> Result<Vec<PushSubscription>, SubscriptionError> {
        Ok(self.read().await?.of(owner))
    }

    async fn add(&self, owner: &OwnerId, subscription: PushSubscription) -> Result<(), SubscriptionError> {
        subscription.check()?;
        self.change(|list| list.add(owner, subscription)).await
    }

    async fn remove(&self, owner: &OwnerId, endpoint: &str) -> Result<(), SubscriptionError> {
        self.change(|list| list.remove(owner, endpoint)).await
    }
}
