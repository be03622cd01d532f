//! What happens to alerts. Raising one again, or noting what is known, changes nothing.

use protocol::{AlertEvent, Body};

use crate::{
    decision::{CommandDecision, CommandOutcome, Effect},
    refusal::Refusal,
    state::State,
};

pub(super) fn decide(state: &State, event: AlertEvent) -> Result<CommandDecision, Refusal> {
    let mut decision = CommandDecision::nothing(CommandOutcome::Done);
    let id = event.alert_id();
    match (&event, state.alerts.get(id)) {
        (AlertEvent::Raised { .. }, Some(_)) => return Ok(decision),
        (AlertEvent::Raised { .. }, None) => decision.effects.push(Effect::Deliver(id)),
        (_, None) => return Err(Refusal::NoAlert(id)),
        (AlertEvent::Seen { .. }, Some(entry)) if entry.is_seen => return Ok(decision),
        (AlertEvent::Closed { .. }, Some(entry)) if entry.is_closed => return Ok(decision),
        _ => {}
    }
    decision.session_event(Body::Alert(event));
    Ok(decision)
}
