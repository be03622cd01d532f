//! The tools that the client brings along: which of them the model is shown beside Dwell's own, and whose a call is.

use std::sync::Arc;

use model::{Choice, Model, ToolSpec};
use protocol::{ClientTool, ToolChoice};
use session::{Call, Entry, Thread};
use tools::{SessionRules, is_denied};

use super::{plan::Plan, share::Share, work::Work};

/// Those that policy does not deny by their names. Whether they may do what they do is up to the client.
fn offered<'a>(work: &'a Work, rules: &SessionRules) -> impl Iterator<Item = &'a ClientTool> {
    let request = &work.job.turn.request;
    let standing = work.job.heard.borrow().standing.clone();
    let tools = if request.allow_tools { request.offer.shown() } else { &[] };
    tools.iter().filter(move |tool| !is_denied(&tool.name, &work.house.rules, rules, standing.forbids(&tool.name)))
}

/// Their names.
pub(super) fn names(work: &Work, rules: &SessionRules) -> Vec<String> {
    offered(work, rules).map(|tool| tool.name.clone()).collect()
}

/// All tools that a model is shown. Where a name stands for two, it is the client's in this turn; where a call of the
/// client's tools is wanted, there are no others.
pub(super) fn shown(work: &Work, plan: &Plan, model: &dyn Model) -> Arc<[ToolSpec]> {
    // A model that goes by rules alone looks at every tool and pays for none.
    let understands = model.traits().understands;
    let selected = if understands { selected(work, plan, model) } else { plan.tools.clone() };
    if work.job.turn.request.offer.tools.is_empty() || plan.of_client.is_none() {
        return selected;
    }
    let clients: Vec<ToolSpec> = offered(work, &plan.rules).map(spec).collect();
    let is_alone = work.job.turn.request.offer.tool_choice == ToolChoice::Required && !clients.is_empty();
    let is_own = |tool: &&ToolSpec| !is_alone && clients.iter().all(|client| client.name != tool.name);
    let own = selected.iter().filter(is_own).cloned();
    // Whoever goes by rules alone knows Dwell's tools and no others.
    own.chain(clients.iter().filter(|_| understands).cloned()).collect()
}

/// Those of Dwell's own tools that a model is told of.
fn selected(work: &Work, plan: &Plan, model: &dyn Model) -> Arc<[ToolSpec]> {
    let share = Share::of(model.traits(), &work.job.settings.budgets, &work.job.turn.request);
    plan.selected(share.tokens_max)
}

/// Whether the model has to call one of them.
pub(super) fn choice(work: &Work, plan: &Plan, model: &dyn Model) -> Choice {
    let is_shown = |name: &str| offered(work, &plan.rules).any(|tool| tool.name == name);
    match &work.job.turn.request.offer.tool_choice {
        _ if !model.traits().understands || plan.of_client.is_none() => Choice::Free,
        ToolChoice::Required if offered(work, &plan.rules).next().is_some() => Choice::Some,
        ToolChoice::Tool(name) if is_shown(name) => Choice::Tool(name.clone()),
        _ => Choice::Free,
    }
}

fn spec(tool: &ClientTool) -> ToolSpec {
    ToolSpec::new(&*tool.name, &*tool.description, tool.input_schema.clone())
}

/// Whether a call is for the client to run. What was begun stays whose it was; what the plan or a reflex asks for is
/// Dwell's own.
pub(super) fn is_clients(work: &Work, plan: &Plan, call: &Call) -> bool {
    if call.begun.is_some() {
        return call.is_clients();
    }
    let is_of_model = work.thread.entries().iter().any(|entry| match entry {
        Entry::Round(round) => {
            round.by_model && round.calls.iter().any(|own| own.planned.call_id == call.planned.call_id)
        }
        Entry::Steered(_) => false,
    });
    is_of_model && plan.of_client.is_some() && offered(work, &plan.rules).any(|tool| tool.name == call.planned.tool)
}

/// Rounds and calls since the client last told a result: what it has asked for since then is what budgets are about.
pub(super) fn since_client(thread: &Thread) -> (u32, u32) {
    let is_clients = |entry: &Entry| matches!(entry, Entry::Round(round) if round.calls.iter().any(Call::is_clients));
    let entries = thread.entries();
    let after = entries.iter().rposition(is_clients).map_or(0, |last| last + 1);
    let rounds = entries[after..].iter().filter_map(|entry| match entry {
        Entry::Round(round) => Some(round),
        Entry::Steered(_) => None,
    });
    let (mut asked, mut begun) = (0, 0);
    for round in rounds {
        asked += u32::from(round.by_model);
        begun += u32::try_from(round.calls.iter().filter(|call| call.begun.is_some()).count()).unwrap_or(u32::MAX);
    }
    (asked, begun)
}

/// Whether the newest round is one whose results the client has told.
pub(super) fn is_just_answered(thread: &Thread) -> bool {
    let rounds = thread.entries().iter().rev().filter_map(|entry| match entry {
        Entry::Round(round) => Some(round),
        Entry::Steered(_) => None,
    });
    rounds.take(1).any(|round| round.calls.iter().any(Call::is_clients))
}
