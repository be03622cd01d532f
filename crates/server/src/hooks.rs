//! Webhooks that start schedules: `POST /hooks/{schedule_id}`. The signature is the credential, so
//! the route needs no token; its secret is derived from the server's, and ends with the schedule.

use axum::{
    Json,
    body::Bytes,
    extract::{Path, State},
    http::{HeaderMap, StatusCode},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use protocol::{Code, HookAnswer, HookView, Origin, Problem, RunCause, ScheduleId};
use secret::{SignedWebhook, WebhookSecret};

use crate::{
    access::{Peer, Principal},
    app::AppState,
    problem::HttpResult,
    rest::{ClientPeer, PathId, invalid},
};

/// Bytes of a webhook's body.
const BODY_BYTES_MAX: usize = 64 * 1024;
/// Characters of the body that the run is given.
const TEXT_CHARS_MAX: usize = 8_000;
/// Characters of a webhook's id.
const ID_CHARS_MAX: usize = 200;

/// The route, for the address of a schedule.
pub(crate) const PATH: &str = "/hooks/";

/// The owner reads where the webhooks of a schedule go, and with which secret.
pub(crate) async fn show(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathId(id): PathId<ScheduleId>,
) -> HttpResult<Json<HookView>> {
    let schedule = app.hub.schedule(&owner, id).await?;
    if schedule.spec.when.trigger() != Some(&protocol::Trigger::Hook) {
        return Err(invalid("the schedule does not wait for webhooks: make it with `on: hook`"));
    }
    Ok(Json(HookView { path: format!("{PATH}{id}"), secret: secret_text(&app, id) }))
}

/// A webhook arrives.
pub(crate) async fn receive(
    State(app): State<AppState>,
    ClientPeer(peer): ClientPeer,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> HttpResult<(StatusCode, Json<HookAnswer>)> {
    let id: ScheduleId = id.parse().map_err(|_| unknown())?;
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let webhook = SignedWebhook {
        id: header("webhook-id"),
        timestamp: header("webhook-timestamp"),
        signature: header("webhook-signature"),
        body: &body,
    };
    if body.len() > BODY_BYTES_MAX || webhook.id.chars().count() > ID_CHARS_MAX {
        let message = format!("a webhook has at most {BODY_BYTES_MAX} bytes, and its id {ID_CHARS_MAX} characters");
        return Err(Problem::new(Code::TooLarge, message, "Send less.").into());
    }
    let secret: WebhookSecret = secret_text(&app, id).parse().map_err(|_| unknown())?;
    check_signature(&app, peer, id, &secret, &webhook)?;
    let text: String = String::from_utf8_lossy(&body).chars().take(TEXT_CHARS_MAX).collect();
    let cause = RunCause { id: format!("hook:{}", webhook.id), text, origin: Origin::Untrusted };
    let started = app.hub.trigger_schedule(id, cause).await?;
    Ok((StatusCode::ACCEPTED, Json(HookAnswer { started })))
}

/// Checks the signature. A wrong one is a failed attempt to sign in from that address.
fn check_signature(
    app: &AppState,
    peer: Peer,
    id: ScheduleId,
    secret: &WebhookSecret,
    webhook: &SignedWebhook<'_>,
) -> Result<(), Problem> {
    let refused =
        |why: String| Problem::new(Code::Unauthorized, why, "Sign with the secret that the schedule's owner reads.");
    let verify = || secret.verify(webhook, app.hub.now().as_millis() / 1_000);
    if webhook.signature.is_empty() {
        // Without a credential it is no attempt.
        return verify().map_err(|why| refused(why.to_string()));
    }
    let mut why = String::new();
    // Each signature is another text. What has signed rightly from there before is let through, as
    // a token is.
    let checked = app
        .failures
        .attempt(peer, &format!("hook:{id}"), |_| verify().map_err(|error| why = error.to_string()).ok())?;
    checked.ok_or_else(|| refused(why))
}

fn secret_text(app: &AppState, id: ScheduleId) -> String {
    format!("whsec_{}", STANDARD.encode(app.seal.derived(&format!("hook:{id}"))))
}

fn unknown() -> Problem {
    Problem::new(Code::NotFound, "there is no such hook", "Ask the owner of the schedule for its address.")
}
