//! Why something cannot be done on the desktop. Agents read these too, so each says what to do instead.

use protocol::{Bounds, DialogId, Holder, MonitorId, ToastId, WindowId};

use crate::limits::{
    APP_REQUESTS_MAX, CHOICES_MAX, CONTENT_BYTES_MAX, DESKTOP_BYTES_MAX, DESKTOP_HEIGHT, DESKTOP_WIDTH,
    DIALOG_BYTES_MAX, DIALOGS_MAX, MONITORS_MAX, WINDOW_HEIGHT_MIN, WINDOW_TITLE_CHARS_MAX, WINDOW_WIDTH_MIN,
    WINDOWS_MAX,
};

/// Why something cannot be done on the desktop.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    /// No such window is open.
    #[error("there is no window `{window_id}`; {}", listed("open are", near, "no window is open"))]
    NoWindow {
        /// Which.
        window_id: WindowId,
        /// Those that are open, the most similar name first.
        near: Vec<String>,
    },
    /// The name belongs to another window.
    #[error("there is a window `{window_id}` already; choose another name, or change that one")]
    NameTaken {
        /// Which.
        window_id: WindowId,
    },
    /// The window is not where the agent works.
    #[error("window `{window_id}` is on monitor `{monitor_id}`; an agent touches windows of its own monitor only")]
    OtherMonitor {
        /// Which.
        window_id: WindowId,
        /// Where it is.
        monitor_id: MonitorId,
    },
    /// Somebody else holds the window's lock.
    #[error("window `{window_id}` is locked by {holder}; leave it as it is until it is released")]
    Locked {
        /// Which.
        window_id: WindowId,
        /// Who.
        holder: Holder,
    },
    /// A lock in somebody else's name.
    #[error("window `{window_id}` can be locked in one's own name only, not for {holder}")]
    LockForAnother {
        /// Which.
        window_id: WindowId,
        /// For whom.
        holder: Holder,
    },
    /// The window would not fit.
    #[error(
        "window `{window_id}` would be {}x{} at {},{}; it is at least {WINDOW_WIDTH_MIN}x{WINDOW_HEIGHT_MIN} and lies within \
         {DESKTOP_WIDTH}x{DESKTOP_HEIGHT}", bounds.width, bounds.height, bounds.x, bounds.y
    )]
    OutOfBounds {
        /// Which.
        window_id: WindowId,
        /// Where it would be.
        bounds: Bounds,
    },
    /// Too many windows.
    #[error("{WINDOWS_MAX} windows are open already; close one first")]
    TooManyWindows,
    /// One window shows too much.
    #[error("the content of window `{window_id}` has {bytes} bytes; at most {CONTENT_BYTES_MAX} are shown")]
    ContentTooLarge {
        /// Which.
        window_id: WindowId,
        /// How much.
        bytes: usize,
    },
    /// All windows together show too much.
    #[error("all windows together would show {bytes} bytes, at most {DESKTOP_BYTES_MAX}; close some first")]
    DesktopFull {
        /// How much.
        bytes: usize,
    },
    /// A number that is none.
    #[error("window `{window_id}` would show a number that is infinite or none at all")]
    NoNumber {
        /// Which.
        window_id: WindowId,
    },
    /// Not a usable title.
    #[error("a title has 1 to {WINDOW_TITLE_CHARS_MAX} characters and no control characters")]
    BadTitle,
    /// Something is said at too great length, or not at all.
    #[error("{what} has 1 to {max} characters")]
    BadText {
        /// What.
        what: &'static str,
        /// How long it may be.
        max: usize,
    },
    /// No such group.
    #[error("there is no group `{group}` on this monitor; {}", listed("there are", near, "leave `group` out"))]
    NoGroup {
        /// Which.
        group: WindowId,
        /// Those that there are.
        near: Vec<String>,
    },
    /// An app that nobody could speak for.
    #[error("window `{window_id}` would show an app without a token")]
    NoToken {
        /// Which.
        window_id: WindowId,
    },
    /// No such toast or notification.
    #[error("there is no toast or notification {toast_id}; it has gone already")]
    NoToast {
        /// Which.
        toast_id: ToastId,
    },
    /// The dialog is open already.
    #[error("dialog {dialog_id} is open already")]
    DialogTaken {
        /// Which.
        dialog_id: DialogId,
    },
    /// Too many questions.
    #[error("{DIALOGS_MAX} dialogs are open already; wait until the user has answered one")]
    TooManyDialogs,
    /// A question that is too large.
    #[error("the dialog has {bytes} bytes; at most {DIALOG_BYTES_MAX} are shown")]
    DialogTooLarge {
        /// How large.
        bytes: usize,
    },
    /// A question that cannot be answered.
    #[error("a dialog has 1 to {CHOICES_MAX} choices, each with a label and a value of its own")]
    BadChoices,
    /// A form that cannot be filled in.
    #[error("a prompt has at least one field to fill in, each with a name of its own")]
    BadFields,
    /// A question is asked in another way.
    #[error("what the user or an app is asked is not an action; ask it, so that the turn hears the answer")]
    AskInstead,
    /// Too many requests to apps.
    #[error("apps have {APP_REQUESTS_MAX} requests to answer already; wait for one of them")]
    TooManyRequests,
    /// No such monitor.
    #[error("there is no monitor `{monitor_id}`; there are `{}`", there.join("`, `"))]
    NoMonitor {
        /// Which.
        monitor_id: MonitorId,
        /// Those that there are.
        there: Vec<String>,
    },
    /// Too many monitors.
    #[error("a session has at most {MONITORS_MAX} monitors")]
    TooManyMonitors,
    /// The primary monitor stays.
    #[error("the primary monitor cannot be removed")]
    PrimaryMonitor,
    /// Monitors are the user's.
    #[error("only the user adds and removes monitors")]
    UserOnly,
}

fn listed(before: &str, names: &[String], otherwise: &str) -> String {
    if names.is_empty() { otherwise.to_owned() } else { format!("{before} `{}`", names.join("`, `")) }
}
