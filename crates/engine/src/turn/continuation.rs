//! An answer that reached the maximum length: the turn continues it once, if its budgets allow.

use model::{Error, Model, Stop};
use protocol::Usage;

use super::{
    Halt,
    budget::Budget,
    client_tools,
    model_call::{self, RoundResult},
    plan::TurnPlan,
    state::TurnState,
};

/// How often a turn continues such an answer.
const TIMES_MAX: usize = 1;
/// Tokens of the window that must be left for a continuation.
const TOKENS_MIN: u64 = 256;

/// Drops the calls of a round that was cut inside one, since incomplete arguments are unusable.
/// Returns whether text or calls are missing.
pub(super) fn drop_broken_calls(round: &mut RoundResult) -> bool {
    if round.stop != Stop::Length {
        return false;
    }
    if round.calls.iter().any(|call| !call.arguments.is_object()) {
        round.calls.clear();
    }
    round.calls.is_empty()
}

/// Whether the model may continue: the budgets allow another round, and so does its window.
pub(super) fn may_go_on(state: &TurnState, plan: &TurnPlan, budget: &Budget, prompt: u64, took: Usage) -> bool {
    let (rounds, begun) = client_tools::since_client(&state.thread);
    let spent = state.usage.since(state.usage_before).plus(took);
    let next = prompt + took.output_tokens;
    let is_read = |model: &dyn Model| next + TOKENS_MIN <= model.traits().context_tokens_max;
    state.thread.cuts() < TIMES_MAX
        && budget.spent(rounds + 1, begun, spent, next).is_none()
        && plan.chain.iter().find(|model| model.name() == state.model).is_some_and(|model| is_read(model.as_ref()))
}

/// An answer that was cut before its first text is no answer.
pub(super) fn check_words(state: &mut TurnState, round: &RoundResult, is_cut: bool) -> Result<(), Halt> {
    if !is_cut || !state.text.trim().is_empty() {
        return Ok(());
    }
    state.usage = state.usage.plus(round.usage);
    let error = Error::Empty { provider: round.model.clone(), is_cut };
    Err(model_call::failed(state, &error, &round.model).into())
}
