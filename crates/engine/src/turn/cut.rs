//! An answer that reached the longest length allowed: the turn goes on by itself once, where its budgets leave room.

use model::{Error, Model, Stop};
use protocol::Usage;

use super::{
    Halt,
    budget::Budget,
    model_call::{self, Round},
    offer,
    plan::Plan,
    work::Work,
};

/// Times that a turn goes on after such an answer.
const TIMES_MAX: usize = 1;
/// What is left of the window, or it is not worth going on.
const ROOM_MIN: u64 = 256;

/// Takes away the calls of a round that broke off inside one: half an argument is none. Says whether words or calls are
/// missing.
pub(super) fn drop_broken_calls(round: &mut Round) -> bool {
    if round.stop != Stop::Length {
        return false;
    }
    if round.calls.iter().any(|call| !call.arguments.is_object()) {
        round.calls.clear();
    }
    round.calls.is_empty()
}

/// Whether the model may be asked to go on: the budgets allow another round, and so does its window.
pub(super) fn may_go_on(work: &Work, plan: &Plan, budget: &Budget, prompt: u64, took: Usage) -> bool {
    let (rounds, begun) = offer::since_client(&work.thread);
    let spent = work.usage.since(work.usage_before).plus(took);
    let next = prompt + took.output_tokens;
    let is_read = |model: &dyn Model| next + ROOM_MIN <= model.traits().context_tokens_max;
    work.thread.cuts() < TIMES_MAX
        && budget.spent(rounds + 1, begun, spent, next).is_none()
        && plan.chain.iter().find(|model| model.name() == work.model).is_some_and(|model| is_read(model.as_ref()))
}

/// An answer that was cut before its first word is no answer.
pub(super) fn check_words(work: &mut Work, round: &Round, is_cut: bool) -> Result<(), Halt> {
    if !is_cut || !work.text.trim().is_empty() {
        return Ok(());
    }
    work.usage = work.usage.plus(round.usage);
    let error = Error::Empty { provider: round.model.clone(), is_cut };
    Err(model_call::failed(work, &error, &round.model).into())
}
