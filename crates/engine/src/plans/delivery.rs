//! Delivering alerts: to connected pages and terminals first, then by the channels that the owner
//! has chosen. Each attempt is recorded before it begins and after it has ended.

use std::{sync::Arc, time::Duration};

use ports::{AlertChannel, DeliveryFailure};
use protocol::{AlertEvent, AlertId, OwnerId, SessionId, Timestamp};
use session::{AlertEntry, Command, DeliveryState};

use crate::{
    Error,
    hub::{Hub, Services},
};

/// The wait after the first failure; it doubles with each further one.
const BACKOFF: Duration = Duration::from_secs(5);
const BACKOFF_MAX: Duration = Duration::from_secs(60 * 60);
/// After this many attempts a channel gives up: about a day.
const ATTEMPTS_MAX: u32 = 30;

/// Delivers an open alert as far as that is possible now. What is left is tried when the session is
/// woken again.
pub(crate) fn deliver(services: &Arc<Services>, owner: OwnerId, session_id: SessionId, entry: AlertEntry) {
    let id = entry.alert.alert_id;
    let Some(hub) = services.hub().filter(|_| services.alerts.take(id)) else { return };
    let services = services.clone();
    services.tasks.clone().spawn(async move {
        let delivery = Delivery { services: &services, hub, owner, session_id };
        let stopping = services.stopping.clone();
        tokio::select! {
            // An attempt that is cut off is in doubt after the restart.
            () = stopping.cancelled() => {}
            delivered = delivery.run(&entry) => {
                if let Err(error) = delivered {
                    tracing::warn!(alert = %id, %error, "failed to record the delivery of an alert");
                }
            }
        }
        services.alerts.give_back(id);
    });
}

/// What one attempt has come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AttemptOutcome {
    /// It is delivered.
    Delivered,
    /// It is given up.
    GivenUp,
    /// It is tried later.
    Later,
}

struct Delivery<'s> {
    services: &'s Arc<Services>,
    hub: Hub,
    owner: OwnerId,
    session_id: SessionId,
}

impl Delivery<'_> {
    async fn run(&self, entry: &AlertEntry) -> Result<(), Error> {
        let (alert, now) = (&entry.alert, self.services.world.now());
        let is_new = entry.deliveries.is_empty();
        let mut is_shown = is_new && self.services.alerts.show(&self.owner, alert);
        let mut is_done = true;
        let channels = self.services.alerts.channels(&self.owner, alert.kind);
        let mut channels: Vec<_> = channels.filter(|channel| channel.suits(alert)).cloned().collect();
        // What reaches a person at once goes first: the others may be unnecessary then.
        channels.sort_by_key(|channel| !channel.is_present());
        for channel in channels {
            let state = entry.deliveries.get(channel.name());
            // A page that shows it, or a person who has seen it, makes the others unnecessary.
            let is_needed = channel.is_always() || !(is_shown || entry.is_seen);
            match state {
                Some(state) if state.is_done() => {
                    is_shown |= channel.is_present() && *state == DeliveryState::Delivered;
                }
                Some(DeliveryState::Later { at, .. }) if *at > now => is_done = false,
                None | Some(DeliveryState::Later { .. }) if !is_needed => {}
                Some(DeliveryState::Sending { .. }) if !channel.is_idempotent() => {
                    let message = "the server stopped while it was sent, so it may have arrived".to_owned();
                    self.note(failed(alert.alert_id, channel.name(), message, None)).await?;
                }
                state => {
                    let attempts = state.map_or(0, DeliveryState::attempts);
                    let outcome = self.attempt(entry, &channel, attempts).await?;
                    is_done &= outcome != AttemptOutcome::Later;
                    is_shown |= channel.is_present() && outcome == AttemptOutcome::Delivered;
                }
            }
        }
        if is_done {
            self.note(AlertEvent::Closed { alert_id: alert.alert_id }).await?;
        }
        Ok(())
    }

    /// One attempt of one channel.
    async fn attempt(
        &self,
        entry: &AlertEntry,
        channel: &Arc<dyn AlertChannel>,
        attempts: u32,
    ) -> Result<AttemptOutcome, Error> {
        let (alert_id, name) = (entry.alert.alert_id, channel.name().to_owned());
        if let Some(until) = channel.quiet_until(&entry.alert, self.services.world.now()) {
            self.note(AlertEvent::Delayed { alert_id, channel: name, until }).await?;
            return Ok(AttemptOutcome::Later);
        }
        let attempt = attempts + 1;
        self.note(AlertEvent::Sending { alert_id, channel: name.clone(), attempt }).await?;
        // Another node may have taken the owner over while this was written.
        self.services.store.hold(&self.owner).await?.until_may_act().await;
        let outcome = channel.deliver(&self.owner, &entry.alert).await;
        let (event, outcome) = match outcome {
            Ok(()) => (AlertEvent::Delivered { alert_id, channel: name }, AttemptOutcome::Delivered),
            Err(DeliveryFailure::Refused { message }) => {
                (failed(alert_id, &name, message, None), AttemptOutcome::GivenUp)
            }
            Err(DeliveryFailure::Unknown { message }) if !channel.is_idempotent() => {
                (failed(alert_id, &name, message, None), AttemptOutcome::GivenUp)
            }
            Err(DeliveryFailure::Later { message, .. } | DeliveryFailure::Unknown { message })
                if attempt >= ATTEMPTS_MAX =>
            {
                (failed(alert_id, &name, message, None), AttemptOutcome::GivenUp)
            }
            Err(DeliveryFailure::Unknown { message }) => {
                (self.later(alert_id, &name, message, attempt, None), AttemptOutcome::Later)
            }
            Err(DeliveryFailure::Later { message, after }) => {
                (self.later(alert_id, &name, message, attempt, after), AttemptOutcome::Later)
            }
        };
        self.note(event).await?;
        Ok(outcome)
    }

    fn later(
        &self,
        alert_id: AlertId,
        channel: &str,
        message: String,
        attempt: u32,
        after: Option<Duration>,
    ) -> AlertEvent {
        let backoff = BACKOFF.saturating_mul(1 << attempt.saturating_sub(1).min(16)).min(BACKOFF_MAX);
        let wait = after.unwrap_or_default().max(backoff).min(BACKOFF_MAX);
        failed(alert_id, channel, message, Some(self.services.world.now().plus(wait)))
    }

    async fn note(&self, event: AlertEvent) -> Result<(), Error> {
        self.hub.record(&self.owner, self.session_id, Command::Alert(event)).await
    }
}

fn failed(alert_id: AlertId, channel: &str, message: String, retry_at: Option<Timestamp>) -> AlertEvent {
    AlertEvent::Failed { alert_id, channel: channel.to_owned(), message, retry_at }
}
