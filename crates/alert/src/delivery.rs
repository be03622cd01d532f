//! What a channel is around: one attempt to send an alert.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use ports::DeliveryFailure;
use protocol::{Alert, OwnerId, Timestamp};

/// The clock, which the server shares with its channels.
pub type ClockFn = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// Sends alerts, one attempt at a time.
#[async_trait]
pub trait Delivery: Send + Sync + 'static {
    /// Whether the receiver recognises a repetition by the alert's id.
    fn is_idempotent(&self) -> bool;

    /// Sends an alert.
    async fn deliver(&self, owner: &OwnerId, alert: &Alert) -> Result<(), DeliveryFailure>;
}

pub(crate) fn later(message: impl Into<String>, after: Option<Duration>) -> DeliveryFailure {
    DeliveryFailure::Later { message: message.into(), after }
}

pub(crate) fn refused(message: impl Into<String>) -> DeliveryFailure {
    DeliveryFailure::Refused { message: message.into() }
}

/// The failure of an attempt that the receiver may have taken: one that recognises repetitions is
/// tried again.
pub(crate) fn unclear(message: impl Into<String>, is_idempotent: bool) -> DeliveryFailure {
    let message = message.into();
    if is_idempotent { DeliveryFailure::Later { message, after: None } } else { DeliveryFailure::Unknown { message } }
}
