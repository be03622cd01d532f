//! From the libraries' errors, which may print whole requests, to ours, which say what to do.

use super::{
    Connection,
    said::{by_status, in_stream, quote},
};
use crate::{Error, error::SILENT};

/// What an error of the provider library means.
pub(super) fn explain(error: genai::Error, at: &Connection) -> Error {
    match error {
        genai::Error::HttpError { status, body, headers, .. } => by_status(status.as_u16(), &body, &headers, at),
        genai::Error::WebModelCall { webc_error, .. } | genai::Error::WebAdapterCall { webc_error, .. } => {
            explain_call(&webc_error, at)
        }
        genai::Error::WebStream { error, .. } => explain_stream(error, at),
        genai::Error::ChatResponse { body, .. } => in_stream(body, at),
        genai::Error::StreamParse { serde_error, .. } => malformed(&serde_error.to_string(), at),
        // What is left concerns how the request was built; the library's own text may print all of it.
        _ => malformed("it does not follow the expected form", at),
    }
}

fn explain_call(error: &genai::webc::Error, at: &Connection) -> Error {
    match error {
        genai::webc::Error::ResponseFailedStatus { status, body, headers } => {
            by_status(status.as_u16(), body, headers, at)
        }
        genai::webc::Error::Reqwest(error) => by_network(error, at),
        _ => malformed("it is not JSON", at),
    }
}

fn explain_stream(error: genai::BoxError, at: &Connection) -> Error {
    match error.downcast::<genai::Error>() {
        Ok(error) => explain(*error, at),
        Err(error) => match error.downcast_ref::<reqwest::Error>() {
            Some(error) => by_network(error, at),
            // Half a letter at the end, or none at all.
            None => Error::Cut { provider: at.name() },
        },
    }
}

/// What an error of the network means.
pub(super) fn by_network(error: &reqwest::Error, at: &Connection) -> Error {
    let provider = at.name();
    if error.is_timeout() && !error.is_connect() {
        let message = format!("{} ({SILENT} {} s)", at.shown, at.provider.idle_max.as_secs());
        return Error::Unreachable { provider, message: quote(&message, at) };
    }
    if !error.is_connect() && !error.is_request() {
        // The connection was there and is gone.
        return Error::Cut { provider };
    }
    let mut message = String::new();
    let mut cause: Option<&dyn std::error::Error> = Some(error);
    while let Some(inner) = cause {
        message = inner.to_string();
        cause = inner.source();
    }
    // The innermost cause ("connection refused") is the telling one; the address tells where.
    Error::Unreachable { provider, message: quote(&format!("{} ({message})", at.shown), at) }
}

/// An answer that cannot be read.
pub(super) fn malformed(message: &str, at: &Connection) -> Error {
    Error::Malformed { provider: at.name(), message: quote(message, at) }
}
