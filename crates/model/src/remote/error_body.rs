//! Reads the error bodies of providers, in all their forms.

use std::time::Duration;

use reqwest::header::HeaderMap;
use serde_json::Value;

use super::ProviderClient;
use crate::Error;

/// The longest quote of a provider's message.
const QUOTE_CHARS_MAX: usize = 300;

/// Texts by which providers and servers say that a prompt is too long for the model.
const TOO_MUCH: [&str; 10] = [
    "context_length_exceeded",
    "exceed_context_size",
    "maximum context length",
    "context length",
    "context window",
    "context size",
    "prompt is too long",
    "input is too long",
    "input token count",
    "request_too_large",
];

/// The error for an HTTP status and its body.
pub(super) fn by_status(status: u16, body: &str, headers: &HeaderMap, at: &ProviderClient) -> Error {
    let json: Option<Value> = serde_json::from_str(body).ok();
    let json = json.map_or_else(|| Value::String(body.to_owned()), inner);
    sort(status, &json, headers, at)
}

/// Whether the provider filtered the answer before it began: Azure reports that as an error.
pub(super) fn is_filtered(status: u16, body: &str) -> bool {
    let json: Value = if status == 400 { serde_json::from_str(body).unwrap_or_default() } else { Value::Null };
    matches!(json["error"]["code"].as_str(), Some("content_filter" | "content_policy_violation"))
}

/// The error that a provider sends in the middle of an answer, after a status of success.
pub(super) fn in_stream(body: Value, at: &ProviderClient) -> Error {
    let error = inner(body);
    sort(status_of(&error), &error, &HeaderMap::new(), at)
}

fn sort(status: u16, error: &Value, headers: &HeaderMap, at: &ProviderClient) -> Error {
    let provider = at.name();
    let said = message_of(error);
    let message = quote(&said, at);
    if matches!(status, 200 | 400 | 413 | 422 | 500) && is_too_much(error, &said) {
        return Error::TooMuchContext { provider, message };
    }
    match status {
        // The request exceeds the limit per minute: waiting does not help.
        429 if said.starts_with("Request too large") => Error::TooMuchContext { provider, message },
        // The account has no credit left: waiting does not help.
        429 if error["code"] == "insufficient_quota" => Error::Refused { provider, status, message },
        429 => Error::RateLimited { provider, retry_after: retry_after(headers, error), message },
        200 | 408 | 409 | 425 | 500.. => {
            Error::Failed { provider, status, retry_after: retry_after(headers, error), message }
        }
        _ => Error::Refused { provider, status, message },
    }
}

/// Most wrap the error in a field of that name; Gemini may wrap that in a list.
fn inner(body: Value) -> Value {
    match body {
        Value::Array(mut list) if !list.is_empty() => inner(list.swap_remove(0)),
        Value::Object(mut map) => map.remove("error").unwrap_or(Value::Object(map)),
        other => other,
    }
}

fn message_of(error: &Value) -> String {
    let text = error.as_str().or_else(|| error["message"].as_str()).or_else(|| error["detail"].as_str());
    text.map_or_else(|| if error.is_null() { String::new() } else { error.to_string() }, str::to_owned)
}

fn is_too_much(error: &Value, said: &str) -> bool {
    let words = [said, error["code"].as_str().unwrap_or(""), error["type"].as_str().unwrap_or("")];
    words.iter().any(|text| {
        let text = text.to_lowercase();
        TOO_MUCH.iter().any(|sign| text.contains(sign))
    })
}

/// The status that the error would have had before the answer began.
fn status_of(error: &Value) -> u16 {
    let number = error["code"].as_u64().or_else(|| error["code"].as_str()?.parse().ok());
    if let Some(status) = number.and_then(|code| u16::try_from(code).ok()).filter(|code| (400..600).contains(code)) {
        return status;
    }
    let word = |field: &str| error[field].as_str().unwrap_or("").to_owned();
    match (word("type").as_str(), word("code").as_str()) {
        ("overloaded_error", _) => 529,
        ("rate_limit_error" | "rate_limit_exceeded" | "tokens" | "requests", _) | (_, "rate_limit_exceeded") => 429,
        ("invalid_request_error", _) => 400,
        ("authentication_error", _) => 401,
        ("permission_error", _) => 403,
        ("not_found_error", _) => 404,
        ("request_too_large", _) => 413,
        ("api_error" | "server_error", _) => 500,
        _ => 200,
    }
}

/// How long to wait: in milliseconds, in seconds, until a date, or inside the body.
fn retry_after(headers: &HeaderMap, error: &Value) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let seconds = |text: &str| Duration::try_from_secs_f64(text.parse().ok()?).ok();
    if let Some(millis) = text("retry-after-ms").and_then(|text| text.parse::<f64>().ok()) {
        return Duration::try_from_secs_f64(millis / 1000.0).ok();
    }
    if let Some(after) = text("retry-after") {
        return seconds(after).or_else(|| {
            // The date is by the provider's clock, so it is compared with the provider's own
            // `date`.
            let now = httpdate::parse_http_date(text("date")?).ok()?;
            Some(httpdate::parse_http_date(after).ok()?.duration_since(now).unwrap_or_default())
        });
    }
    let details = error["details"].as_array()?;
    details.iter().find_map(|detail| seconds(detail["retryDelay"].as_str()?.strip_suffix('s')?))
}

/// A short quote without the API key, which some providers repeat.
pub(super) fn quote(text: &str, at: &ProviderClient) -> String {
    let key = at.key();
    let text = if key.is_empty() { text.to_owned() } else { text.replace(key, "[key]") };
    let mut short: String = text.trim().chars().take(QUOTE_CHARS_MAX).collect();
    if short.is_empty() {
        short.push_str("no explanation given");
    }
    short
}

#[cfg(test)]
#[path = "error_body_tests.rs"]
mod tests;
