//! SearXNG: a self-hosted search engine.

use std::sync::Arc;

use async_trait::async_trait;
use protocol::{OwnerId, SourceKind};
use serde::Deserialize;

use super::{
    Lead, Source, SourceDocument, SourceError, SourceQuery,
    pages::{distinct, reading},
    search_service::{SearchService, plain},
};
use crate::{read::date, web::Web};

/// A SearXNG instance configured by the operator.
pub struct Searxng {
    service: SearchService,
    web: Arc<Web>,
}

impl Searxng {
    /// Uses the instance at this URL, which may be on the local network. Results are read through
    /// `web`.
    pub fn new(base: &str, web: Arc<Web>) -> Result<Self, SourceError> {
        Ok(Self { service: SearchService::new("the SearXNG", base)?, web })
    }
}

#[derive(Deserialize)]
struct SearchResponse {
    results: Vec<SearchResult>,
}

#[derive(Deserialize)]
struct SearchResult {
    url: Option<String>,
    title: Option<String>,
    content: Option<String>,
    #[serde(rename = "publishedDate")]
    published: Option<String>,
}

#[async_trait]
impl Source for Searxng {
    fn name(&self) -> &'static str {
        "searxng"
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
        let request = self.service.get("search", &[("q", asked.question), ("format", "json")])?;
        let name = &self.service.name;
        let refused = |status| match status {
            403 => Some(format!("{name} does not return JSON: add `json` to `search.formats` in its settings.yml")),
            429 => {
                Some(format!("{name} received too many requests: switch its limiter off, or allow this machine there"))
            }
            _ => None,
        };
        let answer: SearchResponse = self.service.ask(request, refused).await?;
        let leads = answer.results.into_iter().map(|found| Lead {
            address: found.url.unwrap_or_default(),
            title: plain(&found.title.unwrap_or_default()),
            snippet: plain(&found.content.unwrap_or_default()),
            published: found.published.as_deref().and_then(date::day),
        });
        Ok(distinct(leads, asked.limit))
    }

    async fn read(&self, _: &OwnerId, lead: &Lead) -> Result<SourceDocument, SourceError> {
        reading(&self.web, lead).await
    }
}
