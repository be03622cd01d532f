//! From the library's errors, which may print whole requests, to ours, which say what to do.

use std::time::Duration;

use reqwest::{StatusCode, header::HeaderMap};
use secrecy::ExposeSecret;

use super::Endpoint;
use crate::Error;

/// The most that is quoted of what a provider said.
const QUOTE_CHARS_MAX: usize = 300;

pub(super) fn explain(error: &genai::Error, endpoint: &Endpoint) -> Error {
    match error {
        genai::Error::HttpError { status, body, headers, .. } => by_status(*status, body, headers, endpoint),
        genai::Error::WebModelCall { webc_error, .. } | genai::Error::WebAdapterCall { webc_error, .. } => {
            explain_call(webc_error, endpoint)
        }
        genai::Error::WebStream { error, .. } => explain_stream(error.as_ref(), endpoint),
        genai::Error::ChatResponse { body, .. } => {
            Error::Failed { status: 200, message: quote(&said(&body.to_string()), endpoint) }
        }
        genai::Error::StreamParse { serde_error, .. } => {
            Error::Malformed { message: quote(&serde_error.to_string(), endpoint) }
        }
        // What is left concerns how the request was built; the library's own text may print all of it.
        _ => Error::Malformed { message: "the provider's answer does not follow the expected form".to_owned() },
    }
}

fn explain_call(error: &genai::webc::Error, endpoint: &Endpoint) -> Error {
    match error {
        genai::webc::Error::ResponseFailedStatus { status, body, headers } => {
            by_status(*status, body, headers, endpoint)
        }
        genai::webc::Error::Reqwest(error) => by_network(error, endpoint),
        _ => Error::Malformed { message: "the provider's answer is not JSON".to_owned() },
    }
}

fn explain_stream(error: &(dyn std::error::Error + Send + Sync + 'static), endpoint: &Endpoint) -> Error {
    if let Some(error) = error.downcast_ref::<genai::Error>() {
        return explain(error, endpoint);
    }
    match error.downcast_ref::<reqwest::Error>() {
        Some(error) if error.is_connect() || error.is_request() => by_network(error, endpoint),
        // The connection was there and is gone.
        _ => Error::Cut,
    }
}

fn by_network(error: &reqwest::Error, endpoint: &Endpoint) -> Error {
    let mut message = String::new();
    let mut cause: Option<&dyn std::error::Error> = Some(error);
    while let Some(inner) = cause {
        message = inner.to_string();
        cause = inner.source();
    }
    // The innermost cause ("connection refused") is the telling one; the address tells where.
    let message = format!("{} ({message})", endpoint.base_url);
    Error::Unreachable { message: quote(&message, endpoint) }
}

fn by_status(status: StatusCode, body: &str, headers: &HeaderMap, endpoint: &Endpoint) -> Error {
    let message = quote(&said(body), endpoint);
    match status.as_u16() {
        429 => Error::RateLimited { retry_after: retry_after(headers), message },
        status @ (408 | 409 | 500..) => Error::Failed { status, message },
        status => Error::Refused { status, message },
    }
}

fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds: f64 = headers.get("retry-after")?.to_str().ok()?.trim().parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// What the provider said, taken out of its JSON where it is JSON.
fn said(body: &str) -> String {
    let json: Option<serde_json::Value> = serde_json::from_str(body).ok();
    let message = json.as_ref().and_then(|json| {
        let error = json.get("error").unwrap_or(json);
        error.get("message").or(Some(error))?.as_str()
    });
    message.unwrap_or(body).to_owned()
}

/// A short quote without the key, which some providers repeat.
fn quote(text: &str, endpoint: &Endpoint) -> String {
    let key = endpoint.api_key.as_ref().map_or("", |key| key.expose_secret());
    let text = if key.is_empty() { text.to_owned() } else { text.replace(key, "[key]") };
    let mut short: String = text.trim().chars().take(QUOTE_CHARS_MAX).collect();
    if short.is_empty() {
        short.push_str("no explanation given");
    }
    short
}
