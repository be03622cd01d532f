//! The browsers that owners have subscribed to Web Push, where the other shared files are.

use std::{io, sync::Arc};

use alert::{PushSubscription, PushSubscriptions, SubscriptionError, SubscriptionList};
use async_trait::async_trait;
use protocol::OwnerId;

use super::{FileContents, SUBSCRIPTIONS, SharedFiles, change};

/// The subscriptions in a shared file.
pub(crate) struct SharedSubscriptions {
    files: Arc<dyn SharedFiles>,
}

impl SharedSubscriptions {
    pub(crate) fn new(files: Arc<dyn SharedFiles>) -> Self {
        Self { files }
    }

    async fn change(&self, make: impl Fn(&mut SubscriptionList) + Send) -> Result<(), SubscriptionError> {
        let changed = change(&*self.files, SUBSCRIPTIONS, |before| {
            let mut list = read(before)?;
            make(&mut list);
            Ok::<_, anyhow::Error>((list.to_bytes()?, ()))
        });
        changed.await.map_err(failed)
    }
}

fn read(file: Option<&FileContents>) -> io::Result<SubscriptionList> {
    file.map_or_else(|| Ok(SubscriptionList::default()), |file| SubscriptionList::read(&file.bytes))
}

fn failed(error: anyhow::Error) -> SubscriptionError {
    io::Error::other(format!("{error:#}")).into()
}

#[async_trait]
impl PushSubscriptions for SharedSubscriptions {
    async fn list(&self, owner: &OwnerId) -> Result<Vec<PushSubscription>, SubscriptionError> {
        let file = self.files.read(SUBSCRIPTIONS).await.map_err(failed)?;
        Ok(read(file.as_ref())?.of(owner))
    }

    async fn add(&self, owner: &OwnerId, subscription: PushSubscription) -> Result<(), SubscriptionError> {
        subscription.check()?;
        self.change(|list| list.add(owner, subscription.clone())).await
    }

    async fn remove(&self, owner: &OwnerId, endpoint: &str) -> Result<(), SubscriptionError> {
        self.change(|list| list.remove(owner, endpoint)).await
    }
}
