//! The spans of a running turn: its stages, and below them the calls of models and tools and the
//! recall of memories. No text of messages, prompts, arguments or results gets into them.

use std::sync::Arc;

use model::{Model, Stop};
use observe::{AttributeValue, Observers, Span, SpanKind, TraceContext, Tracer};
use protocol::{SessionId, Stage, TurnId};

use super::model_call::RoundResult;
use crate::observation::{number, provider};

/// The trace of a turn; without a tracer it does nothing.
#[derive(Default)]
pub(super) struct TurnTrace {
    traced: Option<TracedTurn>,
    /// The stage that the turn is in.
    stage: Span,
}

struct TracedTurn {
    tracer: Arc<Tracer>,
    turn: TraceContext,
    session_id: SessionId,
}

impl TurnTrace {
    pub(super) fn new(observers: &Observers, session_id: SessionId, turn_id: TurnId) -> Self {
        let traced = observers.tracer.as_ref().map(|tracer| {
            let turn = tracer.turn(number(turn_id)).context;
            TracedTurn { tracer: tracer.clone(), turn, session_id }
        });
        Self { traced, stage: Span::default() }
    }

    /// Enters a stage, which ends the one before.
    pub(super) fn enter(&mut self, stage: Stage) {
        let Some(traced) = &self.traced else { return };
        // The one before ends before the next begins.
        drop(std::mem::take(&mut self.stage));
        self.stage = traced.tracer.begin(traced.turn, name(stage), SpanKind::Internal, false);
    }

    /// Notes the way that the turn takes.
    pub(super) fn set_way(&mut self, way: &str) {
        self.stage.set("dwell.turn.way", || way);
    }

    /// A call of a model, by the semantic conventions for generative AI.
    pub(super) fn model_call(&self, model: &dyn Model, answer_tokens_max: u64) -> Span {
        let Some(traced) = &self.traced else { return Span::default() };
        let short = model.name().split_once('/').map_or(model.name(), |(_, short)| short);
        let mut span = self.child(traced, &format!("chat {short}"), SpanKind::Client);
        span.set("gen_ai.operation.name", || "chat");
        span.set("gen_ai.provider.name", || provider(model.name()));
        span.set("gen_ai.request.model", || short);
        span.set("gen_ai.request.max_tokens", || answer_tokens_max);
        span.set("gen_ai.conversation.id", || traced.session_id.to_string());
        span
    }

    /// A call of a tool.
    pub(super) fn tool_call(&self, tool: &str, call_id: &str) -> Span {
        let Some(traced) = &self.traced else { return Span::default() };
        let mut span = self.child(traced, &format!("execute_tool {tool}"), SpanKind::Internal);
        span.set("gen_ai.operation.name", || "execute_tool");
        span.set("gen_ai.tool.name", || tool);
        span.set("gen_ai.tool.type", || "function");
        span.set("gen_ai.tool.call.id", || call_id);
        span
    }

    /// A search of memory for what the message is about.
    pub(super) fn recall(&self) -> Span {
        let Some(traced) = &self.traced else { return Span::default() };
        self.child(traced, "recall", SpanKind::Internal)
    }

    fn child(&self, traced: &TracedTurn, name: &str, kind: SpanKind) -> Span {
        traced.tracer.begin(self.stage.context().unwrap_or(traced.turn), name, kind, true)
    }
}

/// Ends the span of a model call that was answered.
pub(super) fn answered(mut span: Span, round: &RoundResult) {
    span.set("gen_ai.response.model", || round.model.as_str());
    span.set("gen_ai.usage.input_tokens", || round.usage.input_tokens);
    span.set("gen_ai.usage.output_tokens", || round.usage.output_tokens);
    span.set("gen_ai.response.finish_reasons", || {
        let reason = match round.stop {
            _ if !round.calls.is_empty() => "tool_calls",
            Stop::Complete => "stop",
            Stop::Length => "length",
            Stop::Filtered | Stop::Refused => "content_filter",
        };
        AttributeValue::Texts(vec![reason.to_owned()])
    });
    span.finish();
}

const fn name(stage: Stage) -> &'static str {
    match stage {
        Stage::Receive => "receive",
        Stage::Understand => "understand",
        Stage::Plan => "plan",
        Stage::Execute => "execute",
        Stage::Complete => "complete",
    }
}
