//! Apps: registration, requests of turns, and answers.

use protocol::{
    AppAnswered, AppManifest, AppOutcome, AppRequest, AppRequestId, AppRequested, Body, Manifest, Timestamp, Window,
    WindowId,
};

use super::{check_active, desktop};
use crate::{
    decision::{CommandDecision, CommandOutcome},
    desktop::{DesktopActor, DesktopFault, PendingAppRequest, check_manifest, check_request, check_token, json_bytes},
    limits::{APP_REQUESTS_MAX, APP_VALUE_BYTES_MAX, REMARK_CHARS_MAX},
    open_turn::OpenTurn,
    refusal::Refusal,
    state::State,
};

/// Registers an app. Every page that shows the window loads the app again, so the same manifest
/// again changes nothing.
pub(super) fn register(
    state: &State,
    window_id: &WindowId,
    token: &str,
    manifest: Manifest,
) -> Result<CommandDecision, Refusal> {
    check_active(state)?;
    let window = speaker(state, window_id, token)?;
    check_manifest(&manifest)?;
    let mut decision = CommandDecision::nothing(CommandOutcome::Done);
    let known = window.app.as_ref().and_then(|app| app.manifest.as_ref());
    if known != Some(&manifest) {
        decision.session_event(Body::AppReady(AppManifest { window_id: window_id.clone(), manifest }));
    }
    Ok(decision)
}

/// A turn sends a request to an app. Idempotent by the id of the request.
pub(super) fn ask(state: &State, turn: &OpenTurn, request: AppRequested) -> Result<CommandDecision, Refusal> {
    let mut decision = CommandDecision::nothing(CommandOutcome::Done);
    if turn.doings.requests.contains_key(&request.request_id) {
        return Ok(decision);
    }
    check_active(state)?;
    let (actor, monitor_id) = (DesktopActor::Agent(&turn.agent_id), turn.agent_id.monitor());
    let window = match request.request {
        AppRequest::Query { .. } => state.desktop.reach(actor, &monitor_id, &request.window_id)?,
        AppRequest::Command(_) => state.desktop.hold(actor, &monitor_id, &request.window_id)?,
    };
    check_request(window, &request.request)?;
    if state.desktop.pending().len() >= APP_REQUESTS_MAX {
        return Err(DesktopFault::TooManyRequests.into());
    }
    decision.turn_event(turn, Body::AppRequested(request));
    Ok(decision)
}

/// The first answer counts. A second one, or one after the deadline, changes nothing.
pub(super) fn answer(
    state: &State,
    window_id: &WindowId,
    token: &str,
    request_id: AppRequestId,
    outcome: AppOutcome,
    now: Timestamp,
) -> Result<CommandDecision, Refusal> {
    check_active(state)?;
    speaker(state, window_id, token)?;
    let mut decision = CommandDecision::nothing(CommandOutcome::Done);
    let pending = state.desktop.pending_request(request_id);
    let is_open =
        |pending: &&PendingAppRequest| pending.asked.window_id == *window_id && pending.asked.expires_at > now;
    if let Some(pending) = pending.filter(is_open) {
        settle(state, &mut decision, pending, bounded(outcome));
    }
    Ok(decision)
}

/// A request without an answer at its deadline is answered with a timeout.
pub(super) fn expire(state: &State, decision: &mut CommandDecision, now: Timestamp) {
    for pending in state.desktop.pending().iter().filter(|pending| pending.asked.expires_at <= now) {
        settle(state, decision, pending, AppOutcome::TimedOut);
    }
}

fn settle(state: &State, decision: &mut CommandDecision, pending: &PendingAppRequest, outcome: AppOutcome) {
    let AppRequested { request_id, window_id, .. } = &pending.asked;
    let body = Body::AppAnswered(AppAnswered { request_id: *request_id, window_id: window_id.clone(), outcome });
    match state.open.get(&pending.turn_id) {
        Some(turn) => decision.turn_event(turn, body),
        // No turn waits for it, but what the app has done still counts.
        None => decision.session_event(body),
    }
    desktop::nudge(state, decision, pending.turn_id);
}

/// The window of the app that carries this token.
fn speaker<'a>(state: &'a State, window_id: &WindowId, token: &str) -> Result<&'a Window, Refusal> {
    let window = state.desktop.window(window_id).ok_or_else(|| state.desktop.no_window(window_id, None))?;
    check_token(window, token)?;
    Ok(window)
}

/// The answer of an app, cut to its limits.
fn bounded(outcome: AppOutcome) -> AppOutcome {
    match outcome {
        AppOutcome::Ok(value) => {
            let bytes = json_bytes(&value);
            if bytes <= APP_VALUE_BYTES_MAX {
                return AppOutcome::Ok(value);
            }
            AppOutcome::Error(format!("the app's answer has {bytes} bytes; at most {APP_VALUE_BYTES_MAX} are allowed"))
        }
        AppOutcome::Error(error) => AppOutcome::Error(error.chars().take(REMARK_CHARS_MAX).collect()),
        silence => silence,
    }
}
