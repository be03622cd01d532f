//! Integrity checks of sessions in the background, one after the other at a slow pace.
//!
//! The store logs and counts the damage it finds, and refuses the session from then on; the others
//! are not affected.

use std::time::Duration;

use protocol::SessionId;

use super::Hub;
use crate::Error;

pub(super) fn spawn(hub: &Hub) {
    let Some(interval) = hub.services().options.verify_interval else { return };
    let hub = hub.clone();
    hub.services().tasks.clone().spawn(async move {
        let stopping = hub.services().stopping.clone();
        tokio::select! {
            () = stopping.cancelled() => {}
            () = go_round(&hub, interval) => {}
        }
    });
}

/// Checks all sessions again and again, in the order of their ids.
async fn go_round(hub: &Hub, interval: Duration) {
    let mut last = None;
    loop {
        tokio::time::sleep(interval).await;
        match verify_next(hub, last).await {
            Ok(next) => {
                if next.is_none() && last.is_some() {
                    hub.services().counters.pass_ended();
                }
                last = next;
            }
            Err(error) => tracing::warn!(%error, "failed to check a session for damage; trying again later"),
        }
    }
}

/// Checks the session after the given one; `None` after the last.
async fn verify_next(hub: &Hub, last: Option<SessionId>) -> Result<Option<SessionId>, Error> {
    let services = hub.services();
    let Some(next) = services.store.next_session(last).await? else { return Ok(None) };
    match services.store.verify(next).await {
        Ok(verdict) => services.counters.session_verified(verdict.events),
        // The session was removed meanwhile.
        Err(journal::Error::NotFound) => {}
        Err(error) => return Err(error.into()),
    }
    Ok(Some(next))
}
