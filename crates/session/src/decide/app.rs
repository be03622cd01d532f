//! Apps: they register, are asked by turns, and answer.

use protocol::{
    AppAnswered, AppManifest, AppOutcome, AppRequest, AppRequestId, AppRequested, Body, Manifest, Timestamp, Window,
    WindowId,
};

use super::{check_active, desk};
use crate::{
    decision::{Decision, Outcome},
    desktop::{Doer, Misfit, Pending, check_manifest, check_request, check_token, json_bytes},
    limits::{APP_REQUESTS_MAX, APP_VALUE_BYTES_MAX, REMARK_CHARS_MAX},
    open_turn::OpenTurn,
    refusal::Refusal,
    state::State,
};

/// Every page that shows the window loads the app anew: saying the same again changes nothing.
pub(super) fn register(
    state: &State,
    window_id: &WindowId,
    token: &str,
    manifest: Manifest,
) -> Result<Decision, Refusal> {
    check_active(state)?;
    let window = speaker(state, window_id, token)?;
    check_manifest(&manifest)?;
    let mut decision = Decision::nothing(Outcome::Done);
    let known = window.app.as_ref().and_then(|app| app.manifest.as_ref());
    if known != Some(&manifest) {
        decision.session_event(Body::AppReady(AppManifest { window_id: window_id.clone(), manifest }));
    }
    Ok(decision)
}

/// A turn asks. Asking again under the same id is asking once.
pub(super) fn ask(state: &State, turn: &OpenTurn, request: AppRequested) -> Result<Decision, Refusal> {
    let mut decision = Decision::nothing(Outcome::Done);
    if turn.doings.requests.contains_key(&request.request_id) {
        return Ok(decision);
    }
    check_active(state)?;
    let (doer, monitor_id) = (Doer::Agent(&turn.agent_id), turn.agent_id.monitor());
    let window = match request.request {
        AppRequest::Query { .. } => state.desktop.reach(doer, &monitor_id, &request.window_id)?,
        AppRequest::Command(_) => state.desktop.hold(doer, &monitor_id, &request.window_id)?,
    };
    check_request(window, &request.request)?;
    if state.desktop.pending().len() >= APP_REQUESTS_MAX {
        return Err(Misfit::TooManyRequests.into());
    }
    decision.turn_event(turn, Body::AppRequested(request));
    Ok(decision)
}

/// The first answer counts; one that comes second, or after the time is up, changes nothing.
pub(super) fn answer(
    state: &State,
    window_id: &WindowId,
    token: &str,
    request_id: AppRequestId,
    outcome: AppOutcome,
    now: Timestamp,
) -> Result<Decision, Refusal> {
    check_active(state)?;
    speaker(state, window_id, token)?;
    let mut decision = Decision::nothing(Outcome::Done);
    let pending = state.desktop.pending_request(request_id);
    let is_open = |pending: &&Pending| pending.asked.window_id == *window_id && pending.asked.expires_at > now;
    if let Some(pending) = pending.filter(is_open) {
        settle(state, &mut decision, pending, bounded(outcome));
    }
    Ok(decision)
}

/// Silence becomes an answer.
pub(super) fn expire(state: &State, decision: &mut Decision, now: Timestamp) {
    for pending in state.desktop.pending().iter().filter(|pending| pending.asked.expires_at <= now) {
        settle(state, decision, pending, AppOutcome::TimedOut);
    }
}

fn settle(state: &State, decision: &mut Decision, pending: &Pending, outcome: AppOutcome) {
    let AppRequested { request_id, window_id, .. } = &pending.asked;
    let body = Body::AppAnswered(AppAnswered { request_id: *request_id, window_id: window_id.clone(), outcome });
    match state.open.get(&pending.turn_id) {
        Some(turn) => decision.turn_event(turn, body),
        // Nobody waits for it, but what the app has done counts.
        None => decision.session_event(body),
    }
    desk::nudge(state, decision, pending.turn_id);
}

/// The window whose app this is.
fn speaker<'a>(state: &'a State, window_id: &WindowId, token: &str) -> Result<&'a Window, Refusal> {
    let window = state.desktop.window(window_id).ok_or_else(|| state.desktop.no_window(window_id, None))?;
    check_token(window, token)?;
    Ok(window)
}

/// What an app answers, within its limits.
fn bounded(outcome: AppOutcome) -> AppOutcome {
    match outcome {
        AppOutcome::Ok(value) => {
            let bytes = json_bytes(&value);
            if bytes <= APP_VALUE_BYTES_MAX {
                return AppOutcome::Ok(value);
            }
            AppOutcome::Error(format!("the app's answer has {bytes} bytes; at most {APP_VALUE_BYTES_MAX} are taken"))
        }
        AppOutcome::Error(error) => AppOutcome::Error(error.chars().take(REMARK_CHARS_MAX).collect()),
        silence => silence,
    }
}
