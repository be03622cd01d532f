//! Checking sessions for damage in the background, one after the other at an easy pace.
//!
//! Damage that is found is logged and counted by the store, which refuses the session from then on; the others go on.

use std::time::Duration;

use protocol::SessionId;

use super::Hub;
use crate::Error;

pub(super) fn spawn(hub: &Hub) {
    let Some(interval) = hub.house().options.verify_interval else { return };
    let hub = hub.clone();
    hub.house().tasks.clone().spawn(async move {
        let stopping = hub.house().stopping.clone();
        tokio::select! {
            () = stopping.cancelled() => {}
            () = go_round(&hub, interval) => {}
        }
    });
}

/// Goes through all sessions again and again, in the order of their ids.
async fn go_round(hub: &Hub, interval: Duration) {
    let mut last = None;
    loop {
        tokio::time::sleep(interval).await;
        match verify_next(hub, last).await {
            Ok(next) => {
                if next.is_none() && last.is_some() {
                    hub.house().counters.pass_ended();
                }
                last = next;
            }
            Err(error) => tracing::warn!(%error, "failed to check a session for damage; trying again later"),
        }
    }
}

/// Checks the session after that one; none after the last.
async fn verify_next(hub: &Hub, last: Option<SessionId>) -> Result<Option<SessionId>, Error> {
    let house = hub.house();
    let Some(next) = house.store.next_session(last).await? else { return Ok(None) };
    match house.store.verify(next).await {
        Ok(verdict) => house.counters.session_verified(verdict.events),
        // It was removed meanwhile.
        Err(journal::Error::NotFound) => {}
        Err(error) => return Err(error.into()),
    }
    Ok(Some(next))
}
