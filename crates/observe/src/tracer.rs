//! Begins spans, decides which traces are recorded, and knows the trace of every turn.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use crate::{AttributeValue, Span, SpanKind, SpanRecord, SpanSink, TraceContext, current, parents::TurnParents};

/// The distance of two seeds of span ids: odd, so that all ids differ.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// Makes spans.
pub struct Tracer {
    sink: Box<dyn SpanSink>,
    /// Traces that begin here are recorded if the lower half of their id is below this.
    sampled_below: u64,
    seed: AtomicU64,
    parents: Mutex<TurnParents>,
}

/// The span of a turn, and the span of a client above it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TurnContext {
    /// The span of the turn.
    pub context: TraceContext,
    /// The client's span.
    pub parent: Option<u64>,
}

impl Tracer {
    /// A tracer that records this share of the traces that begin here, from 0 to 1. The seed makes
    /// the ids of spans differ from those of other processes.
    pub fn new(sink: Box<dyn SpanSink>, sample_ratio: f64, seed: u64) -> Self {
        let sampled_below =
            if sample_ratio >= 1.0 { u64::MAX } else { (sample_ratio.max(0.0) * u64::MAX as f64) as u64 };
        Self { sink, sampled_below, seed: AtomicU64::new(seed), parents: Mutex::default() }
    }

    /// Remembers the client's span of the request at work as the parent of a turn.
    pub fn adopt(&self, turn_id: u128) {
        if let Some(parent) = current() {
            self.parents.lock().unwrap_or_else(PoisonError::into_inner).insert(turn_id, parent);
        }
    }

    /// The span of a turn. Without a client's span the turn's own id is the trace, so that a turn
    /// that continues after a restart continues its trace.
    pub fn turn(&self, turn_id: u128) -> TurnContext {
        let parent = self.parents.lock().unwrap_or_else(PoisonError::into_inner).get(turn_id);
        let low = turn_id as u64;
        let context = TraceContext {
            trace_id: parent.map_or(turn_id, |parent| parent.trace_id),
            span_id: low.max(1),
            is_sampled: parent.map_or(low <= self.sampled_below && self.sampled_below > 0, |parent| parent.is_sampled),
        };
        TurnContext { context, parent: parent.map(|parent| parent.span_id) }
    }

    /// Begins a span below another one. Work that may be stopped counts as cancelled unless its end
    /// is reported.
    pub fn begin(self: &Arc<Self>, above: TraceContext, name: &str, kind: SpanKind, may_be_cut: bool) -> Span {
        let context = TraceContext { span_id: self.span_id(), ..above };
        if !context.is_sampled {
            return Span::unrecorded(context);
        }
        let record = SpanRecord {
            context,
            parent: Some(above.span_id),
            name: name.to_owned(),
            kind,
            start_nanos: self.now_nanos(),
            end_nanos: 0,
            attributes: Vec::new(),
            error: None,
        };
        Span::open(self.clone(), record, may_be_cut)
    }

    /// Takes the span of a turn that has ended now.
    pub fn end_turn(
        &self,
        turn: TurnContext,
        start_nanos: u64,
        attributes: Vec<(&'static str, AttributeValue)>,
        error: Option<String>,
    ) {
        let TurnContext { context, parent } = turn;
        let (name, kind, end_nanos) = ("turn".to_owned(), SpanKind::Server, self.now_nanos());
        self.end(SpanRecord { context, parent, name, kind, start_nanos, end_nanos, attributes, error });
    }

    pub(crate) fn now_nanos(&self) -> u64 {
        self.sink.now_nanos()
    }

    pub(crate) fn end(&self, record: SpanRecord) {
        if record.context.is_sampled {
            self.sink.ended(record);
        }
    }

    /// A new id: a permutation of a counter, so that no id comes twice.
    fn span_id(&self) -> u64 {
        let mut id = self.seed.fetch_add(STEP, Ordering::Relaxed);
        id = (id ^ (id >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        id = (id ^ (id >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (id ^ (id >> 31)).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Default)]
    struct SpanStore(Arc<Mutex<Vec<SpanRecord>>>);

    impl SpanSink for SpanStore {
        fn now_nanos(&self) -> u64 {
            7
        }

        fn ended(&self, span: SpanRecord) {
            self.0.lock().unwrap().push(span);
        }
    }

    fn tracer(ratio: f64) -> (Arc<Tracer>, SpanStore) {
        let kept = SpanStore::default();
        (Arc::new(Tracer::new(Box::new(kept.clone()), ratio, 1)), kept)
    }

    #[test]
    fn a_turn_without_a_parent_is_its_own_trace() {
        let (tracer, _) = tracer(1.0);
        let turn = tracer.turn(0xabc);
        assert_eq!((turn.context.trace_id, turn.parent, turn.context.is_sampled), (0xabc, None, true));
    }

    #[tokio::test]
    async fn a_turn_joins_the_trace_of_its_request() {
        let (tracer, kept) = tracer(0.0);
        let parent = TraceContext { trace_id: 5, span_id: 6, is_sampled: true };
        crate::scope(parent, async { tracer.adopt(9) }).await;
        let turn = tracer.turn(9);
        assert_eq!((turn.context.trace_id, turn.parent, turn.context.is_sampled), (5, Some(6), true));
        tracer.begin(turn.context, "cut", SpanKind::Internal, true);
        tracer.begin(turn.context, "whole", SpanKind::Internal, true).finish();
        let kept = kept.0.lock().unwrap();
        assert_eq!(kept.iter().map(|span| span.error.as_deref()).collect::<Vec<_>>(), [Some("cancelled"), None]);
        assert_ne!(kept[0].context.span_id, kept[1].context.span_id);
    }

    #[test]
    fn a_trace_that_is_not_sampled_is_passed_on_and_not_recorded() {
        let (tracer, kept) = tracer(0.0);
        let turn = tracer.turn(3);
        let span = tracer.begin(turn.context, "model", SpanKind::Client, true);
        assert!(span.context().is_some_and(|context| !context.is_sampled));
        drop(span);
        tracer.end_turn(turn, 0, Vec::new(), None);
        assert!(kept.0.lock().unwrap().is_empty());
        let shares = (0..4000u64).filter(|turn| {
            let id = u128::from(turn.wrapping_mul(STEP));
            self::tracer(0.25).0.turn(id.max(1)).context.is_sampled
        });
        let count = shares.count();
        assert!((800..1200).contains(&count), "a quarter of 4000: {count}");
    }
}
