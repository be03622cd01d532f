//! The spans of clients below which turns belong.

use std::collections::{HashMap, VecDeque};

use crate::TraceContext;

/// Turns whose parent is remembered. Only turns that never begin are left when they are dropped:
/// messages that were refused, repeated, or added to a running turn.
const PARENTS_MAX: usize = 8192;

/// The parents of turns, the oldest of which are forgotten first.
#[derive(Default)]
pub(crate) struct TurnParents {
    parents: HashMap<u128, TraceContext>,
    order: VecDeque<u128>,
}

impl TurnParents {
    pub(crate) fn insert(&mut self, turn_id: u128, parent: TraceContext) {
        if self.parents.insert(turn_id, parent).is_none() {
            self.order.push_back(turn_id);
        }
        while self.order.len() > PARENTS_MAX {
            if let Some(oldest) = self.order.pop_front() {
                self.parents.remove(&oldest);
            }
        }
    }

    pub(crate) fn get(&self, turn_id: u128) -> Option<TraceContext> {
        self.parents.get(&turn_id).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_parents_are_forgotten_first() {
        let mut parents = TurnParents::default();
        let parent = TraceContext { trace_id: 1, span_id: 1, is_sampled: true };
        for turn_id in 0..=PARENTS_MAX as u128 {
            parents.insert(turn_id, parent);
        }
        assert_eq!((parents.get(0), parents.get(1)), (None, Some(parent)));
        assert_eq!(parents.order.len(), PARENTS_MAX);
    }
}
