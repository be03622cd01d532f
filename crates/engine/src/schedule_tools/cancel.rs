//! `schedule_cancel`: takes schedules back.

use async_trait::async_trait;
use ports::ToolFailure;
use protocol::{Effect, Origin, Safety, ScheduleDo, ScheduleStep};
use schedule::ScheduleRefusal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use session::Refusal;
use tools::{CallContext, Declaration, Tool};

use super::{SchedulePort, ScheduleText, failed, id};
use crate::Error;

/// Schedules that one call cancels.
const IDS_MAX: usize = 100;

pub(super) struct ScheduleCancelTool(pub(super) SchedulePort);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CancelInput {
    /// The ids of the schedules, as `schedule_list` gave them; at most 100.
    ids: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CancelOutput {
    /// What was cancelled.
    cancelled: Vec<ScheduleText>,
}

#[async_trait]
impl Tool for ScheduleCancelTool {
    type Input = CancelInput;
    type Output = CancelOutput;

    fn declaration(&self) -> Declaration {
        let description = "Cancels reminders, timers and other schedules.";
        let declaration = Declaration::new("schedule_cancel", description)
            .about(&["cancel", "stop", "delete", "reminder", "timer", "schedule"]);
        Declaration {
            effect: Effect::Idempotent,
            safety: Safety::Keeps,
            origin: Origin::Trusted,
            needs_session: true,
            ..declaration
        }
    }

    async fn call(&self, input: CancelInput, context: &CallContext) -> Result<CancelOutput, ToolFailure> {
        if input.ids.is_empty() || input.ids.len() > IDS_MAX {
            return Err(ToolFailure::Invalid(format!("give 1 to {IDS_MAX} `ids`")));
        }
        let hub = self.0.hub()?;
        let mut cancelled = Vec::new();
        for text in &input.ids {
            let schedule_id = id(text)?;
            let step = ScheduleDo { schedule_id, step: ScheduleStep::Cancel };
            match hub.step_schedule(&context.owner, step).await {
                Ok(view) => cancelled.push(ScheduleText::from(&view)),
                // Before an interruption, or by itself.
                Err(Error::Refused(Refusal::Schedule(ScheduleRefusal::Ended))) => {}
                Err(error) => return Err(failed(error)),
            }
        }
        Ok(CancelOutput { cancelled })
    }
}
