//! What a running server reports about itself, without knowing who listens.
//!
//! The parts of the server hand [`Measurement`]s to a [`Meter`] and [`Span`]s to a [`Tracer`]. Both
//! are optional: without them nothing is measured and nothing is allocated. The trace context of
//! the work in progress belongs to its task ([`scope`]), so that outgoing requests find it
//! ([`traceparent`]) without every function in between passing it on. Formats and transports are
//! the exporters' business.

mod context;
mod measurement;
mod observers;
mod parents;
mod scope;
mod span;
mod tracer;

pub use context::{TRACEPARENT, TraceContext};
pub use measurement::{Gauges, Measurement, Meter, TokenUsage};
pub use observers::Observers;
pub use scope::{current, scope, scope_maybe, traceparent};
pub use span::{AttributeValue, Span, SpanKind, SpanRecord, SpanSink};
pub use tracer::{Tracer, TurnContext};
