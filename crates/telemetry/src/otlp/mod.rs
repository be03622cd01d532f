//! Spans over OTLP: queued without waiting, sent in batches, retried, and counted when they are
//! dropped.

mod counters;
mod encode;
mod headers;
mod queue;
mod sender;

pub use counters::ExportCounters;
pub use headers::BadHeaders;
pub use queue::SpanQueue;
pub use sender::{BadSettings, OtlpExporter, OtlpSettings};
