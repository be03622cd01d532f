//! Anthropic's Messages API: `/v1/messages` and `/v1/messages/count_tokens`, and its form of
//! `/v1/models`.

mod block;
mod conversation;
mod error;
mod events;
mod models;
mod request;
mod response;

use std::{fmt::Write, time::Duration};

use axum::{
    Extension, Json,
    extract::State,
    http::HeaderMap,
    response::{IntoResponse, Response, Sse, sse::KeepAlive},
};
pub(crate) use error::{RequestId, identify};
pub(super) use error::{body as error_body, response as error_response};
pub(super) use models::{is_asked, model, model_list};
use protocol::{Problem, SessionRef};
pub(crate) use request::MessagesRequest;
use response::{MessageHead, is_declined, ping};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::{
    conversation::{ChatRequest, begin, by_header, by_name},
    dialect::Dialect,
    message::ChatHistory,
    model as model_of,
};
use crate::{
    access::AccessGrant,
    app::AppState,
    problem::{HttpResult as HttpOutcome, ProblemResponse},
    rest::{JsonBody, idempotency_key},
};

const KEEP_ALIVE: Duration = Duration::from_secs(15);

pub(crate) async fn messages(
    State(app): State<AppState>,
    grant: AccessGrant,
    Extension(request_id): Extension<RequestId>,
    headers: HeaderMap,
    body: HttpOutcome<JsonBody<MessagesRequest>>,
) -> Response {
    match answer(&app, grant, request_id, &headers, body).await {
        Ok(response) => response,
        Err(ProblemResponse(problem)) => Dialect::Anthropic.refuse(&problem),
    }
}

async fn answer(
    app: &AppState,
    grant: AccessGrant,
    RequestId(request_id): RequestId,
    headers: &HeaderMap,
    body: HttpOutcome<JsonBody<MessagesRequest>>,
) -> HttpOutcome<Response> {
    let (reads_only, owner) = (grant.reads_only(), grant.owner);
    let JsonBody(mut asked) = body?;
    asked.check()?;
    let (ignored, has_thoughts) = (asked.ignored(), asked.wants_thoughts());
    let session = session(headers, &asked)?;
    let idempotency_key = idempotency_key(headers, None)?;
    let (offer, settings, response_schema) = (asked.take_offer()?, asked.settings()?, asked.response_schema()?);
    let history = ChatHistory::read(asked.take_messages()?)?;
    let permit = if asked.stream.unwrap_or(false) { Some(app.stream_permit(&owner)?) } else { None };
    let name = asked.model;
    let model = model_of(&name);
    let asked = ChatRequest {
        transport: "anthropic",
        history,
        session,
        is_keyed: false,
        model,
        settings,
        offer,
        response_schema,
        idempotency_key,
        background: false,
        reads_only,
    };
    let mut streamed = begin(&app.hub, &owner, asked).await?;
    streamed.stream.with_thoughts(has_thoughts);
    let names = [("x-dwell-session", streamed.session_id.to_string()), ("x-dwell-turn", streamed.turn_id.to_string())];
    // Clients identify messages by this id, also several messages of one turn.
    let part = if streamed.is_continued() { format!("_{}", streamed.part) } else { String::new() };
    let head = MessageHead { id: format!("msg_{}{part}", streamed.turn_id), model: name, request_id };
    let response = match permit {
        Some(permit) => {
            let fault = streamed.early_fault(app, &owner).await;
            if let Some(fault) = fault.filter(|fault| !is_declined(fault)) {
                return Ok((names, Dialect::Anthropic.fail(&fault)).into_response());
            }
            let frames = head.frames(app.clone(), owner, streamed, permit);
            Sse::new(frames).keep_alive(KeepAlive::new().interval(KEEP_ALIVE).event(ping())).into_response()
        }
        None => head.whole(app, &owner, streamed).await,
    };
    Ok(ignored.tell((names, response).into_response()))
}

/// Counts the tokens of a request. Nothing of it is stored.
pub(crate) async fn count_tokens(
    State(app): State<AppState>,
    body: HttpOutcome<JsonBody<MessagesRequest>>,
) -> Response {
    let counted = body.and_then(|JsonBody(asked)| asked.counted().map_err(ProblemResponse));
    match counted {
        Ok(prompt) => Json(json!({ "input_tokens": app.hub.count_tokens(prompt).await })).into_response(),
        Err(ProblemResponse(problem)) => Dialect::Anthropic.refuse(&problem),
    }
}

/// The session that the header or the user names.
fn session(headers: &HeaderMap, asked: &MessagesRequest) -> Result<Option<SessionRef>, Problem> {
    if let Some(session) = by_header(headers)? {
        return Ok(Some(session));
    }
    // These clients send ids that are longer than a name may be; then their digest is the name.
    let named = asked.user().map(|user| by_name(&format!("user:{user}")).or_else(|_| by_name(&digest(user))));
    named.transpose()
}

fn digest(user: &str) -> String {
    let digest = Sha256::digest(user.as_bytes());
    digest.iter().fold("user:sha256-".to_owned(), |mut name, byte| {
        // Writing to a string cannot fail.
        let _ = write!(name, "{byte:02x}");
        name
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_user_has_a_short_name() {
        let name = digest(&"x".repeat(1_000));
        assert!(name.len() < 100 && name.starts_with("user:sha256-"), "{name}");
        assert!(by_name(&name).is_ok());
    }
}
