//! Adding and removing monitors.

use protocol::{Action, Actions, Body, MonitorId, StatusChanged, Transition, TurnId};

use super::{agent, check_active};
use crate::{
    decision::{CommandDecision, CommandOutcome},
    desktop::DesktopActor,
    refusal::Refusal,
    state::State,
};

pub(super) fn add(state: &State, monitor_id: MonitorId) -> Result<CommandDecision, Refusal> {
    check_active(state)?;
    if state.desktop.has_monitor(&monitor_id) {
        return Ok(CommandDecision::nothing(CommandOutcome::Done));
    }
    let mut decision = CommandDecision::nothing(CommandOutcome::Done);
    change(state, &mut decision, MonitorId::primary(), Action::AddMonitor { monitor_id })?;
    Ok(decision)
}

/// Removes a monitor. The running and queued turns of its agents end first.
pub(super) fn remove(state: &State, monitor_id: &MonitorId) -> Result<CommandDecision, Refusal> {
    check_active(state)?;
    let mut decision = CommandDecision::nothing(CommandOutcome::Done);
    let turns: Vec<TurnId> =
        state.open.values().filter(|turn| turn.agent_id.monitor() == *monitor_id).map(|turn| turn.id).collect();
    if !monitor_id.is_primary() {
        let cancelled = StatusChanged::to(Transition::Cancelled).because("the monitor was removed");
        agent::close(state, &mut decision, &turns, &cancelled);
    }
    change(state, &mut decision, monitor_id.clone(), Action::RemoveMonitor { monitor_id: monitor_id.clone() })?;
    agent::release_on(state, &mut decision, monitor_id);
    Ok(decision)
}

/// Changes the monitors on behalf of the user.
fn change(state: &State, decision: &mut CommandDecision, monitor_id: MonitorId, action: Action) -> Result<(), Refusal> {
    let actions = vec![action];
    state.desktop.check(DesktopActor::User, &monitor_id, &actions).map_err(Refusal::alone)?;
    decision.session_event(Body::Actions(Actions { monitor_id, actions, key: None, replay_of: None }));
    Ok(())
}
