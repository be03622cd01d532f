//! Discovery requests to a provider: JSON, bounded in time and size.

use std::time::Duration;

use futures::StreamExt;
use serde_json::Value;

use crate::{provider::advice, remote::ProviderClient};

/// Timeout of one request.
const ANSWER_MAX: Duration = Duration::from_secs(5);
/// The largest response; the longest list known has about a megabyte.
const BYTES_MAX: usize = 16 * 1024 * 1024;

/// Why discovery failed.
#[derive(Debug)]
pub(super) enum DiscoveryFailure {
    /// Nothing answers at the address.
    Unreachable(String),
    /// The provider refused, with this status.
    Status(u16),
    /// The response cannot be parsed.
    Unreadable,
}

impl DiscoveryFailure {
    /// A message with what to do.
    pub(super) fn explained(&self, at: &ProviderClient) -> String {
        let provider = &at.provider().name;
        match self {
            Self::Unreachable(why) => format!("{} cannot be reached ({why}); is it running?", at.shown()),
            Self::Status(404 | 405) => format!("{} does not list its models", at.shown()),
            Self::Status(status) => format!("{} refused with status {status}{}", at.shown(), advice(provider, *status)),
            Self::Unreadable => {
                format!("{} did not return a list of models; check the address", at.shown())
            }
        }
    }
}

/// Sends discovery requests to one provider.
pub(super) struct DiscoveryClient<'a> {
    at: &'a ProviderClient,
}

impl<'a> DiscoveryClient<'a> {
    pub(super) const fn new(at: &'a ProviderClient) -> Self {
        Self { at }
    }

    /// The configured address.
    pub(super) fn base(&self) -> &str {
        &self.at.provider().base_url
    }

    /// The address without the version that OpenAI's API has in it.
    pub(super) fn root(&self) -> &str {
        let base = self.base();
        base.strip_suffix("/v1").unwrap_or(base)
    }

    pub(super) async fn get(&self, url: String) -> Result<Value, DiscoveryFailure> {
        self.send(self.at.http().get(url)).await
    }

    pub(super) async fn post(&self, url: String, body: &Value) -> Result<Value, DiscoveryFailure> {
        self.send(self.at.http().post(url).json(body)).await
    }

    async fn send(&self, request: reqwest::RequestBuilder) -> Result<Value, DiscoveryFailure> {
        let answer =
            self.at.authorize(request).timeout(ANSWER_MAX).send().await.map_err(|error| unreachable(&error))?;
        let status = answer.status();
        let mut bytes = Vec::new();
        let mut body = answer.bytes_stream();
        // An error response is read to its end too: only then is the connection free for the next
        // request.
        while let Some(more) = body.next().await {
            bytes.extend_from_slice(&more.map_err(|error| unreachable(&error))?);
            if bytes.len() > BYTES_MAX {
                return Err(DiscoveryFailure::Unreadable);
            }
        }
        if !status.is_success() {
            return Err(DiscoveryFailure::Status(status.as_u16()));
        }
        serde_json::from_slice(&bytes).map_err(|_| DiscoveryFailure::Unreadable)
    }
}

/// The innermost cause ("connection refused") says most, and contains no address with a key in it.
fn unreachable(error: &reqwest::Error) -> DiscoveryFailure {
    if error.is_timeout() {
        return DiscoveryFailure::Unreachable(format!("no answer in {} s", ANSWER_MAX.as_secs()));
    }
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    DiscoveryFailure::Unreachable(cause.to_string())
}
