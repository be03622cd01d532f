//! Views of a session's desktop.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AppRequested, Dialog, Notification, Toast, Window};
use crate::{AgentId, AgentKind, ApprovalRequest, MonitorId, SessionId, SessionName, SessionRef, TurnId, WindowId};

/// A monitor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MonitorView {
    /// Name of the monitor.
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
    /// Id of the agent.
    pub agent_id: AgentId,
    /// Kind of the agent.
    pub kind: AgentKind,
    /// The monitor of the agent.
    pub monitor_id: MonitorId,
    /// The windows of the agent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub windows: Vec<WindowId>,
    /// The turn that the agent runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// The queued turns of the agent, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queue: Vec<TurnId>,
}

/// The desktop of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DesktopView {
    /// The session.
    pub session_id: SessionId,
    /// Sequence number of the newest event that is included. Later events apply on top.
    pub as_of: u64,
    /// The monitors.
    pub monitors: Vec<MonitorView>,
    /// The windows, from the back to the front.
    pub windows: Vec<Window>,
    /// The visible toasts.
    pub toasts: Vec<Toast>,
    /// The notifications that are not dismissed.
    pub notifications: Vec<Notification>,
    /// The open dialogs and prompts.
    pub dialogs: Vec<Dialog>,
    /// The open requests for approval.
    pub approvals: Vec<ApprovalRequest>,
    /// The open requests to apps.
    pub app_requests: Vec<AppRequested>,
    /// The agents.
    pub agents: Vec<AgentView>,
    /// Descriptions of changes that the main agents' prompts do not contain yet.
    pub timeline: Vec<String>,
}

/// How the windows of a session are restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RestoreMode {
    /// The windows are opened again.
    #[default]
    Whole,
    /// The windows are described in the prompt only.
    Summarized,
}

/// `session.restore`: restores an earlier session into a new one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionRestore {
    /// The earlier session.
    #[serde(flatten)]
    pub session: SessionRef,
    /// How its windows are restored. Default: `whole`.
    #[serde(default)]
    pub windows: RestoreMode,
    /// The client's own name for the new session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<SessionName>,
}
