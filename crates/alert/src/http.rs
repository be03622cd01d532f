//! What requests of all channels share: the client, and what an answer means for the next attempt.

use std::{
    error::Error as _,
    time::{Duration, SystemTime},
};

use ports::DeliveryFailure;
use protocol::Timestamp;
use reqwest::{
    Client, Response, StatusCode, Url,
    header::{HeaderMap, RETRY_AFTER},
    redirect,
};
use tools::net::FetchError;

use crate::delivery::{later, refused, unclear};

/// How long a request may take, unless the channel says otherwise.
const TIMEOUT_MS: u64 = 15_000;
/// The longest time that a channel may set.
const TIMEOUT_MS_MAX: u64 = 60_000;
/// How long a receiver may ask to wait.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// The time that a request may take.
pub(crate) fn timeout(declared: Option<u64>) -> Result<Duration, (&'static str, String)> {
    let ms = declared.unwrap_or(TIMEOUT_MS);
    if !(1..=TIMEOUT_MS_MAX).contains(&ms) {
        return Err(("timeout_ms", format!("must be from 1 to {TIMEOUT_MS_MAX}")));
    }
    Ok(Duration::from_millis(ms))
}

/// A client for an address that the operator chose. It follows no redirects: the operator did not
/// choose where they lead.
pub(crate) fn client(timeout: Duration) -> Result<Client, (&'static str, String)> {
    let client = Client::builder()
        .redirect(redirect::Policy::none())
        // Otherwise proxies would be read from the environment.
        .no_proxy()
        .timeout(timeout)
        // Alerts are rare: a connection that was kept would be closed by then.
        .pool_max_idle_per_host(0)
        .user_agent(concat!("dwell/", env!("CARGO_PKG_VERSION")))
        .build();
    client.map_err(|error| ("kind", format!("needs an HTTP client, which cannot be made: {error}")))
}

/// Reads an address that the operator chose; a private one is allowed.
pub(crate) fn address(field: &'static str, text: &str) -> Result<Url, (&'static str, String)> {
    let bad = |problem: &str| (field, problem.to_owned());
    let url = Url::parse(text.trim()).map_err(|_| bad("must be a full URL, as `https://example.org/hook`"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(bad("must begin with http:// or https://"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(bad("must not contain a user name or a password"));
    }
    Ok(url)
}

/// What is said about an address in messages: no path, which may be a secret.
pub(crate) fn host(url: &Url) -> &str {
    url.host_str().unwrap_or("the receiver")
}

/// The failure of a request that was not answered.
pub(crate) fn send_failure(error: &reqwest::Error, host: &str, is_idempotent: bool) -> DeliveryFailure {
    if let Some(refusal) = refusal(error) {
        return refused(refusal);
    }
    if error.is_connect() {
        return later(format!("{host} cannot be reached"), None);
    }
    if error.is_builder() {
        return refused(format!("the request to {host} cannot be made"));
    }
    let what = if error.is_timeout() { "did not answer in time" } else { "closed the connection without an answer" };
    unclear(format!("{host} {what}"), is_idempotent)
}

/// Why the guard of `tools::net` let no connection be made.
fn refusal(error: &reqwest::Error) -> Option<String> {
    let mut source = error.source();
    while let Some(error) = source {
        if let Some(refused @ FetchError::Refused { .. }) = error.downcast_ref::<FetchError>() {
            return Some(refused.to_string());
        }
        source = error.source();
    }
    None
}

/// What an answer means: 2xx is delivered.
pub(crate) fn judge(
    response: &Response,
    host: &str,
    is_idempotent: bool,
    now: Timestamp,
) -> Result<(), DeliveryFailure> {
    let status = response.status();
    let message = format!("{host} answered {}", status.as_u16());
    match status {
        _ if status.is_success() => Ok(()),
        _ if status.is_redirection() => Err(refused(format!("{message}: redirects are not followed"))),
        StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_EARLY | StatusCode::TOO_MANY_REQUESTS => {
            Err(later(message, retry_after(response.headers(), now)))
        }
        StatusCode::INTERNAL_SERVER_ERROR | StatusCode::SERVICE_UNAVAILABLE => {
            Err(later(message, retry_after(response.headers(), now)))
        }
        // A proxy answers; the receiver behind it may have taken the alert.
        _ if status.is_server_error() => match unclear(message, is_idempotent) {
            DeliveryFailure::Later { message, .. } => Err(later(message, retry_after(response.headers(), now))),
            failure => Err(failure),
        },
        _ => Err(refused(message)),
    }
}

/// The header `Retry-After`: seconds, or a date.
fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    let wait = match text.parse() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_) => {
            let date = httpdate::parse_http_date(text).ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
            Timestamp::from_millis(i64::try_from(date.as_millis()).ok()?).since(now)
        }
    };
    Some(wait.min(RETRY_AFTER_MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(header: &str, expected: Option<u64>) {
        let headers = HeaderMap::from_iter([(RETRY_AFTER, header.parse().unwrap())]);
        let now = "2026-11-18T08:00:00Z".parse().unwrap();
        assert_eq!(retry_after(&headers, now), expected.map(Duration::from_secs), "{header}");
    }

    #[test]
    fn a_receiver_asks_to_wait_in_seconds_or_until_a_date() {
        check("120", Some(120));
        check("Wed, 18 Nov 2026 08:01:30 GMT", Some(90));
        check("Wed, 18 Nov 2026 07:00:00 GMT", Some(0));
        check("999999999", Some(86_400));
        check("soon", None);
        check("-1", None);
        assert_eq!(retry_after(&HeaderMap::new(), Timestamp::from_millis(0)), None);
    }
}
