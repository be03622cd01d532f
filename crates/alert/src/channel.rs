//! A channel: what decides around what delivers.

use std::sync::Arc;

use async_trait::async_trait;
use ports::{AlertChannel, DeliveryFailure};
use protocol::{Alert, AlertKind, OwnerId, Timestamp};

use crate::{
    declaration::{Commons, UsedWhen},
    delivery::Delivery,
    quiet::QuietHours,
};

/// The kinds that a channel does not take unless its `kinds` name them: they report that all is
/// well.
const ON_REQUEST: [AlertKind; 2] = [AlertKind::ScheduleFired, AlertKind::TurnEnded];

/// Which alerts a channel takes, whose, and when.
#[derive(Debug, Clone, Default)]
pub struct ChannelRules {
    kinds: Option<Vec<AlertKind>>,
    owners: Option<Vec<OwnerId>>,
    is_always: bool,
    quiet: Option<QuietHours>,
}

impl ChannelRules {
    /// Checks the declaration. The error is the field and what is wrong with it.
    pub fn new(declared: &Commons) -> Result<Self, (&'static str, String)> {
        if declared.kinds.as_ref().is_some_and(Vec::is_empty) {
            return Err(("kinds", "must not be empty; leave it out for the usual kinds".to_owned()));
        }
        if declared.owners.as_ref().is_some_and(Vec::is_empty) {
            return Err(("owners", "must not be empty; leave it out for all owners".to_owned()));
        }
        Ok(Self {
            kinds: declared.kinds.clone(),
            owners: declared.owners.clone(),
            is_always: declared.when == UsedWhen::Always,
            quiet: declared.quiet.as_ref().map(QuietHours::new).transpose()?,
        })
    }
}

/// A channel by its name, with its rules and what delivers.
pub struct Channel {
    name: String,
    rules: ChannelRules,
    delivery: Box<dyn Delivery>,
}

impl Channel {
    /// A channel.
    pub fn new(name: impl Into<String>, rules: ChannelRules, delivery: impl Delivery) -> Self {
        Self { name: name.into(), rules, delivery: Box::new(delivery) }
    }

    /// A channel around another, of which only the delivery is used.
    pub fn around(name: impl Into<String>, rules: ChannelRules, inner: Arc<dyn AlertChannel>) -> Self {
        Self::new(name, rules, InnerChannel(inner))
    }
}

#[async_trait]
impl AlertChannel for Channel {
    fn name(&self) -> &str {
        &self.name
    }

    fn takes(&self, owner: &OwnerId, kind: AlertKind) -> bool {
        let kinds = self.rules.kinds.as_ref();
        kinds.map_or(!ON_REQUEST.contains(&kind), |kinds| kinds.contains(&kind))
            && self.rules.owners.as_ref().is_none_or(|owners| owners.contains(owner))
    }

    fn is_always(&self) -> bool {
        self.rules.is_always
    }

    fn is_idempotent(&self) -> bool {
        self.delivery.is_idempotent()
    }

    fn quiet_until(&self, alert: &Alert, now: Timestamp) -> Option<Timestamp> {
        self.rules.quiet.as_ref()?.until(alert.kind, now)
    }

    async fn deliver(&self, owner: &OwnerId, alert: &Alert) -> Result<(), DeliveryFailure> {
        self.delivery.deliver(owner, alert).await
    }
}

/// The delivery of another channel.
struct InnerChannel(Arc<dyn AlertChannel>);

#[async_trait]
impl Delivery for InnerChannel {
    fn is_idempotent(&self) -> bool {
        self.0.is_idempotent()
    }

    async fn deliver(&self, owner: &OwnerId, alert: &Alert) -> Result<(), DeliveryFailure> {
        self.0.deliver(owner, alert).await
    }
}
