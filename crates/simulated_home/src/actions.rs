//! Recorded actions of the simulated home. Only these are stored; everything else is computed.

use std::{collections::BTreeMap, sync::Arc};

use protocol::Timestamp;
use serde::{Deserialize, Serialize};

use super::layout::SimulatedState;

/// How long actions are kept.
const MEMORY_MILLIS: i64 = 12 * 86_400_000;
/// The number of actions kept for one entity.
const DEEDS_MAX: usize = 500;

/// A state that begins some time after an action.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct StatePhase {
    /// The delay after the action.
    pub(super) after_ms: i64,
    /// The state from then on.
    #[serde(flatten)]
    pub(super) sim_state: SimulatedState,
}

/// An action of an entity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ActionRecord {
    /// When.
    pub(super) at: Timestamp,
    /// Its phases, oldest first; the first begins at once.
    pub(super) phases: Vec<StatePhase>,
    /// The service, as `light.turn_on`.
    pub(super) service: String,
    /// Whether it ran an automation or a script.
    #[serde(default)]
    pub(super) is_run: bool,
}

impl ActionRecord {
    /// The state at a moment after it.
    pub(super) fn sim_state(&self, at: Timestamp) -> SimulatedState {
        let passed = at.as_millis() - self.at.as_millis();
        let phase = self.phases.iter().rev().find(|phase| phase.after_ms <= passed).or(self.phases.first());
        phase.map(|phase| phase.sim_state.clone()).unwrap_or_default()
    }

    /// When it ran something.
    pub(super) fn run_at(&self) -> Option<Timestamp> {
        self.is_run.then_some(self.at)
    }
}

/// An item of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TodoItem {
    pub(super) uid: String,
    pub(super) summary: String,
    /// `needs_action` or `completed`.
    pub(super) status: String,
}

/// What one call changes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct ActionChange {
    /// Actions by their entities.
    pub(super) actions: Vec<(String, Arc<ActionRecord>)>,
    /// Lists that are changed, whole, with the total number of items ever made.
    pub(super) lists: Vec<(String, Vec<TodoItem>, u64)>,
}

impl ActionChange {
    pub(super) fn is_empty(&self) -> bool {
        self.actions.is_empty() && self.lists.is_empty()
    }
}

/// All recorded actions.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct ActionLog {
    /// Shared, since every call makes a new log.
    by_entity: BTreeMap<String, Vec<Arc<ActionRecord>>>,
    pub(super) lists: BTreeMap<String, Vec<TodoItem>>,
    /// The total number of items ever made, for their ids.
    pub(super) items: u64,
}

impl ActionLog {
    /// The last action of an entity up to a moment.
    pub(super) fn before(&self, id: &str, at: Timestamp) -> Option<&ActionRecord> {
        self.of(id).iter().rev().find(|action| action.at <= at).map(AsRef::as_ref)
    }

    /// All actions of an entity, oldest first.
    pub(super) fn of(&self, id: &str) -> &[Arc<ActionRecord>] {
        self.by_entity.get(id).map_or(&[], Vec::as_slice)
    }

    /// The moments at which actions changed an entity.
    pub(super) fn moments(&self, id: &str) -> impl Iterator<Item = Timestamp> {
        self.of(id).iter().flat_map(|action| {
            action.phases.iter().map(|phase| Timestamp::from_millis(action.at.as_millis() + phase.after_ms))
        })
    }

    /// Applies what a call changes.
    pub(super) fn apply(&mut self, change: ActionChange) {
        for (id, action) in change.actions {
            self.add(&id, action);
        }
        for (id, items, count) in change.lists {
            self.lists.insert(id, items);
            self.items = count;
        }
    }

    /// Adds an action, and removes old ones. After the clock was set back, later actions are
    /// removed as well.
    fn add(&mut self, id: &str, action: Arc<ActionRecord>) {
        let actions = self.by_entity.entry(id.to_owned()).or_default();
        let (now, oldest) = (action.at, action.at.as_millis() - MEMORY_MILLIS);
        actions.retain(|action| action.at <= now);
        // The last one before that defines the state at the start of the kept period.
        let forgotten = actions.partition_point(|action| action.at.as_millis() < oldest).saturating_sub(1);
        actions.drain(..forgotten.max((actions.len() + 1).saturating_sub(DEEDS_MAX)));
        actions.push(action);
    }

    /// The number of open items of a list.
    pub(super) fn open_items(&self, id: &str) -> usize {
        self.lists.get(id).map_or(0, |items| items.iter().filter(|item| item.status == "needs_action").count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn action(at: i64, state: &str) -> Arc<ActionRecord> {
        let phases = vec![StatePhase { after_ms: 0, sim_state: SimulatedState::word(state) }];
        ActionRecord { at: Timestamp::from_millis(at), phases, service: "a.b".to_owned(), is_run: false }.into()
    }

    #[test]
    fn the_last_deed_holds_and_old_ones_are_forgotten() {
        let mut actions = ActionLog::default();
        let day = 86_400_000;
        for number in 0..30 {
            actions.add("light.a", action(number * day, &number.to_string()));
        }
        assert_eq!(actions.of("light.a").len(), 14, "twelve days, the one before, and the new one");
        assert_eq!(
            actions.before("light.a", Timestamp::from_millis(25 * day + 5)).unwrap().phases[0].sim_state.state,
            "25"
        );
        for number in 0..2_000 {
            actions.add("light.a", action(40 * day + number, "on"));
        }
        assert_eq!(actions.of("light.a").len(), DEEDS_MAX);
    }

    #[test]
    fn a_clock_that_was_set_back_takes_the_future_with_it() {
        let mut actions = ActionLog::default();
        actions.add("light.a", action(1_000, "on"));
        actions.add("light.a", action(500, "off"));
        assert_eq!(actions.before("light.a", Timestamp::from_millis(2_000)).unwrap().phases[0].sim_state.state, "off");
    }
}
