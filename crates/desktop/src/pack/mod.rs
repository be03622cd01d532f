//! The tools by which agents use the desktop. Few, since a model is told of all of them in every turn.

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

use protocol::{Action, Content, Effect, Origin, Safety, Window, WindowId};
use serde_json::Value;
use tools::{Cabinet, Context, Declaration, Error, Failure, Registry};

pub use ask::WAIT_MAX;

use crate::content::{check, read};

/// The longest title.
const TITLE_CHARS_MAX: usize = 120;
/// What a call may take. On a monitor that nobody looks at it waits until more may be done there, which may be minutes.
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
    registry.add(app::AppDo)?;
    registry.add(replay::DesktopReplay)
}

/// Adds the tool that shows what is kept in a cabinet.
pub fn add_artifact_show(registry: &mut Registry, cabinet: impl Into<Cabinet>) -> Result<(), Error> {
    registry.add(show::ArtifactShow(cabinet.into()))
}

/// The tool by which an agent does such a thing, if there is one.
// No catch-all: whoever adds an action has to say which it is.
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

/// A tool that changes nothing but the desktop, once for each key, and answers in our own words.
fn acts(name: &str, description: &str) -> Declaration {
    let declaration = Declaration::new(name, description);
    let (effect, safety, origin) = (Effect::Idempotent, Safety::Keeps, Origin::Trusted);
    Declaration { effect, safety, origin, needs_desktop: true, timeout: TIMEOUT, ..declaration }
}

/// A window's name as a model writes it.
fn window_id(field: &str, text: &str) -> Result<WindowId, Failure> {
    text.trim().parse().map_err(|error| Failure::Invalid(format!("`{field}`: {error}")))
}

/// A title on one line.
fn title(text: &str) -> Result<String, Failure> {
    let title = text.trim();
    let chars = title.chars().count();
    if chars == 0 || chars > TITLE_CHARS_MAX || title.chars().any(char::is_control) {
        let rule = format!("`title` has 1 to {TITLE_CHARS_MAX} characters on one line");
        return Err(Failure::Invalid(rule));
    }
    Ok(title.to_owned())
}

/// What a window is to show, checked and made harmless.
fn content(value: Value) -> Result<Content, Failure> {
    read(value).and_then(check).map_err(Failure::Invalid)
}

/// The windows on the monitor of the agent that calls, from the back to the front.
async fn windows(context: &Context) -> Result<Vec<Window>, Failure> {
    let monitor_id = context.desktop.monitor_id();
    let view = context.desktop.view().await?;
    Ok(view.windows.into_iter().filter(|window| window.monitor_id == monitor_id).collect())
}

/// The failure of not finding a window; it says which there are.
fn no_such_window(window_id: &WindowId, windows: &[Window]) -> Failure {
    let open: Vec<&str> = windows.iter().map(|window| window.window_id.as_str()).collect();
    let open = if open.is_empty() { "none is".to_owned() } else { format!("open are {}", open.join(", ")) };
    Failure::Invalid(format!("there is no window `{window_id}` on this monitor; {open}"))
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
