//! Scheduling of agents. The main agent of a monitor and the agents of windows run one turn at a
//! time, in the order in which the turns were accepted. An agent for a single turn has no queue.

use std::collections::BTreeSet;

use protocol::{
    Action, Actions, AgentId, AgentKind, Body, LockHolder, MonitorId, Stage, StageEntered, StatusChanged, Transition,
    TurnId, Window, WindowAgent, WindowAgentStatus, WindowId,
};

use crate::{
    decision::{CommandDecision, Effect, EventDraft},
    open_turn::OpenTurn,
    state::State,
};

/// Whether a new message for this agent has to wait.
pub(super) fn is_busy(state: &State, agent_id: &AgentId) -> bool {
    state.turn_of(agent_id).is_some() || state.lines.len(agent_id) > 0
}

/// The events that start a turn for the first time.
pub(super) fn taken_up(agent_id: &AgentId, window_id: Option<&WindowId>) -> Vec<Body> {
    let mut events = vec![Body::TurnStage(StageEntered { stage: Stage::Receive, detail: None })];
    events.extend(window_id.map(|window_id| window_agent(window_id, agent_id, WindowAgentStatus::Active)));
    events
}

/// The event that changes the status of a window's agent.
pub(super) fn window_agent(window_id: &WindowId, agent_id: &AgentId, status: WindowAgentStatus) -> Body {
    Body::WindowAgent(WindowAgent { window_id: window_id.clone(), agent_id: agent_id.clone(), status })
}

/// Starts a turn, or continues it after an interruption.
pub(super) fn take_up(decision: &mut CommandDecision, turn: &OpenTurn) {
    if turn.attempts == 0 {
        let window_id = turn.request.window.as_ref().map(|window| &window.window_id);
        for body in taken_up(&turn.agent_id, window_id) {
            decision.turn_event(turn, body);
        }
    } else {
        decision.turn_event(turn, Body::TurnStatus(turn.resumed()));
    }
    if turn.awaits_approval() {
        decision.turn_event(turn, super::progress::waiting_for_approval());
    } else if turn.doings.awaits_answer() {
        decision.turn_event(turn, super::dialog::waiting_for_answer());
    } else if turn.awaits_client() {
        decision.turn_event(turn, super::client::waiting_for_client());
    }
    decision.effects.push(Effect::Run(turn.id));
}

/// Starts the next turn in an agent's queue; the one it ran has just ended or paused.
pub(super) fn take_up_next(state: &State, decision: &mut CommandDecision, agent_id: &AgentId) {
    take_up_next_but(state, decision, agent_id, &BTreeSet::new());
}

/// The same, except for queued turns that have just ended.
fn take_up_next_but(state: &State, decision: &mut CommandDecision, agent_id: &AgentId, ended: &BTreeSet<TurnId>) {
    if let Some(next) = state.waiting_for(agent_id).find(|turn| !ended.contains(&turn.id)) {
        take_up(decision, next);
    }
}

/// Ends the given turns with the same change and stops those that run. Their open calls and
/// questions are closed first.
pub(super) fn close(state: &State, decision: &mut CommandDecision, turns: &[TurnId], change: &StatusChanged) {
    let why = change.reason.as_deref().unwrap_or("the turn was cancelled");
    for turn in turns.iter().filter_map(|id| state.open.get(id)) {
        for body in super::settle::wind_up(state, decision, turn, why) {
            decision.turn_event(turn, body);
        }
        // Usage is recorded even if the turn has no answer.
        let change = StatusChanged { usage: turn.usage_so_far(), ..change.clone() };
        decision.turn_event(turn, Body::TurnStatus(change));
        if state.running_turn(turn.id).is_some() {
            decision.effects.push(Effect::Stop(turn.id));
        }
    }
}

/// The same, then starts the next turn of each agent that became free.
pub(super) fn close_and_go_on(state: &State, decision: &mut CommandDecision, turns: &[TurnId], change: &StatusChanged) {
    close(state, decision, turns, change);
    let ended: BTreeSet<TurnId> = turns.iter().copied().collect();
    for turn in state.running().filter(|turn| ended.contains(&turn.id)) {
        take_up_next_but(state, decision, &turn.agent_id, &ended);
        release_if_done_but(state, decision, &turn.agent_id, &ended);
    }
}

/// Ends every open turn and starts no others.
pub(super) fn close_all(state: &State, decision: &mut CommandDecision, change: &StatusChanged) {
    let all: Vec<TurnId> = state.open.keys().copied().collect();
    close(state, decision, &all, change);
}

/// Windows are about to close: ends the turns that are queued for their agents, and the running
/// ones too if the user closes the windows. An agent without windows is released when its turn
/// ends.
pub(super) fn close_windows(state: &State, decision: &mut CommandDecision, closed: &[WindowId], by_user: bool) {
    let is_closed =
        |turn: &&OpenTurn| turn.request.window.as_ref().is_some_and(|window| closed.contains(&window.window_id));
    let is_over = |turn: &&OpenTurn| by_user || state.running_turn(turn.id).is_none();
    let turns: Vec<TurnId> = state.open.values().filter(is_closed).filter(is_over).map(|turn| turn.id).collect();
    let change = StatusChanged::to(Transition::Cancelled).because("its window was closed");
    close_and_go_on(state, decision, &turns, &change);
    for agent_id in state.tape.agents() {
        let is_working = state.turn_of(agent_id).is_some_and(|turn| !turns.contains(&turn.id));
        let is_waited_for = state.waiting_for(agent_id).any(|turn| !turns.contains(&turn.id));
        if has_no_windows(state, agent_id, closed) && !is_working && !is_waited_for {
            release(state, decision, agent_id);
        }
    }
}

/// A turn of a window's agent has ended: releases the agent if all of its windows were closed
/// meanwhile.
pub(super) fn release_if_done(state: &State, decision: &mut CommandDecision, agent_id: &AgentId) {
    release_if_done_but(state, decision, agent_id, &BTreeSet::new());
}

fn release_if_done_but(state: &State, decision: &mut CommandDecision, agent_id: &AgentId, ended: &BTreeSet<TurnId>) {
    let is_waited_for = state.waiting_for(agent_id).any(|turn| !ended.contains(&turn.id));
    if state.tape.has_agent(agent_id) && has_no_windows(state, agent_id, &[]) && !is_waited_for {
        release(state, decision, agent_id);
    }
}

/// Releases all agents of windows.
pub(super) fn release_all(state: &State, decision: &mut CommandDecision) {
    for agent_id in state.tape.agents() {
        release(state, decision, agent_id);
    }
}

/// Releases all agents of windows on a monitor.
pub(super) fn release_on(state: &State, decision: &mut CommandDecision, monitor_id: &MonitorId) {
    for agent_id in state.tape.agents().filter(|agent_id| agent_id.monitor() == *monitor_id) {
        release(state, decision, agent_id);
    }
}

fn has_no_windows(state: &State, agent_id: &AgentId, closed: &[WindowId]) -> bool {
    let (Some(group), monitor_id) = (agent_id.group(), agent_id.monitor()) else { return false };
    let mut here = state.desktop.group(&group).filter(|window| window.monitor_id == monitor_id);
    here.all(|window| closed.contains(&window.window_id))
}

fn release(state: &State, decision: &mut CommandDecision, agent_id: &AgentId) {
    if let Some(body) = unlocked(state, decision, agent_id) {
        decision.session_event(body);
    }
    if let Some(group) = agent_id.group() {
        let body = window_agent(&group, agent_id, WindowAgentStatus::Released);
        decision.events.push(EventDraft { turn: None, body });
    }
}

/// Releases the locks that an agent holds. Windows that this decision closes have lost their lock
/// already.
pub(super) fn unlocked(state: &State, decision: &CommandDecision, agent_id: &AgentId) -> Option<Body> {
    let holder = Some(LockHolder::Agent(agent_id.clone()));
    let is_held = |window: &&Window| window.locked_by == holder && !is_closed_by(decision, window);
    let held = state.desktop.windows().filter(is_held);
    let actions: Vec<Action> = held.map(|window| Action::Unlock { window_id: window.window_id.clone() }).collect();
    let monitor_id = agent_id.monitor();
    (!actions.is_empty()).then_some(Body::Actions(Actions { monitor_id, actions, key: None, replay_of: None }))
}

fn is_closed_by(decision: &CommandDecision, window: &Window) -> bool {
    let closes = |action: &Action| match action {
        Action::Close { window_id } => *window_id == window.window_id,
        Action::RemoveMonitor { monitor_id } => *monitor_id == window.monitor_id,
        _ => false,
    };
    decision.events.iter().any(|draft| matches!(&draft.body, Body::Actions(done) if done.actions.iter().any(closes)))
}

/// How many agents of a kind are running a turn.
pub(super) fn count(state: &State, kind: AgentKind) -> usize {
    state.running.keys().filter(|agent| agent.kind() == Some(kind)).count()
}
