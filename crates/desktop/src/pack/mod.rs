//! The tools by which agents use the desktop. There are few, since a model sees all of them in
//! every turn.

mod app;
mod ask;
mod bounds;
mod change;
mod close;
mod look;
mod naming;
mod notify;
mod open;
mod replay;
mod show;

use std::time::Duration;

use ports::ToolFailure;
use protocol::{Action, Effect, Origin, Safety, Window, WindowContent, WindowId};
use serde_json::Value;
use tools::{ArtifactStore, CallContext, Declaration, Error, Registry};

pub use ask::WAIT_MAX;

use crate::content::{check, read};

/// The longest title.
const TITLE_CHARS_MAX: usize = 120;
/// The timeout of a call. On a monitor without viewers it waits until the rate limit allows more,
/// which may take minutes.
const TIMEOUT: Duration = Duration::from_secs(600);

/// Adds the tools by which agents use the desktop.
pub fn add_desktop(registry: &mut Registry) -> Result<(), Error> {
    registry.add(open::WindowOpen)?;
    registry.add(change::WindowChange)?;
    registry.add(close::WindowClose)?;
    registry.add(look::DesktopLook)?;
    registry.add(notify::Notify)?;
    registry.add(ask::AskUser)?;
    registry.add(app::AppQuery)?;
    registry.add(app::AppCommandTool)?;
    registry.add(replay::DesktopReplay)
}

/// Adds the tool that shows artifacts.
pub fn add_artifact_show(registry: &mut Registry, artifact_store: impl Into<ArtifactStore>) -> Result<(), Error> {
    registry.add(show::ArtifactShow(artifact_store.into()))
}

/// The tool that performs such an action, if there is one.
// No catch-all: a new action has to be assigned here.
pub const fn tool_of(action: &Action) -> Option<&'static str> {
    match action {
        Action::Create { .. } => Some("window_open"),
        Action::Focus { .. }
        | Action::Move { .. }
        | Action::Resize { .. }
        | Action::Minimize { .. }
        | Action::Maximize { .. }
        | Action::Restore { .. }
        | Action::Title { .. }
        | Action::Content { .. }
        | Action::Lock { .. }
        | Action::Unlock { .. } => Some("window_change"),
        Action::Close { .. } => Some("window_close"),
        Action::Toast(_) | Action::Notification(_) => Some("notify"),
        Action::Dialog(_) | Action::Prompt(_) => Some("ask_user"),
        Action::AddMonitor { .. } | Action::RemoveMonitor { .. } => None,
    }
}

/// A tool that changes only the desktop, once for each key, and whose answer is trusted.
fn acts(name: &str, description: &str) -> Declaration {
    let declaration = Declaration::new(name, description);
    let (effect, safety, origin) = (Effect::Idempotent, Safety::Keeps, Origin::Trusted);
    Declaration { effect, safety, origin, needs_desktop: true, timeout: TIMEOUT, ..declaration }
}

/// Parses the name of a window.
fn window_id(field: &str, text: &str) -> Result<WindowId, ToolFailure> {
    text.trim().parse().map_err(|error| ToolFailure::Invalid(format!("`{field}`: {error}")))
}

/// Checks a title of one line.
fn title(text: &str) -> Result<String, ToolFailure> {
    let title = text.trim();
    let chars = title.chars().count();
    if chars == 0 || chars > TITLE_CHARS_MAX || title.chars().any(char::is_control) {
        let rule = format!("`title` has 1 to {TITLE_CHARS_MAX} characters on one line");
        return Err(ToolFailure::Invalid(rule));
    }
    Ok(title.to_owned())
}

/// Parses, validates and sanitizes window content.
fn content(value: Value) -> Result<WindowContent, ToolFailure> {
    read(value).and_then(check).map_err(ToolFailure::Invalid)
}

/// The windows on the monitor of the calling agent, from back to front.
async fn windows(context: &CallContext) -> Result<Vec<Window>, ToolFailure> {
    let monitor_id = context.desktop.monitor_id();
    let view = context.desktop.view().await?;
    Ok(view.windows.into_iter().filter(|window| window.monitor_id == monitor_id).collect())
}

/// The failure for an unknown window; it lists the open ones.
fn no_such_window(window_id: &WindowId, windows: &[Window]) -> ToolFailure {
    let open: Vec<&str> = windows.iter().map(|window| window.window_id.as_str()).collect();
    let open = if open.is_empty() { "none is".to_owned() } else { format!("open are {}", open.join(", ")) };
    ToolFailure::Invalid(format!("there is no window `{window_id}` on this monitor; {open}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tools_that_do_something_are_there_and_have_time_to_wait_for_their_turn() {
        let mut registry = Registry::default();
        add_desktop(&mut registry).unwrap();
        let window_id: WindowId = "a".parse().unwrap();
        let actions = [Action::Close { window_id: window_id.clone() }, Action::Focus { window_id }];
        for name in actions.iter().filter_map(tool_of).chain(["window_open", "notify", "ask_user", "desktop_replay"]) {
            let timeout = registry.get(name).unwrap().declaration.timeout;
            assert!(timeout >= TIMEOUT, "{name}: what is spent a minute is free again only after a minute");
        }
    }
}
