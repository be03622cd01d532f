//! What clients see of the memory model in the statistics.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, MutexGuard, PoisonError},
};

use memory::long_term::ExtractedFacts;
use protocol::{MemoryModelState, MemoryModelStats, OwnerId, Timestamp};

/// Counts since the start of the server.
#[derive(Default)]
pub(super) struct ExtractionCounters {
    counts: Mutex<CounterState>,
}

#[derive(Default)]
struct CounterState {
    stats: MemoryModelStats,
    /// Owners whose budget is used up.
    out_of_budget: BTreeSet<OwnerId>,
}

impl ExtractionCounters {
    pub(super) fn new(is_on: bool, model: Option<String>) -> Self {
        let state = if is_on { MemoryModelState::Ready } else { MemoryModelState::Off };
        let stats = MemoryModelStats { state, model, ..MemoryModelStats::default() };
        Self { counts: Mutex::new(CounterState { stats, out_of_budget: BTreeSet::new() }) }
    }

    pub(super) fn read(&self) -> MemoryModelStats {
        let counts = self.lock();
        let mut stats = counts.stats.clone();
        if stats.state == MemoryModelState::Ready && stats.last_error.is_some() {
            stats.state = MemoryModelState::Failing;
        }
        if stats.state != MemoryModelState::Off && !counts.out_of_budget.is_empty() {
            stats.state = MemoryModelState::OutOfBudget;
        }
        stats
    }

    pub(super) fn called(&self, calls: usize) {
        self.lock().stats.calls += calls as u64;
    }

    pub(super) fn succeeded(&self, owner: &OwnerId, messages: usize, facts: &ExtractedFacts) {
        let mut counts = self.lock();
        counts.out_of_budget.remove(owner);
        counts.stats.messages += messages as u64;
        counts.stats.last_error = None;
        counts.stats.failed_at = None;
        add(&mut counts.stats.applied, &facts.applied);
        add(&mut counts.stats.refused, &facts.refused);
    }

    pub(super) fn failed(&self, error: String, at: Timestamp) {
        let mut counts = self.lock();
        counts.stats.failed += 1;
        counts.stats.last_error = Some(error);
        counts.stats.failed_at = Some(at);
    }

    pub(super) fn gave_up(&self, messages: usize) {
        self.lock().stats.given_up += messages as u64;
    }

    pub(super) fn note_budget(&self, owner: &OwnerId, is_used_up: bool) {
        let mut counts = self.lock();
        if is_used_up {
            counts.out_of_budget.insert(owner.clone());
        } else {
            counts.out_of_budget.remove(owner);
        }
    }

    pub(super) fn wait_for(&self, sessions: usize) {
        self.lock().stats.waiting = sessions as u64;
    }

    fn lock(&self) -> MutexGuard<'_, CounterState> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn add(totals: &mut BTreeMap<String, u64>, counts: &BTreeMap<&'static str, u64>) {
    for (name, count) in counts {
        *totals.entry((*name).to_owned()).or_default() += count;
    }
}
