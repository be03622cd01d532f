//! Reflexes: a message that is understood and carried out without a language model. The calls run
//! under policy like any other, and the answer is built from their results.

use std::time::Duration;

use memory::agent::conversation_event::BY_REFLEX;
use ports::{Reflex, ReflexCall, ReflexCallResult, ReflexInput};
use protocol::{BY_CALL, CallStatus, MessageChannel, PlannedCall, Response, Step};
use serde_json::{Map, Value};
use session::{RecentTurn, Thread, ThreadEntry, TurnEnding};

use super::{
    Halt,
    budget::Budget,
    calls, direct_call,
    execute::TurnAnswer,
    plan::{TurnPlan, TurnRoute},
    schedule_words,
    state::TurnState,
};

/// The prefix of the ids of a reflex's calls.
const CALL_ID: &str = "reflex_";
/// How long a message may refer back to the turn before.
const LEANING_MAX: Duration = Duration::from_secs(15 * 60);
/// How many turns it may refer back to.
const LEANING_TURNS: usize = 3;

/// The meaning of the message, if it can be found without a model. What it orders for another time
/// is not done at once.
pub(super) fn read(state: &TurnState, orders_later: bool) -> Option<Reflex> {
    if let Some(called) = direct_call::read(state) {
        return Some(called);
    }
    let reflexes = state.services.reflexes.as_ref()?;
    let request = &state.input.turn.request;
    let is_plain = request.allow_tools
        && request.window.is_none()
        && request.images.is_empty()
        && request.offer.response_schema.is_none();
    // A client with tools of its own wants a model to choose between them and the server's.
    if !is_plain || state.thread.steers() > 0 || !request.offer.shown().is_empty() {
        return None;
    }
    match state.thread.entries().first() {
        // After a cut answer, "continue" is about the answer, not about some player in the home.
        None if follows_cut(state) => None,
        None => {
            let before = before(state);
            let read = reflexes.read(&said(state, &before));
            read.filter(|reflex| !orders_later || !schedule_words::acts_at_once(reflex))
        }
        Some(entry) => begun(state, entry),
    }
}

/// Whether the answer before was cut at the maximum length, not long ago.
fn follows_cut(state: &TurnState) -> bool {
    let is_fresh = |turn: &&RecentTurn| state.clock.since(turn.at) < LEANING_MAX;
    state.input.recent.last().filter(is_fresh).is_some_and(|turn| turn.ending == TurnEnding::Length)
}

/// A turn that has started keeps its reflex: the same words may mean something else by now.
fn begun(state: &TurnState, entry: &ThreadEntry) -> Option<Reflex> {
    let ThreadEntry::Round(round) = entry else { return None };
    let is_ours = !round.by_model && round.calls.iter().all(|call| call.planned.call_id.starts_with(CALL_ID));
    let calls = round.calls.iter().map(|call| {
        let (tool, arguments) = (call.planned.tool.clone(), call.planned.arguments.clone());
        ReflexCall { tool, arguments }
    });
    is_ours.then(|| Reflex {
        intent: "resumed".to_owned(),
        slots: Map::new(),
        language: preference(state, "language").unwrap_or("en").to_owned(),
        confidence: 1.0,
        is_question: false,
        calls: calls.collect(),
        answer: None,
        asks_back: false,
    })
}

pub(super) fn preference<'a>(state: &'a TurnState, name: &str) -> Option<&'a str> {
    // An area from an imported file does not count as the user's own.
    let settings = &state.input.settings;
    settings.preferences.get(name).filter(|_| !settings.imported.contains(name)).and_then(Value::as_str)
}

fn said<'a>(state: &'a TurnState, before: &'a [ReflexCallResult]) -> ReflexInput<'a> {
    let message = &state.input.turn.request.message;
    let asked = state.input.turn.answers.and_then(|id| state.input.recent.iter().rfind(|turn| turn.turn_id == id));
    let unclear = asked.filter(|turn| turn.origin.is_trusted()).map(|turn| turn.message.as_str());
    let previous = leaning(state).next().map(|turn| turn.message.as_str());
    let (language, area) = (preference(state, "language"), preference(state, "area"));
    ReflexInput { message, language, area, before, previous, unclear }
}

/// The turns that a message may refer to, the newest first: not long ago, and the user's own.
fn leaning(state: &TurnState) -> impl Iterator<Item = &RecentTurn> {
    // "That one" does not refer to a request that is untrusted.
    let is_near = |turn: &&RecentTurn| turn.origin.is_trusted() && state.clock.since(turn.at) < LEANING_MAX;
    state.input.recent.iter().rev().take_while(is_near).take(LEANING_TURNS)
}

/// The results of the calls of the last turn that made any. A sentence that was not understood in
/// between does not make "turn it off" mean nothing.
fn before(state: &TurnState) -> Vec<ReflexCallResult> {
    leaning(state).map(|turn| settled(&turn.thread)).find(|calls| !calls.is_empty()).unwrap_or_default()
}

fn settled(thread: &Thread) -> Vec<ReflexCallResult> {
    let calls = thread.calls().filter_map(|call| {
        let result = call.result.as_ref()?;
        let (tool, arguments) = (call.planned.tool.clone(), call.planned.arguments.clone());
        let (status, content) = (result.status, result.content.clone());
        Some(ReflexCallResult { call: ReflexCall { tool, arguments }, status, content })
    });
    calls.collect()
}

/// Makes the calls, if that has not happened yet, and answers with their results.
pub(super) async fn answer(state: &mut TurnState, plan: &TurnPlan) -> Result<Option<TurnAnswer>, Halt> {
    let is_called = plan.route == TurnRoute::Call;
    let Some(reflex) = plan.reflex.as_ref().filter(|_| is_called || plan.route == TurnRoute::Reflex) else {
        return Ok(None);
    };
    let (call_id, by) = if is_called { (direct_call::CALL_ID, BY_CALL) } else { (CALL_ID, BY_REFLEX) };
    if state.thread.rounds() == 0 && !reflex.calls.is_empty() {
        let named = reflex.calls.iter().enumerate().map(|(index, call)| PlannedCall {
            call_id: format!("{call_id}{}", index + 1),
            tool: call.tool.clone(),
            arguments: call.arguments.clone(),
            signatures: Vec::new(),
            looked_up: false,
        });
        let step = protocol::Plan { round: 1, calls: named.collect(), ..protocol::Plan::default() };
        state.step(Step::Plan(step)).await;
    }
    let budget = Budget::of(&state.input.settings.budgets, &state.input.turn.request, &plan.hints, None);
    calls::settle(state, plan, &budget).await?;
    let settled = settled(&state.thread);
    let words = match (&reflex.answer, &state.services.reflexes) {
        (Some(words), _) if settled.is_empty() => words.clone(),
        // A command that was planned in words is answered in words.
        (_, Some(reflexes)) if is_called && is_planned_command(state) => {
            reflexes.answer(&said(state, &[]), None, &settled)
        }
        _ if is_called => direct_call::words(&settled),
        _ if schedule_words::answers(&settled) => schedule_words::answer(state, reflex, &settled),
        (_, Some(reflexes)) => {
            let before = before(state);
            reflexes.answer(&said(state, &before), Some(reflex), &settled)
        }
        (_, None) => plainly(&settled),
    };
    let steers = state.thread.steers();
    state.say(state.services.redactor.redact(&words).into_owned()).await;
    Ok(Some(TurnAnswer { response: Response::text(state.text.clone(), by), spent: None, steers }))
}

/// Whether the turn is a call that a schedule makes and that was ordered by a sentence.
fn is_planned_command(state: &TurnState) -> bool {
    let request = &state.input.turn.request;
    let is_sentence = !request.calls.iter().any(|call| request.message.starts_with(&call.tool));
    matches!(request.via, MessageChannel::Schedule(_)) && is_sentence
}

/// The results of calls, if the reflex has no answer of its own.
fn plainly(settled: &[ReflexCallResult]) -> String {
    let is_done = settled.iter().all(|call| call.status == CallStatus::Ok);
    if is_done { "Done.".to_owned() } else { "That did not work.".to_owned() }
}
