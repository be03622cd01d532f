//! A question to a provider: JSON there and back, bounded in time and size.

use std::time::Duration;

use futures::StreamExt;
use serde_json::Value;

use crate::{provider::advice, remote::Connection};

/// How long one question may take.
const ANSWER_MAX: Duration = Duration::from_secs(5);
/// The longest list known has about a megabyte.
const BYTES_MAX: usize = 16 * 1024 * 1024;

/// Why a question was not answered.
#[derive(Debug)]
pub(super) enum Failure {
    /// Nothing answers there.
    Unreachable(String),
    /// It answers that it will not.
    Status(u16),
    /// It answers something that cannot be read.
    Unreadable,
}

impl Failure {
    /// In words, with what to do.
    pub(super) fn explained(&self, at: &Connection) -> String {
        let provider = &at.provider().name;
        match self {
            Self::Unreachable(why) => format!("{} cannot be reached ({why}); is it running?", at.shown()),
            Self::Status(404 | 405) => format!("{} does not list its models", at.shown()),
            Self::Status(status) => format!("{} refused with status {status}{}", at.shown(), advice(provider, *status)),
            Self::Unreadable => {
                format!("{} answered something that is no list of models; check the address", at.shown())
            }
        }
    }
}

/// Whom to ask.
pub(super) struct Question<'a> {
    at: &'a Connection,
}

impl<'a> Question<'a> {
    pub(super) const fn new(at: &'a Connection) -> Self {
        Self { at }
    }

    /// The configured address.
    pub(super) fn base(&self) -> &str {
        &self.at.provider().base_url
    }

    /// The address without the version that OpenAI's wire has in it.
    pub(super) fn root(&self) -> &str {
        let base = self.base();
        base.strip_suffix("/v1").unwrap_or(base)
    }

    pub(super) async fn get(&self, url: String) -> Result<Value, Failure> {
        self.send(self.at.http().get(url)).await
    }

    pub(super) async fn post(&self, url: String, body: &Value) -> Result<Value, Failure> {
        self.send(self.at.http().post(url).json(body)).await
    }

    async fn send(&self, request: reqwest::RequestBuilder) -> Result<Value, Failure> {
        let answer =
            self.at.authorize(request).timeout(ANSWER_MAX).send().await.map_err(|error| unreachable(&error))?;
        let status = answer.status();
        let mut bytes = Vec::new();
        let mut body = answer.bytes_stream();
        // Read to its end also where it is an error: only then is the connection free for the next question.
        while let Some(more) = body.next().await {
            bytes.extend_from_slice(&more.map_err(|error| unreachable(&error))?);
            if bytes.len() > BYTES_MAX {
                return Err(Failure::Unreadable);
            }
        }
        if !status.is_success() {
            return Err(Failure::Status(status.as_u16()));
        }
        serde_json::from_slice(&bytes).map_err(|_| Failure::Unreadable)
    }
}

/// The innermost cause ("connection refused") is the telling one, and names no address with a key in it.
fn unreachable(error: &reqwest::Error) -> Failure {
    if error.is_timeout() {
        return Failure::Unreachable(format!("no answer in {} s", ANSWER_MAX.as_secs()));
    }
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    Failure::Unreachable(cause.to_string())
}
