//! Execute: calls the model and tools until there is an answer or a budget is exhausted.

use model::{Model, Stop, workers};
use protocol::{
    BY_RULES, MemoryUsed, Observation, ObservationKind, PlannedCall, Response, Stage, Step, StopReason, Summary, Usage,
};
use serde_json::json;
use session::TurnReport;

use super::{
    Halt,
    budget::{Budget, ExhaustedBudget},
    calls, client_tools,
    context::{self, AssembledPrompt},
    continuation, model_call, model_settings, partial_answer,
    plan::{RESEARCH, TurnPlan, TurnRoute},
    replay,
    state::TurnState,
    structured::{self, RoundOutcome},
};
use crate::intent::Intent;

/// The answer of the turn.
pub(super) struct TurnAnswer {
    pub(super) response: Response,
    /// The budget that was exhausted before it.
    pub(super) spent: Option<ExhaustedBudget>,
    /// How many steering messages it takes into account.
    pub(super) steers: u32,
}

/// Opens the stage: reports the content of the prompt, and makes the calls that need no model.
pub(super) async fn enter(state: &mut TurnState, plan: &mut TurnPlan, intent: &Intent) {
    if plan.reflex.is_some() {
        // No model is called, so there is no prompt; but the client that makes calls may know
        // untrusted text.
        let items = std::mem::take(&mut state.recalled.told);
        let used = MemoryUsed { items, tainted: state.is_context_tainted, ..MemoryUsed::default() };
        let opening = vec![plan.report(&[]), TurnReport::Used(used), TurnReport::Stage(Stage::Execute, None)];
        state.reporter.tell_all(opening).await;
        return;
    }
    look_around(state, plan).await;
    let first = plan.chain.first().cloned();
    let bytes = state.input.turn.request.message.len();
    if let Some(model) = &first {
        context::fetch_pictures(state, model.as_ref()).await;
    }
    let count = || first.map_or(0, |model| context::prepare(state, plan, model.as_ref()));
    let tokens = workers::offload(bytes, count).await;
    let used = context::used(state, tokens);
    if let Some(cached) = replay::find(state, used.digest.clone()) {
        plan.replay = Some((cached, std::mem::replace(&mut plan.route, TurnRoute::Reload)));
    }
    let shown = state.prompt_base.as_ref().map(|background| background.tools.clone()).unwrap_or_default();
    let mut opening = vec![plan.report(&shown), TurnReport::Used(used), TurnReport::Stage(Stage::Execute, None)];
    if let Some(text) = state.prompt_base.as_ref().and_then(|background| background.transfer.clone()) {
        opening.push(TurnReport::Step(Step::Summary(Summary { kind: "transfer".to_owned(), text })));
    }
    state.reporter.tell_all(opening).await;
    begin_by_plan(state, plan, intent).await;
}

/// Reads the context of the home, if the model has tools to act on it.
async fn look_around(state: &mut TurnState, plan: &TurnPlan) {
    let Some(home_context) = state.services.home_context.clone().filter(|_| !plan.tools.is_empty()) else { return };
    let around = home_context.section(&state.input.turn.request.message, state.input.entities.as_ref());
    if let Some(around) = &around
        && state.input.entities.as_ref() != Some(&around.base)
    {
        state.reporter.tell(TurnReport::Entities(around.base.clone())).await;
    }
    state.surroundings = around;
}

/// Calls the model and tools until there is an answer.
pub(super) async fn answer(state: &mut TurnState, plan: &TurnPlan) -> Result<TurnAnswer, Halt> {
    let price = plan.chain.first().and_then(|model| model.traits().price);
    let budget = Budget::of(&state.input.settings.budgets, &state.input.turn.request, &plan.hints, price);
    tell_unpriced(state, plan);
    loop {
        calls::settle(state, plan, &budget).await?;
        state.read_inbox();
        let assembled = assemble(state, plan, None);
        let tokens = assembled.tokens;
        let (rounds, begun) = client_tools::since_client(&state.thread);
        let spent_so_far = state.usage.since(state.usage_before);
        if let Some(spent) = budget.spent(rounds, begun, spent_so_far, tokens) {
            return wrap_up(state, plan, &budget, spent).await;
        }
        let steers = state.thread.steers();
        let space = budget.answer_tokens(spent_so_far, tokens).unwrap_or(1);
        let for_another = |state: &mut TurnState, model: &dyn Model| {
            context::assemble(state, plan, model, None).with_answer_tokens(space)
        };
        let is_bounded = model_settings::of(state).max_output_tokens.is_some();
        let mut round = model_call::ask(state, &plan.chain, assembled.with_answer_tokens(space), for_another).await?;
        if state.input.turn.request.offer.is_one_at_a_time() {
            round.calls.truncate(1);
        }
        if round.is_cut {
            let spent = budget.ended_by(spent_so_far, tokens);
            tell_spent(state, spent).await;
            if let Some(unmet) = structured::out_of_budget(state, round.usage, spent.in_words()) {
                return Err(unmet);
            }
            return Ok(TurnAnswer::of(state, round.usage, spent, steers));
        }
        let is_cut = continuation::drop_broken_calls(&mut round);
        if structured::settle(state, &round).await? == RoundOutcome::Rejected {
            continue;
        }
        // A client that has set the maximum length wants no continuation, and a part of JSON cannot
        // be checked.
        let is_whole = is_bounded || state.input.turn.request.offer.response_schema.is_some();
        let goes_on = is_cut && !is_whole && continuation::may_go_on(state, plan, &budget, tokens, round.usage);
        if round.calls.is_empty() && !goes_on {
            continuation::check_words(state, &round, is_cut)?;
            return Ok(TurnAnswer::ended(state, round.usage, stop_reason(state, round.stop), steers));
        }
        let step = protocol::Plan {
            round: state.thread.rounds() + 1,
            calls: calls::plan(state, round.calls),
            steers,
            model: Some(round.model),
            usage: Some(round.usage),
            stop_reason: if goes_on { StopReason::Length } else { StopReason::Complete },
        };
        state.step(Step::Plan(step)).await;
    }
}

/// Why the answer ended, as clients see it.
fn stop_reason(state: &TurnState, stop: Stop) -> StopReason {
    match stop {
        Stop::Complete if state.text.trim().is_empty() => StopReason::Empty,
        Stop::Complete => StopReason::Complete,
        Stop::Length => StopReason::Length,
        Stop::Filtered => StopReason::ContentFilter,
        Stop::Refused => StopReason::Refusal,
    }
}

/// A notice for the user about an incomplete answer.
const fn notice(stop_reason: StopReason) -> Option<&'static str> {
    match stop_reason {
        StopReason::Complete | StopReason::Budget => None,
        StopReason::Length => Some("The answer was cut at the maximum length."),
        StopReason::ContentFilter => Some("The model's provider withheld the rest of the answer."),
        StopReason::Refusal => Some("The model declined to answer; later turns do not include it."),
        StopReason::Empty => Some("The model returned no text after its calls."),
    }
}

fn assemble(state: &mut TurnState, plan: &TurnPlan, wrap_up: Option<&str>) -> AssembledPrompt {
    let Some(model) = plan.chain.first().cloned() else {
        unreachable!("a chain has at least one model, or the turn ended when it was received")
    };
    context::assemble(state, plan, model.as_ref(), wrap_up)
}

/// Calls that need no model run before the model is called.
async fn begin_by_plan(state: &mut TurnState, plan: &TurnPlan, intent: &Intent) {
    match (plan.route, &intent.value) {
        _ if state.thread.rounds() > 0 => {}
        (TurnRoute::ProfileUpdate, Some(value)) if state.recalled.kept.is_empty() => {
            let text = intent.key.as_ref().map_or_else(|| value.clone(), |key| format!("{key}: {value}"));
            // If there is no space for it, the message itself still reaches the model.
            let _ = tools::pin(state.session_port.as_ref(), intent.key.as_deref(), &text).await;
        }
        (TurnRoute::ResearchFirst, _) => {
            let (call_id, tool) = ("planned_1".to_owned(), RESEARCH.to_owned());
            let arguments = json!({ "query": state.input.turn.request.message });
            let call = PlannedCall { call_id, tool, arguments, signatures: Vec::new(), looked_up: false };
            state.step(Step::Plan(protocol::Plan { round: 1, calls: vec![call], ..protocol::Plan::default() })).await;
        }
        _ => {}
    }
}

/// The final answer from the results so far, without tools.
async fn wrap_up(
    state: &mut TurnState,
    plan: &TurnPlan,
    budget: &Budget,
    spent: ExhaustedBudget,
) -> Result<TurnAnswer, Halt> {
    tell_spent(state, spent).await;
    let steers = state.thread.steers();
    let assembled = assemble(state, plan, Some(spent.in_words()));
    let mut usage = Usage::default();
    let spent_so_far = state.usage.since(state.usage_before);
    let is_answered = match budget.answer_tokens(spent_so_far, assembled.tokens) {
        Some(space) => {
            let for_another = |state: &mut TurnState, model: &dyn Model| {
                context::assemble(state, plan, model, Some(spent.in_words())).with_answer_tokens(space)
            };
            match model_call::ask(state, &plan.chain, assembled.with_answer_tokens(space), for_another).await {
                Ok(round) => {
                    usage = round.usage;
                    structured::settle(state, &round).await? == RoundOutcome::Answered && !state.said.is_empty()
                }
                Err(Halt::Over) => return Err(Halt::Over),
                // Partial results are worth more than the error of the last model call.
                Err(Halt::Failed(_)) => !state.said.is_empty(),
            }
        }
        None => false,
    };
    if !is_answered {
        if let Some(unmet) = structured::out_of_budget(state, Usage::default(), spent.in_words()) {
            return Err(unmet);
        }
        if state.text.is_empty() {
            BY_RULES.clone_into(&mut state.model);
        }
        let words = partial_answer::in_words(state, spent.in_words());
        state.say(words).await;
    }
    Ok(TurnAnswer::of(state, usage, spent, steers))
}

/// A cost budget that cannot be enforced is reported in a notice.
fn tell_unpriced(state: &mut TurnState, plan: &TurnPlan) {
    let unpriced = plan.chain.iter().find(|model| model.traits().understands && model.traits().price.is_none());
    if let Some(model) = unpriced.filter(|_| state.input.settings.budgets.max_cost.is_some()) {
        let name = model.name().to_owned();
        state.notice(format!(
            "the cost budget does not limit `{name}`, whose price is unknown; set `price_in` and `price_out` for it"
        ));
    }
}

async fn tell_spent(state: &mut TurnState, spent: ExhaustedBudget) {
    let message = format!("{} ran out", spent.in_words());
    let observed = Observation { kind: ObservationKind::BudgetSpent, call_id: None, message, worker: None };
    state.step(Step::ObservedEvent(observed)).await;
}

impl TurnAnswer {
    /// An answer that a budget has ended.
    fn of(state: &TurnState, usage: Usage, spent: ExhaustedBudget, steers: u32) -> Self {
        Self { spent: Some(spent), ..Self::ended(state, usage, StopReason::Budget, steers) }
    }

    /// An answer that the model has ended.
    fn ended(state: &TurnState, usage: Usage, stop_reason: StopReason, steers: u32) -> Self {
        let usage = Some(state.usage.plus(usage));
        let notices = notice(stop_reason).map(str::to_owned).into_iter().collect();
        // After a steering message the JSON of the round before is no part of the answer.
        let is_structured = state.input.turn.request.offer.response_schema.is_some();
        let text = if is_structured { &state.said } else { &state.text };
        let response = Response { usage, stop_reason, notices, ..Response::text(text.clone(), state.model.clone()) };
        Self { response, spent: None, steers }
    }
}
