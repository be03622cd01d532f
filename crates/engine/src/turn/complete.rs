//! Complete: the answer is assembled and reported. Memories are extracted from the journal
//! afterwards.

use protocol::{Citation, Plan, Response, Stage, Step};
use session::{CommandOutcome, TurnReport};

use super::{Halt, execute::TurnAnswer, state::TurnState};
use crate::intent::{Intent, IntentKind};

/// Maximum number of suggestions.
const SUGGESTIONS_MAX: usize = 3;

/// Reports the answer. Returns whether the turn has ended: a steering message may have arrived at
/// the last moment that the answer does not take into account, and then the turn continues.
pub(super) async fn enter(state: &mut TurnState, answer: TurnAnswer, intent: &Intent) -> Result<bool, Halt> {
    state.trace.enter(Stage::Complete);
    let TurnAnswer { response, spent, steers } = answer;
    let response = with_extras(state, response, intent);
    let plan = Plan {
        round: state.thread.rounds() + 1,
        calls: Vec::new(),
        steers,
        model: Some(response.model.clone()),
        usage: response.usage.map(|usage| usage.since(state.usage)),
        ..Plan::default()
    };
    let reason = spent.map(|spent| spent.reason().to_owned());
    if state.reporter.commit(TurnReport::Done { response, reason, steers }).await? != CommandOutcome::GoOn {
        return Ok(true);
    }
    // The session has turned the text so far into one more round, and so does the turn.
    state.note(&Step::Plan(plan));
    state.wait_for_inbox(|inbox| inbox.steers.len() > steers as usize).await;
    Ok(false)
}

/// The response with everything beside its text.
fn with_extras(state: &TurnState, response: Response, intent: &Intent) -> Response {
    let thought = state.thought.trim();
    Response {
        reasoning_summary: (!thought.is_empty()).then(|| thought.to_owned()),
        citations: citations(state, &response.message),
        suggestions: suggestions(state, intent),
        artifacts: state.artifacts.clone(),
        intent: Some(intent.kind.as_str().to_owned()),
        confidence: Some(intent.confidence),
        notices: state.window_notice.iter().chain(&response.notices).chain(&state.notices).cloned().collect(),
        ..response
    }
}

/// The sources that the answer cites in square brackets, in order. A number that is no source of
/// this turn is ignored.
fn citations(state: &TurnState, message: &str) -> Vec<Citation> {
    let results = state.thread.calls().filter_map(|call| call.result.as_ref());
    let mut cited: Vec<(usize, &Citation)> = Vec::new();
    for source in results.flat_map(|result| &result.sources) {
        if let Some(place) = message.find(&format!("[{}]", source.mark()))
            && cited.iter().all(|(_, known)| known.mark() != source.mark())
        {
            cited.push((place, source));
        }
    }
    cited.sort_by_key(|(place, _)| *place);
    cited.into_iter().map(|(_, source)| source.clone()).collect()
}

/// Suggested follow-up questions, derived from what the turn did.
fn suggestions(state: &TurnState, intent: &Intent) -> Vec<String> {
    let mut suggestions = Vec::new();
    if let Some(id) = state.artifacts.first() {
        suggestions.push(format!("Show me artifact {id}."));
    }
    let tools: Vec<&str> = state.thread.calls().map(|call| call.planned.tool.as_str()).collect();
    if tools.contains(&"pin") || !state.recalled.kept.is_empty() {
        suggestions.push("What did I ask you to remember?".to_owned());
    }
    match intent.kind {
        IntentKind::Research => suggestions.push("Which sources is that based on?".to_owned()),
        IntentKind::Question if state.text.len() > 1_200 => {
            suggestions.push("Can you say that in two sentences?".to_owned())
        }
        IntentKind::Command if !tools.is_empty() => suggestions.push("Did that work?".to_owned()),
        _ => {}
    }
    suggestions.truncate(SUGGESTIONS_MAX);
    suggestions
}
