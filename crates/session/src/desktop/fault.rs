//! Why an action on the desktop is refused. Agents read these messages too, so each says what to do
//! instead.

use protocol::{Bounds, DialogId, LockHolder, MonitorId, ToastId, WindowId};

use crate::limits::{
    APP_REQUESTS_MAX, CHOICES_MAX, CONTENT_BYTES_MAX, DESKTOP_BYTES_MAX, DESKTOP_HEIGHT, DESKTOP_WIDTH,
    DIALOG_BYTES_MAX, DIALOGS_MAX, MONITORS_MAX, WINDOW_HEIGHT_MIN, WINDOW_TITLE_CHARS_MAX, WINDOW_WIDTH_MIN,
    WINDOWS_MAX,
};

/// Why an action on the desktop is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DesktopFault {
    /// No window of that name is open.
    #[error("there is no window `{window_id}`; {}", listed("open are", near, "no window is open"))]
    NoWindow {
        /// The window.
        window_id: WindowId,
        /// The open windows, the most similar name first.
        near: Vec<String>,
    },
    /// The name is taken by another window.
    #[error("there is a window `{window_id}` already; choose another name, or change that one")]
    NameTaken {
        /// The window.
        window_id: WindowId,
    },
    /// The window is on another monitor than the agent.
    #[error("window `{window_id}` is on monitor `{monitor_id}`; an agent can only use windows of its own monitor")]
    OtherMonitor {
        /// The window.
        window_id: WindowId,
        /// The monitor it is on.
        monitor_id: MonitorId,
    },
    /// Another actor holds the window's lock.
    #[error("window `{window_id}` is locked by {holder}; leave it as it is until it is released")]
    Locked {
        /// The window.
        window_id: WindowId,
        /// The holder of the lock.
        holder: LockHolder,
    },
    /// The lock would be held by another actor than the one that asks for it.
    #[error("window `{window_id}` can only be locked for yourself, not for {holder}")]
    LockForAnother {
        /// The window.
        window_id: WindowId,
        /// The holder that was given.
        holder: LockHolder,
    },
    /// The window would not fit on the desktop.
    #[error(
        "window `{window_id}` would be {}x{} at {},{}; it is at least {WINDOW_WIDTH_MIN}x{WINDOW_HEIGHT_MIN} and lies within \
         {DESKTOP_WIDTH}x{DESKTOP_HEIGHT}", bounds.width, bounds.height, bounds.x, bounds.y
    )]
    OutOfBounds {
        /// The window.
        window_id: WindowId,
        /// Where it would be.
        bounds: Bounds,
    },
    /// Too many windows are open.
    #[error("{WINDOWS_MAX} windows are open already; close one first")]
    TooManyWindows,
    /// The content of a window is too large.
    #[error("the content of window `{window_id}` has {bytes} bytes; at most {CONTENT_BYTES_MAX} are shown")]
    ContentTooLarge {
        /// The window.
        window_id: WindowId,
        /// Size of the content.
        bytes: usize,
    },
    /// All windows together are too large.
    #[error("all windows together would show {bytes} bytes, at most {DESKTOP_BYTES_MAX}; close some first")]
    DesktopFull {
        /// Size of all contents.
        bytes: usize,
    },
    /// A number is infinite or not a number.
    #[error("window `{window_id}` would show a number that is infinite or not a number")]
    NoNumber {
        /// The window.
        window_id: WindowId,
    },
    /// The title is not allowed.
    #[error("a title has 1 to {WINDOW_TITLE_CHARS_MAX} characters and no control characters")]
    BadTitle,
    /// A text is empty or too long.
    #[error("{what} has 1 to {max} characters")]
    BadText {
        /// The text.
        what: &'static str,
        /// The longest allowed length.
        max: usize,
    },
    /// The group does not exist.
    #[error("there is no group `{group}` on this monitor; {}", listed("there are", near, "leave `group` out"))]
    NoGroup {
        /// The group.
        group: WindowId,
        /// The groups that exist.
        near: Vec<String>,
    },
    /// An app without a token: it could not register or answer.
    #[error("window `{window_id}` would show an app without a token")]
    NoToken {
        /// The window.
        window_id: WindowId,
    },
    /// The toast or notification does not exist.
    #[error("there is no toast or notification {toast_id}; it is already gone")]
    NoToast {
        /// The toast.
        toast_id: ToastId,
    },
    /// The dialog is open already.
    #[error("dialog {dialog_id} is open already")]
    DialogTaken {
        /// The dialog.
        dialog_id: DialogId,
    },
    /// Too many dialogs are open.
    #[error("{DIALOGS_MAX} dialogs are open already; wait until the user has answered one")]
    TooManyDialogs,
    /// The dialog is too large.
    #[error("the dialog has {bytes} bytes; at most {DIALOG_BYTES_MAX} are shown")]
    DialogTooLarge {
        /// Size of the dialog.
        bytes: usize,
    },
    /// The choices do not allow an answer.
    #[error("a dialog has 1 to {CHOICES_MAX} choices, each with a label and a value of its own")]
    BadChoices,
    /// The form has no fields, or two of the same name.
    #[error("a prompt has at least one field to fill in, each with a name of its own")]
    BadFields,
    /// Questions are not desktop actions.
    #[error("a question is not an action; ask it as a question, so that the turn gets the answer")]
    AskInstead,
    /// Too many requests to apps are open.
    #[error("{APP_REQUESTS_MAX} requests to apps are open already; wait for one of them")]
    TooManyRequests,
    /// The monitor does not exist.
    #[error("there is no monitor `{monitor_id}`; there are `{}`", there.join("`, `"))]
    NoMonitor {
        /// The monitor.
        monitor_id: MonitorId,
        /// The monitors that exist.
        there: Vec<String>,
    },
    /// Too many monitors.
    #[error("a session has at most {MONITORS_MAX} monitors")]
    TooManyMonitors,
    /// The primary monitor stays.
    #[error("the primary monitor cannot be removed")]
    PrimaryMonitor,
    /// Only the user manages monitors.
    #[error("only the user adds and removes monitors")]
    UserOnly,
}

fn listed(before: &str, names: &[String], otherwise: &str) -> String {
    if names.is_empty() { otherwise.to_owned() } else { format!("{before} `{}`", names.join("`, `")) }
}
