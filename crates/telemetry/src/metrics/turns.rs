//! Turns: how many, by which way, how they end and how long they take.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use prometheus_client::{
    metrics::{counter::Counter, family::Family, histogram::Histogram},
    registry::{Registry, Unit},
};

use super::{
    labels::{CodeLabels, TurnLabels},
    observe_time, work_seconds,
};

/// Open turns whose way is remembered. An interrupted turn of a session that is deleted never ends.
const WAYS_MAX: usize = 16 * 1024;
/// The way of a turn that ends before it has chosen one.
const NO_WAY: &str = "none";

pub(super) struct TurnMetrics {
    accepted: Counter,
    ended: Family<TurnLabels, Counter>,
    errors: Family<CodeLabels, Counter>,
    first_text: Histogram,
    duration: Histogram,
    ways: Mutex<HashMap<u128, String>>,
}

impl TurnMetrics {
    pub(super) fn new(registry: &mut Registry) -> Self {
        let metrics = Self {
            accepted: Counter::default(),
            ended: Family::default(),
            errors: Family::default(),
            first_text: work_seconds(),
            duration: work_seconds(),
            ways: Mutex::default(),
        };
        registry.register("turns_accepted", "Messages that became a turn", metrics.accepted.clone());
        registry.register("turns", "Turns that have ended, by outcome and way", metrics.ended.clone());
        registry.register("turn_errors", "Turns that have ended with an error, by its code", metrics.errors.clone());
        let first_text = metrics.first_text.clone();
        let help = "Time from the message to the first text of the answer";
        registry.register_with_unit("turn_first_text", help, Unit::Seconds, first_text);
        let help = "Time from the message to the end of the turn";
        registry.register_with_unit("turn_duration", help, Unit::Seconds, metrics.duration.clone());
        metrics
    }

    pub(super) fn accept(&self) {
        self.accepted.inc();
    }

    pub(super) fn plan(&self, turn_id: u128, way: &str) {
        let mut ways = self.lock();
        if ways.len() >= WAYS_MAX {
            ways.clear();
        }
        ways.insert(turn_id, way.to_owned());
    }

    pub(super) fn first_text(&self, after: Duration) {
        observe_time(&self.first_text, after);
    }

    pub(super) fn end(&self, turn_id: u128, outcome: &str, error: Option<&str>, took: Duration) {
        let way = self.lock().remove(&turn_id).unwrap_or_else(|| NO_WAY.to_owned());
        self.ended.get_or_create(&TurnLabels { outcome: outcome.to_owned(), way }).inc();
        if let Some(code) = error {
            self.errors.get_or_create(&CodeLabels { code: code.to_owned() }).inc();
        }
        observe_time(&self.duration, took);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u128, String>> {
        self.ways.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
