//! Brave's search API.

use std::sync::Arc;

use async_trait::async_trait;
use protocol::{OwnerId, SourceKind};
use reqwest::header::HeaderValue;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

use super::{
    Lead, Source, SourceDocument, SourceError, SourceQuery,
    pages::{distinct, reading},
    search_service::{SearchService, plain},
};
use crate::{read::date, web::Web};

/// Base URL of Brave's search API.
pub const BASE: &str = "https://api.search.brave.com";
/// Maximum number of results per request.
const COUNT_MAX: usize = 20;
/// Limits of Brave for a question, in characters and in words.
const QUESTION_CHARS_MAX: usize = 400;
const QUESTION_WORDS_MAX: usize = 50;

/// Brave's search, with the operator's key.
pub struct Brave {
    service: SearchService,
    key: SecretString,
    web: Arc<Web>,
}

impl Brave {
    /// Uses a key, at [`BASE`] except in tests. Results are read through `web`.
    pub fn new(base: &str, key: SecretString, web: Arc<Web>) -> Result<Self, SourceError> {
        Ok(Self { service: SearchService::new("Brave's search", base)?, key, web })
    }
}

#[derive(Deserialize)]
struct SearchResponse {
    /// Absent if nothing was found.
    web: Option<WebResults>,
}

#[derive(Deserialize)]
struct WebResults {
    results: Vec<SearchResult>,
}

#[derive(Deserialize)]
struct SearchResult {
    url: Option<String>,
    title: Option<String>,
    description: Option<String>,
    page_age: Option<String>,
}

#[async_trait]
impl Source for Brave {
    fn name(&self) -> &'static str {
        "brave"
    }

    fn kind(&self) -> SourceKind {
        SourceKind::Search
    }

    fn sends_out(&self) -> bool {
        true
    }

    async fn is_there(&self, _: &OwnerId) -> bool {
        true
    }

    async fn find(&self, asked: SourceQuery<'_>) -> Result<Vec<Lead>, SourceError> {
        let (question, count) = (shortened(asked.question), asked.limit.clamp(1, COUNT_MAX).to_string());
        let name = &self.service.name;
        let mut key = HeaderValue::from_str(self.key.expose_secret())
            .map_err(|_| SourceError(format!("the key for {name} contains invalid characters")))?;
        key.set_sensitive(true);
        let request = self.service.get("res/v1/web/search", &[("q", &question), ("count", &count)])?;
        let refused = |status| match status {
            401 | 403 => Some(format!("{name} rejected the key: check it, and that its plan includes web search")),
            422 => Some(format!("{name} rejected the question or the key as invalid")),
            429 => Some(format!("{name} received too many requests for the plan of this key: wait, or send fewer")),
            _ => None,
        };
        let answer: SearchResponse = self.service.ask(request.header("x-subscription-token", key), refused).await?;
        let leads = answer.web.into_iter().flat_map(|web| web.results).map(|found| Lead {
            address: found.url.unwrap_or_default(),
            title: plain(&found.title.unwrap_or_default()),
            snippet: plain(&found.description.unwrap_or_default()),
            published: found.page_age.as_deref().and_then(date::day),
        });
        Ok(distinct(leads, asked.limit))
    }

    async fn read(&self, _: &OwnerId, lead: &Lead) -> Result<SourceDocument, SourceError> {
        reading(&self.web, lead).await
    }
}

/// A question within the limits.
fn shortened(question: &str) -> String {
    let words: Vec<&str> = question.split_whitespace().take(QUESTION_WORDS_MAX).collect();
    words.join(" ").chars().take(QUESTION_CHARS_MAX).collect()
}
