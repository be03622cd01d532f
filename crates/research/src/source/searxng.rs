//! SearXNG: a search engine of one's own.

use std::sync::Arc;

use async_trait::async_trait;
use protocol::{OwnerId, SourceKind};
use serde::Deserialize;

use super::{
    Asked, Lead, Reading, Source, SourceError,
    pages::{distinct, reading},
    wire::{Service, plain},
};
use crate::{read::date, web::Web};

/// A SearXNG that the operator has named.
pub struct Searxng {
    service: Service,
    web: Arc<Web>,
}

impl Searxng {
    /// The one at this address, which may be in the house; what it finds is read by way of `web`.
    pub fn new(base: &str, web: Arc<Web>) -> Result<Self, SourceError> {
        Ok(Self { service: Service::new("the SearXNG", base)?, web })
    }
}

#[derive(Deserialize)]
struct Answer {
    results: Vec<Found>,
}

#[derive(Deserialize)]
struct Found {
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

    async fn find(&self, asked: Asked<'_>) -> Result<Vec<Lead>, SourceError> {
        let request = self.service.get("search", &[("q", asked.question), ("format", "json")])?;
        let name = &self.service.name;
        let refused = |status| match status {
            403 => Some(format!("{name} does not give JSON: add `json` to `search.formats` in its settings.yml")),
            429 => {
                Some(format!("{name} has been asked too often: switch its limiter off, or allow this machine there"))
            }
            _ => None,
        };
        let answer: Answer = self.service.ask(request, refused).await?;
        let leads = answer.results.into_iter().map(|found| Lead {
            address: found.url.unwrap_or_default(),
            title: plain(&found.title.unwrap_or_default()),
            snippet: plain(&found.content.unwrap_or_default()),
            published: found.published.as_deref().and_then(date::day),
        });
        Ok(distinct(leads, asked.limit))
    }

    async fn read(&self, _: &OwnerId, lead: &Lead) -> Result<Reading, SourceError> {
        reading(&self.web, lead).await
    }
}
