//! Monitors come and go.

use protocol::{Action, Actions, Body, MonitorId, StatusChanged, Transition, TurnId};

use super::{agent, check_active};
use crate::{
    decision::{Decision, Outcome},
    desktop::Doer,
    refusal::Refusal,
    state::State,
};

pub(super) fn add(state: &State, monitor_id: MonitorId) -> Result<Decision, Refusal> {
    check_active(state)?;
    if state.desktop.has_monitor(&monitor_id) {
        return Ok(Decision::nothing(Outcome::Done));
    }
    let mut decision = Decision::nothing(Outcome::Done);
    change(state, &mut decision, MonitorId::primary(), Action::AddMonitor { monitor_id })?;
    Ok(decision)
}

/// What its agents work on, or have in line, ends first: nothing of it can go on.
pub(super) fn remove(state: &State, monitor_id: &MonitorId) -> Result<Decision, Refusal> {
    check_active(state)?;
    let mut decision = Decision::nothing(Outcome::Done);
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

/// The user changes the monitors.
fn change(state: &State, decision: &mut Decision, monitor_id: MonitorId, action: Action) -> Result<(), Refusal> {
    let actions = vec![action];
    state.desktop.check(Doer::User, &monitor_id, &actions).map_err(Refusal::alone)?;
    decision.session_event(Body::Actions(Actions { monitor_id, actions, key: None, replay_of: None }));
    Ok(())
}
