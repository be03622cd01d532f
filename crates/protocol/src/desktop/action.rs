//! What is done to a desktop.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Bounds, Content, Dialog, Holder, Notification, RestoreMode, Toast};
use crate::{MonitorId, Origin, SessionId, TurnId, WindowId};

/// Something that is done to a desktop, by name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type")]
pub enum Action {
    /// A window opens, in front of the others.
    #[serde(rename = "window.create")]
    Create {
        /// Its name.
        window_id: WindowId,
        /// The group it joins; none begins one of its own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        group: Option<WindowId>,
        /// What stands above it.
        title: String,
        /// Where it is.
        bounds: Bounds,
        /// What it shows.
        content: Content,
        /// Whose words it may be.
        #[serde(default)]
        origin: Origin,
        /// With an app: what its messages have to carry, so that no other frame can speak for it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        token: Option<String>,
    },
    /// A window is closed.
    #[serde(rename = "window.close")]
    Close {
        /// Which.
        window_id: WindowId,
    },
    /// A window comes to the front.
    #[serde(rename = "window.focus")]
    Focus {
        /// Which.
        window_id: WindowId,
    },
    /// A window is elsewhere.
    #[serde(rename = "window.move")]
    Move {
        /// Which.
        window_id: WindowId,
        /// From the left.
        x: u32,
        /// From the top.
        y: u32,
    },
    /// A window has another size.
    #[serde(rename = "window.resize")]
    Resize {
        /// Which.
        window_id: WindowId,
        /// How wide.
        width: u32,
        /// How high.
        height: u32,
    },
    /// A window is put away.
    #[serde(rename = "window.minimize")]
    Minimize {
        /// Which.
        window_id: WindowId,
    },
    /// A window covers its monitor.
    #[serde(rename = "window.maximize")]
    Maximize {
        /// Which.
        window_id: WindowId,
    },
    /// A window is at its place again.
    #[serde(rename = "window.restore")]
    Restore {
        /// Which.
        window_id: WindowId,
    },
    /// A window has another title.
    #[serde(rename = "window.title")]
    Title {
        /// Which.
        window_id: WindowId,
        /// What stands above it.
        title: String,
        /// Whose words it may be.
        #[serde(default)]
        origin: Origin,
    },
    /// A window shows something else.
    #[serde(rename = "window.content")]
    Content {
        /// Which.
        window_id: WindowId,
        /// What it shows.
        content: Content,
        /// Whose words it may be.
        #[serde(default)]
        origin: Origin,
        /// With an app that was not in it before: what its messages have to carry.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        token: Option<String>,
    },
    /// Only the holder changes the window from now on.
    #[serde(rename = "window.lock")]
    Lock {
        /// Which.
        window_id: WindowId,
        /// Who.
        holder: Holder,
    },
    /// Everybody may change the window again.
    #[serde(rename = "window.unlock")]
    Unlock {
        /// Which.
        window_id: WindowId,
    },
    /// Something is said in passing.
    #[serde(rename = "toast.show")]
    Toast(Toast),
    /// Something is said that stays until it is dismissed.
    #[serde(rename = "notification.show")]
    Notification(Notification),
    /// The user is asked to choose.
    #[serde(rename = "dialog.show")]
    Dialog(Dialog),
    /// The user is asked to fill something in.
    #[serde(rename = "prompt.show")]
    Prompt(Dialog),
    /// There is one monitor more.
    #[serde(rename = "monitor.add")]
    AddMonitor {
        /// Which.
        monitor_id: MonitorId,
    },
    /// A monitor is gone, with all that was on it.
    #[serde(rename = "monitor.remove")]
    RemoveMonitor {
        /// Which.
        monitor_id: MonitorId,
    },
}

impl Action {
    /// Its name, as in `window.create`.
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

    /// The window it is about.
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

/// What was done to a desktop, in order. With a turn, its agent did it; without one, the user.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Actions {
    /// The monitor it was done on.
    #[serde(default, skip_serializing_if = "MonitorId::is_primary")]
    pub monitor_id: MonitorId,
    /// What was done.
    pub actions: Vec<Action>,
    /// The key that makes doing it again harmless.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The turn whose actions these are once more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay_of: Option<TurnId>,
}

/// An earlier session goes on in this one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Restored {
    /// Which.
    pub session_id: SessionId,
    /// What became of its windows.
    pub windows: RestoreMode,
    /// The windows that were open, in words, where they are not open any more.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// Whose words that may be.
    #[serde(default)]
    pub origin: Origin,
}
