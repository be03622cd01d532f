//! The running turns of a session, and the channel to each of them.

use std::{collections::BTreeMap, sync::Arc};

use journal::OwnerHold;
use protocol::TurnId;
use session::State;
use tokio::{
    sync::watch,
    task::{self, AbortHandle, JoinError, JoinSet},
};

use tracing::Instrument;

use super::mail::{Mailbox, Reporter};
use crate::{
    hub::Services,
    observation::number,
    pool::BackgroundLimiter,
    turn::{self, Inbox, TurnInput},
};

/// The running turns. Dropping it stops them.
pub(super) struct Workers {
    background: BackgroundLimiter,
    /// The right of this node to act for the session's owner.
    hold: OwnerHold,
    tasks: JoinSet<()>,
    by_turn: BTreeMap<TurnId, RunningTurn>,
}

struct RunningTurn {
    task: AbortHandle,
    inbox: watch::Sender<Inbox>,
}

impl Workers {
    pub(super) fn new(background: BackgroundLimiter, hold: OwnerHold) -> Self {
        Self { background, hold, tasks: JoinSet::new(), by_turn: BTreeMap::new() }
    }

    /// The limiter for monitors without viewers.
    pub(super) const fn background(&self) -> &BackgroundLimiter {
        &self.background
    }

    /// Starts a turn.
    pub(super) fn start(&mut self, services: &Arc<Services>, state: &State, turn_id: TurnId, mailbox: Mailbox) {
        let Some(turn) = state.open_turn(turn_id) else { return };
        let (inbox, line) = watch::channel(Inbox::of(state, turn));
        let input = TurnInput::new(state, turn, line, self.background.clone(), self.hold.clone(), &services.options);
        let running = turn::run(services.clone(), input, Reporter { turn_id, mailbox });
        let task = match &services.options.observers.tracer {
            // The lines that it logs have the ids of its spans.
            Some(tracer) => {
                let trace_id = tracer.turn(number(turn_id)).context.trace_id;
                let span = tracing::info_span!("turn", turn_id = %turn_id, trace_id = format!("{trace_id:032x}"));
                self.tasks.spawn(running.instrument(span))
            }
            None => self.tasks.spawn(running),
        };
        self.by_turn.insert(turn_id, RunningTurn { task, inbox });
    }

    /// Stops a turn.
    pub(super) fn stop(&mut self, turn_id: TurnId) {
        if let Some(worker) = self.by_turn.remove(&turn_id) {
            worker.task.abort();
        }
    }

    /// Notifies a turn of new messages and answers.
    pub(super) fn nudge(&self, state: &State, turn_id: TurnId) {
        if let (Some(worker), Some(turn)) = (self.by_turn.get(&turn_id), state.open_turn(turn_id)) {
            worker.inbox.send_replace(Inbox::of(state, turn));
        }
    }

    /// Waits until one of them ends.
    pub(super) async fn ended(&mut self) -> Option<Result<task::Id, JoinError>> {
        self.tasks.join_next_with_id().await.map(|ended| ended.map(|(id, ())| id))
    }

    /// Forgets a task that has ended. Returns its turn, unless that had been stopped before.
    pub(super) fn forget(&mut self, task_id: task::Id) -> Option<TurnId> {
        let turn_id = self.by_turn.iter().find(|(_, worker)| worker.task.id() == task_id).map(|(id, _)| *id)?;
        self.by_turn.remove(&turn_id);
        Some(turn_id)
    }

    /// Stops all of them.
    pub(super) fn stop_all(&mut self) {
        self.tasks.abort_all();
    }

    /// Whether no turn is running.
    pub(super) fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }
}
