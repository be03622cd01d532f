//! The turns at work in a session, and the line to each of them.

use std::{collections::BTreeMap, sync::Arc};

use protocol::TurnId;
use session::State;
use tokio::{
    sync::watch,
    task::{self, AbortHandle, JoinError, JoinSet},
};

use super::mail::{Mailbox, Reporter};
use crate::{
    hub::House,
    pool::Background,
    turn::{self, Heard, Job},
};

/// The turns at work. Dropping it stops them.
pub(super) struct Workers {
    background: Background,
    tasks: JoinSet<()>,
    by_turn: BTreeMap<TurnId, Worker>,
}

struct Worker {
    task: AbortHandle,
    heard: watch::Sender<Heard>,
}

impl Workers {
    pub(super) fn new(background: Background) -> Self {
        Self { background, tasks: JoinSet::new(), by_turn: BTreeMap::new() }
    }

    /// What may be done on monitors that nobody looks at.
    pub(super) const fn background(&self) -> &Background {
        &self.background
    }

    /// Puts a turn to work.
    pub(super) fn start(&mut self, house: &Arc<House>, state: &State, turn_id: TurnId, mailbox: Mailbox) {
        let Some(turn) = state.open_turn(turn_id) else { return };
        let (heard, line) = watch::channel(Heard::of(state, turn));
        let job = Job::new(state, turn, line, self.background.clone());
        let task = self.tasks.spawn(turn::run(house.clone(), job, Reporter { turn_id, mailbox }));
        self.by_turn.insert(turn_id, Worker { task, heard });
    }

    /// Stops the work on a turn.
    pub(super) fn stop(&mut self, turn_id: TurnId) {
        if let Some(worker) = self.by_turn.remove(&turn_id) {
            worker.task.abort();
        }
    }

    /// Lets a turn hear what was said to it.
    pub(super) fn nudge(&self, state: &State, turn_id: TurnId) {
        if let (Some(worker), Some(turn)) = (self.by_turn.get(&turn_id), state.open_turn(turn_id)) {
            worker.heard.send_replace(Heard::of(state, turn));
        }
    }

    /// Waits until one of them ends.
    pub(super) async fn ended(&mut self) -> Option<Result<task::Id, JoinError>> {
        self.tasks.join_next_with_id().await.map(|ended| ended.map(|(id, ())| id))
    }

    /// Forgets a task that has ended; gives its turn, unless that had been stopped before.
    pub(super) fn forget(&mut self, task_id: task::Id) -> Option<TurnId> {
        let turn_id = self.by_turn.iter().find(|(_, worker)| worker.task.id() == task_id).map(|(id, _)| *id)?;
        self.by_turn.remove(&turn_id);
        Some(turn_id)
    }

    /// Stops all of them.
    pub(super) fn stop_all(&mut self) {
        self.tasks.abort_all();
    }

    /// Whether nothing is at work.
    pub(super) fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }
}
