//! A turn as MCP clients see it: a continuation, with the field names that they rely on.

use protocol::{
    ArtifactId, BY_CALL, CallStatus, Citation, SessionId, Step, ToolResult, TurnError, TurnId, TurnStatus, TurnView,
};
use rmcp::model::{CallToolResult, ContentBlock};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::questions::TurnQuestion;

/// The current state of a turn.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(super) struct Continuation {
    /// Its id, to await, cancel, resume or retry it.
    pub(super) continuation_id: TurnId,
    /// The session it belongs to.
    pub(super) session_id: SessionId,
    /// Its status.
    pub(super) status: TurnStatus,
    /// The answer, once it is completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) response: Option<ContinuationAnswer>,
    /// The text so far, while it is not completed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) partial_response: String,
    /// The artifacts it has saved.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) artifacts: Vec<ArtifactRef>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<TurnError>,
    /// The reason for its status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    /// What it waits for, and how to answer. Clients with elicitation are asked directly.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) waiting_for: Vec<String>,
}

/// The answer of a turn.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(super) struct ContinuationAnswer {
    /// The whole answer.
    pub(super) final_message: String,
    /// A summary of the reasoning, if the model gave one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reasoning_summary: Option<String>,
    /// The sources of the answer.
    pub(super) citations: Vec<Citation>,
    /// Suggested next questions.
    pub(super) follow_ups: Vec<String>,
}

/// A saved artifact.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(super) struct ArtifactRef {
    /// Its id.
    pub(super) id: ArtifactId,
    /// Its download path, with the owner's token.
    pub(super) path: String,
}

impl Continuation {
    /// The continuation of a turn, with its open questions.
    pub(super) fn of<'a>(turn: &TurnView, asked: impl IntoIterator<Item = &'a TurnQuestion>) -> Self {
        let response = turn.response.as_ref().map(|response| ContinuationAnswer {
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
            waiting_for: asked.into_iter().map(TurnQuestion::to_be_settled).collect(),
        }
    }
}

/// A value as a tool's result: as data, and as text for clients that read only text.
pub(super) fn answer<T: Serialize>(value: &T) -> CallToolResult {
    // Plain data always serialises.
    structured(serde_json::to_value(value).unwrap_or_default())
}

/// JSON as a tool's result.
pub(super) fn structured(value: Value) -> CallToolResult {
    let mut answer = CallToolResult::success(vec![ContentBlock::text(value.to_string())]);
    answer.structured_content = Some(value);
    answer
}

/// The result of the call that started a turn: the result of a tool that was called directly, or
/// the continuation.
pub(super) fn outcome<'a>(turn: &TurnView, asked: impl IntoIterator<Item = &'a TurnQuestion>) -> CallToolResult {
    let is_direct = !turn.request.calls.is_empty();
    let is_answered = turn.response.as_ref().is_some_and(|response| response.model == BY_CALL);
    if is_direct && is_answered && turn.status == TurnStatus::Completed {
        return of_calls(turn);
    }
    let continuation = Continuation::of(turn, asked);
    if is_direct && turn.status.is_final() {
        // The caller expects a result in the tool's own format, and there is none.
        return CallToolResult::error(vec![ContentBlock::text(why(&continuation))]);
    }
    if is_direct {
        let value = serde_json::to_value(&continuation).unwrap_or_default();
        return CallToolResult::error(vec![ContentBlock::text(format!("The call has not ended yet: {value}"))]);
    }
    shown(turn, &continuation)
}

/// A turn as the result of a tool that concerns turns, however the turn was started.
pub(super) fn as_continuation<'a>(
    turn: &TurnView,
    asked: impl IntoIterator<Item = &'a TurnQuestion>,
) -> CallToolResult {
    shown(turn, &Continuation::of(turn, asked))
}

fn shown(turn: &TurnView, continuation: &Continuation) -> CallToolResult {
    let mut answer = answer(continuation);
    answer.is_error = Some(matches!(turn.status, TurnStatus::Failed | TurnStatus::Expired));
    answer
}

/// Why a turn has no answer, as text.
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
        // A result that was too long is shortened to text, which is not valid JSON; the whole
        // result is an artifact.
        answer.structured_content = serde_json::from_str(&only.content).ok().filter(Value::is_object);
    }
    answer
}
