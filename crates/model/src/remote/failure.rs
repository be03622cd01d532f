//! Converts the libraries' errors, which may print whole requests, to ours, which say what to do.

use super::{
    ProviderClient,
    error_body::{by_status, in_stream, quote},
};
use crate::{Error, error::SILENT};

/// Converts an error of the provider library.
pub(super) fn explain(error: genai::Error, at: &ProviderClient) -> Error {
    match error {
        genai::Error::HttpError { status, body, headers, .. } => by_status(status.as_u16(), &body, &headers, at),
        genai::Error::WebModelCall { webc_error, .. } | genai::Error::WebAdapterCall { webc_error, .. } => {
            explain_call(&webc_error, at)
        }
        genai::Error::WebStream { error, .. } => explain_stream(error, at),
        genai::Error::ChatResponse { body, .. } => in_stream(body, at),
        genai::Error::StreamParse { serde_error, .. } => malformed(&serde_error.to_string(), at),
        // The remaining errors concern how the request was built; the library's text may print all
        // of it.
        _ => malformed("it does not follow the expected form", at),
    }
}

fn explain_call(error: &genai::webc::Error, at: &ProviderClient) -> Error {
    match error {
        genai::webc::Error::ResponseFailedStatus { status, body, headers } => {
            by_status(status.as_u16(), body, headers, at)
        }
        genai::webc::Error::Reqwest(error) => by_network(error, at),
        _ => malformed("it is not JSON", at),
    }
}

fn explain_stream(error: genai::BoxError, at: &ProviderClient) -> Error {
    match error.downcast::<genai::Error>() {
        Ok(error) => explain(*error, at),
        Err(error) => match error.downcast_ref::<reqwest::Error>() {
            Some(error) => by_network(error, at),
            // An incomplete character at the end.
            None => Error::Cut { provider: at.name() },
        },
    }
}

/// Converts an error of the network.
pub(super) fn by_network(error: &reqwest::Error, at: &ProviderClient) -> Error {
    let provider = at.name();
    if error.is_timeout() && !error.is_connect() {
        let message = format!("{} ({SILENT} {} s)", at.shown, at.provider.idle_max.as_secs());
        return Error::Unreachable { provider, message: quote(&message, at) };
    }
    if !error.is_connect() && !error.is_request() {
        // The connection was lost.
        return Error::Cut { provider };
    }
    let mut message = String::new();
    let mut cause: Option<&dyn std::error::Error> = Some(error);
    while let Some(inner) = cause {
        message = inner.to_string();
        cause = inner.source();
    }
    // The innermost cause ("connection refused") says most; the address is added.
    Error::Unreachable { provider, message: quote(&format!("{} ({message})", at.shown), at) }
}

/// An answer that does not follow the protocol.
pub(super) fn malformed(message: &str, at: &ProviderClient) -> Error {
    Error::Malformed { provider: at.name(), message: quote(message, at) }
}
