//! Checks whether actions can be applied. Locks and limits are enforced here, for every agent,
//! whatever a page shows.

use std::borrow::Cow;

use protocol::{
    Action, Bounds, Chart, Component, Dialog, DialogForm, Layout, LockHolder, MonitorId, Timestamp, Window,
    WindowContent, WindowId,
};

use super::{Desktop, DesktopActor, DesktopFault, form, json_bytes, nearest};
use crate::{
    limits::{
        ACTIONS_MAX, CONTENT_BYTES_MAX, DESKTOP_BYTES_MAX, DESKTOP_HEIGHT, DESKTOP_WIDTH, DIALOG_BYTES_MAX,
        DIALOGS_MAX, MONITORS_MAX, NOTIFICATION_CHARS_MAX, REMARK_CHARS_MAX, TOKEN_CHARS_MAX, WINDOW_HEIGHT_MIN,
        WINDOW_TITLE_CHARS_MAX, WINDOW_WIDTH_MIN, WINDOWS_MAX,
    },
    refusal::Refusal,
};

impl Desktop {
    /// Checks actions one after another, so that later ones may depend on earlier ones. The error
    /// names the first action that cannot be applied, and why.
    pub(crate) fn check(
        &self,
        actor: DesktopActor<'_>,
        monitor_id: &MonitorId,
        actions: &[Action],
    ) -> Result<(), Refusal> {
        if actions.len() > ACTIONS_MAX {
            return Err(Refusal::TooManyActions { actions: actions.len() });
        }
        if !self.has_monitor(monitor_id) {
            return Err(Refusal::Desktop(self.no_monitor(monitor_id)));
        }
        // A single action needs no copy of the desktop.
        let mut desktop = Cow::Borrowed(self);
        for (index, action) in actions.iter().enumerate() {
            let refuse = |why| Refusal::Action { number: index + 1, action: action.name(), why };
            desktop.admit(actor, monitor_id, action).map_err(refuse)?;
            if index + 1 < actions.len() {
                desktop.to_mut().apply(action, monitor_id, actor, Timestamp::from_millis(0));
            }
        }
        Ok(())
    }

    fn admit(&self, actor: DesktopActor<'_>, monitor_id: &MonitorId, action: &Action) -> Result<(), DesktopFault> {
        match action {
            Action::Create { window_id, group, title, bounds, content, token, .. } => {
                // A group keeps the name of its first window, even after that window was closed.
                let is_group = self.group(window_id).next().is_some();
                if self.window(window_id).is_some() || is_group {
                    return Err(DesktopFault::NameTaken { window_id: window_id.clone() });
                }
                if self.windows.len() >= WINDOWS_MAX {
                    return Err(DesktopFault::TooManyWindows);
                }
                self.admit_group(group.as_ref(), monitor_id)?;
                check_title(title)?;
                check_bounds(window_id, *bounds)?;
                self.admit_content(window_id, content, token.as_deref())
            }
            Action::Focus { window_id } => self.reach(actor, monitor_id, window_id).map(|_| ()),
            Action::Close { window_id }
            | Action::Minimize { window_id }
            | Action::Maximize { window_id }
            | Action::Restore { window_id }
            | Action::Unlock { window_id } => self.hold(actor, monitor_id, window_id).map(|_| ()),
            Action::Move { window_id, x, y } => {
                let window = self.hold(actor, monitor_id, window_id)?;
                check_bounds(window_id, Bounds { x: *x, y: *y, ..window.bounds })
            }
            Action::Resize { window_id, width, height } => {
                let window = self.hold(actor, monitor_id, window_id)?;
                check_bounds(window_id, Bounds { width: *width, height: *height, ..window.bounds })
            }
            Action::Title { window_id, title, .. } => {
                self.hold(actor, monitor_id, window_id)?;
                check_title(title)
            }
            Action::Content { window_id, content, token, .. } => {
                self.hold(actor, monitor_id, window_id)?;
                self.admit_content(window_id, content, token.as_deref())
            }
            Action::Lock { window_id, holder } => {
                self.hold(actor, monitor_id, window_id)?;
                let (window_id, holder) = (window_id.clone(), holder.clone());
                if is_holder(actor, &holder) { Ok(()) } else { Err(DesktopFault::LockForAnother { window_id, holder }) }
            }
            other => self.admit_other(actor, monitor_id, other),
        }
    }

    /// Checks an action that is not about a window.
    fn admit_other(
        &self,
        actor: DesktopActor<'_>,
        monitor_id: &MonitorId,
        action: &Action,
    ) -> Result<(), DesktopFault> {
        match action {
            Action::Toast(toast) => {
                check_text("a toast", &toast.text, REMARK_CHARS_MAX)?;
                toast.button.as_ref().map_or(Ok(()), |button| {
                    check_text("the label of a button", &button.label, WINDOW_TITLE_CHARS_MAX)?;
                    check_text("the action of a button", &button.action, WINDOW_TITLE_CHARS_MAX)
                })
            }
            Action::Notification(notification) => {
                check_title(&notification.title)?;
                if notification.text.chars().count() > NOTIFICATION_CHARS_MAX {
                    return Err(DesktopFault::BadText { what: "a notification", max: NOTIFICATION_CHARS_MAX });
                }
                Ok(())
            }
            Action::Dialog(dialog) | Action::Prompt(dialog) => self.admit_dialog(actor, monitor_id, dialog),
            Action::AddMonitor { .. } | Action::RemoveMonitor { .. } if actor != DesktopActor::User => {
                Err(DesktopFault::UserOnly)
            }
            Action::AddMonitor { monitor_id } => {
                let is_full = !self.has_monitor(monitor_id) && self.monitors.len() + 1 >= MONITORS_MAX;
                if is_full { Err(DesktopFault::TooManyMonitors) } else { Ok(()) }
            }
            Action::RemoveMonitor { monitor_id } if monitor_id.is_primary() => Err(DesktopFault::PrimaryMonitor),
            Action::RemoveMonitor { monitor_id } if !self.has_monitor(monitor_id) => Err(self.no_monitor(monitor_id)),
            _ => Ok(()),
        }
    }

    /// The window, if the actor may touch it at all.
    pub(crate) fn reach(
        &self,
        actor: DesktopActor<'_>,
        monitor_id: &MonitorId,
        id: &WindowId,
    ) -> Result<&Window, DesktopFault> {
        let whose = (actor != DesktopActor::User).then_some(monitor_id);
        let window = self.window(id).ok_or_else(|| self.no_window(id, whose))?;
        if is_near(actor, monitor_id, &window.monitor_id) {
            Ok(window)
        } else {
            Err(DesktopFault::OtherMonitor { window_id: id.clone(), monitor_id: window.monitor_id.clone() })
        }
    }

    /// The window, if the actor may change it.
    pub(crate) fn hold(
        &self,
        actor: DesktopActor<'_>,
        monitor_id: &MonitorId,
        id: &WindowId,
    ) -> Result<&Window, DesktopFault> {
        let window = self.reach(actor, monitor_id, id)?;
        match &window.locked_by {
            Some(holder) if actor != DesktopActor::User && !is_holder(actor, holder) => {
                Err(DesktopFault::Locked { window_id: id.clone(), holder: holder.clone() })
            }
            _ => Ok(window),
        }
    }

    fn admit_group(&self, group: Option<&WindowId>, monitor_id: &MonitorId) -> Result<(), DesktopFault> {
        let Some(group) = group else { return Ok(()) };
        let is_here = |window: &&Window| window.monitor_id == *monitor_id;
        if self.group(group).any(|window| is_here(&window)) {
            return Ok(());
        }
        let groups = self.windows().filter(is_here).map(|window| window.group.as_str());
        Err(DesktopFault::NoGroup { group: group.clone(), near: nearest(group.as_str(), groups) })
    }

    fn admit_content(&self, id: &WindowId, content: &WindowContent, token: Option<&str>) -> Result<(), DesktopFault> {
        let window_id = || id.clone();
        if !is_finite(content) {
            return Err(DesktopFault::NoNumber { window_id: window_id() });
        }
        let bytes = json_bytes(content);
        if bytes > CONTENT_BYTES_MAX {
            return Err(DesktopFault::ContentTooLarge { window_id: window_id(), bytes });
        }
        let others = self.windows.iter().filter(|placed| placed.window.window_id != *id).map(|placed| placed.bytes);
        let all = others.sum::<usize>() + bytes;
        if all > DESKTOP_BYTES_MAX {
            return Err(DesktopFault::DesktopFull { bytes: all });
        }
        let is_token = |token: &str| (1..=TOKEN_CHARS_MAX).contains(&token.chars().count());
        let goes_on = self.window(id).is_some_and(|window| is_same_app(&window.content, content));
        if matches!(content, WindowContent::App { .. }) && !goes_on && !token.is_some_and(is_token) {
            return Err(DesktopFault::NoToken { window_id: window_id() });
        }
        Ok(())
    }

    fn admit_dialog(
        &self,
        actor: DesktopActor<'_>,
        monitor_id: &MonitorId,
        dialog: &Dialog,
    ) -> Result<(), DesktopFault> {
        if self.dialog(dialog.dialog_id).is_some() {
            return Err(DesktopFault::DialogTaken { dialog_id: dialog.dialog_id });
        }
        if self.dialogs.len() >= DIALOGS_MAX {
            return Err(DesktopFault::TooManyDialogs);
        }
        check_title(&dialog.title)?;
        if let Some(window_id) = &dialog.window_id {
            self.reach(actor, monitor_id, window_id)?;
        }
        form::check_form(&dialog.form)?;
        if let DialogForm::Fields(components) = &dialog.form
            && !components.iter().all(is_finite_component)
        {
            return Err(DesktopFault::BadFields);
        }
        let bytes = json_bytes(dialog);
        if bytes > DIALOG_BYTES_MAX { Err(DesktopFault::DialogTooLarge { bytes }) } else { Ok(()) }
    }
}

/// Whether both show the same app, whatever its initial arguments.
pub(super) fn is_same_app(one: &WindowContent, other: &WindowContent) -> bool {
    matches!((one, other), (WindowContent::App { app: one, .. }, WindowContent::App { app: other, .. }) if one == other)
}

/// The user may act on every monitor.
fn is_near(actor: DesktopActor<'_>, own: &MonitorId, other: &MonitorId) -> bool {
    actor == DesktopActor::User || own == other
}

fn is_holder(actor: DesktopActor<'_>, holder: &LockHolder) -> bool {
    match (actor, holder) {
        (DesktopActor::User, LockHolder::User) => true,
        (DesktopActor::Agent(agent), LockHolder::Agent(holder)) => agent == holder,
        _ => false,
    }
}

fn check_title(title: &str) -> Result<(), DesktopFault> {
    let is_usable = !title.trim().is_empty()
        && title.chars().count() <= WINDOW_TITLE_CHARS_MAX
        && !title.chars().any(char::is_control);
    if is_usable { Ok(()) } else { Err(DesktopFault::BadTitle) }
}

fn check_text(what: &'static str, text: &str, max: usize) -> Result<(), DesktopFault> {
    let is_usable = !text.trim().is_empty() && text.chars().count() <= max;
    if is_usable { Ok(()) } else { Err(DesktopFault::BadText { what, max }) }
}

fn check_bounds(window_id: &WindowId, bounds: Bounds) -> Result<(), DesktopFault> {
    let Bounds { x, y, width, height } = bounds;
    let is_within = |from: u32, length: u32, max: u32| from.checked_add(length).is_some_and(|end| end <= max);
    let fits = width >= WINDOW_WIDTH_MIN
        && height >= WINDOW_HEIGHT_MIN
        && is_within(x, width, DESKTOP_WIDTH)
        && is_within(y, height, DESKTOP_HEIGHT);
    if fits { Ok(()) } else { Err(DesktopFault::OutOfBounds { window_id: window_id.clone(), bounds }) }
}

/// JSON has no infinite numbers, and stored content has to be readable again.
fn is_finite(content: &WindowContent) -> bool {
    match content {
        WindowContent::Chart(Chart { series, .. }) => {
            series.iter().flat_map(|row| &row.values).all(|value| value.is_finite())
        }
        WindowContent::Components(Layout { components, .. }) => components.iter().all(is_finite_component),
        _ => true,
    }
}

fn is_finite_component(component: &Component) -> bool {
    match component {
        Component::Progress { percent, .. } => percent.is_finite(),
        Component::Form { components, .. } => components.iter().all(is_finite_component),
        Component::Columns { columns } => columns.iter().flatten().all(is_finite_component),
        _ => true,
    }
}
