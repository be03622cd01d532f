//! Following a session from any of its events on.

use std::{sync::Arc, time::Duration};

use protocol::{OwnerId, SessionId};
use tokio::time::Instant;

use super::Hub;
use crate::{
    Error,
    subscription::{LiveFeed, Subscription, WatchedMonitors},
};

/// How long an actor may be behind what can be read of its session.
const CATCH_UP_MAX: Duration = Duration::from_secs(5);
/// The pause between two looks at it.
const CATCH_UP_PAUSE: Duration = Duration::from_millis(10);

impl Hub {
    /// Subscribes to a session: every event after that number, then live updates.
    pub async fn subscribe(&self, owner: &OwnerId, session_id: SessionId, after: u64) -> Result<Subscription, Error> {
        self.watch(owner, session_id, after, Arc::default()).await
    }

    /// The same for some of its monitors only.
    pub async fn watch(
        &self,
        owner: &OwnerId,
        session_id: SessionId,
        after: u64,
        watched: Arc<WatchedMonitors>,
    ) -> Result<Subscription, Error> {
        let joined = self.join_after(owner, session_id, after).await?;
        Ok(Subscription::new(self.clone(), owner.clone(), session_id, after, joined, watched))
    }

    /// Joins a session whose actor knows an event of that number. A commit can be read a moment
    /// before the actor that has made it is told.
    async fn join_after(&self, owner: &OwnerId, session_id: SessionId, after: u64) -> Result<LiveFeed, Error> {
        let give_up = Instant::now() + CATCH_UP_MAX;
        loop {
            let joined = self.join(owner, session_id).await?;
            if after <= joined.head {
                return Ok(joined);
            }
            if self.page(session_id, after - 1, 1).await?.is_empty() {
                let newest = joined.head;
                return Err(Error::Invalid(format!("the session has no event {after} yet; its newest is {newest}")));
            }
            if Instant::now() > give_up {
                let cause = format!("it has event {after} of the session, of which this node does not know yet");
                return Err(journal::Error::Away { cause }.into());
            }
            tokio::time::sleep(CATCH_UP_PAUSE).await;
        }
    }
}
