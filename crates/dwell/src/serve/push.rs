//! The browsers that owners have subscribed to Web Push, for the server's routes.

use alert::{ClockFn, PushSubscription, SubscriptionError, WebPushAccess};
use async_trait::async_trait;
use protocol::{Code, OwnerId, Problem, PushDevice, PushSubscribe};
use server::PushDevices;

/// The subscriptions that the channel of Web Push sends to.
pub(super) struct SubscribedBrowsers {
    pub(super) access: WebPushAccess,
    pub(super) clock: ClockFn,
}

#[async_trait]
impl PushDevices for SubscribedBrowsers {
    fn public_key(&self) -> &str {
        &self.access.public_key
    }

    async fn list(&self, owner: &OwnerId) -> Result<Vec<PushDevice>, Problem> {
        let kept = self.access.subscriptions.list(owner).await.map_err(problem)?;
        Ok(kept.iter().map(device).collect())
    }

    async fn add(&self, owner: &OwnerId, asked: PushSubscribe) -> Result<PushDevice, Problem> {
        let PushSubscribe { endpoint, keys, name } = asked;
        let name = name.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
        let added_at = Some((self.clock)());
        let subscription = PushSubscription { endpoint, p256dh: keys.p256dh, auth: keys.auth, name, added_at };
        let added = device(&subscription);
        self.access.subscriptions.add(owner, subscription).await.map_err(problem)?;
        Ok(added)
    }

    async fn remove(&self, owner: &OwnerId, device_id: &str) -> Result<bool, Problem> {
        let kept = self.access.subscriptions.list(owner).await.map_err(problem)?;
        let Some(found) = kept.iter().find(|kept| kept.id() == device_id) else { return Ok(false) };
        self.access.subscriptions.remove(owner, &found.endpoint).await.map_err(problem)?;
        Ok(true)
    }
}

fn device(kept: &PushSubscription) -> PushDevice {
    let PushSubscription { name, added_at, .. } = kept;
    PushDevice { device_id: kept.id(), name: name.clone(), service: kept.service(), added_at: *added_at }
}

fn problem(error: SubscriptionError) -> Problem {
    match error {
        SubscriptionError::Invalid(what) => {
            Problem::new(Code::InvalidRequest, what, "Send what the browser's `PushSubscription.toJSON()` gives.")
        }
        error @ SubscriptionError::Store(_) => {
            tracing::error!(%error, "a request about browsers failed");
            Problem::new(Code::Internal, "the subscriptions cannot be read or written", "The server's log says why.")
        }
    }
}
