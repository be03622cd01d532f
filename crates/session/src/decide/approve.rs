//! `answer` and `expire`: a question whether a call may run is settled, once.

use protocol::{ApprovalAnswer, ApprovalRequest, ApprovalResolved, Body, Decision as Said, SettledBy, Timestamp};

use crate::{
    decision::{Decision, Effect, Outcome},
    refusal::Refusal,
    state::State,
};

pub(super) fn answer(state: &State, answer: &ApprovalAnswer, now: Timestamp) -> Result<Decision, Refusal> {
    let mut open = state.approvals();
    let request = open.find(|request| request.approval_id == answer.approval_id).ok_or(Refusal::ApprovalSettled)?;
    if answer.digest.as_ref().is_some_and(|digest| *digest != request.digest) {
        return Err(Refusal::WrongDigest);
    }
    // An answer that comes after the time is up finds the question closed, also when nobody has closed it yet.
    if request.expires_at <= now {
        return Err(Refusal::ApprovalSettled);
    }
    let mut decision = Decision::nothing(Outcome::Done);
    settle(state, &mut decision, &[request], answer.decision, SettledBy::Owner);
    Ok(decision)
}

/// Silence becomes a no.
pub(super) fn expire(state: &State, now: Timestamp) -> Decision {
    let mut decision = Decision::nothing(Outcome::Done);
    let expired: Vec<&ApprovalRequest> = state.approvals().filter(|request| request.expires_at <= now).collect();
    settle(state, &mut decision, &expired, Said::Deny, SettledBy::Expiry);
    decision
}

fn settle(state: &State, decision: &mut Decision, settled: &[&ApprovalRequest], said: Said, by: SettledBy) {
    for request in settled {
        let Some(turn) = state.open.get(&request.turn_id) else { continue };
        let resolved = ApprovalResolved { approval_id: request.approval_id, decision: said, by };
        decision.turn_event(turn, Body::ApprovalResolved(resolved));
    }
    for turn in state.running() {
        let is_settled = |request: &ApprovalRequest| settled.iter().any(|one| one.approval_id == request.approval_id);
        let mut open = turn.thread.calls().filter(|call| call.is_undecided()).filter_map(|call| call.open_question());
        let is_asker = settled.iter().any(|request| request.turn_id == turn.id);
        // An answer that holds for the session concerns every agent in it.
        if !is_asker && !matches!(said, Said::Always | Said::Never) {
            continue;
        }
        if is_asker && open.all(is_settled) && !turn.doings.awaits_answer() && !turn.awaits_client() {
            let reason = if said.allows() { "approved" } else { "denied" };
            decision.turn_event(turn, Body::TurnStatus(turn.continued(reason)));
        }
        decision.effects.push(Effect::Nudge(turn.id));
    }
}
