//! Execute: think and act until there is an answer or a budget ends it.

use model::{Model, Stop, workers};
use protocol::{
    BY_RULES, MemoryUsed, Observed, ObservedKind, PlannedCall, Response, Stage, Step, StopReason, Summary, Usage,
};
use serde_json::json;
use session::Report;

use super::{
    Halt,
    budget::{Budget, Spent},
    calls,
    context::{self, Assembled},
    cut, found, model_call, offer,
    plan::{Plan, RESEARCH, Way},
    replay,
    work::Work,
};
use crate::intent::Intent;

/// What the turn answers.
pub(super) struct Answer {
    pub(super) response: Response,
    /// The budget that ran out before it.
    pub(super) spent: Option<Spent>,
    /// How many of the messages that came in between it knows of.
    pub(super) steers: u32,
}

/// Opens the stage: tells what the model is told, and makes the calls that need no thinking.
pub(super) async fn enter(work: &mut Work, plan: &mut Plan, intent: &Intent) {
    if plan.reflex.is_some() {
        // Nobody is asked, so nobody is told anything; but who makes calls may know what was said.
        let used = MemoryUsed { tainted: work.is_context_tainted, ..MemoryUsed::default() };
        let opening = vec![plan.report(&[]), Report::Used(used), Report::Stage(Stage::Execute, None)];
        work.reporter.tell_all(opening).await;
        return;
    }
    look_around(work, plan).await;
    let first = plan.chain.first().cloned();
    let bytes = work.job.turn.request.message.len();
    if let Some(model) = &first {
        context::fetch_pictures(work, model.as_ref()).await;
    }
    let count = || first.map_or(0, |model| context::prepare(work, plan, model.as_ref()));
    let tokens = workers::apart(bytes, count).await;
    let used = context::used(work, tokens);
    if let Some(cached) = replay::find(work, used.digest.clone()) {
        plan.replay = Some((cached, std::mem::replace(&mut plan.way, Way::Reload)));
    }
    let shown = work.background.as_ref().map(|background| background.tools.clone()).unwrap_or_default();
    let mut opening = vec![plan.report(&shown), Report::Used(used), Report::Stage(Stage::Execute, None)];
    if let Some(text) = work.background.as_ref().and_then(|background| background.transfer.clone()) {
        opening.push(Report::Step(Step::Summary(Summary { kind: "transfer".to_owned(), text })));
    }
    work.reporter.tell_all(opening).await;
    begin_by_plan(work, plan, intent).await;
}

/// Looks at the world around, where the model could do something with it.
async fn look_around(work: &mut Work, plan: &Plan) {
    let Some(senses) = work.house.senses.clone().filter(|_| !plan.tools.is_empty()) else { return };
    let around = senses.sense(&work.job.turn.request.message, work.job.entities.as_ref());
    if let Some(around) = &around
        && work.job.entities.as_ref() != Some(&around.base)
    {
        work.reporter.tell(Report::Entities(around.base.clone())).await;
    }
    work.surroundings = around;
}

/// Thinks and acts until there is an answer.
pub(super) async fn answer(work: &mut Work, plan: &Plan) -> Result<Answer, Halt> {
    let price = plan.chain.first().and_then(|model| model.traits().price);
    let budget = Budget::of(&work.job.settings.budgets, &work.job.turn.request, &plan.hints, price);
    tell_unpriced(work, plan);
    loop {
        calls::settle(work, plan, &budget).await?;
        work.listen();
        let assembled = assemble(work, plan, None);
        let tokens = assembled.tokens;
        let (rounds, begun) = offer::since_client(&work.thread);
        let spent_so_far = work.usage.since(work.usage_before);
        if let Some(spent) = budget.spent(rounds, begun, spent_so_far, tokens) {
            return wrap_up(work, plan, &budget, spent).await;
        }
        let steers = work.thread.steers();
        let room = budget.room(spent_so_far, tokens).unwrap_or(1);
        let for_another =
            |work: &mut Work, model: &dyn Model| context::assemble(work, plan, model, None).with_room(room);
        let is_bounded = assembled.prompt.settings.max_output_tokens.is_some();
        let mut round = model_call::ask(work, &plan.chain, assembled.with_room(room), for_another).await?;
        if work.job.turn.request.offer.is_one_at_a_time() {
            round.calls.truncate(1);
        }
        if round.is_cut {
            let spent = budget.ended_by(spent_so_far, tokens);
            tell_spent(work, spent).await;
            return Ok(Answer::of(work, round.usage, spent, steers));
        }
        let is_cut = cut::drop_broken_calls(&mut round);
        // A client that has set the longest answer wants no more of it.
        let goes_on = is_cut && !is_bounded && cut::may_go_on(work, plan, &budget, tokens, round.usage);
        if round.calls.is_empty() && !goes_on {
            cut::check_words(work, &round, is_cut)?;
            return Ok(Answer::ended(work, round.usage, stop_reason(work, round.stop), steers));
        }
        let step = protocol::Plan {
            round: work.thread.rounds() + 1,
            calls: calls::plan(work, round.calls),
            steers,
            model: Some(round.model),
            usage: Some(round.usage),
            stop_reason: if goes_on { StopReason::Length } else { StopReason::Complete },
        };
        work.step(Step::Plan(step)).await;
    }
}

/// Why the answer ended, as clients are told.
fn stop_reason(work: &Work, stop: Stop) -> StopReason {
    match stop {
        Stop::Complete if work.text.trim().is_empty() => StopReason::Empty,
        Stop::Complete => StopReason::Complete,
        Stop::Length => StopReason::Length,
        Stop::Filtered => StopReason::ContentFilter,
        Stop::Refused => StopReason::Refusal,
    }
}

/// What the asker should know of an answer that is not whole.
const fn notice(stop_reason: StopReason) -> Option<&'static str> {
    match stop_reason {
        StopReason::Complete | StopReason::Budget => None,
        StopReason::Length => Some("The answer was cut at the longest length allowed."),
        StopReason::ContentFilter => Some("The model's provider held the rest of the answer back."),
        StopReason::Refusal => Some("The model declined to answer; later turns are not told of it."),
        StopReason::Empty => Some("The model ended without a word after its calls."),
    }
}

fn assemble(work: &mut Work, plan: &Plan, wrap_up: Option<&str>) -> Assembled {
    let Some(model) = plan.chain.first().cloned() else {
        unreachable!("a chain has at least one model, or the turn ended when it was received")
    };
    context::assemble(work, plan, model.as_ref(), wrap_up)
}

/// What needs no thinking is done before the model is asked.
async fn begin_by_plan(work: &mut Work, plan: &Plan, intent: &Intent) {
    match (plan.way, &intent.value) {
        _ if work.thread.rounds() > 0 => {}
        (Way::ProfileUpdate, Some(value)) if work.recalled.kept.is_empty() => {
            let text = intent.key.as_ref().map_or_else(|| value.clone(), |key| format!("{key}: {value}"));
            // Where there is no room for it, the model still hears what was said.
            let _ = tools::pin(work.desk.as_ref(), intent.key.as_deref(), &text).await;
        }
        (Way::ResearchFirst, _) => {
            let (call_id, tool) = ("planned_1".to_owned(), RESEARCH.to_owned());
            let arguments = json!({ "query": work.job.turn.request.message });
            let call = PlannedCall { call_id, tool, arguments, signatures: Vec::new(), looked_up: false };
            work.step(Step::Plan(protocol::Plan { round: 1, calls: vec![call], ..protocol::Plan::default() })).await;
        }
        _ => {}
    }
}

/// The final answer, made without tools from what was found.
async fn wrap_up(work: &mut Work, plan: &Plan, budget: &Budget, spent: Spent) -> Result<Answer, Halt> {
    tell_spent(work, spent).await;
    let steers = work.thread.steers();
    let assembled = assemble(work, plan, Some(spent.in_words()));
    let mut usage = Usage::default();
    let spent_so_far = work.usage.since(work.usage_before);
    let is_answered = match budget.room(spent_so_far, assembled.tokens) {
        Some(room) => {
            let for_another = |work: &mut Work, model: &dyn Model| {
                context::assemble(work, plan, model, Some(spent.in_words())).with_room(room)
            };
            match model_call::ask(work, &plan.chain, assembled.with_room(room), for_another).await {
                Ok(round) => {
                    usage = round.usage;
                    !work.said.is_empty()
                }
                Err(Halt::Over) => return Err(Halt::Over),
                // What was found is worth more than the news that the model failed at the end.
                Err(Halt::Failed(_)) => !work.said.is_empty(),
            }
        }
        None => false,
    };
    if !is_answered {
        if work.text.is_empty() {
            BY_RULES.clone_into(&mut work.model);
        }
        let words = found::in_words(work, spent.in_words());
        work.say(words).await;
    }
    Ok(Answer::of(work, usage, spent, steers))
}

/// A budget of cost that cannot be kept to is said to be none.
fn tell_unpriced(work: &mut Work, plan: &Plan) {
    let unpriced = plan.chain.iter().find(|model| model.traits().understands && model.traits().price.is_none());
    if let Some(model) = unpriced.filter(|_| work.job.settings.budgets.max_cost.is_some()) {
        let name = model.name().to_owned();
        work.notice(format!(
            "the budget of cost does not bound `{name}`, whose price is not known; set `price_in` and `price_out` for it"
        ));
    }
}

async fn tell_spent(work: &mut Work, spent: Spent) {
    let message = format!("{} ran out", spent.in_words());
    let observed = Observed { kind: ObservedKind::BudgetSpent, call_id: None, message };
    work.step(Step::ObservedEvent(observed)).await;
}

impl Answer {
    /// One that a budget has ended.
    fn of(work: &Work, usage: Usage, spent: Spent, steers: u32) -> Self {
        Self { spent: Some(spent), ..Self::ended(work, usage, StopReason::Budget, steers) }
    }

    /// One that the model has ended.
    fn ended(work: &Work, usage: Usage, stop_reason: StopReason, steers: u32) -> Self {
        let usage = Some(work.usage.plus(usage));
        let notices = notice(stop_reason).map(str::to_owned).into_iter().collect();
        let response =
            Response { usage, stop_reason, notices, ..Response::text(work.text.clone(), work.model.clone()) };
        Self { response, spent: None, steers }
    }
}
