//! The timeline: what users and other agents did, given to the main agent of a monitor in its next
//! turn, once.
//!
//! Entries are given to a turn when it starts. If the turn is answered they are dropped; if it ends
//! in any other way they are returned, and the next turn gets them.

use std::collections::VecDeque;

use protocol::{AgentId, Interaction, MonitorId, Origin, Transition, TurnId, WindowId};
use serde::{Deserialize, Serialize};

use crate::limits::TIMELINE_MAX;

/// An event on the timeline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimelineEvent {
    /// The user did something on the desktop.
    User(Interaction),
    /// A window could not be shown.
    RenderFailed {
        /// The window.
        window_id: WindowId,
        /// The error.
        error: String,
    },
    /// Another agent has ended a turn.
    Agent {
        /// The agent.
        agent_id: AgentId,
        /// Its task, shortened.
        task: String,
        /// Its desktop actions, in prose.
        did: String,
        /// Its answer, shortened.
        answer: String,
        /// How it ended.
        end: Transition,
    },
    /// The session continues an earlier one, whose windows are closed.
    Restored(String),
    /// The number of older entries that were left out.
    LeftOut(u64),
}

/// An entry of the timeline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TimelineEntry {
    /// The sequence number of the event.
    pub seq: u64,
    /// The monitor on which it happened.
    pub monitor_id: MonitorId,
    /// The event.
    pub happened: TimelineEvent,
    /// The origin of its text.
    pub origin: Origin,
    /// The turn that has it in its context.
    pub given_to: Option<TurnId>,
}

/// The entries that the main agents have not read yet.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Timeline {
    entries: VecDeque<TimelineEntry>,
}

impl Timeline {
    pub(crate) fn iter(&self) -> impl Iterator<Item = &TimelineEntry> {
        self.entries.iter()
    }

    /// The entries of a turn, in order.
    pub(crate) fn of(&self, turn_id: TurnId) -> impl Iterator<Item = &TimelineEntry> {
        self.entries.iter().filter(move |entry| entry.given_to == Some(turn_id))
    }

    pub(crate) fn push(&mut self, entry: TimelineEntry) {
        if let Some(at) = self.superseded_by(&entry) {
            self.entries.remove(at);
        }
        self.entries.push_back(entry);
        self.leave_out();
    }

    /// An earlier entry that the new one supersedes. Of repeated focusing, moving and resizing of
    /// one window only the last counts, as long as nothing else happened in between.
    fn superseded_by(&self, entry: &TimelineEntry) -> Option<usize> {
        let TimelineEvent::User(new) = &entry.happened else { return None };
        let kind = coalesced_kind(new)?;
        for (at, earlier) in self.entries.iter().enumerate().rev() {
            if earlier.monitor_id != entry.monitor_id {
                continue;
            }
            let TimelineEvent::User(old) = &earlier.happened else { return None };
            if earlier.given_to.is_some() || coalesced_kind(old).is_none() {
                return None;
            }
            if coalesced_kind(old) == Some(kind) && (old.window_id() == new.window_id()) {
                return Some(at);
            }
        }
        None
    }

    /// Beyond the limit the oldest entries are replaced by one that counts them.
    fn leave_out(&mut self) {
        // Only on the newest entry's monitor: an unused monitor must not displace the entries of
        // another.
        let Some(newest) = self.entries.back().map(|entry| entry.monitor_id.clone()) else { return };
        let here: Vec<usize> = (0..self.entries.len()).filter(|at| self.entries[*at].monitor_id == newest).collect();
        if here.len() <= TIMELINE_MAX {
            return;
        }
        let free: Vec<usize> = here.into_iter().filter(|at| self.entries[*at].given_to.is_none()).take(2).collect();
        let [first, second] = free[..] else { return };
        let count = |entry: &TimelineEntry| match entry.happened {
            TimelineEvent::LeftOut(count) => count,
            _ => 1,
        };
        let left_out = count(&self.entries[first]) + count(&self.entries[second]);
        if let Some(gone) = self.entries.remove(first) {
            let kept = &mut self.entries[second - 1];
            kept.happened = TimelineEvent::LeftOut(left_out);
            kept.seq = gone.seq;
        }
    }

    /// A main turn starts: it gets the entries of its monitor. Entries it was given before stay
    /// with it.
    pub(crate) fn give(&mut self, turn_id: TurnId, monitor_id: &MonitorId) {
        for entry in self.entries.iter_mut().filter(|entry| entry.monitor_id == *monitor_id) {
            entry.given_to.get_or_insert(turn_id);
        }
    }

    /// The turn was answered: its entries are dropped.
    pub(crate) fn is_told(&mut self, turn_id: TurnId) {
        self.entries.retain(|entry| entry.given_to != Some(turn_id));
    }

    /// The turn was not answered: its entries go to the next one.
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

/// Interactions of which only the last one counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CoalescedKind {
    Focus,
    Move,
    Resize,
}

const fn coalesced_kind(interaction: &Interaction) -> Option<CoalescedKind> {
    match interaction {
        Interaction::Focus { .. } => Some(CoalescedKind::Focus),
        Interaction::Move { .. } => Some(CoalescedKind::Move),
        Interaction::Resize { .. } => Some(CoalescedKind::Resize),
        _ => None,
    }
}
