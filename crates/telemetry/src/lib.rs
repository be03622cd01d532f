//! Exporters of what the server reports about itself ([`observe`]).
//!
//! [`Metrics`] counts for Prometheus and renders its text format. [`OtlpExporter`] sends spans to a
//! collector over OTLP: HTTP with JSON, which needs nothing beyond the HTTP client that is here
//! anyway. Neither knows sessions, turns or models.

mod metrics;
mod otlp;
mod process;

pub use metrics::{CONTENT_TYPE, Metrics};
pub use otlp::{BadHeaders, BadSettings, ExportCounters, OtlpExporter, OtlpSettings, SpanQueue};
