//! Desktop actions of a turn.

use std::collections::BTreeSet;

use protocol::{Action, Actions, AgentId, AgentKind, Body, TurnId, WindowId};

use super::{agent, check_active};
use crate::{
    decision::{CommandDecision, CommandOutcome, Effect},
    desktop::{DesktopActor, DesktopFault},
    limits::IDEMPOTENCY_KEY_CHARS_MAX,
    open_turn::OpenTurn,
    refusal::Refusal,
    state::State,
};

/// Performs actions on the desktop. Idempotent by the key.
pub(super) fn act(
    state: &State,
    turn: &OpenTurn,
    key: String,
    mut actions: Vec<Action>,
    replay_of: Option<TurnId>,
) -> Result<CommandDecision, Refusal> {
    let mut decision = CommandDecision::nothing(CommandOutcome::Done);
    if turn.doings.keys.contains(&key) || actions.is_empty() {
        return Ok(decision);
    }
    check_active(state)?;
    if key.is_empty() || key.chars().count() > IDEMPOTENCY_KEY_CHARS_MAX {
        return Err(Refusal::BadKey);
    }
    if let Some(index) = actions.iter().position(is_question) {
        let action = actions.get(index).map_or("", Action::name);
        return Err(Refusal::Action { number: index + 1, action, why: DesktopFault::AskInstead });
    }
    let monitor_id = turn.agent_id.monitor();
    // A replay requires the windows to be as they were; they may have changed while the turn was
    // queued.
    let is_by_rote = replay_of.is_some() && turn.thread.rounds() == 0;
    if is_by_rote && state.desktop.digest(&monitor_id) != turn.windows_digest {
        return Err(Refusal::WindowsChanged);
    }
    join_group(state, turn, &mut actions);
    state.desktop.check(DesktopActor::Agent(&turn.agent_id), &monitor_id, &actions)?;
    let closed = closed_by(state, &actions);
    let in_vain = asked_in_vain(state, &actions);
    decision.turn_event(turn, Body::Actions(Actions { monitor_id, actions, key: Some(key), replay_of }));
    if !closed.is_empty() {
        agent::close_windows(state, &mut decision, &closed, false);
    }
    for turn_id in in_vain {
        nudge(state, &mut decision, turn_id);
    }
    Ok(decision)
}

/// A question makes the turn wait for an answer, so it cannot be replayed as an action.
const fn is_question(action: &Action) -> bool {
    matches!(action, Action::Dialog(_) | Action::Prompt(_))
}

/// Windows that the agent of a window opens join its group, as long as the group exists.
fn join_group(state: &State, turn: &OpenTurn, actions: &mut [Action]) {
    let Some(own) = own_group(state, turn) else { return };
    let mut left: BTreeSet<WindowId> = state.desktop.group(&own).map(|window| window.window_id.clone()).collect();
    for action in actions {
        match action {
            Action::Close { window_id } => {
                left.remove(window_id);
            }
            Action::Create { window_id, group, .. } => {
                if group.is_none() && !left.is_empty() {
                    *group = Some(own.clone());
                }
                if group.as_ref() == Some(&own) {
                    left.insert(window_id.clone());
                }
            }
            _ => {}
        }
    }
}

/// The group of the turn's window. The window may be closed: its agent is named after the group.
fn own_group(state: &State, turn: &OpenTurn) -> Option<WindowId> {
    let (agent_id, monitor_id) = (&turn.agent_id, turn.agent_id.monitor());
    let is_agent_of = |group: &WindowId| match agent_id.kind() {
        Some(AgentKind::Window) => *agent_id == AgentId::window(group, &monitor_id),
        Some(AgentKind::Parallel) => *agent_id == AgentId::parallel(group, turn.id, &monitor_id),
        Some(AgentKind::Main | AgentKind::Ephemeral | AgentKind::Background) | None => false,
    };
    let mut here = state.desktop.windows().filter(|window| window.monitor_id == monitor_id);
    here.find(|window| is_agent_of(&window.group)).map(|window| window.group.clone())
}

/// The open windows that these actions close.
pub(super) fn closed_by(state: &State, actions: &[Action]) -> Vec<WindowId> {
    let closed = actions.iter().filter_map(|action| match action {
        Action::Close { window_id } => state.desktop.window(window_id),
        _ => None,
    });
    closed.map(|window| window.window_id.clone()).collect()
}

/// The turns whose request to an app may be dropped by these actions.
pub(super) fn asked_in_vain(state: &State, actions: &[Action]) -> BTreeSet<TurnId> {
    let takes_away = |action: &Action| matches!(action, Action::Close { .. } | Action::Content { .. });
    let is_lost = |id: &WindowId| actions.iter().any(|action| takes_away(action) && action.window_id() == Some(id));
    let lost = state.desktop.pending().iter().filter(|pending| is_lost(&pending.asked.window_id));
    lost.map(|pending| pending.turn_id).collect()
}

/// Notifies a running turn that a question is settled, once, if it keeps running.
pub(super) fn nudge(state: &State, decision: &mut CommandDecision, turn_id: TurnId) {
    let is_known =
        decision.effects.iter().any(|effect| [Effect::Nudge(turn_id), Effect::Stop(turn_id)].contains(effect));
    if state.running_turn(turn_id).is_some() && !is_known {
        decision.effects.push(Effect::Nudge(turn_id));
    }
}
