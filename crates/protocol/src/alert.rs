//! Alerts: what needs a person. They go to the owner's connected pages and terminals, and to the
//! channels that the owner has chosen.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{AlertId, ApprovalId, ScheduleId, SessionId, Timestamp, TurnId};

/// Why there is an alert.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AlertKind {
    /// A reminder is due.
    Reminder,
    /// A timer has ended.
    Timer,
    /// A turn that began by itself or in the background has its answer.
    Answer,
    /// A turn in the background did not complete.
    TurnFailed,
    /// A turn that began by itself or in the background waits for a person.
    TurnWaiting,
    /// A turn has ended, any turn.
    TurnEnded,
    /// A call waits for an approval.
    ApprovalWaiting,
    /// A schedule waits for an approval.
    ScheduleWaiting,
    /// A schedule has begun a turn or a call.
    ScheduleFired,
    /// A run of a schedule could not begin, or was missed.
    ScheduleFailed,
}

/// Something that needs a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Alert {
    /// Its id. The receiver of a webhook can recognise a repetition by it.
    pub alert_id: AlertId,
    /// The session that it comes from.
    pub session_id: SessionId,
    /// When it was raised.
    pub at: Timestamp,
    /// Why.
    pub kind: AlertKind,
    /// A line that says what it is.
    pub title: String,
    /// More; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The turn that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// The approval that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval_id: Option<ApprovalId>,
    /// The schedule that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule_id: Option<ScheduleId>,
    /// The voice satellite that the order came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub satellite: Option<String>,
    /// The language of its session, in which it is spoken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
}

/// What happened to an alert.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum AlertEvent {
    /// It is raised.
    Raised {
        /// The alert.
        alert: Alert,
    },
    /// A channel is about to deliver it.
    Sending {
        /// The alert.
        alert_id: AlertId,
        /// The channel.
        channel: String,
        /// The number of the attempt; the first is 1.
        attempt: u32,
    },
    /// A channel has delivered it.
    Delivered {
        /// The alert.
        alert_id: AlertId,
        /// The channel.
        channel: String,
    },
    /// A channel could not deliver it.
    Failed {
        /// The alert.
        alert_id: AlertId,
        /// The channel.
        channel: String,
        /// Why.
        message: String,
        /// When it is tried again; `None` if that is given up.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_at: Option<Timestamp>,
    },
    /// Its channels wait until then: the owner wants to be left alone.
    Delayed {
        /// The alert.
        alert_id: AlertId,
        /// The channel.
        channel: String,
        /// Until when.
        until: Timestamp,
    },
    /// A person has seen it.
    Seen {
        /// The alert.
        alert_id: AlertId,
    },
    /// Every channel is done with it.
    Closed {
        /// The alert.
        alert_id: AlertId,
    },
}

impl AlertEvent {
    /// The alert that it happened to.
    pub const fn alert_id(&self) -> AlertId {
        match self {
            Self::Raised { alert } => alert.alert_id,
            Self::Sending { alert_id, .. }
            | Self::Delivered { alert_id, .. }
            | Self::Failed { alert_id, .. }
            | Self::Delayed { alert_id, .. }
            | Self::Seen { alert_id }
            | Self::Closed { alert_id } => *alert_id,
        }
    }
}

/// What a channel has done with an alert.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum DeliveryView {
    /// It is being delivered.
    Sending,
    /// It is delivered.
    Delivered,
    /// It is tried later.
    Later {
        /// When.
        at: Timestamp,
        /// Why it was not delivered before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
    /// It is given up.
    Failed {
        /// Why.
        message: String,
    },
}

/// An alert with what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AlertView {
    /// The alert.
    #[serde(flatten)]
    pub alert: Alert,
    /// Whether a person has seen it.
    pub seen: bool,
    /// What each channel has done.
    pub deliveries: std::collections::BTreeMap<String, DeliveryView>,
}

/// Names an alert.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AlertRef {
    /// The alert.
    pub alert_id: AlertId,
}

/// `alert.list`: the owner's alerts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AlertList {
    /// At most this many, 50 by default and 200 at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// The owner's alerts, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AlertPage {
    /// The alerts.
    pub data: Vec<AlertView>,
}
