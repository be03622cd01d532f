//! The queue of ended spans. A full queue drops spans rather than delay the work they tell of.

use std::{sync::Arc, time::SystemTime};

use observe::{SpanRecord, SpanSink};
use tokio::sync::mpsc;

use super::ExportCounters;

/// Spans that wait to be sent.
pub(super) const QUEUE_MAX: usize = 8192;

/// Takes ended spans for the exporter.
pub struct SpanQueue {
    pub(super) spans: mpsc::Sender<SpanRecord>,
    pub(super) counters: Arc<ExportCounters>,
}

impl SpanSink for SpanQueue {
    #[allow(clippy::disallowed_methods, reason = "spans have nanoseconds, and the World counts milliseconds")]
    fn now_nanos(&self) -> u64 {
        let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since_1970.as_nanos()).unwrap_or(u64::MAX)
    }

    fn ended(&self, span: SpanRecord) {
        if self.spans.try_send(span).is_err() {
            self.counters.dropped.inc();
        }
    }
}
