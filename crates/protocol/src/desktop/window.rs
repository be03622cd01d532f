//! Windows and their agents.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AppRegistered, WindowContent};
use crate::{AgentId, MonitorId, Origin, Timestamp, WindowId};

/// Position and size of a window, in units of a desktop that is 7680 wide and 4320 high.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bounds {
    /// Distance from the left edge.
    pub x: u32,
    /// Distance from the top edge.
    pub y: u32,
    /// Width.
    pub width: u32,
    /// Height.
    pub height: u32,
}

/// Display state of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WindowState {
    /// Shown at its position.
    #[default]
    Normal,
    /// Minimized.
    Minimized,
    /// Maximized on its monitor.
    Maximized,
}

/// Holder of a window's lock. While it is locked, no other agent can change the window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LockHolder {
    /// The user.
    User,
    /// An agent.
    Agent(AgentId),
}

impl fmt::Display for LockHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::User => f.write_str("the user"),
            Self::Agent(agent_id) => write!(f, "agent `{agent_id}`"),
        }
    }
}

/// A window.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Window {
    /// Name of the window.
    pub window_id: WindowId,
    /// The monitor of the window.
    pub monitor_id: MonitorId,
    /// The first window of its group. Windows of a group share an agent.
    pub group: WindowId,
    /// Title of the window.
    pub title: String,
    /// Position and size.
    pub bounds: Bounds,
    /// Display state.
    pub state: WindowState,
    /// Content of the window.
    pub content: WindowContent,
    /// Whether title and content are trusted.
    pub origin: Origin,
    /// The holder of its lock. Absent if it is not locked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locked_by: Option<LockHolder>,
    /// The agent that opened it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opened_by: Option<AgentId>,
    /// When it was opened.
    pub opened_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
    /// The app in the window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app: Option<AppRegistered>,
}

/// Status of a window's agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WindowAgentStatus {
    /// The window has an agent from now on.
    Assigned,
    /// The agent runs a turn.
    Active,
    /// The window no longer has an agent.
    Released,
}

/// A change of the agent of a window or of a group of windows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WindowAgent {
    /// The window.
    pub window_id: WindowId,
    /// Its agent.
    pub agent_id: AgentId,
    /// The new status.
    pub status: WindowAgentStatus,
}
