//! Tools by which agents plan: `schedule_create`, `schedule_list`, `schedule_update`,
//! `schedule_cancel` and `schedule_timers`.
//!
//! A call that a schedule will make is judged when it is planned, as if it were made now, and what
//! needs an approval is approved then, for exactly these arguments (`planned_call.rs`).

mod cancel;
mod create;
mod list;
mod planned_call;
mod timers;
mod timing;
mod update;

use std::sync::{Arc, OnceLock, Weak};

pub(crate) use create::NAME as CREATE;
pub(crate) use planned_call::{confirmation, later_call};
use ports::ToolFailure;
use protocol::{ScheduleId, ScheduleStatus, ScheduleView, ScheduledAction};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
pub(crate) use timers::{NAME as TIMERS, TimersOutput};
pub(crate) use timing::Timing;
use tools::Registry;
pub(crate) use update::NAME as UPDATE;

use crate::{
    Error,
    hub::{Hub, Services},
};

/// The way from the tools to the hub, which exists only after they are registered.
#[derive(Clone, Default)]
pub(crate) struct SchedulePort(Arc<OnceLock<Weak<Services>>>);

impl SchedulePort {
    /// Registers the tools. A name that is taken already stays with its tool.
    pub(crate) fn register(registry: &mut Registry) -> Self {
        let port = Self::default();
        let added = [
            registry.add(create::ScheduleCreateTool(port.clone())),
            registry.add(list::ScheduleListTool(port.clone())),
            registry.add(update::ScheduleUpdateTool(port.clone())),
            registry.add(cancel::ScheduleCancelTool(port.clone())),
            registry.add(timers::ScheduleTimersTool(port.clone())),
        ];
        for error in added.into_iter().filter_map(Result::err) {
            tracing::warn!(%error, "a tool of schedules is not available");
        }
        port
    }

    /// Connects the tools to the services.
    pub(crate) fn connect(&self, services: &Arc<Services>) {
        // It is set once, when the hub opens.
        let _ = self.0.set(Arc::downgrade(services));
    }

    fn hub(&self) -> Result<Hub, ToolFailure> {
        let hub = self.0.get().and_then(Weak::upgrade).and_then(|services| services.hub());
        hub.ok_or_else(|| ToolFailure::Failed("schedules are not available just now".to_owned()))
    }
}

/// A schedule as a model sees it.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct ScheduleText {
    /// The id of the schedule.
    pub(crate) schedule_id: ScheduleId,
    /// What it does.
    pub(crate) what: String,
    /// What kind of schedule it is: `reminder`, `timer`, `message` or `call`.
    pub(crate) kind: String,
    /// Its next run, on the clock of its time zone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next_at: Option<String>,
    /// Its rule, if it recurs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rule: Option<String>,
    /// Whether it runs.
    pub(crate) status: ScheduleStatus,
}

impl From<&ScheduleView> for ScheduleText {
    fn from(view: &ScheduleView) -> Self {
        let (kind, what) = match &view.spec.action {
            ScheduledAction::Remind { text, timer: true } => ("timer", text.clone()),
            ScheduledAction::Remind { text, timer: false } => ("reminder", text.clone()),
            ScheduledAction::Turn { message } => ("message", message.clone()),
            ScheduledAction::Call { tool, arguments, .. } => ("call", format!("{tool} {arguments}")),
        };
        Self {
            schedule_id: view.schedule_id,
            what: view.spec.name.clone().unwrap_or(what),
            kind: kind.to_owned(),
            next_at: view.next_at.map(|at| timing::local(at, &view.planned_in)),
            rule: timing::rule(&view.spec.when),
            status: view.status,
        }
    }
}

fn id(text: &str) -> Result<ScheduleId, ToolFailure> {
    let unknown = |_| ToolFailure::Invalid(format!("`{text}` is no id of a schedule: use one from `schedule_list`"));
    text.trim().parse().map_err(unknown)
}

fn failed(error: Error) -> ToolFailure {
    match error {
        Error::Invalid(why) => ToolFailure::Invalid(why),
        Error::Refused(refusal) => ToolFailure::Invalid(refusal.to_string()),
        other => ToolFailure::Failed(other.to_string()),
    }
}
