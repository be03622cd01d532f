//! Reports of a running turn. A report of a turn that is not running is too late and has no effect.

use protocol::{Body, ResearchEvent, StageEntered, StatusChanged, Step, TextDelta, Timestamp, Transition, TurnId};

use super::{app, client, desktop, dialog, pause, settle};
use crate::{
    command::TurnReport,
    decision::{CommandDecision, CommandOutcome},
    open_turn::{DoubtReason, OpenTurn},
    refusal::Refusal,
    state::State,
};

pub(super) fn decide(
    state: &State,
    turn_id: TurnId,
    report: TurnReport,
    now: Timestamp,
) -> Result<CommandDecision, Refusal> {
    let Some(turn) = state.running_turn(turn_id) else {
        return Ok(CommandDecision::nothing(CommandOutcome::TooLate));
    };
    Ok(match report {
        // Only desktop actions and questions may be refused.
        TurnReport::Act { key, actions, replay_of } => return desktop::act(state, turn, key, actions, replay_of),
        TurnReport::AskUser(dialog) => return dialog::ask(state, turn, dialog),
        TurnReport::AskApp(request) => return app::ask(state, turn, request),
        TurnReport::Stage(stage, detail) => note(turn, Body::TurnStage(StageEntered { stage, detail })),
        TurnReport::Used(used) => note(turn, Body::MemoryUsed(used)),
        TurnReport::Entities(base) => note(turn, Body::EntityBase(base)),
        TurnReport::Step(step) => {
            let ended = match &step {
                Step::ToolResult(result) => Some(result.call_id.clone()),
                _ => None,
            };
            let mut decision = note(turn, Body::Step(step));
            if let Some(call_id) = ended {
                pause::after_result(state, &mut decision, turn, &call_id);
            }
            decision
        }
        TurnReport::Text(delta) if delta.is_empty() => CommandDecision::nothing(CommandOutcome::Done),
        TurnReport::Text(delta) => note(turn, Body::Text(TextDelta { offset: turn.text_chars, delta })),
        TurnReport::Thinking(delta) if delta.is_empty() => CommandDecision::nothing(CommandOutcome::Done),
        TurnReport::Thinking(delta) => note(turn, Body::Thinking(TextDelta { offset: turn.thinking_chars, delta })),
        TurnReport::Research(ResearchEvent::Started(started)) => note(turn, Body::ResearchStarted(started)),
        TurnReport::Research(ResearchEvent::Chunk(chunk)) => note(turn, Body::ResearchChunk(chunk)),
        TurnReport::Research(ResearchEvent::Done(done)) => note(turn, Body::ResearchDone(done)),
        // The follower of the session has recorded it already.
        TurnReport::Keep(written) if state.was_told_written(&written) => CommandDecision::nothing(CommandOutcome::Done),
        TurnReport::Keep(written) => note(turn, Body::MemoryWritten(written)),
        TurnReport::Ask(request) if !has_open_call(turn, &request.call_id) => {
            CommandDecision::nothing(CommandOutcome::TooLate)
        }
        TurnReport::Ask(request) => {
            let mut decision = note(turn, Body::ApprovalRequested(request));
            if !turn.awaits_approval() {
                decision.turn_event(turn, waiting_for_approval());
            }
            decision
        }
        TurnReport::HandOut(calls) => client::hand_out(turn, calls),
        TurnReport::Doubt { call_ids, .. } if !call_ids.iter().any(|id| has_open_call(turn, id)) => {
            CommandDecision::nothing(CommandOutcome::TooLate)
        }
        TurnReport::Doubt { call_ids, why } => {
            let is_meant = |id: &String| call_ids.contains(id);
            let calls = turn.thread.calls().filter(|call| call.result.is_none() && is_meant(&call.planned.call_id));
            let mut decision = note(turn, Body::TurnStatus(turn.in_doubt(&DoubtReason::Told(why), calls)));
            super::agent::take_up_next(state, &mut decision, &turn.agent_id);
            decision
        }
        TurnReport::Clarify(asked, response) => settle::clarify(state, turn, asked, response),
        TurnReport::Done { response, reason, steers } => settle::finish(state, turn, response, reason, steers, now),
        TurnReport::Failed { error, usage } => settle::fail(state, turn, error, usage),
        TurnReport::Expired { reason, found, usage } => settle::expire(state, turn, reason, found, usage),
    })
}

/// Whether there is an open call to ask about.
fn has_open_call(turn: &OpenTurn, call_id: &str) -> bool {
    let newest = turn.thread.calls().filter(|call| call.planned.call_id == call_id).last();
    newest.is_some_and(|call| call.result.is_none())
}

/// The turn and its agent wait.
pub(super) fn waiting_for_approval() -> Body {
    Body::TurnStatus(StatusChanged::to(Transition::Waiting).because("approval"))
}

fn note(turn: &OpenTurn, body: Body) -> CommandDecision {
    let mut decision = CommandDecision::nothing(CommandOutcome::Done);
    decision.turn_event(turn, body);
    decision
}
