//! Two search APIs over the pages of a site. Both search for words and return the pages with most
//! of them first.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Shared, SiteRecord};

/// Shorter words match everything.
const WORD_CHARS_MIN: usize = 4;
const RESULTS_MAX: usize = 20;

#[derive(Deserialize)]
pub(super) struct SearchQuery {
    q: String,
    #[serde(default)]
    format: Option<String>,
}

type SiteState = (Arc<Shared>, SocketAddr);

pub(super) async fn searxng(
    State((shared, address)): State<SiteState>,
    uri: Uri,
    Query(asked): Query<SearchQuery>,
) -> Response {
    let mut known = shared.lock();
    known.visits.push(uri.to_string());
    if asked.format.as_deref() != Some("json") {
        return StatusCode::FORBIDDEN.into_response();
    }
    let results: Vec<Value> = found(&known, &asked.q)
        .into_iter()
        .map(|(path, title)| {
            let url = format!("http://{address}{path}");
            json!({ "url": url, "title": title, "content": "…", "engine": "site", "publishedDate": null })
        })
        .collect();
    Json(json!({ "query": asked.q, "number_of_results": results.len(), "results": results })).into_response()
}

pub(super) async fn brave(
    State((shared, address)): State<SiteState>,
    uri: Uri,
    headers: HeaderMap,
    Query(asked): Query<SearchQuery>,
) -> Response {
    let mut known = shared.lock();
    known.visits.push(uri.to_string());
    let key = headers.get("x-subscription-token").and_then(|key| key.to_str().ok());
    if known.key.is_some() && key != known.key.as_deref() {
        let body = json!({ "type": "ErrorResponse", "error": { "code": "SUBSCRIPTION_TOKEN_INVALID", "status": 422 } });
        return (StatusCode::UNPROCESSABLE_ENTITY, Json(body)).into_response();
    }
    let results: Vec<Value> = found(&known, &asked.q)
        .into_iter()
        .map(|(path, title)| json!({ "title": title, "url": format!("http://{address}{path}"), "description": "<strong>…</strong>" }))
        .collect();
    Json(json!({ "type": "search", "web": { "type": "search", "results": results } })).into_response()
}

/// The pages with at least one of the words, as path and title.
fn found(known: &SiteRecord, query: &str) -> Vec<(String, String)> {
    let query = query.to_lowercase();
    let words: Vec<&str> = query
        .split(|char: char| !char.is_alphanumeric())
        .filter(|word| word.chars().count() >= WORD_CHARS_MIN)
        .collect();
    let mut found: Vec<(usize, &String, &str)> = known
        .pages
        .iter()
        .filter_map(|(path, page)| {
            let own = String::from_utf8_lossy(&page.body);
            let text = page.seen.as_deref().unwrap_or(&own).to_lowercase();
            let count = words.iter().filter(|word| text.contains(**word)).count();
            (count > 0).then_some((count, path, page.title.as_str()))
        })
        .collect();
    found.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    found.into_iter().take(RESULTS_MAX).map(|(_, path, title)| (path.clone(), title.to_owned())).collect()
}
