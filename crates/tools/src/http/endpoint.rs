//! An HTTP endpoint as a tool.

use async_trait::async_trait;
use journal::OwnerHold;
use ports::ToolFailure;
use protocol::Effect;
use reqwest::{
    Client, Method, RequestBuilder, Response, StatusCode, Url,
    header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderMap},
};
use serde_json::{Map, Value};

use super::schema;
use crate::{
    registry::{AnyTool, ToolKind},
    tool::{CallContext, CallLookup, Declaration, Output},
};

/// The largest answer accepted.
const ANSWER_BYTES_MAX: usize = 4 * 1024 * 1024;

/// The number of bytes read of an error body, and the number of characters passed on.
const ERROR_BYTES_MAX: usize = 64 * 1024;
const MESSAGE_CHARS_MAX: usize = 500;

/// A tool that is an HTTP endpoint.
pub struct HttpTool {
    pub declaration: Declaration,
    pub input_schema: Value,
    pub client: Client,
    pub method: Method,
    pub url: Url,
    pub look_up_url: Option<Url>,
    pub headers: HeaderMap,
    pub scope_field: Option<String>,
}

#[async_trait]
impl AnyTool for HttpTool {
    fn declaration(&self) -> Declaration {
        self.declaration.clone()
    }

    fn input_schema(&self) -> Value {
        self.input_schema.clone()
    }

    fn output_schema(&self) -> Option<Value> {
        None
    }

    fn scope(&self, arguments: &Value) -> Result<Option<String>, ToolFailure> {
        let arguments = self.valid(arguments.clone())?;
        let Some(field) = &self.scope_field else { return Ok(None) };
        match arguments.get(field) {
            Some(Value::String(scope)) => Ok(Some(scope.clone())),
            // Policy needs the scope: a call without one cannot be allowed.
            _ => Err(ToolFailure::Invalid(format!("`{field}` must be a string that names what the call affects"))),
        }
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Http
    }

    async fn call(&self, arguments: Value, context: &CallContext) -> Result<Output, ToolFailure> {
        let arguments = self.valid(arguments)?;
        context.hold.until_may_act().await;
        let request = self.request(arguments, &context.hold).header("idempotency-key", &context.key);
        let sent = self.with_context(request, context).send().await;
        let response = sent.map_err(|error| self.not_sent(&error))?;
        match response.status() {
            status if status.is_success() => self.output(response).await,
            status if status.is_client_error() => {
                let message = message(response).await;
                Err(ToolFailure::Failed(format!("`{}` refused ({}): {message}", self.name(), status.as_u16())))
            }
            status if status.is_server_error() => {
                let message = message(response).await;
                Err(self.unclear(&format!("it failed ({}): {message}", status.as_u16())))
            }
            // A server that answers with a redirect has usually processed the request.
            status => {
                let code = status.as_u16();
                Err(self.unclear(&format!("it answered {code}, a redirect, which is not followed; correct its `url`")))
            }
        }
    }

    async fn look_up(&self, _: Value, context: &CallContext) -> Result<CallLookup<Output>, ToolFailure> {
        let Some(mut url) = self.look_up_url.clone() else { return Ok(CallLookup::Unknown) };
        url.query_pairs_mut().append_pair("key", &context.key);
        let request = self.client.get(url).headers(self.headers.clone());
        let Ok(response) = self.with_context(request, context).send().await else { return Ok(CallLookup::Unknown) };
        if response.status() != StatusCode::OK {
            return Ok(CallLookup::Unknown);
        }
        let Some(bytes) = body(response, ANSWER_BYTES_MAX).await else { return Ok(CallLookup::Unknown) };
        let mut answer: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        Ok(match answer["happened"].as_bool() {
            Some(true) => CallLookup::Happened(self.made_of(answer["result"].take())),
            Some(false) => CallLookup::DidNotHappen,
            None => CallLookup::Unknown,
        })
    }
}

impl HttpTool {
    fn name(&self) -> &str {
        &self.declaration.name
    }

    /// The arguments, if they fit the schema. Models often send `null` instead of an empty object.
    fn valid(&self, arguments: Value) -> Result<Value, ToolFailure> {
        let arguments = if arguments.is_null() { Value::Object(Map::new()) } else { arguments };
        match schema::validate(&self.input_schema, &arguments) {
            Ok(()) => Ok(arguments),
            Err(problem) => Err(ToolFailure::Invalid(format!("the arguments do not fit: {problem}"))),
        }
    }

    fn request(&self, arguments: Value, hold: &OwnerHold) -> RequestBuilder {
        let mut url = self.url.clone();
        if self.method != Method::GET {
            let request = self.client.request(self.method.clone(), url).headers(self.headers.clone());
            return if hold.can_be_lost() { checked_last(request, &arguments, hold) } else { request.json(&arguments) };
        }
        for (name, value) in arguments.as_object().into_iter().flatten() {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            url.query_pairs_mut().append_pair(name, &value);
        }
        self.client.get(url).headers(self.headers.clone())
    }

    fn with_context(&self, request: RequestBuilder, context: &CallContext) -> RequestBuilder {
        let request = match observe::traceparent() {
            Some(value) => request.header(observe::TRACEPARENT, value),
            None => request,
        };
        request
            .timeout(self.declaration.timeout)
            .header("dwell-session", context.session_id.to_string())
            .header("dwell-turn", context.turn_id.to_string())
            .header("dwell-call", &context.call_id)
    }

    async fn output(&self, response: Response) -> Result<Output, ToolFailure> {
        let is_json = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let is_json = is_json.is_some_and(|kind| kind.contains("json"));
        let Some(bytes) = body(response, ANSWER_BYTES_MAX).await else {
            return Err(self.unclear("its answer broke off or is larger than 4 MiB"));
        };
        let text = String::from_utf8_lossy(&bytes);
        let value = match serde_json::from_str(&text) {
            _ if text.trim().is_empty() => Value::Null,
            Ok(value) => value,
            Err(_) if is_json => return Err(self.unclear("its answer is declared as JSON but is not valid")),
            Err(_) => Value::String(text.into_owned()),
        };
        Ok(self.made_of(value))
    }

    fn made_of(&self, value: Value) -> Output {
        Output { value, origin: self.declaration.origin, artifacts: Vec::new(), sources: Vec::new() }
    }

    /// The failure of a request: whether it had an effect depends on whether it was sent.
    fn not_sent(&self, error: &reqwest::Error) -> ToolFailure {
        if error.is_connect() || error.is_builder() {
            return ToolFailure::Failed(format!("`{}` cannot be reached; nothing was sent to it", self.name()));
        }
        self.unclear(if error.is_timeout() { "it did not answer in time" } else { "the connection broke" })
    }

    /// The call may have had an effect. That only matters if a second run would.
    fn unclear(&self, problem: &str) -> ToolFailure {
        match self.declaration.effect {
            Effect::Pure => ToolFailure::Failed(format!("`{}`: {problem}", self.name())),
            Effect::Idempotent | Effect::Verifiable | Effect::AtMostOnce => ToolFailure::Unknown(format!(
                "`{}`: {problem}. It may have been done all the same: look before trying again",
                self.name()
            )),
        }
    }
}

/// The request with a body that is given away at the last moment, if this node may still act then.
/// Connecting takes time, in which a node can be suspended past its lease.
fn checked_last(request: RequestBuilder, arguments: &Value, hold: &OwnerHold) -> RequestBuilder {
    let (text, hold) = (arguments.to_string(), hold.clone());
    let length = text.len();
    let body = futures::stream::once(async move { if hold.may_act() { Ok(text) } else { Err(LeaseEnded) } });
    request
        .header(CONTENT_TYPE, "application/json")
        .header(CONTENT_LENGTH, length)
        .body(reqwest::Body::wrap_stream(body))
}

/// Why a request was not sent.
#[derive(Debug, thiserror::Error)]
#[error("this node does not serve the owner any more")]
struct LeaseEnded;

/// The whole body; `None` if it breaks off or exceeds the limit.
async fn body(mut response: Response, bytes_max: usize) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.ok()? {
        if bytes.len() + chunk.len() > bytes_max {
            return None;
        }
        bytes.extend_from_slice(&chunk);
    }
    Some(bytes)
}

/// The message in an error body, from the usual fields.
async fn message(response: Response) -> String {
    let bytes = body(response, ERROR_BYTES_MAX).await.unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes).trim().to_owned();
    let document: Value = serde_json::from_str(&text).unwrap_or_default();
    let places = ["/error/message", "/message", "/error", "/detail", "/title"];
    let said = places.iter().find_map(|place| document.pointer(place).and_then(Value::as_str));
    let said: String = said.unwrap_or(&text).chars().take(MESSAGE_CHARS_MAX).collect();
    if said.is_empty() { "it does not say why".to_owned() } else { said }
}
