//! Complete: the answer is put together and given. What is remembered of it is read off the journal afterwards.

use protocol::{Citation, Plan, Response, Step};
use session::{Outcome, Report};

use super::{Halt, execute::Answer, work::Work};
use crate::intent::{Intent, Kind};

/// Suggestions at most.
const SUGGESTIONS_MAX: usize = 3;

/// Gives the answer. Whether the turn has ended with it: something may have been said in the last moment that the answer
/// does not know of, and then the turn goes on from there.
pub(super) async fn enter(work: &mut Work, answer: Answer, intent: &Intent) -> Result<bool, Halt> {
    let Answer { response, spent, steers } = answer;
    let response = with_extras(work, response, intent);
    let plan = Plan {
        round: work.thread.rounds() + 1,
        calls: Vec::new(),
        steers,
        model: Some(response.model.clone()),
        usage: response.usage.map(|usage| usage.since(work.usage)),
        ..Plan::default()
    };
    let reason = spent.map(|spent| spent.reason().to_owned());
    if work.reporter.commit(Report::Done { response, reason, steers }).await? != Outcome::GoOn {
        return Ok(true);
    }
    // The session has made one more round of what was said, and so does the turn.
    work.note(&Step::Plan(plan));
    work.hear(|heard| heard.steers.len() > steers as usize).await;
    Ok(false)
}

/// The response with what goes beside its words.
fn with_extras(work: &Work, response: Response, intent: &Intent) -> Response {
    let thought = work.thought.trim();
    Response {
        reasoning_summary: (!thought.is_empty()).then(|| thought.to_owned()),
        citations: citations(work, &response.message),
        suggestions: suggestions(work, intent),
        artifacts: work.artifacts.clone(),
        intent: Some(intent.kind.as_str().to_owned()),
        confidence: Some(intent.confidence),
        notices: work.window_notice.iter().chain(&response.notices).chain(&work.notices).cloned().collect(),
        ..response
    }
}

/// The sources that the answer names in square brackets, in its order. What is named and is no source of this turn is
/// none.
fn citations(work: &Work, message: &str) -> Vec<Citation> {
    let results = work.thread.calls().filter_map(|call| call.result.as_ref());
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

/// What might be asked next, read off what the turn did.
fn suggestions(work: &Work, intent: &Intent) -> Vec<String> {
    let mut suggestions = Vec::new();
    if let Some(id) = work.artifacts.first() {
        suggestions.push(format!("Show me artifact {id}."));
    }
    let tools: Vec<&str> = work.thread.calls().map(|call| call.planned.tool.as_str()).collect();
    if tools.contains(&"pin") || !work.recalled.kept.is_empty() {
        suggestions.push("What did I ask you to remember?".to_owned());
    }
    match intent.kind {
        Kind::Research => suggestions.push("Which sources is that based on?".to_owned()),
        Kind::Question if work.text.len() > 1_200 => suggestions.push("Can you say that in two sentences?".to_owned()),
        Kind::Command if !tools.is_empty() => suggestions.push("Did that work?".to_owned()),
        _ => {}
    }
    suggestions.truncate(SUGGESTIONS_MAX);
    suggestions
}
