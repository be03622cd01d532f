//! `desktop_replay`: repeats the actions of an earlier turn.

use async_trait::async_trait;
use ports::ToolFailure;
use protocol::{Action, Origin, TurnId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools::{CallContext, Declaration, Tool};

use super::acts;

/// The tool `desktop_replay`.
pub(super) struct DesktopReplay;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReplayInput {
    /// The turn, as the reload options name it.
    turn_id: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ReplayOutput {
    /// What was done, in words.
    done: String,
    #[serde(skip)]
    origin: Origin,
}

#[async_trait]
impl Tool for DesktopReplay {
    type Input = ReplayInput;
    type Output = ReplayOutput;

    fn declaration(&self) -> Declaration {
        acts(
            "desktop_replay",
            "Repeats on the desktop exactly what an earlier turn did. Only for a turn that the reload options offer, and \
             only if the user wants just that again.",
        )
    }

    async fn call(&self, input: ReplayInput, context: &CallContext) -> Result<ReplayOutput, ToolFailure> {
        let turn_id: TurnId =
            input.turn_id.trim().parse().map_err(|error| ToolFailure::Invalid(format!("`turn_id`: {error}")))?;
        let actions = context.desktop.replay(&context.key, turn_id).await?;
        let is_trusted = actions.iter().all(|action| origin(action) == Origin::Trusted);
        let origin = if is_trusted { Origin::Trusted } else { Origin::Untrusted };
        Ok(ReplayOutput { done: protocol::describe_actions(&actions), origin })
    }

    fn origin(&self, output: &ReplayOutput) -> Option<Origin> {
        Some(output.origin)
    }
}

/// Whether an action may carry untrusted text.
const fn origin(action: &Action) -> Origin {
    match action {
        Action::Create { origin, .. } | Action::Title { origin, .. } | Action::Content { origin, .. } => *origin,
        // The texts of these actions have no origin of their own.
        Action::Toast(_) | Action::Notification(_) | Action::Dialog(_) | Action::Prompt(_) => Origin::Untrusted,
        _ => Origin::Trusted,
    }
}
