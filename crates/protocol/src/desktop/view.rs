//! A session's desktop as it stands.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AppRequested, Dialog, Notification, Toast, Window};
use crate::{AgentId, AgentKind, ApprovalRequest, MonitorId, SessionId, SessionName, SessionRef, TurnId, WindowId};

/// A monitor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MonitorView {
    /// Its name.
    pub monitor_id: MonitorId,
    /// Its main agent.
    pub agent_id: AgentId,
    /// The window in front.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focused: Option<WindowId>,
}

/// An agent of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentView {
    /// Who.
    pub agent_id: AgentId,
    /// What it is.
    pub kind: AgentKind,
    /// The monitor it works on.
    pub monitor_id: MonitorId,
    /// Its windows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub windows: Vec<WindowId>,
    /// The turn it works on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// The turns that wait for it, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queue: Vec<TurnId>,
}

/// A session's desktop as it stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DesktopView {
    /// Whose.
    pub session_id: SessionId,
    /// The number of the newest event that is in it: later ones come on top.
    pub as_of: u64,
    /// The monitors.
    pub monitors: Vec<MonitorView>,
    /// The windows, from the back to the front.
    pub windows: Vec<Window>,
    /// What is said in passing.
    pub toasts: Vec<Toast>,
    /// What stays until it is dismissed.
    pub notifications: Vec<Notification>,
    /// What the user is asked.
    pub dialogs: Vec<Dialog>,
    /// The calls that wait for a yes or a no.
    pub approvals: Vec<ApprovalRequest>,
    /// What apps are asked.
    pub app_requests: Vec<AppRequested>,
    /// Who works here.
    pub agents: Vec<AgentView>,
    /// What the main agents have not been told yet, in words.
    pub timeline: Vec<String>,
}

/// What becomes of the windows of a session that is restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RestoreMode {
    /// They are open again.
    #[default]
    Whole,
    /// They are told in words.
    Summarized,
}

/// `session.restore`: an earlier session goes on in a new one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Restore {
    /// Which session.
    #[serde(flatten)]
    pub session: SessionRef,
    /// What becomes of its windows.
    #[serde(default)]
    pub windows: RestoreMode,
    /// A name for the new session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<SessionName>,
}
