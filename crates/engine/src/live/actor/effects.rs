//! What decisions have as a consequence, once they are written.

use session::Effect;

use super::Actor;

impl Actor {
    pub(super) fn run(&mut self, effect: Effect) {
        match effect {
            Effect::Stop(turn_id) => self.workers.stop(turn_id),
            Effect::Nudge(turn_id) => self.workers.nudge(&self.state, turn_id),
            Effect::StartRun { key, action, origin, cause } => self.start_run(key, action, origin, cause),
            Effect::Deliver(alert_id) => self.deliver(alert_id),
            Effect::Run(turn_id) => self.workers.start(&self.services, &self.state, turn_id, self.mailbox.clone()),
        }
    }
}
