//! `schedule_timers`: what people say to timers, which they rarely name.

use async_trait::async_trait;
use ports::ToolFailure;
use protocol::{
    Effect, Origin, Safety, ScheduleChange, ScheduleDo, ScheduleList, ScheduleStep, ScheduleUpdate, ScheduleView,
    ScheduledAction, Timestamp, When,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools::{CallContext, Declaration, Tool};

use super::{SchedulePort, ScheduleText, failed};
use crate::hub::{Hub, ScheduleMaker};

/// The name of the tool.
pub(crate) const NAME: &str = "schedule_timers";

pub(super) struct ScheduleTimersTool(pub(super) SchedulePort);

/// What is done with timers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TimerStep {
    /// How much is left.
    Status,
    /// The timer is cancelled.
    Cancel,
    /// All timers are cancelled.
    CancelAll,
    /// The timer stops for a while.
    Pause,
    /// The timer goes on.
    Resume,
    /// The timer ends later, or earlier, by `by_seconds`.
    Shift,
}

/// Which timer, and what is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TimersInput {
    /// What is done.
    #[serde(rename = "do")]
    step: TimerStep,
    /// The name of the timer.
    #[serde(default)]
    name: Option<String>,
    /// For how many seconds it was set, to tell it from others.
    #[serde(default)]
    set_for_seconds: Option<u64>,
    /// With `shift`: by how many seconds; negative for earlier.
    #[serde(default)]
    by_seconds: Option<i64>,
}

/// The timers after it.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct TimersOutput {
    /// The timers that were meant.
    pub(crate) timers: Vec<ScheduleText>,
}

#[async_trait]
impl Tool for ScheduleTimersTool {
    type Input = TimersInput;
    type Output = TimersOutput;

    fn declaration(&self) -> Declaration {
        let description = "Asks how much is left of timers, or cancels, pauses, resumes, lengthens or shortens one. \
                           Without a name it is the only timer, or the one that was set last here.";
        let declaration =
            Declaration::new(NAME, description).about(&["timer", "timers", "left", "countdown", "pause", "cancel"]);
        Declaration {
            effect: Effect::AtMostOnce,
            safety: Safety::Keeps,
            origin: Origin::Trusted,
            needs_session: true,
            ..declaration
        }
    }

    async fn call(&self, input: TimersInput, context: &CallContext) -> Result<TimersOutput, ToolFailure> {
        let hub = self.0.hub()?;
        let page = hub.schedules(&context.owner, &ScheduleList::default()).await.map_err(failed)?;
        let mut timers: Vec<ScheduleView> = page.data.into_iter().filter(is_timer).collect();
        timers.retain(|timer| is_meant(timer, &input));
        if !matches!(input.step, TimerStep::Status | TimerStep::CancelAll) {
            timers = one(timers, context.satellite.as_deref());
        }
        let mut changed = Vec::new();
        for timer in timers {
            changed.push(apply(&hub, context, &input, timer).await?);
        }
        Ok(TimersOutput { timers: changed })
    }
}

async fn apply(
    hub: &Hub,
    context: &CallContext,
    input: &TimersInput,
    timer: ScheduleView,
) -> Result<ScheduleText, ToolFailure> {
    let schedule_id = timer.schedule_id;
    let step = match input.step {
        TimerStep::Status => return Ok(ScheduleText::from(&timer)),
        TimerStep::Cancel | TimerStep::CancelAll => ScheduleStep::Cancel,
        TimerStep::Pause => ScheduleStep::Pause,
        TimerStep::Resume => ScheduleStep::Resume,
        TimerStep::Shift => return shift(hub, context, input, &timer).await,
    };
    let stepped = hub.step_schedule(&context.owner, ScheduleDo { schedule_id, step }).await;
    stepped.map(|view| ScheduleText::from(&view)).map_err(failed)
}

async fn shift(
    hub: &Hub,
    context: &CallContext,
    input: &TimersInput,
    timer: &ScheduleView,
) -> Result<ScheduleText, ToolFailure> {
    let by = input.by_seconds.ok_or_else(|| ToolFailure::Invalid("give `by_seconds`".to_owned()))?;
    let next = timer.next_at.ok_or_else(|| ToolFailure::Failed("the timer is paused: resume it first".to_owned()))?;
    // One that would have ended already ends now.
    let soon = context.now.as_millis() + 1;
    let at = Timestamp::from_millis(next.as_millis().saturating_add(by.saturating_mul(1_000)).max(soon));
    let after_ms = u64::try_from(at.as_millis() - context.now.as_millis()).unwrap_or(0);
    let change = ScheduleChange { when: Some(When::After { after_ms }), ..ScheduleChange::default() };
    let maker = ScheduleMaker { origin: context.origin, is_approved: true, ..ScheduleMaker::default() };
    let asked = ScheduleUpdate { schedule_id: timer.schedule_id, change };
    let changed = hub.update_schedule(&context.owner, asked, &maker).await;
    changed.map(|view| ScheduleText::from(&view)).map_err(failed)
}

fn is_timer(view: &ScheduleView) -> bool {
    matches!(view.spec.action, ScheduledAction::Remind { timer: true, .. })
}

fn is_meant(timer: &ScheduleView, input: &TimersInput) -> bool {
    let ScheduledAction::Remind { text, .. } = &timer.spec.action else { return false };
    let called = |name: &String| {
        let name = name.to_lowercase();
        [Some(text), timer.spec.name.as_ref()].into_iter().flatten().any(|own| own.to_lowercase() == name)
    };
    let is_length = |seconds: u64| timer.spec.when == When::After { after_ms: seconds.saturating_mul(1_000) };
    input.name.as_ref().is_none_or(called) && input.set_for_seconds.is_none_or(is_length)
}

/// The timer that is meant: of this satellite before others, and the one that was set last.
fn one(timers: Vec<ScheduleView>, satellite: Option<&str>) -> Vec<ScheduleView> {
    let is_here = |timer: &ScheduleView| satellite.is_some() && timer.spec.satellite.as_deref() == satellite;
    timers.into_iter().max_by_key(|timer| (is_here(timer), timer.created_at)).into_iter().collect()
}
