//! Applies actions to the desktop. Total: an action that makes no sense changes nothing.

use protocol::{
    Action, AppCommand, AppManifest, AppOutcome, AppRegistered, AppRequest, AppRequestId, DialogId, LockHolder,
    MonitorId, Origin, Timestamp, Toast, ToastId, Window, WindowContent, WindowId, WindowState,
};

use super::{Desktop, DesktopActor, PendingAppRequest, WindowRecord, check::is_same_app, json_bytes, restore};
use crate::limits::{NOTIFICATIONS_MAX, TOASTS_MAX};

/// What an action has removed from the desktop beside its own target.
#[derive(Debug, Default)]
pub(crate) struct RemovedItems {
    /// The windows that were closed.
    pub(crate) windows: Vec<Window>,
    /// Requests to apps that were dropped.
    pub(crate) requests: Vec<PendingAppRequest>,
    /// Dialogs that were dropped.
    pub(crate) dialogs: Vec<protocol::Dialog>,
}

impl Desktop {
    /// Applies an action.
    pub(crate) fn apply(
        &mut self,
        action: &Action,
        monitor_id: &MonitorId,
        actor: DesktopActor<'_>,
        at: Timestamp,
    ) -> RemovedItems {
        match action {
            Action::Create { .. } => self.create(action, monitor_id, actor, at),
            Action::Close { window_id } => return self.close(|window| window.window_id == *window_id),
            Action::Focus { window_id } => {
                self.show(window_id, |state| if state == WindowState::Minimized { WindowState::Normal } else { state });
            }
            Action::Maximize { window_id } => self.show(window_id, |_| WindowState::Maximized),
            Action::Restore { window_id } => self.show(window_id, |_| WindowState::Normal),
            Action::Minimize { window_id } => self.change(window_id, |window| window.state = WindowState::Minimized),
            Action::Move { window_id, x, y } => {
                self.change(window_id, |window| (window.bounds.x, window.bounds.y) = (*x, *y));
            }
            Action::Resize { window_id, width, height } => {
                self.change(window_id, |window| (window.bounds.width, window.bounds.height) = (*width, *height));
            }
            Action::Title { window_id, title, origin } => {
                if let Some(placed) = self.placed_mut(window_id) {
                    placed.window.title.clone_from(title);
                    placed.title_origin = *origin;
                    placed.touch(at);
                }
            }
            Action::Content { window_id, content, origin, token } => {
                let placed = self.placed_mut(window_id);
                if placed.is_some_and(|placed| placed.show(content, *origin, token.as_deref(), at)) {
                    return self.drop_requests(|pending| pending.asked.window_id == *window_id);
                }
            }
            Action::Lock { window_id, holder } => {
                self.change(window_id, |window| window.locked_by = Some(LockHolder::clone(holder)));
            }
            Action::Unlock { window_id } => self.change(window_id, |window| window.locked_by = None),
            Action::RemoveMonitor { monitor_id } if !monitor_id.is_primary() => {
                self.monitors.retain(|monitor| monitor != monitor_id);
                let mut gone = self.close(|window| window.monitor_id == *monitor_id);
                gone.dialogs = self.dialogs.extract_if(.., |dialog| dialog.monitor_id == *monitor_id).collect();
                return gone;
            }
            other => self.apply_other(other),
        }
        RemovedItems::default()
    }

    /// Applies an action that removes nothing but its own target.
    fn apply_other(&mut self, action: &Action) {
        match action {
            Action::Toast(toast) => {
                self.dismiss(toast.toast_id);
                self.toasts.push_back(toast.clone());
                while self.toasts.len() > TOASTS_MAX {
                    self.toasts.pop_front();
                }
            }
            Action::Notification(notification) => {
                self.dismiss(notification.toast_id);
                self.notifications.push_back(notification.clone());
                while self.notifications.len() > NOTIFICATIONS_MAX {
                    self.notifications.pop_front();
                }
            }
            Action::Dialog(dialog) | Action::Prompt(dialog) if self.dialog(dialog.dialog_id).is_none() => {
                self.dialogs.push(dialog.clone());
            }
            Action::AddMonitor { monitor_id } if !self.has_monitor(monitor_id) => {
                self.monitors.push(monitor_id.clone());
            }
            _ => {}
        }
    }

    /// Removes a toast or a notification.
    pub(crate) fn dismiss(&mut self, id: ToastId) {
        self.toasts.retain(|toast: &Toast| toast.toast_id != id);
        self.notifications.retain(|notification| notification.toast_id != id);
    }

    /// Removes a dialog.
    pub(crate) fn settle_dialog(&mut self, id: DialogId) -> Option<protocol::Dialog> {
        let index = self.dialogs.iter().position(|dialog| dialog.dialog_id == id)?;
        Some(self.dialogs.remove(index))
    }

    /// Adds a request to an app.
    pub(crate) fn ask(&mut self, pending: PendingAppRequest) {
        if self.pending_request(pending.asked.request_id).is_none() {
            self.requests.push(pending);
        }
    }

    /// An app has registered its manifest. Commands that the new manifest no longer names are not
    /// replayed.
    pub(crate) fn register(&mut self, ready: &AppManifest) {
        let app = self.placed_mut(&ready.window_id).and_then(|placed| placed.window.app.as_mut());
        if let Some(app) = app {
            app.restore.retain(|command| restore::is_kept(&ready.manifest, command));
            app.manifest = Some(ready.manifest.clone());
        }
    }

    /// Settles a request to an app. A command that the app has carried out is kept if it changes
    /// what the app shows.
    pub(crate) fn settle_request(&mut self, id: AppRequestId, outcome: &AppOutcome, at: Timestamp) {
        let Some(index) = self.requests.iter().position(|pending| pending.asked.request_id == id) else { return };
        let asked = self.requests.remove(index).asked;
        if let (AppRequest::Command(command), AppOutcome::Ok(_)) = (asked.request, outcome) {
            self.keep_command(&asked.window_id, command, at);
        }
    }

    /// The content of a window counts as untrusted from now on.
    pub(crate) fn distrust(&mut self, window_id: &WindowId) {
        if let Some(placed) = self.placed_mut(window_id) {
            placed.content_origin = Origin::Untrusted;
            placed.window.origin = Origin::Untrusted;
        }
    }

    /// Keeps a command that brings the app to its current state.
    pub(crate) fn keep_command(&mut self, window_id: &WindowId, command: AppCommand, at: Timestamp) {
        let Some(placed) = self.placed_mut(window_id) else { return };
        placed.window.updated_at = at;
        if let Some(AppRegistered { manifest: Some(manifest), restore, .. }) = &mut placed.window.app {
            restore::keep(restore, manifest, command);
        }
    }

    /// Closes the windows that match, and drops the requests to their apps.
    pub(crate) fn close(&mut self, is_meant: impl Fn(&Window) -> bool) -> RemovedItems {
        let closed: Vec<WindowRecord> = self.windows.extract_if(.., |placed| is_meant(&placed.window)).collect();
        let windows: Vec<Window> = closed.into_iter().map(|placed| placed.window).collect();
        let is_closed = |id: &WindowId| windows.iter().any(|window| window.window_id == *id);
        self.stack.retain(|id| !is_closed(id));
        let RemovedItems { requests, .. } = self.drop_requests(|pending| is_closed(&pending.asked.window_id));
        RemovedItems { windows, requests, dialogs: Vec::new() }
    }

    /// Drops the requests to apps that match.
    pub(crate) fn drop_requests(&mut self, is_meant: impl Fn(&PendingAppRequest) -> bool) -> RemovedItems {
        let requests = self.requests.extract_if(.., |pending| is_meant(pending)).collect();
        RemovedItems { requests, ..RemovedItems::default() }
    }

    /// Drops the dialogs that match.
    pub(crate) fn drop_dialogs(&mut self, is_meant: impl Fn(&protocol::Dialog) -> bool) {
        self.dialogs.retain(|dialog| !is_meant(dialog));
    }

    fn create(&mut self, action: &Action, monitor_id: &MonitorId, actor: DesktopActor<'_>, at: Timestamp) {
        let Action::Create { window_id, group, title, bounds, content, origin, token } = action else { return };
        if self.window(window_id).is_some() || !self.has_monitor(monitor_id) {
            return;
        }
        let window = Window {
            window_id: window_id.clone(),
            monitor_id: monitor_id.clone(),
            group: group.as_ref().unwrap_or(window_id).clone(),
            title: title.clone(),
            bounds: *bounds,
            state: WindowState::Normal,
            content: content.clone(),
            origin: *origin,
            locked_by: None,
            opened_by: match actor {
                DesktopActor::User => None,
                DesktopActor::Agent(agent_id) => Some(agent_id.clone()),
            },
            opened_at: at,
            updated_at: at,
            app: new_app(content, token.as_deref()),
        };
        let bytes = json_bytes(content);
        self.windows.push(WindowRecord { window, bytes, title_origin: *origin, content_origin: *origin });
        self.stack.push(window_id.clone());
    }

    fn change(&mut self, id: &WindowId, change: impl FnOnce(&mut Window)) {
        if let Some(placed) = self.placed_mut(id) {
            change(&mut placed.window);
        }
    }

    /// Brings a window to the front.
    fn show(&mut self, id: &WindowId, state: impl FnOnce(WindowState) -> WindowState) {
        self.change(id, |window| window.state = state(window.state));
        if let Some(index) = self.stack.iter().position(|stacked| stacked == id) {
            let id = self.stack.remove(index);
            self.stack.push(id);
        }
    }
}

impl WindowRecord {
    /// Replaces the content of a window. Returns whether the requests to its app are void.
    fn show(&mut self, content: &WindowContent, origin: Origin, token: Option<&str>, at: Timestamp) -> bool {
        let is_another = !is_same_app(&self.window.content, content);
        if is_another {
            self.window.app = new_app(content, token);
        }
        self.bytes = json_bytes(content);
        self.window.content = content.clone();
        // The same app still has the commands it received before.
        if is_another || origin == Origin::Untrusted || !matches!(content, WindowContent::App { .. }) {
            self.content_origin = origin;
        }
        self.touch(at);
        is_another
    }

    fn touch(&mut self, at: Timestamp) {
        let is_trusted = [self.title_origin, self.content_origin].iter().all(|origin| *origin == Origin::Trusted);
        self.window.origin = if is_trusted { Origin::Trusted } else { Origin::Untrusted };
        self.window.updated_at = at;
    }
}

/// The app of a window, before it has registered.
fn new_app(content: &WindowContent, token: Option<&str>) -> Option<AppRegistered> {
    let token = token.filter(|_| matches!(content, WindowContent::App { .. }))?;
    Some(AppRegistered { token: token.to_owned(), manifest: None, restore: Vec::new() })
}
