//! Turns as tasks: a task is a turn with the same id, and lives as long as its session. No other
//! state is needed: after a restart, tasks are read from the journal.

use std::collections::BTreeMap;

use engine::Error;
use protocol::{CancelOutcome, TurnAccepted, TurnId, TurnStatus, TurnView};
use rmcp::{
    ErrorData, RoleServer,
    model::{
        CallToolResponse, CreateTaskResult, DetailedTask, ErrorCode, GetTaskResult, JsonObject, Task, TaskPayload,
        TaskStatus,
    },
    service::RequestContext,
};
use serde_json::{Value, json};

use super::{
    McpHandler,
    continuation::{Continuation, outcome, why},
    error::McpError,
    questions::{self, TurnQuestion},
    turn_wait::{is_stateless, requests, take},
};

/// How often a client should poll.
const POLL_MS: u64 = 500;

/// Whether the client supports tasks. The extension belongs to 2026-07-28: clients of both versions
/// declare it on the older one too, and there they take a task for a result without content.
pub(super) fn are_wanted(context: &RequestContext<RoleServer>) -> bool {
    is_stateless(context) && context.client_capabilities().is_some_and(|capabilities| capabilities.supports_tasks())
}

/// The task of a turn. The turn is durable by now, so the client can find it.
pub(super) async fn create(
    mcp: &McpHandler,
    begun: &TurnAccepted,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, McpError> {
    let _log = mcp.log_turn(context, begun.turn_id, Some(begun.seq)).await;
    let turn = mcp.hub.turn(&mcp.owner, begun.turn_id).await?;
    Ok(CreateTaskResult::new(task(&turn)).into())
}

/// The current state of a task. Its questions are elicitations for clients that support them, text
/// for others.
pub(super) async fn get(
    mcp: &McpHandler,
    task_id: &str,
    context: &RequestContext<RoleServer>,
) -> Result<GetTaskResult, ErrorData> {
    let turn = find(mcp, task_id).await?;
    mcp.shows_turn(context, &turn).await?;
    let asked = questions::questions(&mcp.hub, &mcp.owner, &turn).await.map_err(McpError::from)?;
    let mut task = task(&turn);
    let can_ask = context.client_capabilities().is_some_and(|capabilities| capabilities.elicitation.is_some());
    let payload = if can_ask || asked.is_empty() {
        payload(&turn, &asked)
    } else {
        let told: Vec<String> = asked.values().map(TurnQuestion::to_be_settled).collect();
        task = task.with_status_message(told.join(" "));
        TaskPayload::Working
    };
    Ok(GetTaskResult::new(DetailedTask::new(task, payload)))
}

/// Applies a client's answers to the questions of a task.
pub(super) async fn update(mcp: &McpHandler, task_id: &str, said: &BTreeMap<String, Value>) -> Result<(), ErrorData> {
    let turn = find(mcp, task_id).await?;
    take(mcp, turn.turn_id, said).await.map_err(McpError::from)?;
    Ok(())
}

/// Cancels a task; one that has ended stays as it is.
pub(super) async fn cancel(mcp: &McpHandler, task_id: &str) -> Result<(), ErrorData> {
    let turn_id = read(task_id)?;
    let reason = Some("the client cancelled the task".to_owned());
    let cancelled = mcp.hub.cancel_turn(&mcp.owner, turn_id, reason).await.map_err(McpError::from)?;
    if cancelled.status == CancelOutcome::NotFound { Err(unknown(task_id)) } else { Ok(()) }
}

async fn find(mcp: &McpHandler, task_id: &str) -> Result<TurnView, ErrorData> {
    match mcp.hub.turn(&mcp.owner, read(task_id)?).await {
        Ok(turn) => Ok(turn),
        // A turn of another owner counts as unknown.
        Err(Error::NoTurn | Error::NoSession) => Err(unknown(task_id)),
        Err(error) => Err(McpError::from(error).into()),
    }
}

fn read(task_id: &str) -> Result<TurnId, ErrorData> {
    task_id.parse().map_err(|_| unknown(task_id))
}

fn unknown(task_id: &str) -> ErrorData {
    ErrorData::invalid_params(format!("there is no task {task_id}"), None)
}

fn task(turn: &TurnView) -> Task {
    let (created, updated) = (turn.created_at.to_string(), turn.updated_at.to_string());
    let status = status(turn.status);
    let task = Task::new(turn.turn_id.to_string(), status, created, updated).with_poll_interval_ms(POLL_MS);
    match &turn.reason {
        Some(reason) => task.with_status_message(reason.clone()),
        None => task,
    }
}

const fn status(status: TurnStatus) -> TaskStatus {
    match status {
        TurnStatus::Completed => TaskStatus::Completed,
        TurnStatus::Failed | TurnStatus::Expired => TaskStatus::Failed,
        TurnStatus::Cancelled => TaskStatus::Cancelled,
        TurnStatus::Pending
        | TurnStatus::Running
        | TurnStatus::Streaming
        | TurnStatus::Waiting
        | TurnStatus::Interrupted
        | TurnStatus::Paused => TaskStatus::Working,
    }
}

fn payload(turn: &TurnView, asked: &BTreeMap<String, TurnQuestion>) -> TaskPayload {
    if !asked.is_empty() {
        return TaskPayload::InputRequired { input_requests: requests(asked) };
    }
    match status(turn.status) {
        TaskStatus::Completed => TaskPayload::Completed { result: as_object(&outcome(turn, asked.values())) },
        TaskStatus::Failed => {
            let message = why(&Continuation::of(turn, []));
            let data = turn.error.as_ref().and_then(|error| serde_json::to_value(error).ok());
            let error = json!({ "code": ErrorCode::INTERNAL_ERROR.0, "message": message, "data": data });
            TaskPayload::Failed { error: as_object(&error) }
        }
        TaskStatus::Cancelled => TaskPayload::Cancelled,
        _ => TaskPayload::Working,
    }
}

fn as_object<T: serde::Serialize>(value: &T) -> JsonObject {
    match serde_json::to_value(value) {
        Ok(Value::Object(object)) => object,
        _ => JsonObject::new(),
    }
}
