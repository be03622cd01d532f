//! `window_change`: changes a window's title, content, position, size or state.

use async_trait::async_trait;
use ports::ToolFailure;
use protocol::{Action, LockHolder, Window, WindowId, WindowState};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tools::{CallContext, Declaration, Tool};

use super::{acts, bounds::RequestedBounds, content, no_such_window, title, window_id, windows};

/// Changes a window.
pub(super) struct WindowChange;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ChangeInput {
    /// Which window.
    window_id: String,
    /// Another title.
    #[serde(default)]
    title: Option<String>,
    /// What it shows from now on, whole, as in `window_open`.
    #[serde(default)]
    #[schemars(with = "Option<Map<String, Value>>")]
    content: Option<Value>,
    /// From the left.
    #[serde(default)]
    x: Option<f64>,
    /// From the top.
    #[serde(default)]
    y: Option<f64>,
    /// At least 400.
    #[serde(default)]
    width: Option<f64>,
    /// At least 300.
    #[serde(default)]
    height: Option<f64>,
    /// normal, minimized or maximized.
    #[serde(default)]
    show: Option<String>,
    /// true brings it to the front.
    #[serde(default)]
    focus: Option<bool>,
    /// true keeps other agents from changing it, false lets them again.
    #[serde(default)]
    lock: Option<bool>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ChangeOutput {
    /// The window's name.
    window_id: WindowId,
    /// How many things were changed.
    changes: usize,
}

#[async_trait]
impl Tool for WindowChange {
    type Input = ChangeInput;
    type Output = ChangeOutput;

    fn declaration(&self) -> Declaration {
        acts(
            "window_change",
            "Changes an open window: give what is to change, the rest stays. All of it is done, or nothing.",
        )
        .about(&["move", "resize", "title", "minimize", "maximize", "bigger", "smaller", "update"])
    }

    async fn call(&self, input: ChangeInput, context: &CallContext) -> Result<ChangeOutput, ToolFailure> {
        let window_id = window_id("window_id", &input.window_id)?;
        let actions = actions(&window_id, input, context).await?;
        if actions.is_empty() {
            let all =
                "nothing to change: give `title`, `content`, `x`, `y`, `width`, `height`, `show`, `focus` or `lock`";
            return Err(ToolFailure::Invalid(all.to_owned()));
        }
        let changes = actions.len();
        context.desktop.act(&context.key, actions).await?;
        Ok(ChangeOutput { window_id, changes })
    }
}

/// The actions of a call, in an order in which each is allowed: lock first, unlock last.
async fn actions(window_id: &WindowId, input: ChangeInput, context: &CallContext) -> Result<Vec<Action>, ToolFailure> {
    let (id, origin) = (|| window_id.clone(), context.origin);
    let title = input.title.as_deref().map(title).transpose()?;
    let content = input.content.map(content).transpose()?;
    let show = input.show.as_deref().map(state).transpose()?;
    let requested = RequestedBounds::read(input.x, input.y, input.width, input.height)?;
    let holder = LockHolder::Agent(context.desktop.agent_id().clone());
    let lock = (input.lock == Some(true)).then(|| Action::Lock { window_id: id(), holder });
    let restore = (show == Some(WindowState::Normal)).then(|| Action::Restore { window_id: id() });
    let show = match show {
        Some(WindowState::Minimized) => Some(Action::Minimize { window_id: id() }),
        Some(WindowState::Maximized) => Some(Action::Maximize { window_id: id() }),
        Some(WindowState::Normal) | None => None,
    };
    let (moved, resized) = bounds(window_id, requested, context).await?;
    let title = title.map(|title| Action::Title { window_id: id(), title, origin });
    let content = content.map(|content| Action::Content { window_id: id(), content, origin, token: None });
    let focus = (input.focus == Some(true)).then(|| Action::Focus { window_id: id() });
    let unlock = (input.lock == Some(false)).then(|| Action::Unlock { window_id: id() });
    Ok([lock, restore, moved, resized, title, content, show, focus, unlock].into_iter().flatten().collect())
}

/// Moves and resizes; missing values are taken from the current bounds.
async fn bounds(
    window_id: &WindowId,
    requested: RequestedBounds,
    context: &CallContext,
) -> Result<(Option<Action>, Option<Action>), ToolFailure> {
    let RequestedBounds { x, y, width, height } = requested;
    let is_half = x.is_some() != y.is_some() || width.is_some() != height.is_some();
    let now = if is_half { Some(open(window_id, context).await?.bounds) } else { None };
    let moved = match (x.or(now.map(|now| now.x)), y.or(now.map(|now| now.y))) {
        (Some(left), Some(top)) if x.is_some() || y.is_some() => {
            Some(Action::Move { window_id: window_id.clone(), x: left, y: top })
        }
        _ => None,
    };
    let resized = match (width.or(now.map(|now| now.width)), height.or(now.map(|now| now.height))) {
        (Some(wide), Some(high)) if width.is_some() || height.is_some() => {
            Some(Action::Resize { window_id: window_id.clone(), width: wide, height: high })
        }
        _ => None,
    };
    Ok((moved, resized))
}

async fn open(window_id: &WindowId, context: &CallContext) -> Result<Window, ToolFailure> {
    let mut windows = windows(context).await?;
    match windows.iter().position(|window| window.window_id == *window_id) {
        Some(n) => Ok(windows.swap_remove(n)),
        None => Err(no_such_window(window_id, &windows)),
    }
}

fn state(text: &str) -> Result<WindowState, ToolFailure> {
    match text {
        "normal" => Ok(WindowState::Normal),
        "minimized" => Ok(WindowState::Minimized),
        "maximized" => Ok(WindowState::Maximized),
        _ => Err(ToolFailure::Invalid("`show` is normal, minimized or maximized".to_owned())),
    }
}
