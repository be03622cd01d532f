//! A web site with pages, a log of its visits, and two search APIs over its pages: SearXNG's and
//! Brave's.

mod search;

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderName, HeaderValue, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio::net::TcpListener;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::AbortOnDropHandle;

/// How often a page that waits for other requests checks their number.
const LOOK: Duration = Duration::from_millis(5);

/// A page of a site.
#[derive(Clone, Debug)]
pub struct SitePage {
    /// The title in search results.
    pub title: String,
    /// The media type, as in `text/html; charset=utf-8`.
    pub media_type: String,
    /// The body.
    pub body: Vec<u8>,
    /// The status.
    pub status: u16,
    /// Additional headers.
    pub headers: Vec<(String, String)>,
    /// How long the answer is delayed.
    pub wait: Duration,
    /// How many requests must be open at once, including this one, before it is answered.
    pub company: usize,
    /// The text that search sees, if it is not the body.
    pub seen: Option<String>,
}

impl SitePage {
    /// An HTML page with a title and paragraphs.
    pub fn html(title: &str, paragraphs: &[&str]) -> Self {
        let paragraphs: String = paragraphs.iter().map(|words| format!("<p>{words}</p>\n")).collect();
        let body = format!(
            "<!doctype html><html><head><meta charset=utf-8><title>{title}</title></head><body><nav><a href=/>Home</a></nav>\
             <main><h1>{title}</h1>\n{paragraphs}</main><footer>All rights reserved</footer></body></html>"
        );
        Self { title: title.to_owned(), ..Self::of("text/html; charset=utf-8", body) }
    }

    /// A page of any media type.
    pub fn of(media_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            title: String::new(),
            media_type: media_type.to_owned(),
            body: body.into(),
            status: 200,
            headers: Vec::new(),
            wait: Duration::ZERO,
            company: 1,
            seen: None,
        }
    }

    /// A redirect.
    pub fn redirect(to: &str) -> Self {
        let headers = vec![("location".to_owned(), to.to_owned())];
        Self { status: 302, headers, ..Self::of("text/plain", "") }
    }
}

#[derive(Default)]
struct Shared {
    state: Mutex<SiteRecord>,
}

#[derive(Default)]
struct SiteRecord {
    pages: BTreeMap<String, SitePage>,
    visits: Vec<String>,
    at_once: usize,
    most_at_once: usize,
    /// The key that Brave's search requires.
    key: Option<String>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, SiteRecord> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A site on a local port.
pub struct Site {
    address: SocketAddr,
    shared: Arc<Shared>,
    _stop: DropGuard,
    _accept: AbortOnDropHandle<()>,
}

impl Site {
    /// Starts an empty site on a free local port.
    ///
    /// # Panics
    /// When no local port can be bound.
    pub async fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free local port");
        let address = listener.local_addr().expect("a bound port");
        let shared = Arc::new(Shared::default());
        let routes = axum::Router::new()
            .route("/searxng/search", get(search::searxng))
            .route("/brave/res/v1/web/search", get(search::brave))
            .fallback(serve)
            .with_state((Arc::clone(&shared), address));
        let stop = CancellationToken::new();
        let serve = axum::serve(listener, routes).with_graceful_shutdown(stop.clone().cancelled_owned());
        let accept = tokio::spawn(async move {
            let _ = serve.await;
        });
        Self { address, shared, _stop: stop.drop_guard(), _accept: AbortOnDropHandle::new(accept) }
    }

    /// Puts a page at a path, in place of the one there.
    pub fn put(&self, path: &str, page: SitePage) {
        self.shared.lock().pages.insert(path.to_owned(), page);
    }

    /// Sets the key that Brave's search requires from now on.
    pub fn ask_for_key(&self, key: &str) {
        self.shared.lock().key = Some(key.to_owned());
    }

    /// The host with its port, as it is written in `tools.fetch_allow`.
    pub fn host(&self) -> String {
        self.address.to_string()
    }

    /// The address of a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The requests in order, including searches: path and query.
    pub fn visits(&self) -> Vec<String> {
        self.shared.lock().visits.clone()
    }

    /// The most pages that were requested at once.
    pub fn most_at_once(&self) -> usize {
        self.shared.lock().most_at_once
    }
}

async fn serve(State((shared, _)): State<(Arc<Shared>, SocketAddr)>, uri: Uri) -> Response {
    let asked = uri.path_and_query().map_or_else(|| uri.path().to_owned(), ToString::to_string);
    let page = {
        let mut known = shared.lock();
        known.visits.push(asked.clone());
        known.at_once += 1;
        known.most_at_once = known.most_at_once.max(known.at_once);
        known.pages.get(&asked).or_else(|| known.pages.get(uri.path())).cloned()
    };
    if let Some(page) = &page {
        while shared.lock().most_at_once < page.company {
            tokio::time::sleep(LOOK).await;
        }
        tokio::time::sleep(page.wait).await;
    }
    shared.lock().at_once -= 1;
    let Some(page) = page else { return StatusCode::NOT_FOUND.into_response() };
    let mut response = (StatusCode::from_u16(page.status).expect("a status"), page.body).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_str(&page.media_type).expect("a kind"));
    for (name, value) in page.headers {
        let name: HeaderName = name.parse().expect("a header's name");
        headers.insert(name, HeaderValue::from_str(&value).expect("a header's value"));
    }
    response
}
