//! A call: sent once, cancelled at the server when nobody waits for it any more, and honest about what is not known.

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

use crate::link::Link;

/// Where servers find the key under which a call happens once.
const KEY_FIELD: &str = "dwell/idempotency_key";

/// What is asked of a server.
pub(crate) struct Asked<'a> {
    pub(crate) tool: &'a str,
    pub(crate) arguments: Map<String, Value>,
    pub(crate) key: Option<&'a str>,
    pub(crate) progress: &'a mpsc::UnboundedSender<String>,
}

/// Why there is no answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// It was not done, for this reason.
    NotDone(String),
    /// It was sent, and nobody can tell whether it was done.
    Unclear(String),
}

/// Sends a call, once. Dropping the future tells the server that nobody waits any more.
pub(crate) async fn send(link: &Arc<Link>, asked: Asked<'_>) -> Result<CallToolResult, Trouble> {
    let way = link.way().map_err(|why| {
        Trouble::NotDone(format!("the server is away ({why}); nothing was sent to it. Try again later"))
    })?;
    let params = CallToolRequestParams::new(asked.tool.to_owned()).with_arguments(asked.arguments);
    let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
    let mut options = PeerRequestOptions::no_options();
    if let Some(key) = asked.key {
        let meta: JsonObject = [(KEY_FIELD.to_owned(), Value::from(key))].into_iter().collect();
        options = options.with_meta(RequestMetaObject::from(meta));
    }
    let handle = way.peer.send_request_with_option(request, options).await.map_err(|_| {
        link.broke(way.number, "the connection was lost");
        Trouble::NotDone("the connection was lost before anything was sent".to_owned())
    })?;
    let mut abandoned = Abandoned { peer: &way.peer, id: Some(handle.id.clone()) };
    let _hearing = link.hear(handle.progress_token.clone(), asked.progress.clone());
    let answer = handle.await_response().await;
    abandoned.id = None;
    match answer {
        Ok(ServerResult::CallToolResult(result)) => Ok(result),
        Ok(ServerResult::InputRequiredResult(_)) => {
            Err(Trouble::NotDone("it asks for input that nobody here gives it".to_owned()))
        }
        Ok(_) => Err(Trouble::Unclear("it answered something that is no result of a call".to_owned())),
        Err(error) => {
            let (trouble, is_lost) = read(link, &error);
            if is_lost {
                link.broke(way.number, "the connection was lost");
            }
            Err(trouble)
        }
    }
}

/// What an error means for the call, and whether the connection is of no use any more.
fn read(link: &Link, error: &ServiceError) -> (Trouble, bool) {
    match error {
        ServiceError::McpError(error) => {
            (Trouble::NotDone(format!("it refused ({}): {}", error.code.0, link.remark(&error.message))), false)
        }
        ServiceError::TransportSend(error) => read_transport(link, error),
        ServiceError::TransportClosed => (unclear("the connection was lost before it answered"), true),
        _ => (unclear("its answer makes no sense"), false),
    }
}

fn unclear(told: &str) -> Trouble {
    Trouble::Unclear(told.to_owned())
}

fn not_done(told: &str) -> Trouble {
    Trouble::NotDone(told.to_owned())
}

fn read_transport(link: &Link, error: &DynamicTransportError) -> (Trouble, bool) {
    use StreamableHttpError as Http;
    let Some(error) = error.error.downcast_ref::<Http<reqwest::Error>>() else {
        // A pipe that could not be written to in full: what arrived is no message.
        return (not_done("the connection was lost before the call was sent"), true);
    };
    match error {
        Http::Client(error) if error.is_connect() || error.is_builder() => {
            (not_done("it cannot be reached; nothing was sent to it"), true)
        }
        Http::Client(_) => (unclear("the connection broke"), true),
        Http::HttpStatus(failed) if failed.status == 429 => {
            (not_done("it has too much to do (429); try again later"), false)
        }
        Http::HttpStatus(failed) => (unclear(&format!("it failed ({})", failed.status)), false),
        Http::AuthRequired(_) | Http::InsufficientScope(_) => {
            (not_done("it does not accept the credentials of the configuration"), false)
        }
        Http::SessionExpired => (not_done("it has forgotten the connection, which is made anew; try again"), true),
        Http::UnexpectedServerResponse(told) if told.starts_with("HTTP 4") => {
            (not_done(&format!("it refused: {}", link.remark(told))), false)
        }
        // Whoever answers a call with a redirect has usually done what was asked; it is not followed.
        Http::UnexpectedServerResponse(told) => (unclear(&format!("it answered {}", link.remark(told))), false),
        _ => (unclear("the connection broke"), true),
    }
}

/// A call that nobody waits for any more, unless it was answered.
struct Abandoned<'a> {
    peer: &'a Peer<RoleClient>,
    id: Option<RequestId>,
}

impl Drop for Abandoned<'_> {
    fn drop(&mut self) {
        let Some(id) = self.id.take() else { return };
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let peer = self.peer.clone();
        runtime.spawn(async move {
            let told = CancelledNotificationParam::new(Some(id), Some("nobody waits for it any more".to_owned()));
            // If it cannot be told, it is gone anyway.
            let _ = peer.notify_cancelled(told).await;
        });
    }
}
