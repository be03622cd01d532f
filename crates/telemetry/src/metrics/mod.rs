//! Measurements for Prometheus, in its text format OpenMetrics.

mod gauges;
mod journal;
mod labels;
mod turns;
mod work;

use std::{sync::Arc, time::Duration};

use gauges::GaugeMetrics;
use journal::JournalMetrics;
use observe::{Gauges, Measurement, Meter};
use prometheus_client::{
    encoding::text::encode,
    metrics::{histogram::Histogram, info::Info},
    registry::Registry,
};
use turns::TurnMetrics;
use work::WorkMetrics;

use crate::ExportCounters;

/// The media type of [`Metrics::render`].
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The prefix of all names, except those of the process.
const PREFIX: &str = "dwell";

/// Times of answers and calls, in seconds.
const WORK_SECONDS: [f64; 14] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 120.0, 600.0];
/// Times of the disk, in seconds.
const DISK_SECONDS: [f64; 11] = [0.0001, 0.000_25, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.0];
/// Counts.
const COUNTS: [f64; 9] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 512.0];

/// All metrics of the server.
pub struct Metrics {
    registry: Registry,
    turns: TurnMetrics,
    work: WorkMetrics,
    journal: JournalMetrics,
    gauges: GaugeMetrics,
}

impl Metrics {
    /// The metrics of a program of this version, which has started at this time in seconds since
    /// 1970. With traces, their exporter's counters are metrics too.
    pub fn new(version: &str, started_at: f64, traces: Option<&Arc<ExportCounters>>) -> Self {
        let mut registry = Registry::default();
        let own = registry.sub_registry_with_prefix(PREFIX);
        own.register("build", "The running program", Info::new(vec![("version", version.to_owned())]));
        let turns = TurnMetrics::new(own);
        let work = WorkMetrics::new(own);
        let journal = JournalMetrics::new(own);
        if let Some(counters) = traces {
            counters.register(own);
        }
        let gauges = GaugeMetrics::new(own);
        gauges.add_process(&mut registry, started_at);
        Self { registry, turns, work, journal, gauges }
    }

    /// All metrics as text, with these gauges.
    pub fn render(&self, gauges: &Gauges) -> String {
        self.gauges.set(gauges);
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

impl Meter for Metrics {
    fn measure(&self, measurement: Measurement<'_>) {
        match measurement {
            Measurement::TurnAccepted => self.turns.accept(),
            Measurement::TurnPlanned { turn_id, way } => self.turns.plan(turn_id, way),
            Measurement::FirstText { after } => self.turns.first_text(after),
            Measurement::TurnEnded { turn_id, outcome, error, took } => self.turns.end(turn_id, outcome, error, took),
            Measurement::ModelCall { provider, purpose, error, usage } => {
                self.work.model_call(provider, purpose, error, usage);
            }
            Measurement::ModelTime { provider, took } => self.work.model_time(provider, took),
            Measurement::ToolCall { tool, kind, outcome, took } => self.work.tool_call(tool, kind, outcome, took),
            Measurement::ApprovalAsked => self.work.approval_asked(),
            Measurement::ApprovalAnswered { decision } => self.work.approval_answered(decision),
            Measurement::ScheduleFired => self.work.schedule_fired(),
            Measurement::Commit { target, flush } => self.journal.commit(target, flush),
            Measurement::Batch { writes, events } => self.journal.batch(writes, events),
            Measurement::Leases(count) => self.journal.leases(count),
            Measurement::FollowerRead { lag } => self.journal.follower_read(lag),
        }
    }
}

fn work_seconds() -> Histogram {
    Histogram::new(WORK_SECONDS)
}

fn disk_seconds() -> Histogram {
    Histogram::new(DISK_SECONDS)
}

fn counts() -> Histogram {
    Histogram::new(COUNTS)
}

fn observe_time(histogram: &Histogram, took: Duration) {
    histogram.observe(took.as_secs_f64());
}
