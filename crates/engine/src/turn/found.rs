//! What was found so far, in words of our own: for turns that end without their model.

use protocol::{BY_RULES, CallStatus, Response, StopReason};
use session::Report;

use super::work::Work;

/// Characters of each result that are told.
const RESULT_CHARS_MAX: usize = 400;
/// Results that are told.
const RESULTS_MAX: usize = 8;

/// What was found, and that it is all there is.
pub(super) fn in_words(work: &Work, spent: &str) -> String {
    let mut words = String::new();
    if !work.text.is_empty() {
        words.push_str("\n\n");
    }
    words.push_str(&format!("I had to stop here: {spent} ran out."));
    let results = work.thread.calls().filter_map(|call| call.result.as_ref());
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

/// Ends a turn whose time is up: with what was found, if anything was.
pub(super) async fn expire(work: &mut Work) {
    let has_results = work.thread.calls().any(|call| call.result.is_some());
    let mut found = None;
    let usage = work.spent();
    if has_results || !work.text.is_empty() {
        let by = if work.text.is_empty() { BY_RULES } else { work.model.as_str() }.to_owned();
        let words = in_words(work, "the time");
        work.say(words).await;
        let stop_reason = StopReason::Budget;
        found = Some(Response { usage, stop_reason, ..Response::text(work.text.clone(), by) });
    }
    let reason = "time_budget".to_owned();
    work.reporter.tell_now(Report::Expired { reason, found, usage }).await;
}
