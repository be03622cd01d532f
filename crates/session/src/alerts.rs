//! The alerts of a session: an outbox that is derived from the journal like everything else.
//!
//! An alert is open until every channel is done with it. What is tried, and how it went, is
//! recorded before and after each attempt, so that a restart knows what is in doubt.

use std::collections::{BTreeMap, VecDeque};

use protocol::{Alert, AlertEvent, AlertId, AlertView, DeliveryView, Timestamp};
use serde::{Deserialize, Serialize};

/// How many alerts that are done with are remembered.
const RECENT_MAX: usize = 50;

/// What a channel has done with an alert.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum DeliveryState {
    /// An attempt has begun.
    Sending {
        /// Its number.
        attempt: u32,
    },
    /// It is delivered.
    Delivered,
    /// It is tried later.
    Later {
        /// When.
        at: Timestamp,
        /// How many attempts there were.
        attempts: u32,
        /// Why the last one failed, if there was one.
        message: Option<String>,
    },
    /// It is given up.
    Failed {
        /// Why.
        message: String,
    },
}

impl DeliveryState {
    /// Whether the channel is done with the alert.
    pub const fn is_done(&self) -> bool {
        matches!(self, Self::Delivered | Self::Failed { .. })
    }

    /// How many attempts there were.
    pub const fn attempts(&self) -> u32 {
        match self {
            Self::Sending { attempt } => *attempt,
            Self::Later { attempts, .. } => *attempts,
            Self::Delivered | Self::Failed { .. } => 1,
        }
    }

    fn view(&self) -> DeliveryView {
        match self {
            Self::Sending { .. } => DeliveryView::Sending,
            Self::Delivered => DeliveryView::Delivered,
            Self::Later { at, message, .. } => DeliveryView::Later { at: *at, message: message.clone() },
            Self::Failed { message } => DeliveryView::Failed { message: message.clone() },
        }
    }
}

/// An alert with what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlertEntry {
    /// The alert.
    pub alert: Alert,
    /// Whether a person has seen it.
    pub is_seen: bool,
    /// Whether every channel is done with it.
    pub is_closed: bool,
    /// What each channel has done.
    pub deliveries: BTreeMap<String, DeliveryState>,
}

impl AlertEntry {
    /// The alert as clients see it.
    pub fn view(&self) -> AlertView {
        let deliveries = self.deliveries.iter().map(|(channel, state)| (channel.clone(), state.view())).collect();
        AlertView { alert: self.alert.clone(), seen: self.is_seen, deliveries }
    }
}

/// The alerts of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alerts {
    by_id: BTreeMap<AlertId, AlertEntry>,
    /// Those that are done with, oldest first.
    recent: VecDeque<AlertId>,
}

impl Alerts {
    /// An alert by its id.
    pub fn get(&self, id: AlertId) -> Option<&AlertEntry> {
        self.by_id.get(&id)
    }

    /// All that are remembered, oldest first.
    pub fn all(&self) -> impl DoubleEndedIterator<Item = &AlertEntry> {
        self.by_id.values()
    }

    /// Those that are not done with.
    pub fn open(&self) -> impl Iterator<Item = &AlertEntry> {
        self.all().filter(|entry| !entry.is_closed)
    }

    /// Whether a delivery was going on when this was written. What is tried later is no matter of
    /// recovery: the session is woken for it.
    pub fn is_under_way(&self) -> bool {
        let waits =
            |entry: &AlertEntry| entry.deliveries.values().any(|state| matches!(state, DeliveryState::Later { .. }));
        self.open().any(|entry| !waits(entry))
    }

    /// When a channel has to try again.
    pub fn due_at(&self) -> Option<Timestamp> {
        let later = self.open().flat_map(|entry| entry.deliveries.values()).filter_map(|state| match state {
            DeliveryState::Later { at, .. } => Some(*at),
            _ => None,
        });
        later.min()
    }

    /// Applies an event. One of an unknown alert changes nothing.
    pub(crate) fn apply(&mut self, event: &AlertEvent) {
        if let AlertEvent::Raised { alert } = event {
            let entry =
                AlertEntry { alert: alert.clone(), is_seen: false, is_closed: false, deliveries: BTreeMap::new() };
            self.by_id.entry(alert.alert_id).or_insert(entry);
            return;
        }
        let Some(entry) = self.by_id.get_mut(&event.alert_id()) else { return };
        let attempts =
            |entry: &AlertEntry, channel: &str| entry.deliveries.get(channel).map_or(0, DeliveryState::attempts);
        let (channel, state) = match event {
            AlertEvent::Raised { .. } => return,
            AlertEvent::Sending { channel, attempt, .. } => (channel, DeliveryState::Sending { attempt: *attempt }),
            AlertEvent::Delivered { channel, .. } => (channel, DeliveryState::Delivered),
            AlertEvent::Failed { channel, message, retry_at: None, .. } => {
                (channel, DeliveryState::Failed { message: message.clone() })
            }
            AlertEvent::Failed { channel, message, retry_at: Some(at), .. } => {
                let attempts = attempts(entry, channel);
                (channel, DeliveryState::Later { at: *at, attempts, message: Some(message.clone()) })
            }
            AlertEvent::Delayed { channel, until, .. } => {
                let attempts = attempts(entry, channel);
                (channel, DeliveryState::Later { at: *until, attempts, message: None })
            }
            AlertEvent::Seen { .. } => {
                entry.is_seen = true;
                return;
            }
            AlertEvent::Closed { alert_id } => {
                if !std::mem::replace(&mut entry.is_closed, true) {
                    self.retire(*alert_id);
                }
                return;
            }
        };
        entry.deliveries.insert(channel.clone(), state);
    }

    fn retire(&mut self, id: AlertId) {
        self.recent.push_back(id);
        while self.recent.len() > RECENT_MAX {
            if let Some(oldest) = self.recent.pop_front() {
                self.by_id.remove(&oldest);
            }
        }
    }
}
