//! The work of turns: calls of models and tools, approvals, schedules.

use std::{sync::atomic::AtomicU64, time::Duration};

use observe::TokenUsage;
use prometheus_client::{
    metrics::{counter::Counter, family::Family, histogram::Histogram},
    registry::{Registry, Unit},
};

use super::{
    labels::{DecisionLabels, KindLabels, ModelCallLabels, ModelErrorLabels, ProviderLabels, TokenLabels, ToolLabels},
    observe_time, work_seconds,
};

/// A histogram for each label.
type Histograms<L> = Family<L, Histogram, fn() -> Histogram>;

pub(super) struct WorkMetrics {
    model_calls: Family<ModelCallLabels, Counter>,
    model_errors: Family<ModelErrorLabels, Counter>,
    model_time: Histograms<ProviderLabels>,
    tokens: Family<TokenLabels, Counter>,
    cost: Family<ProviderLabels, Counter<f64, AtomicU64>>,
    tool_calls: Family<ToolLabels, Counter>,
    tool_time: Histograms<KindLabels>,
    approvals_asked: Counter,
    approvals_answered: Family<DecisionLabels, Counter>,
    schedules_fired: Counter,
}

impl WorkMetrics {
    pub(super) fn new(registry: &mut Registry) -> Self {
        let metrics = Self {
            model_calls: Family::default(),
            model_errors: Family::default(),
            model_time: Family::new_with_constructor(work_seconds),
            tokens: Family::default(),
            cost: Family::default(),
            tool_calls: Family::default(),
            tool_time: Family::new_with_constructor(work_seconds),
            approvals_asked: Counter::default(),
            approvals_answered: Family::default(),
            schedules_fired: Counter::default(),
        };
        metrics.register(registry);
        metrics
    }

    fn register(&self, registry: &mut Registry) {
        let calls = self.model_calls.clone();
        registry.register("model_calls", "Calls of models, by provider, purpose and outcome", calls);
        registry.register("model_errors", "Failed calls of models, by kind of error", self.model_errors.clone());
        let help = "Time of a model call of a turn, to its last word";
        registry.register_with_unit("model_call", help, Unit::Seconds, self.model_time.clone());
        let help = "Tokens sent (input), received (output), and sent but cached by the provider (cached)";
        registry.register("tokens", help, self.tokens.clone());
        let dollars = Unit::Other("dollars".to_owned());
        registry.register_with_unit("cost", "Cost of models whose price is known", dollars, self.cost.clone());
        registry.register("tool_calls", "Tool calls, by tool, kind and outcome", self.tool_calls.clone());
        let help = "Time of a tool call";
        registry.register_with_unit("tool_call", help, Unit::Seconds, self.tool_time.clone());
        registry.register("approvals_asked", "Calls that waited for approval", self.approvals_asked.clone());
        let answered = self.approvals_answered.clone();
        registry.register("approvals_answered", "Settled requests for approval, by decision", answered);
        registry.register("schedules_fired", "Runs that schedules have started", self.schedules_fired.clone());
    }

    pub(super) fn model_call(&self, provider: &str, purpose: &str, error: Option<&str>, usage: TokenUsage) {
        let (provider, purpose) = (provider.to_owned(), purpose.to_owned());
        let outcome = if error.is_none() { "ok" } else { "error" }.to_owned();
        self.model_calls.get_or_create(&ModelCallLabels { provider: provider.clone(), purpose, outcome }).inc();
        if let Some(kind) = error {
            let labels = ModelErrorLabels { provider: provider.clone(), kind: kind.to_owned() };
            self.model_errors.get_or_create(&labels).inc();
        }
        for (direction, count) in [("input", usage.input), ("output", usage.output), ("cached", usage.cached)] {
            let labels = TokenLabels { provider: provider.clone(), direction: direction.to_owned() };
            self.tokens.get_or_create(&labels).inc_by(count);
        }
        if usage.cost_micros > 0 {
            self.cost.get_or_create(&ProviderLabels { provider }).inc_by(usage.cost_micros as f64 / 1e6);
        }
    }

    pub(super) fn model_time(&self, provider: &str, took: Duration) {
        observe_time(&self.model_time.get_or_create(&ProviderLabels { provider: provider.to_owned() }), took);
    }

    pub(super) fn tool_call(&self, tool: &str, kind: &str, outcome: &str, took: Option<Duration>) {
        let kind = kind.to_owned();
        let labels = ToolLabels { tool: tool.to_owned(), kind: kind.clone(), outcome: outcome.to_owned() };
        self.tool_calls.get_or_create(&labels).inc();
        if let Some(took) = took {
            observe_time(&self.tool_time.get_or_create(&KindLabels { kind }), took);
        }
    }

    pub(super) fn approval_asked(&self) {
        self.approvals_asked.inc();
    }

    pub(super) fn approval_answered(&self, decision: &str) {
        self.approvals_answered.get_or_create(&DecisionLabels { decision: decision.to_owned() }).inc();
    }

    pub(super) fn schedule_fired(&self) {
        self.schedules_fired.inc();
    }
}
