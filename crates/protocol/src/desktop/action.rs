//! Actions: changes of a desktop.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Bounds, Dialog, LockHolder, Notification, RestoreMode, Toast, WindowContent};
use crate::{MonitorId, Origin, SessionId, TurnId, WindowId};

/// A change of a desktop.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type")]
pub enum Action {
    /// Opens a window in front of the others.
    #[serde(rename = "window.create")]
    Create {
        /// Name of the window.
        window_id: WindowId,
        /// The group that the window joins. Default: a new group.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        group: Option<WindowId>,
        /// Title of the window.
        title: String,
        /// Position and size.
        bounds: Bounds,
        /// Content of the window.
        content: WindowContent,
        /// Whether title and content are trusted.
        #[serde(default)]
        origin: Origin,
        /// With an app: the token that the app's messages must carry, so that no other frame can
        /// act as the app.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        token: Option<String>,
    },
    /// Closes a window.
    #[serde(rename = "window.close")]
    Close {
        /// The window.
        window_id: WindowId,
    },
    /// Brings a window to the front.
    #[serde(rename = "window.focus")]
    Focus {
        /// The window.
        window_id: WindowId,
    },
    /// Moves a window.
    #[serde(rename = "window.move")]
    Move {
        /// The window.
        window_id: WindowId,
        /// Distance from the left edge, in desktop units.
        x: u32,
        /// Distance from the top edge, in desktop units.
        y: u32,
    },
    /// Resizes a window.
    #[serde(rename = "window.resize")]
    Resize {
        /// The window.
        window_id: WindowId,
        /// Width in desktop units.
        width: u32,
        /// Height in desktop units.
        height: u32,
    },
    /// Minimizes a window.
    #[serde(rename = "window.minimize")]
    Minimize {
        /// The window.
        window_id: WindowId,
    },
    /// Maximizes a window on its monitor.
    #[serde(rename = "window.maximize")]
    Maximize {
        /// The window.
        window_id: WindowId,
    },
    /// Restores a minimized or maximized window.
    #[serde(rename = "window.restore")]
    Restore {
        /// The window.
        window_id: WindowId,
    },
    /// Changes the title of a window.
    #[serde(rename = "window.title")]
    Title {
        /// The window.
        window_id: WindowId,
        /// The new title.
        title: String,
        /// Whether the title is trusted.
        #[serde(default)]
        origin: Origin,
    },
    /// Replaces the content of a window.
    #[serde(rename = "window.content")]
    Content {
        /// The window.
        window_id: WindowId,
        /// The new content.
        content: WindowContent,
        /// Whether the content is trusted.
        #[serde(default)]
        origin: Origin,
        /// With a new app: the token that the app's messages must carry.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        token: Option<String>,
    },
    /// Locks a window. Only the holder can change it from now on.
    #[serde(rename = "window.lock")]
    Lock {
        /// The window.
        window_id: WindowId,
        /// The holder of the lock.
        holder: LockHolder,
    },
    /// Unlocks a window.
    #[serde(rename = "window.unlock")]
    Unlock {
        /// The window.
        window_id: WindowId,
    },
    /// Shows a toast.
    #[serde(rename = "toast.show")]
    Toast(Toast),
    /// Shows a notification.
    #[serde(rename = "notification.show")]
    Notification(Notification),
    /// Asks the user to choose.
    #[serde(rename = "dialog.show")]
    Dialog(Dialog),
    /// Asks the user to fill in fields.
    #[serde(rename = "prompt.show")]
    Prompt(Dialog),
    /// Adds a monitor.
    #[serde(rename = "monitor.add")]
    AddMonitor {
        /// The monitor.
        monitor_id: MonitorId,
    },
    /// Removes a monitor and everything on it.
    #[serde(rename = "monitor.remove")]
    RemoveMonitor {
        /// The monitor.
        monitor_id: MonitorId,
    },
}

impl Action {
    /// Name on the wire, for example `window.create`.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Create { .. } => "window.create",
            Self::Close { .. } => "window.close",
            Self::Focus { .. } => "window.focus",
            Self::Move { .. } => "window.move",
            Self::Resize { .. } => "window.resize",
            Self::Minimize { .. } => "window.minimize",
            Self::Maximize { .. } => "window.maximize",
            Self::Restore { .. } => "window.restore",
            Self::Title { .. } => "window.title",
            Self::Content { .. } => "window.content",
            Self::Lock { .. } => "window.lock",
            Self::Unlock { .. } => "window.unlock",
            Self::Toast(_) => "toast.show",
            Self::Notification(_) => "notification.show",
            Self::Dialog(_) => "dialog.show",
            Self::Prompt(_) => "prompt.show",
            Self::AddMonitor { .. } => "monitor.add",
            Self::RemoveMonitor { .. } => "monitor.remove",
        }
    }

    /// The window that the action is about.
    pub const fn window_id(&self) -> Option<&WindowId> {
        match self {
            Self::Create { window_id, .. }
            | Self::Close { window_id }
            | Self::Focus { window_id }
            | Self::Move { window_id, .. }
            | Self::Resize { window_id, .. }
            | Self::Minimize { window_id }
            | Self::Maximize { window_id }
            | Self::Restore { window_id }
            | Self::Title { window_id, .. }
            | Self::Content { window_id, .. }
            | Self::Lock { window_id, .. }
            | Self::Unlock { window_id } => Some(window_id),
            Self::Toast(_)
            | Self::Notification(_)
            | Self::Dialog(_)
            | Self::Prompt(_)
            | Self::AddMonitor { .. }
            | Self::RemoveMonitor { .. } => None,
        }
    }
}

/// Changes of a desktop, in order. If the event has a turn, its agent made them, otherwise the
/// user.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Actions {
    /// The monitor. Default: `main`.
    #[serde(default, skip_serializing_if = "MonitorId::is_primary")]
    pub monitor_id: MonitorId,
    /// The changes.
    pub actions: Vec<Action>,
    /// Idempotency key of the changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The turn whose actions are replayed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay_of: Option<TurnId>,
}

/// An earlier session that was restored into this one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionRestored {
    /// The earlier session.
    pub session_id: SessionId,
    /// How its windows were restored.
    pub windows: RestoreMode,
    /// Description of the windows that were open, if they were not opened again.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// Whether that description is trusted.
    #[serde(default)]
    pub origin: Origin,
}
