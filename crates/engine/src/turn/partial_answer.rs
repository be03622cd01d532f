//! The partial answer of a turn that ends without its model.

use protocol::{BY_RULES, CallStatus, Response, StopReason};
use session::TurnReport;

use super::state::TurnState;

/// Characters of each result.
const RESULT_CHARS_MAX: usize = 400;
/// Maximum number of results.
const RESULTS_MAX: usize = 8;

/// The results so far, with a note that there are no more.
pub(super) fn in_words(state: &TurnState, spent: &str) -> String {
    let mut words = String::new();
    if !state.text.is_empty() {
        words.push_str("\n\n");
    }
    words.push_str(&format!("I had to stop here: {spent} ran out."));
    let results = state.thread.calls().filter_map(|call| call.result.as_ref());
    let found: Vec<_> =
        results.filter(|result| matches!(result.status, CallStatus::Ok | CallStatus::Assumed)).collect();
    if !found.is_empty() {
        words.push_str(" What was found so far:");
    }
    for result in found.iter().rev().take(RESULTS_MAX).rev() {
        let mut short: String = result.content.chars().take(RESULT_CHARS_MAX).collect();
        if short.len() < result.content.len() {
            short.push('…');
        }
        words.push_str(&format!("\n- {}: {short}", result.tool));
    }
    words
}

/// Ends a turn whose time is up, with a partial answer if there are results.
pub(super) async fn expire(state: &mut TurnState) {
    let has_results = state.thread.calls().any(|call| call.result.is_some());
    let mut found = None;
    let usage = state.spent();
    if has_results || !state.text.is_empty() {
        let by = if state.text.is_empty() { BY_RULES } else { state.model.as_str() }.to_owned();
        let words = in_words(state, "the time");
        state.say(words).await;
        let stop_reason = StopReason::Budget;
        found = Some(Response { usage, stop_reason, ..Response::text(state.text.clone(), by) });
    }
    let reason = "time_budget".to_owned();
    state.reporter.tell_now(TurnReport::Expired { reason, found, usage }).await;
}
