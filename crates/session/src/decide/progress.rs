//! What a turn at work reports on its way. From any other turn it comes too late.

use protocol::{Body, Research, StageEntered, StatusChanged, Text, Timestamp, Transition, TurnId};

use super::{app, client, desk, dialog, settle};
use crate::{
    command::Report,
    decision::{Decision, Outcome},
    open_turn::{Doubt, OpenTurn},
    refusal::Refusal,
    state::State,
};

pub(super) fn decide(state: &State, turn_id: TurnId, report: Report, now: Timestamp) -> Result<Decision, Refusal> {
    let Some(turn) = state.running_turn(turn_id) else {
        return Ok(Decision::nothing(Outcome::TooLate));
    };
    Ok(match report {
        // What is done and asked on the desktop may be refused, nothing else.
        Report::Act { key, actions, replay_of } => return desk::act(state, turn, key, actions, replay_of),
        Report::AskUser(dialog) => return dialog::ask(state, turn, dialog),
        Report::AskApp(request) => return app::ask(state, turn, request),
        Report::Stage(stage, detail) => note(turn, Body::TurnStage(StageEntered { stage, detail })),
        Report::Used(used) => note(turn, Body::MemoryUsed(used)),
        Report::Entities(base) => note(turn, Body::EntityBase(base)),
        Report::Step(step) => note(turn, Body::Step(step)),
        Report::Text(delta) if delta.is_empty() => Decision::nothing(Outcome::Done),
        Report::Text(delta) => note(turn, Body::Text(Text { offset: turn.text_chars, delta })),
        Report::Thinking(delta) if delta.is_empty() => Decision::nothing(Outcome::Done),
        Report::Thinking(delta) => note(turn, Body::Thinking(Text { offset: turn.thinking_chars, delta })),
        Report::Research(Research::Started(started)) => note(turn, Body::ResearchStarted(started)),
        Report::Research(Research::Chunk(chunk)) => note(turn, Body::ResearchChunk(chunk)),
        Report::Research(Research::Done(done)) => note(turn, Body::ResearchDone(done)),
        // Whoever follows the session was quicker.
        Report::Keep(written) if state.was_told_written(&written) => Decision::nothing(Outcome::Done),
        Report::Keep(written) => note(turn, Body::MemoryWritten(written)),
        Report::Ask(request) if !has_open_call(turn, &request.call_id) => Decision::nothing(Outcome::TooLate),
        Report::Ask(request) => {
            let mut decision = note(turn, Body::ApprovalRequested(request));
            if !turn.awaits_approval() {
                decision.turn_event(turn, waiting_for_approval());
            }
            decision
        }
        Report::HandOut(calls) => client::hand_out(turn, calls),
        Report::Doubt { call_ids, .. } if !call_ids.iter().any(|id| has_open_call(turn, id)) => {
            Decision::nothing(Outcome::TooLate)
        }
        Report::Doubt { call_ids, why } => {
            let is_meant = |id: &String| call_ids.contains(id);
            let calls = turn.thread.calls().filter(|call| call.result.is_none() && is_meant(&call.planned.call_id));
            let mut decision = note(turn, Body::TurnStatus(turn.in_doubt(&Doubt::Told(why), calls)));
            super::agent::take_up_next(state, &mut decision, &turn.agent_id);
            decision
        }
        Report::Clarify(asked, response) => settle::clarify(state, turn, asked, response),
        Report::Done { response, reason, steers } => settle::finish(state, turn, response, reason, steers, now),
        Report::Failed { error, usage } => settle::fail(state, turn, error, usage),
        Report::Expired { reason, found, usage } => settle::expire(state, turn, reason, found, usage),
    })
}

/// Whether there is something to ask about.
fn has_open_call(turn: &OpenTurn, call_id: &str) -> bool {
    let newest = turn.thread.calls().filter(|call| call.planned.call_id == call_id).last();
    newest.is_some_and(|call| call.result.is_none())
}

/// The turn waits, and its agent with it.
pub(super) fn waiting_for_approval() -> Body {
    Body::TurnStatus(StatusChanged::to(Transition::Waiting).because("approval"))
}

fn note(turn: &OpenTurn, body: Body) -> Decision {
    let mut decision = Decision::nothing(Outcome::Done);
    decision.turn_event(turn, body);
    decision
}
