//! The tools that a connection serves: its calls, sent in a task of its own.

use axum::extract::ws::close_code;
use engine::{WorkerFeed, WorkerMessage};
use protocol::{NoticeBody, Problem, ServedCallProgress, ToolAnswer, ToolServe};
use serde_json::Value;
use tokio_util::task::AbortOnDropHandle;

use super::{
    connection::{WebSocketConnection, notice},
    dispatch::answer,
    outbox::Outbox,
};
use crate::{access::scopes, app::AppState};

/// The task that sends calls. Dropping it stops the task, and the worker counts as away.
#[derive(Default)]
pub(super) struct WorkerTask(Option<AbortOnDropHandle<()>>);

impl WorkerTask {
    /// Sends calls from now on. The request must be answered before this is called, so that the
    /// client knows its worker before the first call.
    pub(super) fn begin(&mut self, app: AppState, outbox: Outbox, feed: WorkerFeed) {
        self.0 = Some(AbortOnDropHandle::new(tokio::spawn(pass_on(app, outbox, feed))));
    }

    /// Stops the task. Nothing more is sent once this returns.
    pub(super) async fn end(&mut self) {
        if let Some(task) = self.0.take() {
            task.abort();
            // It was aborted, or had ended because the connection no longer serves.
            let _ = task.await;
        }
    }
}

async fn pass_on(app: AppState, outbox: Outbox, mut feed: WorkerFeed) {
    while let Some(message) = feed.next().await {
        let body = match message {
            WorkerMessage::Call(call) => NoticeBody::ToolCall(*call),
            WorkerMessage::Cancel(cancel) => NoticeBody::ToolCancel(cancel),
            WorkerMessage::Serving(serving) => NoticeBody::ToolServing(serving),
        };
        if notice(&app, &outbox, None, body).await.is_err() {
            return;
        }
    }
    if feed.is_lost() {
        // It gets the lost calls again when it is back.
        outbox.give_up(close_code::POLICY, "the tool worker does not read its calls");
    }
}

/// The answer to `tool.serve`, which is also sent as a notice, and the feed to begin with after it.
pub(super) async fn serve(
    connection: &WebSocketConnection,
    asked: ToolServe,
) -> Result<(Value, Option<WorkerFeed>), Problem> {
    let (serving, feed) = connection.app.hub.serve_tools(&connection.owner, connection.id, asked)?;
    // If the client is gone, sending the answer will fail too.
    let _ = connection.notice(None, NoticeBody::ToolServing(serving.clone())).await;
    Ok((answer(Ok(serving))?, feed))
}

pub(super) async fn progress(connection: &WebSocketConnection, asked: ServedCallProgress) -> Result<Value, Problem> {
    answer(connection.app.hub.tool_progress(&connection.owner, connection.id, asked).await)
}

/// Takes results of calls, of the client's own or of those that it has as a worker.
pub(super) async fn take_results(connection: &WebSocketConnection, asked: ToolAnswer) -> Result<Value, Problem> {
    let hub = &connection.app.hub;
    if connection.grant.reads_only() {
        scopes::check_turn(true, &hub.turn(&connection.owner, asked.turn_id).await?)?;
    }
    hub.note_worker_answer(&connection.owner, connection.id, &asked);
    answer(hub.answer_calls(&connection.owner, asked).await)
}
