//! The timeline: what users and other agents did, told to the main agent of a monitor in its next turn, once.
//!
//! What is told is given to a turn when it is taken up. If the turn is answered it is gone; if the turn ends in any other
//! way it is given back, and the next turn is told.

use std::collections::VecDeque;

use protocol::{AgentId, Interaction, MonitorId, Origin, Transition, TurnId, WindowId};
use serde::{Deserialize, Serialize};

use crate::limits::TIMELINE_MAX;

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Happened {
    /// The user did something on the desktop.
    User(Interaction),
    /// A window could not be shown.
    RenderFailed {
        /// Which.
        window_id: WindowId,
        /// Why.
        error: String,
    },
    /// Another agent has ended a turn.
    Agent {
        /// Who.
        agent_id: AgentId,
        /// What it was asked, in short.
        task: String,
        /// What it did on the desktop, in words.
        did: String,
        /// What it answered, in short.
        answer: String,
        /// How it ended.
        end: Transition,
    },
    /// The session goes on from an earlier one, whose windows are closed.
    Restored(String),
    /// So much happened that the beginning is left out.
    LeftOut(u64),
}

/// Something that happened, and whom it is told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TimelineEntry {
    /// The number of the event that tells it.
    pub seq: u64,
    /// The monitor on which it happened.
    pub monitor_id: MonitorId,
    /// What.
    pub happened: Happened,
    /// Whose words it may be.
    pub origin: Origin,
    /// The turn that is told.
    pub given_to: Option<TurnId>,
}

/// What the main agents have not been told yet.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Timeline {
    entries: VecDeque<TimelineEntry>,
}

impl Timeline {
    pub(crate) fn iter(&self) -> impl Iterator<Item = &TimelineEntry> {
        self.entries.iter()
    }

    /// What a turn is told, in order.
    pub(crate) fn of(&self, turn_id: TurnId) -> impl Iterator<Item = &TimelineEntry> {
        self.entries.iter().filter(move |entry| entry.given_to == Some(turn_id))
    }

    pub(crate) fn push(&mut self, entry: TimelineEntry) {
        if let Some(at) = self.overtaken_by(&entry) {
            self.entries.remove(at);
        }
        self.entries.push_back(entry);
        self.leave_out();
    }

    /// An earlier entry that says nothing any more: focusing, moving and resizing one window over and over comes down to
    /// the last time, as long as nothing else happened in between.
    fn overtaken_by(&self, entry: &TimelineEntry) -> Option<usize> {
        let Happened::User(new) = &entry.happened else { return None };
        let kind = passing(new)?;
        for (at, earlier) in self.entries.iter().enumerate().rev() {
            if earlier.monitor_id != entry.monitor_id {
                continue;
            }
            let Happened::User(old) = &earlier.happened else { return None };
            if earlier.given_to.is_some() || passing(old).is_none() {
                return None;
            }
            if passing(old) == Some(kind) && (old.window_id() == new.window_id()) {
                return Some(at);
            }
        }
        None
    }

    /// Past the limit the oldest entries become one that counts them.
    fn leave_out(&mut self) {
        // On one monitor: one that nobody looks at must not swallow what happened on another.
        let Some(newest) = self.entries.back().map(|entry| entry.monitor_id.clone()) else { return };
        let here: Vec<usize> = (0..self.entries.len()).filter(|at| self.entries[*at].monitor_id == newest).collect();
        if here.len() <= TIMELINE_MAX {
            return;
        }
        let free: Vec<usize> = here.into_iter().filter(|at| self.entries[*at].given_to.is_none()).take(2).collect();
        let [first, second] = free[..] else { return };
        let count = |entry: &TimelineEntry| match entry.happened {
            Happened::LeftOut(count) => count,
            _ => 1,
        };
        let left_out = count(&self.entries[first]) + count(&self.entries[second]);
        if let Some(gone) = self.entries.remove(first) {
            let kept = &mut self.entries[second - 1];
            kept.happened = Happened::LeftOut(left_out);
            kept.seq = gone.seq;
        }
    }

    /// A main turn is taken up: it is told what is on its monitor's timeline. What it was given before stays its own.
    pub(crate) fn give(&mut self, turn_id: TurnId, monitor_id: &MonitorId) {
        for entry in self.entries.iter_mut().filter(|entry| entry.monitor_id == *monitor_id) {
            entry.given_to.get_or_insert(turn_id);
        }
    }

    /// The turn was answered: what it was told is known now.
    pub(crate) fn is_told(&mut self, turn_id: TurnId) {
        self.entries.retain(|entry| entry.given_to != Some(turn_id));
    }

    /// The turn came to nothing: the next one is told.
    pub(crate) fn give_back(&mut self, turn_id: TurnId) {
        for entry in self.entries.iter_mut().filter(|entry| entry.given_to == Some(turn_id)) {
            entry.given_to = None;
        }
    }

    pub(crate) fn forget_monitor(&mut self, monitor_id: &MonitorId) {
        self.entries.retain(|entry| entry.monitor_id != *monitor_id);
    }

    pub(crate) fn clear(&mut self) {
        self.entries.clear();
    }
}

/// What only its last time counts of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Passing {
    Focus,
    Move,
    Resize,
}

const fn passing(interaction: &Interaction) -> Option<Passing> {
    match interaction {
        Interaction::Focus { .. } => Some(Passing::Focus),
        Interaction::Move { .. } => Some(Passing::Move),
        Interaction::Resize { .. } => Some(Passing::Resize),
        _ => None,
    }
}
