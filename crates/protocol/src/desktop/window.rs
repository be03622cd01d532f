//! A window and who works in it.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AppRegistered, Content};
use crate::{AgentId, MonitorId, Origin, Timestamp, WindowId};

/// Where a window is and how large, in units of a desktop that is 7,680 wide and 4,320 high.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bounds {
    /// From the left.
    pub x: u32,
    /// From the top.
    pub y: u32,
    /// How wide.
    pub width: u32,
    /// How high.
    pub height: u32,
}

/// How a window is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WindowState {
    /// At its place.
    #[default]
    Normal,
    /// Put away.
    Minimized,
    /// Over all of its monitor.
    Maximized,
}

/// Who holds a lock: as long as it is held, no other agent changes the window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Holder {
    /// The user.
    User,
    /// An agent.
    Agent(AgentId),
}

impl fmt::Display for Holder {
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
    /// Its name.
    pub window_id: WindowId,
    /// The monitor it is on.
    pub monitor_id: MonitorId,
    /// The window that its group began with: windows of a group share an agent.
    pub group: WindowId,
    /// What stands above it.
    pub title: String,
    /// Where it is.
    pub bounds: Bounds,
    /// How it is shown.
    pub state: WindowState,
    /// What it shows.
    pub content: Content,
    /// Whose words its title and content may be.
    pub origin: Origin,
    /// Who holds its lock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locked_by: Option<Holder>,
    /// The agent that opened it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opened_by: Option<AgentId>,
    /// When it was opened.
    pub opened_at: Timestamp,
    /// When something last changed in it.
    pub updated_at: Timestamp,
    /// The app in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app: Option<AppRegistered>,
}

/// How the agent of a window stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WindowAgentStatus {
    /// There is one from now on.
    Assigned,
    /// It works.
    Active,
    /// There is none any more.
    Released,
}

/// The agent of a window, or of a group, has changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WindowAgent {
    /// The window.
    pub window_id: WindowId,
    /// Its agent.
    pub agent_id: AgentId,
    /// How it stands.
    pub status: WindowAgentStatus,
}
