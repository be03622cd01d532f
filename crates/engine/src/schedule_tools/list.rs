//! `schedule_list`: what is planned.

use async_trait::async_trait;
use ports::ToolFailure;
use protocol::{Effect, Origin, Safety, ScheduleList};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools::{CallContext, Declaration, Tool};

use super::{SchedulePort, ScheduleText, failed};

/// Schedules of one answer.
const LIMIT: usize = 100;

pub(super) struct ScheduleListTool(pub(super) SchedulePort);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListInput {
    /// Also those that were cancelled or have ended. Default: false.
    #[serde(default)]
    ended: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ListOutput {
    /// The schedules of the user, the next run first.
    schedules: Vec<ScheduleText>,
    /// The user's time zone.
    zone: String,
}

#[async_trait]
impl Tool for ScheduleListTool {
    type Input = ListInput;
    type Output = ListOutput;

    fn declaration(&self) -> Declaration {
        let description = "Lists what is planned: reminders, timers, messages and calls, with the ids that \
                           `schedule_update` and `schedule_cancel` take.";
        let declaration = Declaration::new("schedule_list", description)
            .about(&["remind", "reminder", "timer", "planned", "schedule", "cancel", "left", "upcoming"]);
        Declaration {
            effect: Effect::Pure,
            safety: Safety::Observes,
            needs_session: true,
            parallel: true,
            ..declaration
        }
    }

    async fn call(&self, input: ListInput, context: &CallContext) -> Result<ListOutput, ToolFailure> {
        let list = ScheduleList { ended: input.ended, ..ScheduleList::default() };
        let page = self.0.hub()?.schedules(&context.owner, &list).await.map_err(failed)?;
        let schedules = page.data.iter().take(LIMIT).map(ScheduleText::from).collect();
        Ok(ListOutput { schedules, zone: page.zone })
    }

    fn origin(&self, _: &ListOutput) -> Option<Origin> {
        // Their texts may stem from turns that had read untrusted text.
        None
    }
}
