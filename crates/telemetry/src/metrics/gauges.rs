//! Gauges, which are read when they are asked for.

use std::sync::atomic::AtomicU64;

use observe::Gauges;
use prometheus_client::{
    metrics::gauge::Gauge,
    registry::{Registry, Unit},
};

use crate::process;

/// Reads a gauge.
type GaugeReader = fn(&Gauges) -> u64;

/// Name, meaning and reading of each.
const GAUGES: [(&str, &str, GaugeReader); 12] = [
    ("sessions_live", "Sessions in memory", |it| it.live_sessions),
    ("turns_running", "Turns at work", |it| it.running_turns),
    ("turns_waiting", "Turns that wait for a place", |it| it.waiting_turns),
    ("turns_running_max", "Turns that may work at once", |it| it.turns_max),
    ("background_turns_running", "Turns at work in the background", |it| it.background_running),
    ("background_turns_waiting", "Turns in the background that wait for a place", |it| it.background_waiting),
    ("follower_unread_sessions", "Sessions with events that memory has not read", |it| it.unread_sessions),
    ("memory_index_documents", "Documents in the search indexes in memory", |it| it.index_documents),
    ("journal_damaged_sessions", "Sessions found damaged since the start", |it| it.damaged_sessions),
    ("connections_open", "Open TCP connections", |it| it.connections),
    ("streams_open", "Open WebSockets and event streams", |it| it.streams),
    ("mcp_sessions_open", "Open MCP sessions", |it| it.mcp_sessions),
];

#[derive(Default)]
pub(super) struct GaugeMetrics {
    gauges: Vec<(Gauge, GaugeReader)>,
    resident: Gauge,
    files: Gauge,
    threads: Gauge,
}

impl GaugeMetrics {
    pub(super) fn new(registry: &mut Registry) -> Self {
        let gauges = GAUGES.map(|(name, help, reading)| {
            let gauge: Gauge = Gauge::default();
            registry.register(name, help, gauge.clone());
            (gauge, reading)
        });
        Self { gauges: gauges.into(), ..Self::default() }
    }

    /// Adds those of the process, under the names that Prometheus gives them everywhere.
    pub(super) fn add_process(&self, registry: &mut Registry, started_at: f64) {
        let started = Gauge::<f64, AtomicU64>::default();
        started.set(started_at);
        let help = "When the process has started, in seconds since 1970";
        registry.register_with_unit("process_start_time", help, Unit::Seconds, started);
        let help = "Memory in use";
        registry.register_with_unit("process_resident_memory", help, Unit::Bytes, self.resident.clone());
        registry.register("process_open_fds", "Open files and sockets", self.files.clone());
        registry.register("process_threads", "Threads", self.threads.clone());
    }

    pub(super) fn set(&self, gauges: &Gauges) {
        let signed = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        for (gauge, reading) in &self.gauges {
            gauge.set(signed(reading(gauges)));
        }
        let process = [
            (&self.resident, process::resident_bytes()),
            (&self.files, process::open_files()),
            (&self.threads, process::threads()),
        ];
        for (gauge, value) in process {
            gauge.set(value.map_or(0, signed));
        }
    }
}
