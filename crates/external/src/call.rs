//! A call to a server. It is sent once, cancelled at the server when its future is dropped, and
//! reported as unclear when its outcome is not known.

use std::sync::Arc;

use rmcp::{
    Peer, RoleClient, ServiceError,
    model::{
        CallToolRequest, CallToolRequestParams, CallToolResult, CancelledNotificationParam, ClientRequest, JsonObject,
        RequestId, RequestMetaObject, ServerResult,
    },
    service::PeerRequestOptions,
    transport::{DynamicTransportError, streamable_http_client::StreamableHttpError},
};
use serde_json::{Map, Value};
use tokio::sync::mpsc;

use crate::link::ServerLink;

/// The metadata field that carries the idempotency key.
const KEY_FIELD: &str = "dwell/idempotency_key";

/// A tool call for a server.
pub(crate) struct ToolCallRequest<'a> {
    pub(crate) tool: &'a str,
    pub(crate) arguments: Map<String, Value>,
    pub(crate) key: Option<&'a str>,
    pub(crate) progress: &'a mpsc::Sender<String>,
}

/// Why a call has no result.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum CallError {
    /// It was not executed, for this reason.
    NotDone(String),
    /// It was sent, and its outcome is not known.
    Unclear(String),
}

/// Sends a call once. Dropping the future cancels it at the server.
pub(crate) async fn send(link: &Arc<ServerLink>, asked: ToolCallRequest<'_>) -> Result<CallToolResult, CallError> {
    let active = link.active().map_err(|why| {
        CallError::NotDone(format!("the server is unavailable ({why}); nothing was sent to it. Try again later"))
    })?;
    let params = CallToolRequestParams::new(asked.tool.to_owned()).with_arguments(asked.arguments);
    let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
    let mut options = PeerRequestOptions::no_options();
    let key = asked.key.map(|key| (KEY_FIELD.to_owned(), Value::from(key)));
    let trace = observe::traceparent().map(|value| (observe::TRACEPARENT.to_owned(), Value::from(value)));
    let meta: JsonObject = key.into_iter().chain(trace).collect();
    if !meta.is_empty() {
        options = options.with_meta(RequestMetaObject::from(meta));
    }
    let handle = active.peer.send_request_with_option(request, options).await.map_err(|_| {
        link.broke(active.number, "the connection was lost");
        CallError::NotDone("the connection was lost before anything was sent".to_owned())
    })?;
    let mut abandoned = CancelOnDrop { peer: &active.peer, id: Some(handle.id.clone()) };
    let _hearing = link.subscribe_progress(handle.progress_token.clone(), asked.progress.clone());
    let answer = handle.await_response().await;
    abandoned.id = None;
    match answer {
        Ok(ServerResult::CallToolResult(result)) => Ok(result),
        Ok(ServerResult::InputRequiredResult(_)) => {
            Err(CallError::NotDone("it asks for input, which is not supported".to_owned()))
        }
        Ok(_) => Err(CallError::Unclear("its answer is not a call result".to_owned())),
        Err(error) => {
            let (trouble, is_lost) = read(link, &error);
            if is_lost {
                link.broke(active.number, "the connection was lost");
            }
            Err(trouble)
        }
    }
}

/// What an error means for the call, and whether the connection is unusable.
fn read(link: &ServerLink, error: &ServiceError) -> (CallError, bool) {
    match error {
        ServiceError::McpError(error) => {
            (CallError::NotDone(format!("it refused ({}): {}", error.code.0, link.remark(&error.message))), false)
        }
        ServiceError::TransportSend(error) => read_transport(link, error),
        ServiceError::TransportClosed => (unclear("the connection was lost before it answered"), true),
        _ => (unclear("its answer is invalid"), false),
    }
}

fn unclear(told: &str) -> CallError {
    CallError::Unclear(told.to_owned())
}

fn not_done(told: &str) -> CallError {
    CallError::NotDone(told.to_owned())
}

fn read_transport(link: &ServerLink, error: &DynamicTransportError) -> (CallError, bool) {
    use StreamableHttpError as Http;
    let Some(error) = error.error.downcast_ref::<Http<reqwest::Error>>() else {
        // The pipe could not be written to in full, so no complete message arrived.
        return (not_done("the connection was lost before the call was sent"), true);
    };
    match error {
        Http::Client(error) if error.is_connect() || error.is_builder() => {
            (not_done("it cannot be reached; nothing was sent to it"), true)
        }
        Http::Client(_) => (unclear("the connection broke"), true),
        Http::HttpStatus(failed) if failed.status == 429 => {
            (not_done("it is overloaded (429); try again later"), false)
        }
        Http::HttpStatus(failed) => (unclear(&format!("it failed ({})", failed.status)), false),
        Http::AuthRequired(_) | Http::InsufficientScope(_) => {
            (not_done("it does not accept the credentials of the configuration"), false)
        }
        Http::SessionExpired => (not_done("its session has expired and is being renewed; try again"), true),
        Http::UnexpectedServerResponse(told) if told.starts_with("HTTP 4") => {
            (not_done(&format!("it refused: {}", link.remark(told))), false)
        }
        // A server that answers with a redirect has usually processed the request. The redirect is
        // not followed.
        Http::UnexpectedServerResponse(told) => (unclear(&format!("it answered {}", link.remark(told))), false),
        _ => (unclear("the connection broke"), true),
    }
}

/// Cancels a call at the server when it is dropped, unless it was answered.
struct CancelOnDrop<'a> {
    peer: &'a Peer<RoleClient>,
    id: Option<RequestId>,
}

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        let Some(id) = self.id.take() else { return };
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let peer = self.peer.clone();
        runtime.spawn(async move {
            let told = CancelledNotificationParam::new(Some(id), Some("the caller no longer waits for it".to_owned()));
            // If the notification cannot be sent, the connection is gone anyway.
            let _ = peer.notify_cancelled(told).await;
        });
    }
}
