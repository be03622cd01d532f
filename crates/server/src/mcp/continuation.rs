//! A turn as this wire tells it: a continuation, by the names that its clients rely on.

use protocol::{
    ArtifactId, BY_CALL, CallStatus, Citation, SessionId, Step, ToolResult, TurnError, TurnId, TurnStatus, TurnView,
};
use rmcp::model::{CallToolResult, ContentBlock};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::asking::Asked;

/// A turn as it stands.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(super) struct Continuation {
    /// Its id: await, cancel, resume or retry it by this.
    pub(super) continuation_id: TurnId,
    /// The session it belongs to.
    pub(super) session_id: SessionId,
    /// Where it stands.
    pub(super) status: TurnStatus,
    /// What it answered, once it is completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) response: Option<Answered>,
    /// The words so far, while it is not completed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) partial_response: String,
    /// What it has kept beside the conversation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) artifacts: Vec<ArtifactRef>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<TurnError>,
    /// Why it stands where it stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    /// What it waits to be told, and how to tell it. Clients that can ask their user are asked to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) waiting_for: Vec<String>,
}

/// What a turn answered.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(super) struct Answered {
    /// The whole answer.
    pub(super) final_message: String,
    /// The gist of the reasoning, where the model showed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reasoning_summary: Option<String>,
    /// What the answer rests on.
    pub(super) citations: Vec<Citation>,
    /// What might be asked next.
    pub(super) follow_ups: Vec<String>,
}

/// Something that was kept beside the conversation.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(super) struct ArtifactRef {
    /// Its id.
    pub(super) id: ArtifactId,
    /// Where it can be read, with the owner's token.
    pub(super) path: String,
}

impl Continuation {
    /// A turn with the questions it waits for.
    pub(super) fn of<'a>(turn: &TurnView, asked: impl IntoIterator<Item = &'a Asked>) -> Self {
        let response = turn.response.as_ref().map(|response| Answered {
            final_message: response.message.clone(),
            reasoning_summary: response.reasoning_summary.clone(),
            citations: response.citations.clone(),
            follow_ups: response.suggestions.clone(),
        });
        let kept = turn.response.iter().flat_map(|response| &response.artifacts);
        Self {
            continuation_id: turn.turn_id,
            session_id: turn.session_id,
            status: turn.status,
            partial_response: if response.is_some() { String::new() } else { turn.text.clone() },
            response,
            artifacts: kept.map(|id| ArtifactRef { id: *id, path: format!("/api/v1/artifacts/{id}") }).collect(),
            error: turn.error.clone(),
            reason: turn.reason.clone(),
            waiting_for: asked.into_iter().map(Asked::to_be_settled).collect(),
        }
    }
}

/// A value as the answer of a tool: as data, and as text for clients that read only that.
pub(super) fn answer<T: Serialize>(value: &T) -> CallToolResult {
    // Plain data: it always serialises.
    structured(serde_json::to_value(value).unwrap_or_default())
}

/// JSON as the answer of a tool.
pub(super) fn structured(value: Value) -> CallToolResult {
    let mut answer = CallToolResult::success(vec![ContentBlock::text(value.to_string())]);
    answer.structured_content = Some(value);
    answer
}

/// What a turn comes to as the answer to the call that began it: the answer of a tool that was called directly, or the
/// continuation.
pub(super) fn outcome<'a>(turn: &TurnView, asked: impl IntoIterator<Item = &'a Asked>) -> CallToolResult {
    let is_direct = !turn.request.calls.is_empty();
    let is_answered = turn.response.as_ref().is_some_and(|response| response.model == BY_CALL);
    if is_direct && is_answered && turn.status == TurnStatus::Completed {
        return of_calls(turn);
    }
    let continuation = Continuation::of(turn, asked);
    if is_direct && turn.status.is_final() {
        // Whoever called expects the tool's own form of answer, and there is none.
        return CallToolResult::error(vec![ContentBlock::text(why(&continuation))]);
    }
    if is_direct {
        let value = serde_json::to_value(&continuation).unwrap_or_default();
        return CallToolResult::error(vec![ContentBlock::text(format!("The call has not ended yet: {value}"))]);
    }
    shown(turn, &continuation)
}

/// A turn as the answer of a tool that is about turns, whatever has begun it.
pub(super) fn as_continuation<'a>(turn: &TurnView, asked: impl IntoIterator<Item = &'a Asked>) -> CallToolResult {
    shown(turn, &Continuation::of(turn, asked))
}

fn shown(turn: &TurnView, continuation: &Continuation) -> CallToolResult {
    let mut answer = answer(continuation);
    answer.is_error = Some(matches!(turn.status, TurnStatus::Failed | TurnStatus::Expired));
    answer
}

/// Why a turn has no answer, in words.
pub(super) fn why(continuation: &Continuation) -> String {
    let error = continuation.error.as_ref().map(|error| error.message.clone());
    let reason = error.or_else(|| continuation.reason.clone());
    let status = serde_json::to_value(continuation.status).ok();
    let status = status.as_ref().and_then(Value::as_str).unwrap_or("over").to_owned();
    match reason {
        Some(reason) => format!("The call is {status}: {reason}"),
        None => format!("The call is {status}."),
    }
}

fn of_calls(turn: &TurnView) -> CallToolResult {
    let results: Vec<&ToolResult> = turn
        .steps
        .iter()
        .filter_map(|step| match step {
            Step::ToolResult(result) => Some(result),
            _ => None,
        })
        .collect();
    let is_ok = results.iter().all(|result| result.status == CallStatus::Ok);
    let content = results.iter().map(|result| ContentBlock::text(result.content.clone())).collect();
    let mut answer = if is_ok { CallToolResult::success(content) } else { CallToolResult::error(content) };
    if let ([only], true) = (results.as_slice(), is_ok) {
        // What was too long for the conversation is text by now; the whole of it is an artifact.
        answer.structured_content = serde_json::from_str(&only.content).ok().filter(Value::is_object);
    }
    answer
}
