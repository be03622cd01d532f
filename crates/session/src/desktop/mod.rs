//! The desktop of a session: what is open, who may change it, and which questions are open. Pure,
//! like the rest of the crate.
//!
//! `check.rs` decides whether actions are allowed, `apply.rs` applies them, and `events.rs` applies
//! desktop events to the session.

mod fault;

mod form;
mod manifest;
mod restore;

mod apply;
mod check;
mod digest;

mod events;

use std::collections::VecDeque;

use protocol::{
    AgentId, AppRequestId, AppRequested, Dialog, DialogId, MonitorId, Notification, Origin, Timestamp, Toast, ToastId,
    TurnId, Window, WindowId, WindowState,
};
use serde::{Deserialize, Serialize};

pub use self::{fault::DesktopFault, form::AnswerFault, manifest::AppFault};
pub(crate) use self::{
    form::check_answer,
    manifest::{check_manifest, check_request, check_token},
};
use crate::limits::NEAR_MAX;

/// Who acts on the desktop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DesktopActor<'a> {
    /// The user.
    User,
    /// An agent.
    Agent(&'a AgentId),
}

/// The content of the desktop. Everything in it has a limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
pub struct Desktop {
    /// All but the primary one, in the order in which they were added.
    monitors: Vec<MonitorId>,
    /// In the order in which they were opened.
    windows: Vec<WindowRecord>,
    /// From the back to the front.
    stack: Vec<WindowId>,
    toasts: VecDeque<Toast>,
    notifications: VecDeque<Notification>,
    dialogs: Vec<Dialog>,
    requests: Vec<PendingAppRequest>,
}

/// A window with data that clients do not see.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct WindowRecord {
    window: Window,
    /// Size of the content as JSON, measured once.
    bytes: usize,
    /// The origin of the title. It changes independently of the content: an untrusted title stays
    /// untrusted when the content is replaced.
    title_origin: Origin,
    content_origin: Origin,
}

/// A request that an app has not answered yet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct PendingAppRequest {
    /// The turn that sent it.
    pub(crate) turn_id: TurnId,
    pub(crate) asked: AppRequested,
}

impl Desktop {
    /// A window.
    pub fn window(&self, id: &WindowId) -> Option<&Window> {
        self.placed(id).map(|placed| &placed.window)
    }

    /// The windows, from the back to the front.
    pub fn windows(&self) -> impl DoubleEndedIterator<Item = &Window> {
        self.stack.iter().filter_map(|id| self.window(id))
    }

    /// The windows of a group, in the order they were opened.
    pub fn group<'a>(&'a self, group: &'a WindowId) -> impl Iterator<Item = &'a Window> {
        self.windows.iter().map(|placed| &placed.window).filter(move |window| window.group == *group)
    }

    /// The monitors; the primary one is always there.
    pub fn monitors(&self) -> Vec<MonitorId> {
        std::iter::once(MonitorId::primary()).chain(self.monitors.iter().cloned()).collect()
    }

    /// Whether there is a monitor of that name.
    pub fn has_monitor(&self, id: &MonitorId) -> bool {
        id.is_primary() || self.monitors.contains(id)
    }

    /// The window in front on a monitor; minimized windows do not count.
    pub fn focused(&self, monitor_id: &MonitorId) -> Option<&Window> {
        let is_shown = |window: &&Window| window.monitor_id == *monitor_id && window.state != WindowState::Minimized;
        self.windows().rev().find(is_shown)
    }

    /// The toasts, oldest first.
    pub fn toasts(&self) -> impl Iterator<Item = &Toast> {
        self.toasts.iter()
    }

    /// The notifications, which stay until they are dismissed, oldest first.
    pub fn notifications(&self) -> impl Iterator<Item = &Notification> {
        self.notifications.iter()
    }

    /// The open dialogs, oldest first.
    pub fn dialogs(&self) -> impl Iterator<Item = &Dialog> {
        self.dialogs.iter()
    }

    /// The open requests to apps, oldest first.
    pub fn requests(&self) -> impl Iterator<Item = &AppRequested> {
        self.requests.iter().map(|pending| &pending.asked)
    }

    /// The earliest deadline of the open dialogs and app requests.
    pub fn next_expiry(&self) -> Option<Timestamp> {
        let dialogs = self.dialogs.iter().map(|dialog| dialog.expires_at);
        dialogs.chain(self.requests().map(|asked| asked.expires_at)).min()
    }

    pub(crate) fn dialog(&self, id: DialogId) -> Option<&Dialog> {
        self.dialogs.iter().find(|dialog| dialog.dialog_id == id)
    }

    pub(crate) fn toast(&self, id: ToastId) -> Option<&Toast> {
        self.toasts.iter().find(|toast| toast.toast_id == id)
    }

    pub(crate) fn has_notification(&self, id: ToastId) -> bool {
        self.notifications.iter().any(|notification| notification.toast_id == id)
    }

    pub(crate) fn pending(&self) -> &[PendingAppRequest] {
        &self.requests
    }

    pub(crate) fn pending_request(&self, id: AppRequestId) -> Option<&PendingAppRequest> {
        self.requests.iter().find(|pending| pending.asked.request_id == id)
    }

    /// The error for a missing window, with those that exist on one monitor or on all.
    pub(crate) fn no_window(&self, id: &WindowId, monitor_id: Option<&MonitorId>) -> DesktopFault {
        let is_meant = |window: &&Window| monitor_id.is_none_or(|monitor| window.monitor_id == *monitor);
        let names = self.windows().filter(is_meant).map(|window| window.window_id.as_str());
        DesktopFault::NoWindow { window_id: id.clone(), near: nearest(id.as_str(), names) }
    }

    /// The error for a missing monitor, with those that exist.
    pub(crate) fn no_monitor(&self, id: &MonitorId) -> DesktopFault {
        let there = self.monitors().into_iter().map(String::from).collect();
        DesktopFault::NoMonitor { monitor_id: id.clone(), there }
    }

    fn placed(&self, id: &WindowId) -> Option<&WindowRecord> {
        self.windows.iter().find(|placed| placed.window.window_id == *id)
    }

    fn placed_mut(&mut self, id: &WindowId) -> Option<&mut WindowRecord> {
        self.windows.iter_mut().find(|placed| placed.window.window_id == *id)
    }
}

/// A few names, the most similar first.
fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut ranked: Vec<(f64, &str)> = names.map(|name| (strsim::jaro_winkler(wanted, name), name)).collect();
    ranked.sort_by(|(one, name), (other, other_name)| other.total_cmp(one).then_with(|| name.cmp(other_name)));
    ranked.dedup_by(|(_, one), (_, other)| one == other);
    ranked.into_iter().take(NEAR_MAX).map(|(_, name)| name.to_owned()).collect()
}

/// Size of a value as JSON.
pub(crate) fn json_bytes(value: &impl Serialize) -> usize {
    // A value that cannot be serialized exceeds every limit.
    serde_json::to_vec(value).map_or(usize::MAX, |json| json.len())
}
