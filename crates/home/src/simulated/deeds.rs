//! What the simulated home was told: all that it keeps, since everything else can be computed.

use std::collections::BTreeMap;

use protocol::Timestamp;
use serde::{Deserialize, Serialize};

use super::furniture::Face;

/// How long what was told is remembered.
const MEMORY_MILLIS: i64 = 12 * 86_400_000;
/// How many deeds of one entity are remembered.
const DEEDS_MAX: usize = 500;

/// How something stands from a moment after it was told on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Phase {
    /// How long after.
    pub(super) after_ms: i64,
    /// How it stands then.
    #[serde(flatten)]
    pub(super) face: Face,
}

/// Something that an entity was told and did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Deed {
    /// When.
    pub(super) at: Timestamp,
    /// What it did, oldest first; the first begins at once.
    pub(super) phases: Vec<Phase>,
    /// The service, as `light.turn_on`.
    pub(super) service: String,
    /// Whether an automation or a script was run by it.
    #[serde(default)]
    pub(super) is_run: bool,
}

impl Deed {
    /// How it stands at a moment after it.
    pub(super) fn face(&self, at: Timestamp) -> Face {
        let passed = at.as_millis() - self.at.as_millis();
        let phase = self.phases.iter().rev().find(|phase| phase.after_ms <= passed).or(self.phases.first());
        phase.map(|phase| phase.face.clone()).unwrap_or_default()
    }

    /// When it ran something.
    pub(super) fn run_at(&self) -> Option<Timestamp> {
        self.is_run.then_some(self.at)
    }
}

/// An item of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Item {
    pub(super) uid: String,
    pub(super) summary: String,
    /// `needs_action` or `completed`.
    pub(super) status: String,
}

/// Everything that was told.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Deeds {
    by_entity: BTreeMap<String, Vec<Deed>>,
    pub(super) lists: BTreeMap<String, Vec<Item>>,
    /// How many items there ever were, for their ids.
    pub(super) items: u64,
}

impl Deeds {
    /// What an entity was told last, up to a moment.
    pub(super) fn before(&self, id: &str, at: Timestamp) -> Option<&Deed> {
        self.by_entity.get(id)?.iter().rev().find(|deed| deed.at <= at)
    }

    /// All that an entity was told, oldest first.
    pub(super) fn of(&self, id: &str) -> &[Deed] {
        self.by_entity.get(id).map_or(&[], Vec::as_slice)
    }

    /// Moments at which an entity changed for what it was told.
    pub(super) fn moments(&self, id: &str) -> impl Iterator<Item = Timestamp> {
        let moments = |deed: &Deed| -> Vec<Timestamp> {
            deed.phases.iter().map(|phase| Timestamp::from_millis(deed.at.as_millis() + phase.after_ms)).collect()
        };
        self.of(id).iter().flat_map(moments)
    }

    /// Adds a deed, and forgets what is too long ago to be asked about. Of a clock that was set back, what lies ahead of
    /// it has not happened.
    pub(super) fn add(&mut self, id: &str, deed: Deed) {
        let deeds = self.by_entity.entry(id.to_owned()).or_default();
        let (now, oldest) = (deed.at, deed.at.as_millis() - MEMORY_MILLIS);
        deeds.retain(|deed| deed.at <= now);
        // The last one before that says how it stood when memory begins.
        let forgotten = deeds.partition_point(|deed| deed.at.as_millis() < oldest).saturating_sub(1);
        deeds.drain(..forgotten.max((deeds.len() + 1).saturating_sub(DEEDS_MAX)));
        deeds.push(deed);
    }

    /// How many items of a list are still to be done.
    pub(super) fn open_items(&self, id: &str) -> usize {
        self.lists.get(id).map_or(0, |items| items.iter().filter(|item| item.status == "needs_action").count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deed(at: i64, state: &str) -> Deed {
        let phases = vec![Phase { after_ms: 0, face: Face::word(state) }];
        Deed { at: Timestamp::from_millis(at), phases, service: "a.b".to_owned(), is_run: false }
    }

    #[test]
    fn the_last_deed_holds_and_old_ones_are_forgotten() {
        let mut deeds = Deeds::default();
        let day = 86_400_000;
        for number in 0..30 {
            deeds.add("light.a", deed(number * day, &number.to_string()));
        }
        assert_eq!(deeds.of("light.a").len(), 14, "twelve days, the one before, and the new one");
        assert_eq!(deeds.before("light.a", Timestamp::from_millis(25 * day + 5)).unwrap().phases[0].face.state, "25");
        for number in 0..2_000 {
            deeds.add("light.a", deed(40 * day + number, "on"));
        }
        assert_eq!(deeds.of("light.a").len(), DEEDS_MAX);
    }

    #[test]
    fn a_clock_that_was_set_back_takes_the_future_with_it() {
        let mut deeds = Deeds::default();
        deeds.add("light.a", deed(1_000, "on"));
        deeds.add("light.a", deed(500, "off"));
        assert_eq!(deeds.before("light.a", Timestamp::from_millis(2_000)).unwrap().phases[0].face.state, "off");
    }
}
