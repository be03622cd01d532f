//! The journal, and memory, which follows it.

use std::time::Duration;

use prometheus_client::{
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
    registry::{Registry, Unit},
};

use super::{counts, disk_seconds, labels::TargetLabels, observe_time, work_seconds};

pub(super) struct JournalMetrics {
    commits: Family<TargetLabels, Counter>,
    batch_writes: Histogram,
    batch_events: Histogram,
    flush: Histogram,
    leases: Gauge,
    follower_lag: Histogram,
}

impl JournalMetrics {
    pub(super) fn new(registry: &mut Registry) -> Self {
        let metrics = Self {
            commits: Family::default(),
            batch_writes: counts(),
            batch_events: counts(),
            flush: disk_seconds(),
            leases: Gauge::default(),
            follower_lag: work_seconds(),
        };
        let help = "Flushes of the journal to the disk, of its log or its database";
        registry.register("journal_commits", help, metrics.commits.clone());
        let writes = metrics.batch_writes.clone();
        registry.register("journal_batch_writes", "Writes that one flush made durable", writes);
        let events = metrics.batch_events.clone();
        registry.register("journal_batch_events", "Events that one flush made durable", events);
        registry.register_with_unit("journal_flush", "Time of a flush", Unit::Seconds, metrics.flush.clone());
        registry.register("journal_leases", "Sessions that are open for writing", metrics.leases.clone());
        let help = "Time from an event to its reading by memory";
        registry.register_with_unit("follower_lag", help, Unit::Seconds, metrics.follower_lag.clone());
        metrics
    }

    pub(super) fn commit(&self, target: &str, flush: Duration) {
        self.commits.get_or_create(&TargetLabels { target: target.to_owned() }).inc();
        observe_time(&self.flush, flush);
    }

    pub(super) fn batch(&self, writes: usize, events: usize) {
        self.batch_writes.observe(writes as f64);
        self.batch_events.observe(events as f64);
    }

    pub(super) fn leases(&self, count: usize) {
        self.leases.set(i64::try_from(count).unwrap_or(i64::MAX));
    }

    pub(super) fn follower_read(&self, lag: Duration) {
        observe_time(&self.follower_lag, lag);
    }
}
