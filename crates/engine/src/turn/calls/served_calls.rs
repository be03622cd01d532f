//! Calls that tool workers run: delivered to one of them, again to another connection if theirs
//! ends, and awaited.

use std::collections::BTreeSet;

use protocol::{Observation, ObservationKind, ServedCall, Step};
use session::TurnReport;

use super::super::{Halt, state::TurnState};
use crate::tool_workers::{CallRequest, ReservedCall};

/// Delivers the calls of tool workers and waits until all of these calls have results.
pub(super) async fn wait(state: &mut TurnState, ids: &[String]) -> Result<(), Halt> {
    let workers = state.services.tool_workers.clone();
    // A copy, so that the turn itself still reads everything that has arrived.
    let mut inbox = state.input.inbox.clone();
    let mut changes = workers.changes(&state.input.owner);
    loop {
        changes.borrow_and_update();
        let told: BTreeSet<String> =
            inbox.borrow_and_update().results.iter().map(|result| result.call_id.clone()).collect();
        release(state, &told);
        if ids.iter().all(|id| told.contains(id)) {
            return Ok(());
        }
        deliver(state, &told).await?;
        tokio::select! {
            changed = inbox.changed() => {
                if changed.is_err() {
                    // The channel is closed only when the turn is being stopped.
                    std::future::pending::<()>().await;
                }
            }
            // The registry lives as long as the server.
            _ = changes.changed() => {}
        }
    }
}

/// Takes calls that have a result away from their workers.
fn release(state: &TurnState, told: &BTreeSet<String>) {
    let now = state.services.world.now();
    for call in state.thread.calls().filter(|call| call.awaits_client() && call.is_served()) {
        let call_id = &call.planned.call_id;
        if told.contains(call_id) {
            let is_late = call.client_until().is_some_and(|until| until <= now);
            let reason = if is_late { "deadline" } else { "answered" };
            state.services.tool_workers.release(&state.input.owner, state.input.turn.id, call_id, reason);
        }
    }
}

/// Sends calls that no worker has to workers that may take them. That a call is sent is durable
/// before it is: a worker that gets it later has to know that it may have run.
async fn deliver(state: &mut TurnState, told: &BTreeSet<String>) -> Result<(), Halt> {
    let (session_id, turn_id) = (state.input.session_id, state.input.turn.id);
    let agent_id = state.input.turn.agent_id.clone();
    let mut reserved: Vec<(ReservedCall, ServedCall)> = Vec::new();
    let mut steps: Vec<Step> = Vec::new();
    for call in state.thread.calls().filter(|call| call.awaits_client() && call.is_served()) {
        let Some(begun) = call.begun.as_ref().filter(|begun| !told.contains(&begun.call_id)) else { continue };
        let Some(until) = begun.client_until else { continue };
        let asked = CallRequest {
            session_id,
            turn_id,
            call_id: &begun.call_id,
            tool: &begun.tool,
            effect: begun.effect,
            delivery: call.delivery.as_ref(),
        };
        let Some(place) = state.services.tool_workers.reserve(&state.input.owner, &asked) else { continue };
        if call.delivery.as_ref().is_none_or(|delivery| delivery.worker.as_deref() != place.worker()) {
            steps.push(delivered(&begun.call_id, place.worker()));
        }
        let message = ServedCall {
            session_id,
            turn_id,
            agent_id: agent_id.clone(),
            call_id: begun.call_id.clone(),
            tool: begun.tool.clone(),
            arguments: begun.arguments.clone(),
            until,
            key: begun.key.clone(),
            redelivered: call.delivery.is_some(),
        };
        reserved.push((place, message));
    }
    if !steps.is_empty() {
        for step in &steps {
            state.note(step);
        }
        state.reporter.commit_all(steps.into_iter().map(TurnReport::Step).collect()).await?;
    }
    for (place, message) in reserved {
        place.send(message);
    }
    Ok(())
}

fn delivered(call_id: &str, worker: Option<&str>) -> Step {
    Step::ObservedEvent(Observation {
        kind: ObservationKind::CallDelivered,
        call_id: Some(call_id.to_owned()),
        message: worker
            .map_or_else(|| "a tool worker gets the call".to_owned(), |name| format!("`{name}` gets the call")),
        worker: worker.map(str::to_owned),
    })
}
