//! A message that is understood and acted on with no language model: the calls run under policy like any other, and what
//! is answered is what came of them.

use std::time::Duration;

use protocol::{BY_CALL, CallStatus, PlannedCall, Response, Step};
use serde_json::{Map, Value};
use session::{Ending, Entry, RecentTurn, Thread};
use tools::{Reflex, ReflexCall, Said, Settled};

use super::{
    Halt,
    budget::Budget,
    called, calls,
    execute::Answer,
    plan::{Plan, Way},
    work::Work,
};

/// Who answers when no model is asked.
pub(super) const BY_REFLEX: &str = "reflex";
/// What the names of a reflex's calls begin with.
const CALL_ID: &str = "reflex_";
/// How long words may lean on the turn before.
const LEANING_MAX: Duration = Duration::from_secs(15 * 60);

/// What the message means, if that can be told without a model.
pub(super) fn read(work: &Work) -> Option<Reflex> {
    if let Some(called) = called::read(work) {
        return Some(called);
    }
    let reflexes = work.house.reflexes.as_ref()?;
    let request = &work.job.turn.request;
    let is_plain = request.allow_tools && request.window.is_none() && request.images.is_empty();
    // Who brings tools along wants a model to decide between them and ours.
    if !is_plain || work.thread.steers() > 0 || !request.offer.shown().is_empty() {
        return None;
    }
    match work.thread.entries().first() {
        // After half an answer, "continue" is about the answer, not about some player in the home.
        None if follows_cut(work) => None,
        None => {
            let before = before(work);
            reflexes.read(&said(work, &before))
        }
        Some(entry) => begun(work, entry),
    }
}

/// Whether the answer before was cut at its longest length, not long ago.
fn follows_cut(work: &Work) -> bool {
    let is_fresh = |turn: &&RecentTurn| work.clock.since(turn.at) < LEANING_MAX;
    work.job.recent.last().filter(is_fresh).is_some_and(|turn| turn.ending == Ending::Length)
}

/// A turn that has begun goes on the way it began: the same words may mean something else by now.
fn begun(work: &Work, entry: &Entry) -> Option<Reflex> {
    let Entry::Round(round) = entry else { return None };
    let is_ours = !round.by_model && round.calls.iter().all(|call| call.planned.call_id.starts_with(CALL_ID));
    let calls = round.calls.iter().map(|call| {
        let (tool, arguments) = (call.planned.tool.clone(), call.planned.arguments.clone());
        ReflexCall { tool, arguments }
    });
    is_ours.then(|| Reflex {
        intent: "resumed".to_owned(),
        slots: Map::new(),
        language: preference(work, "language").unwrap_or("en").to_owned(),
        confidence: 1.0,
        is_question: false,
        calls: calls.collect(),
        answer: None,
        asks_back: false,
    })
}

fn preference<'a>(work: &'a Work, name: &str) -> Option<&'a str> {
    // Where somebody else's file says which room is meant, it is not said.
    let settings = &work.job.settings;
    settings.preferences.get(name).filter(|_| !settings.imported.contains(name)).and_then(Value::as_str)
}

fn said<'a>(work: &'a Work, before: &'a [Settled]) -> Said<'a> {
    let message = &work.job.turn.request.message;
    let asked = work.job.turn.answers.and_then(|id| work.job.recent.iter().rfind(|turn| turn.turn_id == id));
    let unclear = asked.filter(|turn| turn.origin.is_trusted()).map(|turn| turn.message.as_str());
    Said { message, language: preference(work, "language"), area: preference(work, "area"), before, unclear }
}

/// What came of the calls of the turn before, if that is not long ago.
fn before(work: &Work) -> Vec<Settled> {
    // What somebody else has asked for is not what "that one" means.
    let last = work.job.recent.last().filter(|turn| turn.origin.is_trusted());
    let fresh = last.filter(|turn| work.clock.since(turn.at) < LEANING_MAX);
    fresh.map(|turn| settled(&turn.thread)).unwrap_or_default()
}

fn settled(thread: &Thread) -> Vec<Settled> {
    let calls = thread.calls().filter_map(|call| {
        let result = call.result.as_ref()?;
        let (tool, arguments) = (call.planned.tool.clone(), call.planned.arguments.clone());
        let (status, content) = (result.status, result.content.clone());
        Some(Settled { call: ReflexCall { tool, arguments }, status, content })
    });
    calls.collect()
}

/// Makes the calls, if they are not made yet, and answers with what came of them.
pub(super) async fn answer(work: &mut Work, plan: &Plan) -> Result<Option<Answer>, Halt> {
    let is_called = plan.way == Way::Call;
    let Some(reflex) = plan.reflex.as_ref().filter(|_| is_called || plan.way == Way::Reflex) else { return Ok(None) };
    let (call_id, by) = if is_called { (called::CALL_ID, BY_CALL) } else { (CALL_ID, BY_REFLEX) };
    if work.thread.rounds() == 0 && !reflex.calls.is_empty() {
        let named = reflex.calls.iter().enumerate().map(|(index, call)| PlannedCall {
            call_id: format!("{call_id}{}", index + 1),
            tool: call.tool.clone(),
            arguments: call.arguments.clone(),
            signatures: Vec::new(),
            looked_up: false,
        });
        let step = protocol::Plan { round: 1, calls: named.collect(), ..protocol::Plan::default() };
        work.step(Step::Plan(step)).await;
    }
    let budget = Budget::of(&work.job.settings.budgets, &work.job.turn.request, &plan.hints, None);
    calls::settle(work, plan, &budget).await?;
    let settled = settled(&work.thread);
    let words = match (&reflex.answer, &work.house.reflexes) {
        (Some(words), _) if settled.is_empty() => words.clone(),
        _ if is_called => called::words(&settled),
        (_, Some(reflexes)) => {
            let before = before(work);
            reflexes.answer(&said(work, &before), Some(reflex), &settled)
        }
        (_, None) => plainly(&settled),
    };
    let steers = work.thread.steers();
    work.say(work.house.redactor.redact(&words).into_owned()).await;
    Ok(Some(Answer { response: Response::text(work.text.clone(), by), spent: None, steers }))
}

/// What came of calls, for want of better words.
fn plainly(settled: &[Settled]) -> String {
    let is_done = settled.iter().all(|call| call.status == CallStatus::Ok);
    if is_done { "Done.".to_owned() } else { "That did not work.".to_owned() }
}
