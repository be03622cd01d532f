//! A running turn ends by itself. Of two endings the first one counts.

use protocol::{
    AgentKind, AppAnswered, AppOutcome, Body, Clarification, DialogAnswer, DialogAnswered, Plan, Response, SettledBy,
    Stage, StageEntered, StatusChanged, Step, StopReason, Timestamp, Transition, TurnError, Usage,
};

use super::agent;
use crate::{
    decision::{CommandDecision, CommandOutcome},
    open_turn::OpenTurn,
    state::State,
};

/// Ends the turn with its answer, unless a steering message has arrived that the answer does not
/// take into account. Then the text so far becomes one more round and the turn continues.
pub(super) fn finish(
    state: &State,
    turn: &OpenTurn,
    mut response: Response,
    reason: Option<String>,
    steers: u32,
    now: Timestamp,
) -> CommandDecision {
    if turn.thread.steers() > steers {
        return go_on(turn, response, steers);
    }
    response.late = turn.is_late(now);
    settle(state, turn, "the turn has ended", |decision, turn| {
        decision.turn_event(turn, complete());
        decision.turn_event(turn, Body::Final(response));
        StatusChanged { reason, ..StatusChanged::to(Transition::Completed) }
    })
}

/// Turns the text so far into one more round, after which the turn reads the messages that have
/// arrived.
fn go_on(turn: &OpenTurn, response: Response, steers: u32) -> CommandDecision {
    let mut decision = CommandDecision::nothing(CommandOutcome::GoOn);
    let usage = response.usage.map(|usage| usage.since(turn.usage));
    let round = turn.thread.rounds() + 1;
    let stop_reason = StopReason::Complete;
    let plan = Plan { round, calls: Vec::new(), steers, model: Some(response.model), usage, stop_reason };
    decision.turn_event(turn, Body::Step(Step::Plan(plan)));
    decision
}

/// Ends the turn with a clarifying question that the next message answers, unless a message has
/// answered it already.
pub(super) fn clarify(state: &State, turn: &OpenTurn, asked: Clarification, response: Response) -> CommandDecision {
    if turn.thread.steers() > 0 {
        return go_on(turn, response, 0);
    }
    settle(state, turn, "the turn has ended", |decision, turn| {
        decision.turn_event(turn, Body::Clarification(asked));
        decision.turn_event(turn, complete());
        decision.turn_event(turn, Body::Final(response));
        StatusChanged::to(Transition::Completed).because("clarification_needed")
    })
}

pub(super) fn fail(state: &State, turn: &OpenTurn, error: TurnError, usage: Option<Usage>) -> CommandDecision {
    settle(state, turn, "the turn has failed", |_, _| StatusChanged {
        error: Some(error),
        usage: usage.or_else(|| turn.usage_so_far()),
        ..StatusChanged::to(Transition::Failed)
    })
}

pub(super) fn expire(
    state: &State,
    turn: &OpenTurn,
    reason: String,
    found: Option<Response>,
    usage: Option<Usage>,
) -> CommandDecision {
    settle(state, turn, "the turn's time was up", |decision, turn| {
        // An answer carries its own usage.
        let usage = usage.or_else(|| turn.usage_so_far()).filter(|_| found.is_none());
        if let Some(found) = found {
            decision.turn_event(turn, complete());
            decision.turn_event(turn, Body::Final(found));
        }
        StatusChanged { usage, ..StatusChanged::to(Transition::Expired).because(reason) }
    })
}

const fn complete() -> Body {
    Body::TurnStage(StageEntered { stage: Stage::Complete, detail: None })
}

fn settle(
    state: &State,
    turn: &OpenTurn,
    why: &str,
    end: impl FnOnce(&mut CommandDecision, &OpenTurn) -> StatusChanged,
) -> CommandDecision {
    let mut decision = CommandDecision::nothing(CommandOutcome::Done);
    for body in wind_up(state, &decision, turn, why) {
        decision.turn_event(turn, body);
    }
    let change = end(&mut decision, turn);
    decision.turn_event(turn, Body::TurnStatus(change));
    agent::take_up_next(state, &mut decision, &turn.agent_id);
    agent::release_if_done(state, &mut decision, &turn.agent_id);
    decision
}

/// The events that close all open calls and questions of a turn and release the locks that only
/// this turn held.
pub(super) fn wind_up(state: &State, decision: &CommandDecision, turn: &OpenTurn, why: &str) -> Vec<Body> {
    let mut events = turn.thread.wind_up(why);
    let open = turn.doings.dialogs.iter().filter(|(_, answer)| answer.is_none());
    events.extend(open.map(|(dialog_id, _)| {
        let (dialog_id, answer) = (*dialog_id, DialogAnswer::Unanswered);
        Body::DialogAnswered(DialogAnswered { dialog_id, answer, by: SettledBy::TurnEnd })
    }));
    let asked = state.desktop.requests().filter(|request| turn.doings.requests.contains_key(&request.request_id));
    events.extend(asked.map(|request| {
        let (request_id, window_id) = (request.request_id, request.window_id.clone());
        Body::AppAnswered(AppAnswered { request_id, window_id, outcome: AppOutcome::Gone })
    }));
    // Nothing else releases the locks of a single-turn agent after its turn.
    if matches!(turn.agent_id.kind(), Some(AgentKind::Ephemeral | AgentKind::Background | AgentKind::Parallel)) {
        events.extend(agent::unlocked(state, decision, &turn.agent_id));
    }
    events
}
