//! Turns in the background: the owner's list, and pausing a turn.

use protocol::{
    BackgroundList, BackgroundPage, BackgroundView, OwnerId, PauseResult, Step, TurnId, TurnStatus, TurnView, beginning,
};
use session::{Command, CommandOutcome};

use super::Hub;
use crate::Error;

/// Default and maximum number of turns in a list.
const LIST_DEFAULT: u32 = 50;
const LIST_MAX: u32 = 200;
/// Characters of a message and of an answer in a list.
const TEXT_CHARS_MAX: usize = 400;

impl Hub {
    /// The owner's turns in the background, newest first.
    pub async fn background_turns(&self, owner: &OwnerId, list: BackgroundList) -> Result<BackgroundPage, Error> {
        let limit = list.limit.unwrap_or(LIST_DEFAULT).clamp(1, LIST_MAX);
        let found = self.services().store.background_turns(owner, list.ended, limit as usize).await?;
        let mut data = Vec::new();
        for turn_id in found {
            match self.turn(owner, turn_id).await {
                Ok(turn) => data.push(shorten(turn)),
                // A session that is gone or cannot be loaded does not hide the others.
                Err(error) => tracing::debug!(turn = %turn_id, %error, "a turn in the background is left out"),
            }
        }
        Ok(BackgroundPage { data })
    }

    /// Pauses a turn. It goes on from its last finished step when it is resumed.
    pub async fn pause_turn(&self, owner: &OwnerId, turn_id: TurnId) -> Result<PauseResult, Error> {
        let turn = self.turn(owner, turn_id).await?;
        match self.command(owner, turn.session_id, Command::Pause(turn_id)).await? {
            CommandOutcome::Paused(status) => Ok(PauseResult { turn_id, status }),
            // The session core answers a pause with this or a refusal and nothing else.
            _ => Err(Error::Invalid("the turn was not paused".to_owned())),
        }
    }

    /// When a turn was last seen at work, if it runs in the background.
    pub(super) fn with_heartbeat(&self, turn: TurnView) -> TurnView {
        let is_running = matches!(turn.status, TurnStatus::Running | TurnStatus::Streaming);
        let heartbeat_at = self.services().heartbeats.get(turn.turn_id).filter(|_| is_running);
        TurnView { heartbeat_at, ..turn }
    }
}

fn shorten(turn: TurnView) -> BackgroundView {
    let tool = turn.steps.iter().rev().find_map(|step| match step {
        Step::ToolCall(call) => Some(call.tool.clone()),
        _ => None,
    });
    let calls = turn.steps.iter().filter(|step| matches!(step, Step::ToolCall(_))).count();
    let rounds = turn.steps.iter().filter(|step| matches!(step, Step::Plan(_))).count();
    let spent = turn.steps.iter().filter_map(|step| match step {
        Step::Plan(plan) => plan.usage,
        _ => None,
    });
    let usage =
        turn.response.as_ref().and_then(|response| response.usage).or_else(|| spent.reduce(protocol::Usage::plus));
    let text = match &turn.response {
        Some(response) => beginning(&response.message, TEXT_CHARS_MAX),
        None => end(&turn.text),
    };
    BackgroundView {
        turn_id: turn.turn_id,
        session_id: turn.session_id,
        status: turn.status,
        reason: turn.error.map(|error| error.message).or(turn.reason),
        message: beginning(&turn.request.message, TEXT_CHARS_MAX),
        text,
        tool,
        rounds: u32::try_from(rounds).unwrap_or(u32::MAX),
        tool_calls: u32::try_from(calls).unwrap_or(u32::MAX),
        usage,
        attempts: turn.attempts,
        created_at: turn.created_at,
        updated_at: turn.updated_at,
        heartbeat_at: turn.heartbeat_at,
    }
}

/// The end of a text.
fn end(text: &str) -> String {
    let skipped = text.chars().count().saturating_sub(TEXT_CHARS_MAX);
    text.chars().skip(skipped).collect()
}
