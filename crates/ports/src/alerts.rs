//! The port through which alerts leave the program.

use std::time::Duration;

use async_trait::async_trait;
use protocol::{Alert, AlertKind, OwnerId, Timestamp};

/// A way to reach a person who may not be connected: a webhook, an e-mail, a service of the home.
#[async_trait]
pub trait AlertChannel: Send + Sync + 'static {
    /// Its name, unique among all channels of the server. It is part of the journal.
    fn name(&self) -> &str;

    /// Whether it takes alerts of this kind of this owner.
    fn takes(&self, owner: &OwnerId, kind: AlertKind) -> bool;

    /// Whether it is a way for this alert: a satellite is one only for what was ordered there.
    fn suits(&self, _alert: &Alert) -> bool {
        true
    }

    /// Whether it reaches a person at once, as a page does. What it has delivered needs no channel
    /// for the time when none is there.
    fn is_present(&self) -> bool {
        false
    }

    /// Whether it is used also while one of the owner's pages or terminals shows the alert.
    fn is_always(&self) -> bool;

    /// Whether the receiver recognises a repetition by the alert's id. If not, an attempt whose
    /// outcome is unknown is not repeated: the alert arrives at most once.
    fn is_idempotent(&self) -> bool;

    /// Until when the owner wants to be left alone, if that is later than now.
    fn quiet_until(&self, alert: &Alert, now: Timestamp) -> Option<Timestamp>;

    /// Delivers an alert.
    async fn deliver(&self, owner: &OwnerId, alert: &Alert) -> Result<(), DeliveryFailure>;
}

/// Why an alert was not delivered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DeliveryFailure {
    /// It may work later.
    #[error("{message}")]
    Later {
        /// What happened.
        message: String,
        /// How long to wait at least, if the receiver says so.
        after: Option<Duration>,
    },
    /// It is unknown whether it has arrived.
    #[error("{message}")]
    Unknown {
        /// What happened.
        message: String,
    },
    /// Trying again is useless.
    #[error("{message}")]
    Refused {
        /// What happened.
        message: String,
    },
}
