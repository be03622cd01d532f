//! `answer` and `expire`: an approval request is settled, once.

use protocol::{
    ApprovalAnswer, ApprovalDecision as Said, ApprovalRequest, ApprovalResolved, Body, SettledBy, Timestamp,
};

use crate::{
    decision::{CommandDecision, CommandOutcome, Effect},
    refusal::Refusal,
    state::State,
};

pub(super) fn answer(state: &State, answer: &ApprovalAnswer, now: Timestamp) -> Result<CommandDecision, Refusal> {
    let mut open = state.approvals();
    let request = open.find(|request| request.approval_id == answer.approval_id).ok_or(Refusal::ApprovalSettled)?;
    if answer.digest.as_ref().is_some_and(|digest| *digest != request.digest) {
        return Err(Refusal::WrongDigest);
    }
    // After the deadline the request counts as closed, even if no event has closed it yet.
    if request.expires_at <= now {
        return Err(Refusal::ApprovalSettled);
    }
    let mut decision = CommandDecision::nothing(CommandOutcome::Done);
    settle(state, &mut decision, &[request], answer.decision, SettledBy::Owner);
    Ok(decision)
}

/// A request without an answer at its deadline is denied.
pub(super) fn expire(state: &State, now: Timestamp) -> CommandDecision {
    let mut decision = CommandDecision::nothing(CommandOutcome::Done);
    let expired: Vec<&ApprovalRequest> = state.approvals().filter(|request| request.expires_at <= now).collect();
    settle(state, &mut decision, &expired, Said::Deny, SettledBy::Expiry);
    decision
}

fn settle(state: &State, decision: &mut CommandDecision, settled: &[&ApprovalRequest], said: Said, by: SettledBy) {
    for request in settled {
        let Some(turn) = state.open.get(&request.turn_id) else { continue };
        let resolved = ApprovalResolved { approval_id: request.approval_id, decision: said, by };
        decision.turn_event(turn, Body::ApprovalResolved(resolved));
    }
    for turn in state.running() {
        let is_settled = |request: &ApprovalRequest| settled.iter().any(|one| one.approval_id == request.approval_id);
        let mut open = turn.thread.calls().filter(|call| call.is_undecided()).filter_map(|call| call.open_question());
        let is_asker = settled.iter().any(|request| request.turn_id == turn.id);
        // A decision for the whole session affects every agent in it.
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
