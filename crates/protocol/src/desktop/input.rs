//! Interactions: what the user does on a desktop.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::AppCommand;
use crate::{MonitorId, SessionRef, WindowId};

/// Something that the user did on a desktop.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", deny_unknown_fields)]
pub enum Interaction {
    /// Closed a window.
    #[serde(rename = "window.close")]
    Close {
        /// The window.
        window_id: WindowId,
    },
    /// Brought a window to the front.
    #[serde(rename = "window.focus")]
    Focus {
        /// The window.
        window_id: WindowId,
    },
    /// Moved a window.
    #[serde(rename = "window.move")]
    Move {
        /// The window.
        window_id: WindowId,
        /// Distance from the left edge, in desktop units. Clamped to the desktop.
        x: i64,
        /// Distance from the top edge, in desktop units. Clamped to the desktop.
        y: i64,
    },
    /// Resized a window.
    #[serde(rename = "window.resize")]
    Resize {
        /// The window.
        window_id: WindowId,
        /// Width in desktop units.
        width: u32,
        /// Height in desktop units.
        height: u32,
    },
    /// Minimized a window.
    #[serde(rename = "window.minimize")]
    Minimize {
        /// The window.
        window_id: WindowId,
    },
    /// Maximized a window on its monitor.
    #[serde(rename = "window.maximize")]
    Maximize {
        /// The window.
        window_id: WindowId,
    },
    /// Restored a minimized or maximized window.
    #[serde(rename = "window.restore")]
    Restore {
        /// The window.
        window_id: WindowId,
    },
    /// Locked a window, so that agents cannot change it.
    #[serde(rename = "window.lock")]
    Lock {
        /// The window.
        window_id: WindowId,
    },
    /// Unlocked a window, regardless of the holder.
    #[serde(rename = "window.unlock")]
    Unlock {
        /// The window.
        window_id: WindowId,
    },
    /// Drew on a window.
    #[serde(rename = "window.draw")]
    Draw {
        /// The window.
        window_id: WindowId,
        /// Description of the drawing.
        text: String,
    },
    /// Did something in an app, as reported by the app.
    #[serde(rename = "app.interaction")]
    App {
        /// The app's window.
        window_id: WindowId,
        /// Token of the app. It is not stored.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        token: Option<String>,
        /// Description of what the user did.
        #[serde(default)]
        text: String,
        /// The command with the same effect. It is stored like a command of an agent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        did: Option<AppCommand>,
    },
}

impl Interaction {
    /// The window that the interaction is about.
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

/// `user.interaction`: what the user did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UserInteraction {
    /// The session.
    #[serde(flatten)]
    pub session: SessionRef,
    /// The interactions, in order. At most 64.
    #[schemars(length(max = 64))]
    pub interactions: Vec<Interaction>,
}

/// What the user did, in order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interactions {
    /// The monitor. Default: `main`.
    #[serde(default, skip_serializing_if = "MonitorId::is_primary")]
    pub monitor_id: MonitorId,
    /// The interactions.
    pub interactions: Vec<Interaction>,
}

/// `window.message`: a message to the agent of a window. The answer is like that of `chat.send`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WindowMessage {
    /// The session.
    #[serde(flatten)]
    pub session: SessionRef,
    /// The window.
    pub window_id: WindowId,
    /// The user's text, at most 256 KiB.
    #[schemars(regex(pattern = crate::patterns::NOT_BLANK))]
    pub content: String,
    /// Idempotency key. For 24 hours a repeated message with the same key returns the same turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 200))]
    pub idempotency_key: Option<String>,
}

/// `window.action`: the user chose an action in a window. The answer is like that of `chat.send`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WindowAction {
    /// The session.
    #[serde(flatten)]
    pub session: SessionRef,
    /// The window.
    pub window_id: WindowId,
    /// The action.
    #[serde(flatten)]
    pub act: WindowPress,
    /// Idempotency key. For 24 hours a repeated message with the same key returns the same turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// An action that the user chose in a window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WindowPress {
    /// Name of the action.
    pub action: String,
    /// The client's own id of this action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action_id: Option<String>,
    /// Values of the form's fields, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub form_data: BTreeMap<String, String>,
    /// Path of the component in the layout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub component_path: Option<String>,
    /// Whether the action runs beside the running turn of the window's agent. Default: false.
    #[serde(default, skip_serializing_if = "crate::turn::is_no")]
    pub parallel: bool,
}

/// The window that a turn is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WindowRequest {
    /// The window.
    pub window_id: WindowId,
    /// The action. Absent if the user sent a message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub act: Option<WindowPress>,
}

/// `render.feedback`: whether the client could render a window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RenderFeedback {
    /// The session.
    #[serde(flatten)]
    pub session: SessionRef,
    /// The window.
    pub window_id: WindowId,
    /// Whether the window was rendered.
    pub ok: bool,
    /// Why it was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A window that a client could not render.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RenderFailure {
    /// The window.
    pub window_id: WindowId,
    /// The monitor of the window. Default: `main`.
    #[serde(default, skip_serializing_if = "MonitorId::is_primary")]
    pub monitor_id: MonitorId,
    /// The client's error message.
    pub error: String,
}

/// `monitor.subscribe` and `monitor.remove`: names a monitor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MonitorRef {
    /// The session.
    #[serde(flatten)]
    pub session: SessionRef,
    /// The monitor.
    pub monitor_id: MonitorId,
}
