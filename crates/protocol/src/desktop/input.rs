//! What the user does on a desktop.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::AppCommand;
use crate::{MonitorId, SessionRef, WindowId};

/// Something the user did, by name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", deny_unknown_fields)]
pub enum Interaction {
    /// Closed a window.
    #[serde(rename = "window.close")]
    Close {
        /// Which.
        window_id: WindowId,
    },
    /// Brought a window to the front.
    #[serde(rename = "window.focus")]
    Focus {
        /// Which.
        window_id: WindowId,
    },
    /// Moved a window.
    #[serde(rename = "window.move")]
    Move {
        /// Which.
        window_id: WindowId,
        /// From the left; past the edge is at the edge.
        x: i64,
        /// From the top, in the same way.
        y: i64,
    },
    /// Gave a window another size.
    #[serde(rename = "window.resize")]
    Resize {
        /// Which.
        window_id: WindowId,
        /// How wide.
        width: u32,
        /// How high.
        height: u32,
    },
    /// Put a window away.
    #[serde(rename = "window.minimize")]
    Minimize {
        /// Which.
        window_id: WindowId,
    },
    /// Made a window cover its monitor.
    #[serde(rename = "window.maximize")]
    Maximize {
        /// Which.
        window_id: WindowId,
    },
    /// Brought a window back to its place.
    #[serde(rename = "window.restore")]
    Restore {
        /// Which.
        window_id: WindowId,
    },
    /// Keeps agents from changing a window.
    #[serde(rename = "window.lock")]
    Lock {
        /// Which.
        window_id: WindowId,
    },
    /// Lets everybody change a window again, whoever held its lock.
    #[serde(rename = "window.unlock")]
    Unlock {
        /// Which.
        window_id: WindowId,
    },
    /// Drew on a window.
    #[serde(rename = "window.draw")]
    Draw {
        /// Which.
        window_id: WindowId,
        /// What, in words.
        text: String,
    },
    /// Did something in an app, as the app tells it.
    #[serde(rename = "app.interaction")]
    App {
        /// The app's window.
        window_id: WindowId,
        /// The window's token; it is not kept.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        token: Option<String>,
        /// What, in words.
        #[serde(default)]
        text: String,
        /// The command that would have done the same: it is kept like one that an agent has sent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        did: Option<AppCommand>,
    },
}

impl Interaction {
    /// The window it is about.
    pub const fn window_id(&self) -> &WindowId {
        match self {
            Self::Close { window_id }
            | Self::Focus { window_id }
            | Self::Move { window_id, .. }
            | Self::Resize { window_id, .. }
            | Self::Minimize { window_id }
            | Self::Maximize { window_id }
            | Self::Restore { window_id }
            | Self::Lock { window_id }
            | Self::Unlock { window_id }
            | Self::Draw { window_id, .. }
            | Self::App { window_id, .. } => window_id,
        }
    }
}

/// `user.interaction`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UserInteraction {
    /// Which session.
    #[serde(flatten)]
    pub session: SessionRef,
    /// What was done, in order.
    pub interactions: Vec<Interaction>,
}

/// What the user did, in order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interactions {
    /// The monitor it was done on.
    #[serde(default, skip_serializing_if = "MonitorId::is_primary")]
    pub monitor_id: MonitorId,
    /// What was done.
    pub interactions: Vec<Interaction>,
}

/// `window.message`: words to the agent of a window. Answered like `chat.send`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WindowMessage {
    /// Which session.
    #[serde(flatten)]
    pub session: SessionRef,
    /// Which window.
    pub window_id: WindowId,
    /// The words.
    pub content: String,
    /// The key that makes sending it again harmless.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// `window.action`: something was pressed in a window. Answered like `chat.send`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WindowAction {
    /// Which session.
    #[serde(flatten)]
    pub session: SessionRef,
    /// Which window.
    pub window_id: WindowId,
    /// What was pressed.
    #[serde(flatten)]
    pub act: WindowAct,
    /// The key that makes sending it again harmless.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// Something that was pressed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WindowAct {
    /// What pressing it is called.
    pub action: String,
    /// The client's own name for this time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action_id: Option<String>,
    /// What was filled in, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub form_data: BTreeMap<String, String>,
    /// Where in the layout it stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub component_path: Option<String>,
    /// Whether it need not wait for what the window's agent is at.
    #[serde(default, skip_serializing_if = "crate::turn::is_no")]
    pub parallel: bool,
}

/// The window a turn is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WindowRequest {
    /// Which.
    pub window_id: WindowId,
    /// What was pressed; none means that something was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub act: Option<WindowAct>,
}

/// `render.feedback`: whether a window could be shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RenderFeedback {
    /// Which session.
    #[serde(flatten)]
    pub session: SessionRef,
    /// Which window.
    pub window_id: WindowId,
    /// Whether it is shown.
    pub ok: bool,
    /// Why it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A window could not be shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rendered {
    /// Which.
    pub window_id: WindowId,
    /// The monitor it is on.
    #[serde(default, skip_serializing_if = "MonitorId::is_primary")]
    pub monitor_id: MonitorId,
    /// Why.
    pub error: String,
}

/// `monitor.subscribe` and `monitor.remove`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MonitorRef {
    /// Which session.
    #[serde(flatten)]
    pub session: SessionRef,
    /// Which monitor.
    pub monitor_id: MonitorId,
}
