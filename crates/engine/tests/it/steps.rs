//! The steps of a turn, by kind.

use protocol::{Observation, Plan, Step, Summary, ToolCall, ToolResult, TurnView};

pub(crate) fn plans(turn: &TurnView) -> Vec<&Plan> {
    let plan = turn.steps.iter().filter_map(|step| if let Step::Plan(plan) = step { Some(plan) } else { None });
    plan.collect()
}

pub(crate) fn calls(turn: &TurnView) -> Vec<&ToolCall> {
    let call = turn.steps.iter().filter_map(|step| if let Step::ToolCall(call) = step { Some(call) } else { None });
    call.collect()
}

pub(crate) fn results(turn: &TurnView) -> Vec<&ToolResult> {
    let result =
        turn.steps.iter().filter_map(|step| if let Step::ToolResult(result) = step { Some(result) } else { None });
    result.collect()
}

pub(crate) fn observed(turn: &TurnView) -> Vec<&Observation> {
    let observed = turn
        .steps
        .iter()
        .filter_map(|step| if let Step::ObservedEvent(observed) = step { Some(observed) } else { None });
    observed.collect()
}

pub(crate) fn summaries(turn: &TurnView) -> Vec<&Summary> {
    let summary =
        turn.steps.iter().filter_map(|step| if let Step::Summary(summary) = step { Some(summary) } else { None });
    summary.collect()
}
