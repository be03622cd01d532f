//! Execute: think and act until there is an answer or a budget ends it.

use model::Model;
use protocol::{MemoryUsed, Observed, ObservedKind, PlannedCall, Response, Stage, Step, Summary, Usage};
use serde_json::json;
use session::Report;

use super::{
    Halt,
    budget::{Budget, Spent},
    calls,
    context::{self, Assembled},
    found, model_call, offer,
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
        // Nobody is asked, so nobody is told anything.
        let opening = vec![plan.report(), Report::Used(MemoryUsed::default()), Report::Stage(Stage::Execute, None)];
        work.reporter.tell_all(opening).await;
        return;
    }
    look_around(work, plan).await;
    let tokens = plan.chain.first().cloned().map_or(0, |model| context::prepare(work, plan, model.as_ref()));
    let used = context::used(work, tokens);
    if let Some(cached) = replay::find(work, used.digest.clone()) {
        plan.replay = Some((cached, std::mem::replace(&mut plan.way, Way::Reload)));
    }
    let mut opening = vec![plan.report(), Report::Used(used), Report::Stage(Stage::Execute, None)];
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
    let budget = Budget::of(&work.job.settings.budgets, &work.job.turn.request, &plan.hints);
    loop {
        calls::settle(work, plan, &budget).await?;
        work.listen();
        let assembled = assemble(work, plan, None);
        let tokens = assembled.tokens;
        let (rounds, begun) = offer::since_client(&work.thread);
        let spent_so_far = work.usage.since(work.usage_before).tokens();
        if let Some(spent) = budget.spent(rounds, begun, spent_so_far, tokens) {
            return wrap_up(work, plan, &budget, spent).await;
        }
        let steers = work.thread.steers();
        let room = budget.room(spent_so_far, tokens).unwrap_or(1);
        let for_another =
            |work: &mut Work, model: &dyn Model| context::assemble(work, plan, model, None).with_room(room);
        let mut round = model_call::ask(work, &plan.chain, assembled.with_room(room), for_another).await?;
        if work.job.turn.request.offer.is_one_at_a_time() {
            round.calls.truncate(1);
        }
        if round.is_cut {
            tell_spent(work, Spent::Tokens).await;
            return Ok(Answer::of(work, round.usage, Some(Spent::Tokens), steers));
        }
        if round.calls.is_empty() {
            return Ok(Answer::of(work, round.usage, None, steers));
        }
        let step = protocol::Plan {
            round: work.thread.rounds() + 1,
            calls: calls::plan(work, round.calls),
            steers,
            model: Some(round.model),
            usage: Some(round.usage),
        };
        work.step(Step::Plan(step)).await;
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
            let call = PlannedCall { call_id, tool, arguments, signatures: Vec::new() };
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
    let spent_so_far = work.usage.since(work.usage_before).tokens();
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
        let words = found::in_words(work, spent.in_words());
        work.say(words).await;
    }
    Ok(Answer::of(work, usage, Some(spent), steers))
}

async fn tell_spent(work: &mut Work, spent: Spent) {
    let message = format!("{} ran out", spent.in_words());
    let observed = Observed { kind: ObservedKind::BudgetSpent, call_id: None, message };
    work.step(Step::ObservedEvent(observed)).await;
}

impl Answer {
    fn of(work: &Work, usage: Usage, spent: Option<Spent>, steers: u32) -> Self {
        let usage = Some(work.usage.plus(usage));
        let response = Response { usage, ..Response::text(work.text.clone(), work.model.clone()) };
        Self { response, spent, steers }
    }
}
