//! What happens in sessions, for the statistics and for observers of the server.

use std::time::Duration;

use observe::{Measurement, TokenUsage, Tracer};
use protocol::{
    ApprovalDecision, Body, CallStatus, Event, ScheduleEvent, Stage, Step, ToolResult, TurnId, TurnStatus, Usage,
};
use session::{OpenTurn, State};

use crate::hub::Services;

/// The name of a tool that is not registered: clients and models may make up any number of names.
const OTHER: &str = "other";
/// Where the tools of clients run.
const CLIENT: &str = "client";

/// Counts an event; `state` is the state before it.
pub(crate) fn count(services: &Services, state: &State, event: &Event) {
    services.counters.count(state, event);
    let observers = &services.options.observers;
    if observers.meter.is_some() {
        measure(services, state, event);
    }
    if let (Some(tracer), Some(turn_id)) = (&observers.tracer, event.turn_id)
        && let (Body::TurnStatus(change), Some(turn)) = (&event.body, state.open_turn(turn_id))
        && let Some(outcome) = outcome(change.status.status())
    {
        let error = change.error.as_ref().map(|error| error.code.as_str());
        end_span(tracer, state, turn, outcome, error);
    }
}

/// The number that stands for a turn in traces and measurements.
pub(crate) fn number(turn_id: TurnId) -> u128 {
    u128::from_be_bytes(turn_id.to_bytes())
}

/// The provider of a model, by the model's full name.
pub(crate) fn provider(model: &str) -> &str {
    model.split('/').next().unwrap_or(model)
}

/// The usage as measurements have it.
pub(crate) fn tokens(usage: Usage) -> TokenUsage {
    TokenUsage {
        input: usage.input_tokens,
        output: usage.output_tokens,
        cached: usage.cached_tokens,
        cost_micros: usage.cost_micros.unwrap_or(0),
    }
}

fn measure(services: &Services, state: &State, event: &Event) {
    let turn = event.turn_id.and_then(|id| state.open_turn(id));
    let tell = |measurement: Measurement<'_>| services.options.observers.measure(|| measurement);
    match &event.body {
        Body::MessageAccepted(_) => tell(Measurement::TurnAccepted),
        Body::TurnStage(entered) if entered.stage == Stage::Plan => {
            let way = entered.detail.as_ref().and_then(|detail| detail.get("way")?.as_str());
            if let (Some(way), Some(turn_id)) = (way, event.turn_id) {
                tell(Measurement::TurnPlanned { turn_id: number(turn_id), way });
            }
        }
        Body::Text(_) => {
            if let Some(turn) = turn.filter(|turn| turn.first_word_at.is_none()) {
                tell(Measurement::FirstText { after: event.at.since(turn.accepted_at) });
            }
        }
        Body::TurnStatus(change) => {
            if let (Some(turn), Some(outcome)) = (turn, outcome(change.status.status())) {
                let (turn_id, took) = (number(turn.id), event.at.since(turn.accepted_at));
                let error = change.error.as_ref().map(|error| error.code.as_str());
                tell(Measurement::TurnEnded { turn_id, outcome, error, took });
            }
        }
        Body::Step(Step::ToolResult(result)) => measure_call(services, turn, result),
        Body::ApprovalRequested(_) => tell(Measurement::ApprovalAsked),
        Body::ApprovalResolved(resolved) => {
            let decision = match resolved.decision {
                ApprovalDecision::Once => "once",
                ApprovalDecision::Always => "always",
                ApprovalDecision::Deny => "deny",
                ApprovalDecision::Never => "never",
            };
            tell(Measurement::ApprovalAnswered { decision });
        }
        Body::Schedule(ScheduleEvent::Fired { .. }) => tell(Measurement::ScheduleFired),
        _ => {}
    }
}

fn measure_call(services: &Services, turn: Option<&OpenTurn>, result: &ToolResult) {
    let call = turn.and_then(|turn| turn.thread.calls().find(|call| call.planned.call_id == result.call_id));
    let is_clients = call.is_some_and(|call| call.is_clients());
    let entry = services.tools.get(&result.tool).filter(|_| !is_clients);
    let (tool, kind) = match &entry {
        Some(entry) => (entry.declaration.name.as_str(), entry.tool.kind().as_str()),
        None if is_clients => (OTHER, CLIENT),
        None => (OTHER, OTHER),
    };
    let took = result.duration_ms.map(Duration::from_millis);
    let outcome = call_outcome(result.status);
    services.options.observers.measure(|| Measurement::ToolCall { tool, kind, outcome, took });
}

/// The status of a call as measurements name it.
pub(crate) const fn call_outcome(status: CallStatus) -> &'static str {
    match status {
        CallStatus::Ok => "ok",
        CallStatus::Error => "error",
        CallStatus::Denied => "denied",
        CallStatus::Cancelled => "cancelled",
        CallStatus::Assumed => "assumed",
    }
}

/// How a turn has ended; `None` while it has not.
const fn outcome(status: TurnStatus) -> Option<&'static str> {
    match status {
        TurnStatus::Completed => Some("completed"),
        TurnStatus::Cancelled => Some("cancelled"),
        TurnStatus::Expired => Some("expired"),
        TurnStatus::Failed => Some("failed"),
        _ => None,
    }
}

/// The span of a turn begins with its message, so that it contains the wait in the queue.
fn end_span(tracer: &Tracer, state: &State, turn: &OpenTurn, outcome: &str, error: Option<&str>) {
    let start = u64::try_from(turn.accepted_at.as_millis()).unwrap_or(0).saturating_mul(1_000_000);
    let mut attributes = vec![
        ("gen_ai.operation.name", "invoke_agent".into()),
        ("gen_ai.agent.id", turn.agent_id.as_str().into()),
        ("gen_ai.conversation.id", state.id.to_string().into()),
        ("dwell.turn.id", turn.id.to_string().into()),
        ("dwell.turn.outcome", outcome.into()),
        ("dwell.turn.attempts", u64::from(turn.attempts).into()),
    ];
    let failed = (outcome == "failed" || outcome == "expired").then(|| error.unwrap_or(outcome).to_owned());
    if let Some(kind) = &failed {
        attributes.push(("error.type", kind.clone().into()));
    }
    tracer.end_turn(tracer.turn(number(turn.id)), start, attributes, failed);
}
