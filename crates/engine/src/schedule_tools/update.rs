//! `schedule_update`: another time, a pause, or once more.

use async_trait::async_trait;
use ports::ToolFailure;
use protocol::{Effect, Origin, Safety, ScheduleChange, ScheduleDo, ScheduleStep, ScheduleUpdate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools::{CallContext, Declaration, Tool};

use super::{SchedulePort, ScheduleText, failed, id, timing::Timing};
use crate::hub::ScheduleMaker;

/// The name of the tool.
pub(crate) const NAME: &str = "schedule_update";

pub(super) struct ScheduleUpdateTool(pub(super) SchedulePort);

/// What is done with the schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum UpdateStep {
    /// It does not run until it is resumed.
    Pause,
    /// It runs again.
    Resume,
    /// It runs now, besides its plan.
    Run,
    /// A reminder that has run is repeated, after `after_seconds`.
    Snooze,
}

/// The schedule, and what changes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct UpdateInput {
    /// The id of the schedule, as `schedule_list` gave it.
    pub(crate) id: String,
    /// What is done with it. Default: it is changed.
    #[serde(default, rename = "do", skip_serializing_if = "Option::is_none")]
    pub(crate) step: Option<UpdateStep>,
    /// A new name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    /// A new time.
    #[serde(flatten)]
    pub(crate) timing: Timing,
}

#[async_trait]
impl Tool for ScheduleUpdateTool {
    type Input = UpdateInput;
    type Output = ScheduleText;

    fn declaration(&self) -> Declaration {
        let description = "Changes the time or the name of a schedule, or pauses, resumes, runs or snoozes it (`do`). \
                           To do something else at that time, cancel it and make another one.";
        let declaration = Declaration::new(NAME, description)
            .about(&["reminder", "timer", "schedule", "pause", "resume", "snooze", "later", "move", "change", "again"]);
        Declaration {
            effect: Effect::AtMostOnce,
            safety: Safety::Keeps,
            origin: Origin::Trusted,
            needs_session: true,
            ..declaration
        }
    }

    async fn call(&self, input: UpdateInput, context: &CallContext) -> Result<ScheduleText, ToolFailure> {
        let (hub, schedule_id) = (self.0.hub()?, id(&input.id)?);
        let step = match input.step {
            Some(UpdateStep::Pause) => Some(ScheduleStep::Pause),
            Some(UpdateStep::Resume) => Some(ScheduleStep::Resume),
            Some(UpdateStep::Run) => Some(ScheduleStep::Run),
            Some(UpdateStep::Snooze) => {
                let seconds = input.timing.after_seconds;
                let seconds = seconds.ok_or_else(|| ToolFailure::Invalid("give `after_seconds`".to_owned()))?;
                Some(ScheduleStep::Snooze { after_ms: seconds.saturating_mul(1_000) })
            }
            None => None,
        };
        let changed = match step {
            Some(step) => hub.step_schedule(&context.owner, ScheduleDo { schedule_id, step }).await,
            None => {
                let zone = hub.zone(&context.owner, context.session_id).await.map_err(failed)?;
                let when = if input.timing.is_empty() {
                    None
                } else {
                    Some(input.timing.when(&zone, context.now).map_err(ToolFailure::Invalid)?)
                };
                let change =
                    ScheduleChange { name: input.name, when, zone: input.timing.zone, ..ScheduleChange::default() };
                let maker = ScheduleMaker { origin: context.origin, is_approved: true, ..ScheduleMaker::default() };
                hub.update_schedule(&context.owner, ScheduleUpdate { schedule_id, change }, &maker).await
            }
        };
        changed.map(|view| ScheduleText::from(&view)).map_err(failed)
    }
}
