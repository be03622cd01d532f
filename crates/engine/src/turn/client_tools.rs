//! Client tools and the tools of tool workers: which of them the model sees beside the server's
//! own, and which calls belong to the client or to a worker.

use std::sync::Arc;

use model::{Model, ToolRequirement, ToolSpec};
use protocol::{ClientTool, ServedTool, ToolChoice};
use session::{Thread, ThreadCall, ThreadEntry};
use tools::{SessionRules, is_denied};

use super::{context_budget::ContextBudget, plan::TurnPlan, state::TurnState};

/// The client's tools whose names policy does not deny. What they do is up to the client.
fn offered<'a>(state: &'a TurnState, rules: &SessionRules) -> impl Iterator<Item = &'a ClientTool> {
    let request = &state.input.turn.request;
    let standing = state.input.inbox.borrow().standing.clone();
    let tools = if request.allow_tools { request.offer.shown() } else { &[] };
    tools.iter().filter(move |tool| !is_denied(&tool.name, &state.services.rules, rules, standing.forbids(&tool.name)))
}

/// The tools of tool workers whose names policy does not deny. The client's own tool of the same
/// name goes first, and if the client requires a call of its tools, there are no others.
fn served<'a>(state: &'a TurnState, rules: &SessionRules) -> impl Iterator<Item = &'a ServedTool> {
    let request = &state.input.turn.request;
    let standing = state.input.inbox.borrow().standing.clone();
    let is_shown = request.allow_tools && request.offer.tool_choice != ToolChoice::Required;
    let tools = if is_shown { request.served.as_slice() } else { &[] };
    let is_clients = |name: &str| request.offer.shown().iter().any(|tool| tool.name == name);
    tools
        .iter()
        .filter(move |tool| !is_clients(&tool.name))
        .filter(move |tool| !is_denied(&tool.name, &state.services.rules, rules, standing.forbids(&tool.name)))
}

/// Names of all of them.
pub(super) fn names(state: &TurnState, rules: &SessionRules) -> Vec<String> {
    let own = offered(state, rules).map(|tool| tool.name.clone());
    own.chain(served(state, rules).map(|tool| tool.name.clone())).collect()
}

/// The worker's tool that a call is of; `None` if the client runs it.
pub(super) fn served_tool<'a>(state: &'a TurnState, plan: &TurnPlan, name: &str) -> Option<&'a ServedTool> {
    let is_own = offered(state, &plan.rules).any(|tool| tool.name == name);
    if is_own { None } else { served(state, &plan.rules).find(|tool| tool.name == name) }
}

/// All tools for a model. If two have the same name, it is the client's in this turn; if the client
/// requires a call of its tools, there are no others.
pub(super) fn shown(state: &TurnState, plan: &TurnPlan, model: &dyn Model) -> Arc<[ToolSpec]> {
    // A rule-based model considers every tool and pays for none.
    let understands = model.traits().understands;
    let selected = if understands { selected(state, plan, model) } else { plan.tools.clone() };
    let request = &state.input.turn.request;
    if (request.offer.tools.is_empty() && request.served.is_empty()) || plan.of_client.is_none() {
        return selected;
    }
    let mut clients: Vec<ToolSpec> = offered(state, &plan.rules).map(spec).collect();
    let is_alone = request.offer.tool_choice == ToolChoice::Required && !clients.is_empty();
    clients.extend(served(state, &plan.rules).map(|tool| spec(&tool.as_client_tool())));
    let is_own = |tool: &&ToolSpec| !is_alone && clients.iter().all(|client| client.name != tool.name);
    let own = selected.iter().filter(is_own).cloned();
    // A rule-based model only knows the server's own tools.
    own.chain(clients.iter().filter(|_| understands).cloned()).collect()
}

/// The server's own tools for a model.
fn selected(state: &TurnState, plan: &TurnPlan, model: &dyn Model) -> Arc<[ToolSpec]> {
    let share = ContextBudget::of(model.traits(), &state.input.settings.budgets, &state.input.turn.request);
    plan.selected(share.tokens_max)
}

/// Whether the model has to call one of them.
pub(super) fn choice(state: &TurnState, plan: &TurnPlan, model: &dyn Model) -> ToolRequirement {
    let is_shown = |name: &str| offered(state, &plan.rules).any(|tool| tool.name == name);
    match &state.input.turn.request.offer.tool_choice {
        _ if !model.traits().understands || plan.of_client.is_none() => ToolRequirement::Free,
        ToolChoice::Required if offered(state, &plan.rules).next().is_some() => ToolRequirement::Some,
        ToolChoice::Tool(name) if is_shown(name) => ToolRequirement::Tool(name.clone()),
        _ => ToolRequirement::Free,
    }
}

fn spec(tool: &ClientTool) -> ToolSpec {
    ToolSpec::new(&*tool.name, &*tool.description, tool.input_schema.clone())
}

/// Whether the client or a tool worker has to run a call. A started call stays with its side; calls
/// of the plan or a reflex are the server's own.
pub(super) fn is_clients(state: &TurnState, plan: &TurnPlan, call: &ThreadCall) -> bool {
    if call.begun.is_some() {
        return call.is_clients();
    }
    let is_of_model = state.thread.entries().iter().any(|entry| match entry {
        ThreadEntry::Round(round) => {
            round.by_model && round.calls.iter().any(|own| own.planned.call_id == call.planned.call_id)
        }
        ThreadEntry::Steered(_) => false,
    });
    let is_named = |name: &String| *name == call.planned.tool;
    is_of_model && plan.of_client.is_some() && names(state, &plan.rules).iter().any(is_named)
}

/// Whether the client that sent the message runs a call.
fn is_senders(call: &ThreadCall) -> bool {
    call.is_clients() && !call.is_served()
}

/// Rounds and calls since the client's last result: budgets apply to these. A tool worker's result
/// is no request of a client, so the budgets go on.
pub(super) fn since_client(thread: &Thread) -> (u32, u32) {
    let is_clients =
        |entry: &ThreadEntry| matches!(entry, ThreadEntry::Round(round) if round.calls.iter().any(is_senders));
    let entries = thread.entries();
    let after = entries.iter().rposition(is_clients).map_or(0, |last| last + 1);
    let rounds = entries[after..].iter().filter_map(|entry| match entry {
        ThreadEntry::Round(round) => Some(round),
        ThreadEntry::Steered(_) => None,
    });
    let (mut asked, mut begun) = (0, 0);
    for round in rounds {
        asked += u32::from(round.by_model);
        begun += u32::try_from(round.calls.iter().filter(|call| call.begun.is_some()).count()).unwrap_or(u32::MAX);
    }
    (asked, begun)
}

/// Whether the newest round is one whose results the client has sent.
pub(super) fn is_just_answered(thread: &Thread) -> bool {
    let rounds = thread.entries().iter().rev().filter_map(|entry| match entry {
        ThreadEntry::Round(round) => Some(round),
        ThreadEntry::Steered(_) => None,
    });
    rounds.take(1).any(|round| round.calls.iter().any(is_senders))
}
