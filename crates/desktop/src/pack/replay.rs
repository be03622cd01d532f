//! `desktop_replay`: what an earlier turn did, once more.

use async_trait::async_trait;
use protocol::{Action, Origin, TurnId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools::{Context, Declaration, Failure, Tool};

use super::acts;

/// Does it once more.
pub(super) struct DesktopReplay;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReplayInput {
    /// The turn, as the reload options name it.
    turn_id: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Replayed {
    /// What was done, in words.
    done: String,
    #[serde(skip)]
    origin: Origin,
}

#[async_trait]
impl Tool for DesktopReplay {
    type Input = ReplayInput;
    type Output = Replayed;

    fn declaration(&self) -> Declaration {
        acts(
            "desktop_replay",
            "Does on the desktop exactly what an earlier turn did. Only for a turn that the reload options offer, and only if the \
             user wants just that again.",
        )
    }

    async fn call(&self, input: ReplayInput, context: &Context) -> Result<Replayed, Failure> {
        let turn_id: TurnId =
            input.turn_id.trim().parse().map_err(|error| Failure::Invalid(format!("`turn_id`: {error}")))?;
        let actions = context.desktop.replay(&context.key, turn_id).await?;
        let is_trusted = actions.iter().all(|action| origin(action) == Origin::Trusted);
        let origin = if is_trusted { Origin::Trusted } else { Origin::Untrusted };
        Ok(Replayed { done: protocol::did(&actions), origin })
    }

    fn origin(&self, output: &Replayed) -> Option<Origin> {
        Some(output.origin)
    }
}

/// Whose words an action may carry.
const fn origin(action: &Action) -> Origin {
    match action {
        Action::Create { origin, .. } | Action::Title { origin, .. } | Action::Content { origin, .. } => *origin,
        // What they say has no origin of its own.
        Action::Toast(_) | Action::Notification(_) | Action::Dialog(_) | Action::Prompt(_) => Origin::Untrusted,
        _ => Origin::Trusted,
    }
}
