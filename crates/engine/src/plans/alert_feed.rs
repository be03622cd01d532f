//! Alerts as they are raised, for connected pages and terminals, and the channels for the others.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, Mutex, PoisonError},
};

use ports::AlertChannel;
use protocol::{Alert, AlertId, AlertKind, OwnerId};
use tokio::sync::broadcast;

/// Alerts that a follower may be behind.
const FEED_MAX: usize = 64;

/// The followers of alerts, and the channels.
pub(crate) struct AlertFeed {
    followers: Mutex<HashMap<OwnerId, broadcast::Sender<Arc<Alert>>>>,
    channels: Vec<Arc<dyn AlertChannel>>,
    /// Alerts that are being delivered, so that each has one task.
    delivering: Mutex<BTreeSet<AlertId>>,
}

impl AlertFeed {
    pub(crate) fn new(channels: Vec<Arc<dyn AlertChannel>>) -> Self {
        Self { followers: Mutex::default(), channels, delivering: Mutex::default() }
    }

    /// The owner's alerts from now on.
    pub(crate) fn follow(&self, owner: &OwnerId) -> broadcast::Receiver<Arc<Alert>> {
        let mut followers = self.followers.lock().unwrap_or_else(PoisonError::into_inner);
        followers.entry(owner.clone()).or_insert_with(|| broadcast::channel(FEED_MAX).0).subscribe()
    }

    /// Shows an alert to the owner's connections. Returns whether there are any.
    pub(crate) fn show(&self, owner: &OwnerId, alert: &Alert) -> bool {
        let mut followers = self.followers.lock().unwrap_or_else(PoisonError::into_inner);
        let is_shown = followers.get(owner).is_some_and(|feed| feed.send(Arc::new(alert.clone())).is_ok());
        if !is_shown {
            followers.remove(owner);
        }
        is_shown
    }

    /// Whether a connection of the owner follows alerts.
    pub(crate) fn is_followed(&self, owner: &OwnerId) -> bool {
        let followers = self.followers.lock().unwrap_or_else(PoisonError::into_inner);
        followers.get(owner).is_some_and(|feed| feed.receiver_count() > 0)
    }

    /// The channels that take alerts of a kind.
    pub(crate) fn channels(&self, owner: &OwnerId, kind: AlertKind) -> impl Iterator<Item = &Arc<dyn AlertChannel>> {
        self.channels.iter().filter(move |channel| channel.takes(owner, kind))
    }

    /// Takes the delivery of an alert; false if it is being delivered already.
    pub(super) fn take(&self, id: AlertId) -> bool {
        self.delivering.lock().unwrap_or_else(PoisonError::into_inner).insert(id)
    }

    pub(super) fn give_back(&self, id: AlertId) {
        self.delivering.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
    }
}
