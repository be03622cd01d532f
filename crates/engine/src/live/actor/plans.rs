//! What begins by itself in a session: waking it, starting runs, delivering alerts.

use protocol::{AlertId, Origin, RunCause, RunKey, ScheduleId, ScheduledAction};
use schedule::ScheduleCommand;
use session::Command;

use super::{super::triggers, Actor};
use crate::plans::{self, EndedTurn, ScheduledRun};

impl Actor {
    /// Starts what is due, and goes on with alerts that are due.
    pub(super) fn wake(&mut self) {
        let now = self.services.world.now();
        if self.state.wake_at().is_none_or(|at| at > now) {
            // The alarm was set for an earlier state.
            self.services.alarms.set(self.state.id, self.state.wake_at());
            return;
        }
        // What is new is delivered once it is written; here it is about what was tried before.
        let tried = self.state.alerts.open().filter(|entry| !entry.deliveries.is_empty());
        let due: Vec<_> = tried.map(|entry| entry.alert.alert_id).collect();
        // Waking is never refused.
        let _ = self.decide(Command::WakeSchedules);
        due.into_iter().for_each(|alert_id| self.deliver(alert_id));
    }

    /// Starts schedules that wait for something. One that has reached its limits starts nothing.
    pub(super) fn trigger(&mut self, causes: Vec<(ScheduleId, RunCause)>) {
        for (id, cause) in causes {
            if let Err(error) = self.decide(Command::Schedule(ScheduleCommand::Trigger { id, cause })) {
                tracing::debug!(schedule = %id, %error, "a schedule was not started");
            }
        }
    }

    pub(super) fn deliver(&self, alert_id: AlertId) {
        if let Some(entry) = self.state.alerts.get(alert_id).filter(|entry| !entry.is_closed) {
            plans::deliver(&self.services, self.state.owner.clone(), self.state.id, entry.clone());
        }
    }

    /// Starts a run whose beginning is written.
    pub(super) fn start_run(&self, key: RunKey, action: ScheduledAction, origin: Origin, cause: Option<RunCause>) {
        let name = self.state.schedules.get(key.schedule_id).and_then(|it| it.spec.name.clone());
        let run = ScheduledRun { key, action, origin, name, cause };
        plans::start(&self.services, self.state.owner.clone(), self.state.id, run);
    }

    /// Tells other sessions of turns whose ends are written.
    pub(super) fn tell_ended(&self, ended: Vec<EndedTurn>) {
        if !ended.is_empty()
            && let Some(hub) = self.services.hub()
        {
            self.services.tasks.spawn(async move { hub.tell_ended(ended).await });
        }
    }

    /// Says when the session has to be woken, and what it waits for.
    pub(super) fn tell_plans(&self) {
        self.services.alarms.set(self.state.id, self.state.wake_at());
        self.services.home_triggers.set(self.state.id, triggers::watched(&self.state));
    }
}
