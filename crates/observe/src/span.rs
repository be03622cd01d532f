//! Spans: pieces of work with a beginning, an end and attributes.

use std::sync::Arc;

use crate::{TraceContext, Tracer};

/// Takes ended spans; it must not block.
pub trait SpanSink: Send + Sync + 'static {
    /// The present moment, in nanoseconds since 1970.
    fn now_nanos(&self) -> u64;

    /// Takes a span.
    fn ended(&self, span: SpanRecord);
}

/// The role of a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpanKind {
    /// Work inside the server.
    Internal,
    /// Work for a client.
    Server,
    /// A request to another server.
    Client,
}

/// The value of an attribute.
#[derive(Debug, Clone, PartialEq)]
pub enum AttributeValue {
    /// Text.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// A number.
    Number(f64),
    /// Several texts.
    Texts(Vec<String>),
}

impl From<&str> for AttributeValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for AttributeValue {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<u64> for AttributeValue {
    fn from(count: u64) -> Self {
        Self::Integer(i64::try_from(count).unwrap_or(i64::MAX))
    }
}

impl From<f64> for AttributeValue {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

/// An ended span.
#[derive(Debug, Clone)]
pub struct SpanRecord {
    /// The span.
    pub context: TraceContext,
    /// The span above it.
    pub parent: Option<u64>,
    /// Its name.
    pub name: String,
    /// Its role.
    pub kind: SpanKind,
    /// When it began, in nanoseconds since 1970.
    pub start_nanos: u64,
    /// When it ended.
    pub end_nanos: u64,
    /// What is known of it.
    pub attributes: Vec<(&'static str, AttributeValue)>,
    /// The kind of its error, if it failed.
    pub error: Option<String>,
}

/// The attribute with the kind of an error.
const ERROR_TYPE: &str = "error.type";
/// The kind of error of a span that was dropped before its end.
const CANCELLED: &str = "cancelled";

/// An open span, which ends when it is dropped. Work that may be stopped at any time needs
/// [`Span::finish`] or [`Span::fail`]; otherwise it counts as cancelled.
#[derive(Default)]
pub struct Span {
    context: Option<TraceContext>,
    open: Option<Box<OpenSpan>>,
}

struct OpenSpan {
    tracer: Arc<Tracer>,
    record: SpanRecord,
    /// Whether it counts as cancelled when it is dropped.
    may_be_cut: bool,
}

impl Span {
    /// A span of a trace that is recorded.
    pub(crate) fn open(tracer: Arc<Tracer>, record: SpanRecord, may_be_cut: bool) -> Self {
        let context = Some(record.context);
        Self { context, open: Some(Box::new(OpenSpan { tracer, record, may_be_cut })) }
    }

    /// A span of a trace that is not recorded; its context is passed on nevertheless.
    pub(crate) const fn unrecorded(context: TraceContext) -> Self {
        Self { context: Some(context), open: None }
    }

    /// The context for the work below it; none if nothing is traced.
    pub const fn context(&self) -> Option<TraceContext> {
        self.context
    }

    /// Sets an attribute; the value is only made if the span is recorded.
    pub fn set<V: Into<AttributeValue>>(&mut self, name: &'static str, value: impl FnOnce() -> V) {
        if let Some(open) = &mut self.open {
            open.record.attributes.push((name, value().into()));
        }
    }

    /// Ends it.
    pub fn finish(mut self) {
        if let Some(open) = &mut self.open {
            open.may_be_cut = false;
        }
    }

    /// Ends it as failed, with the kind of the error.
    pub fn fail(mut self, kind: &str) {
        if let Some(open) = &mut self.open {
            open.fail(kind);
        }
    }
}

impl OpenSpan {
    fn fail(&mut self, kind: &str) {
        self.may_be_cut = false;
        self.record.attributes.push((ERROR_TYPE, kind.into()));
        self.record.error = Some(kind.to_owned());
    }
}

impl Drop for Span {
    fn drop(&mut self) {
        let Some(mut open) = self.open.take() else { return };
        if open.may_be_cut {
            open.fail(CANCELLED);
        }
        open.record.end_nanos = open.tracer.now_nanos();
        open.tracer.end(open.record);
    }
}
