//! `window_close`: closes windows.

use async_trait::async_trait;
use ports::ToolFailure;
use protocol::{Action, WindowId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools::{CallContext, Declaration, Tool};

use super::{acts, window_id};

/// The number of windows closed by one call.
const WINDOWS_MAX: usize = 50;

/// Closes windows.
pub(super) struct WindowClose;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CloseInput {
    /// Which windows.
    window_ids: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CloseOutput {
    /// The windows that are closed.
    closed: Vec<WindowId>,
}

#[async_trait]
impl Tool for WindowClose {
    type Input = CloseInput;
    type Output = CloseOutput;

    fn declaration(&self) -> Declaration {
        acts("window_close", "Closes windows of yours that are no longer needed, or that the user wants closed.")
    }

    async fn call(&self, input: CloseInput, context: &CallContext) -> Result<CloseOutput, ToolFailure> {
        let mut closed: Vec<WindowId> = Vec::new();
        for (n, name) in input.window_ids.iter().enumerate() {
            let window_id = window_id(&format!("window_ids[{n}]"), name)?;
            if !closed.contains(&window_id) {
                closed.push(window_id);
            }
        }
        if !(1..=WINDOWS_MAX).contains(&closed.len()) {
            return Err(ToolFailure::Invalid(format!("`window_ids` names 1 to {WINDOWS_MAX} windows")));
        }
        let actions = closed.iter().map(|window_id| Action::Close { window_id: window_id.clone() }).collect();
        context.desktop.act(&context.key, actions).await?;
        Ok(CloseOutput { closed })
    }
}
