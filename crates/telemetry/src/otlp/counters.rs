//! How many spans were exported, and how many were dropped.

use prometheus_client::{metrics::counter::Counter, registry::Registry};

/// The counters of an exporter.
#[derive(Debug, Default)]
pub struct ExportCounters {
    pub(super) exported: Counter,
    pub(super) dropped: Counter,
}

impl ExportCounters {
    pub(crate) fn register(&self, registry: &mut Registry) {
        registry.register("spans_exported", "Spans that the collector has taken", self.exported.clone());
        let help = "Spans that were dropped: the queue was full, or the collector did not take them";
        registry.register("spans_dropped", help, self.dropped.clone());
    }
}
