//! Web pages: fetched, read and cached.
//!
//! Concurrent requests for a URL share one download. At every step, the first and each redirect,
//! the site's `robots.txt` is checked before the page is fetched, and the guard of `tools::net`
//! checks both.

pub(crate) mod address;
mod cache;
mod robots;
mod single_flight;

use std::{
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use cache::BoundedCache;
use futures::FutureExt;
use reqwest::Url;
use robots::Robots;
use single_flight::SingleFlight;
use tools::net::{FetchError, FetchLimits, FetchResponse, Fetcher, Hop};

use crate::read::{self, ExtractedText, MediaKind, ReadError, pdf::PdfReader};

/// Accepted media types: pages, texts, PDF.
const ACCEPT: [&str; 7] = [
    "text/html",
    "application/xhtml+xml",
    "text/markdown",
    "text/x-markdown",
    "text/plain",
    "application/pdf",
    "application/x-pdf",
];
/// Maximum number of redirects.
const REDIRECTS_MAX: usize = 5;
/// How many sites' `robots.txt` are cached, and for how long.
const ROBOTS_MAX: usize = 500;
const ROBOTS_FRESH: Duration = Duration::from_secs(60 * 60);
/// How long a failure is cached. The site may recover soon.
const TROUBLE_FRESH: Duration = Duration::from_secs(60);

/// Options for fetching and caching pages.
#[derive(Debug, Clone)]
pub struct WebOptions {
    /// Whether a site's `robots.txt` is respected.
    pub robots: bool,
    /// Maximum size of a page in bytes.
    pub bytes_max: usize,
    /// Maximum time for a page, with all redirects.
    pub timeout: Duration,
    /// How long a page is cached, unless its site demands less.
    pub fresh_for: Duration,
    /// Maximum size of the cached text in bytes.
    pub cache_bytes_max: usize,
    /// Maximum number of cached pages.
    pub cache_count_max: usize,
}

impl Default for WebOptions {
    fn default() -> Self {
        Self {
            robots: true,
            bytes_max: 4 * 1024 * 1024,
            timeout: Duration::from_secs(15),
            fresh_for: Duration::from_secs(15 * 60),
            cache_bytes_max: 32 * 1024 * 1024,
            cache_count_max: 500,
        }
    }
}

/// A page that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The final URL.
    pub url: String,
    /// The text of the page.
    pub text: ExtractedText,
    /// Whether it came from the cache or from a concurrent request.
    pub is_cached: bool,
}

/// Why a page is not available.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WebError {
    /// It cannot be fetched.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// The site's `robots.txt` excludes it.
    #[error("{host} asks programs not to read this page (robots.txt)")]
    Robots {
        /// The site.
        host: String,
    },
    /// The site's `robots.txt` is not available.
    #[error("the robots.txt of {host} cannot be read now (status {status}), so its pages are not read")]
    NoRobots {
        /// The site.
        host: String,
        /// The HTTP status.
        status: u16,
    },
    /// The response is not a page.
    #[error("{host} answered with status {status}")]
    Status {
        /// The site.
        host: String,
        /// The HTTP status.
        status: u16,
    },
    /// It is too large, and useless if cut off.
    #[error("the PDF at {host} is larger than {bytes_max} bytes")]
    TooLarge {
        /// The site.
        host: String,
        /// The maximum size.
        bytes_max: usize,
    },
    /// It has no text that can be read.
    #[error("the page at {host} cannot be read: {reason}")]
    Unreadable {
        /// The site.
        host: String,
        /// Reason.
        reason: String,
    },
}

/// Access to web pages. Clones share the cache.
#[derive(Clone)]
pub struct Web(Arc<Inner>);

struct Inner {
    fetcher: Fetcher,
    pdf: Arc<dyn PdfReader>,
    options: WebOptions,
    pages: Mutex<BoundedCache<Page>>,
    fetching: SingleFlight<Result<Page, WebError>>,
    robots: Mutex<BoundedCache<RobotsAnswer>>,
    asking: SingleFlight<Result<RobotsAnswer, FetchError>>,
}

/// The rules of a site, or the status with which its `robots.txt` failed.
type RobotsAnswer = Result<Arc<Robots>, u16>;

impl Web {
    /// Fetches pages through the fetcher.
    pub fn new(fetcher: Fetcher, pdf: Arc<dyn PdfReader>, options: WebOptions) -> Self {
        let pages = Mutex::new(BoundedCache::new(options.cache_bytes_max, options.cache_count_max));
        let robots = Mutex::new(BoundedCache::new(usize::MAX, ROBOTS_MAX));
        let (fetching, asking) = (SingleFlight::default(), SingleFlight::default());
        Self(Arc::new(Inner { fetcher, pdf, options, pages, fetching, robots, asking }))
    }

    /// Reads a page, or takes it from the cache.
    pub async fn page(&self, url: &str) -> Result<Page, WebError> {
        let url = address::parse(url)?;
        if let Some(page) = lock(&self.0.pages).get(url.as_str()) {
            return Ok(Page { is_cached: true, ..page });
        }
        let key = url.to_string();
        let inner = Arc::clone(&self.0);
        let (page, is_joined) = self.0.fetching.join(&key, || async move { inner.page(url).await }.boxed()).await;
        page.map(|page| Page { is_cached: is_joined, ..page })
    }
}

impl Inner {
    async fn page(self: Arc<Self>, url: Url) -> Result<Page, WebError> {
        let host = host_of(&url);
        let fetched = tokio::time::timeout(self.options.timeout, self.fetch(url.clone())).await;
        let fetched = fetched.unwrap_or(Err(FetchError::TimedOut { host }.into()))?;
        let fresh_for = fetched.max_age.map_or(self.options.fresh_for, |age| age.min(self.options.fresh_for));
        let (is_kept, final_url) = (!fetched.no_store, fetched.final_url.clone());
        let page = Page { text: self.read(fetched).await?, url: final_url, is_cached: false };
        if is_kept {
            let bytes = page.text.body.len() + page.url.len() + url.as_str().len();
            lock(&self.pages).put(url.into(), page.clone(), bytes, fresh_for);
        }
        Ok(page)
    }

    /// Follows redirects, and checks at every step whether the page may be fetched.
    async fn fetch(self: &Arc<Self>, mut url: Url) -> Result<FetchResponse, WebError> {
        let WebOptions { bytes_max, timeout, .. } = self.options;
        let limits = FetchLimits { bytes_max, timeout, redirects_max: 0, accept: &ACCEPT };
        for _ in 0..=REDIRECTS_MAX {
            self.may_visit(&url).await?;
            match self.fetcher.hop(url.as_str(), limits).await? {
                Hop::Elsewhere(next) => url = address::parse(&next)?,
                Hop::Here(fetched) if (200..300).contains(&fetched.status) => return Ok(fetched),
                Hop::Here(fetched) => return Err(WebError::Status { host: host_of(&url), status: fetched.status }),
            }
        }
        Err(FetchError::TooManyRedirects { host: host_of(&url), redirects_max: REDIRECTS_MAX }.into())
    }

    async fn read(&self, fetched: FetchResponse) -> Result<ExtractedText, WebError> {
        let host = Url::parse(&fetched.final_url).map(|url| host_of(&url)).unwrap_or_default();
        let kind = kind(&fetched);
        let text = match kind {
            MediaKind::Pdf if fetched.is_cut => {
                return Err(WebError::TooLarge { host, bytes_max: self.options.bytes_max });
            }
            MediaKind::Pdf => self.pdf.read(fetched.bytes).await,
            _ => {
                let FetchResponse { bytes, charset, .. } = fetched;
                let work = tokio::task::spawn_blocking(move || read::read(kind, &bytes, charset.as_deref())).await;
                work.unwrap_or_else(|_| Err(ReadError("reading it failed".to_owned())))
            }
        };
        let mut text = text.map_err(|ReadError(reason)| WebError::Unreadable { host, reason })?;
        // For a page, `Last-Modified` is the time of its rendering; for a file, that of its last
        // change.
        if kind != MediaKind::Html && text.published.is_none() {
            text.published = fetched.last_modified.as_deref().and_then(read::date::day);
        }
        Ok(text)
    }

    async fn may_visit(self: &Arc<Self>, url: &Url) -> Result<(), WebError> {
        if !self.options.robots {
            return Ok(());
        }
        let host = host_of(url);
        let robots = self.wishes(url).await?.map_err(|status| WebError::NoRobots { host: host.clone(), status })?;
        let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
        if robots.allows(&format!("{}{query}", url.path())) { Ok(()) } else { Err(WebError::Robots { host }) }
    }

    /// The rules of a site, cached for a while.
    async fn wishes(self: &Arc<Self>, url: &Url) -> Result<RobotsAnswer, FetchError> {
        let mut at = url.clone();
        at.set_path("/robots.txt");
        at.set_query(None);
        if let Some(wishes) = lock(&self.robots).get(at.as_str()) {
            return Ok(wishes);
        }
        let inner = Arc::clone(self);
        let key = at.to_string();
        let (wishes, _) = self.asking.join(&key, || async move { inner.ask(at).await }.boxed()).await;
        wishes
    }

    async fn ask(self: Arc<Self>, at: Url) -> Result<RobotsAnswer, FetchError> {
        let timeout = self.options.timeout;
        let limits = FetchLimits { bytes_max: robots::BYTES_MAX, timeout, redirects_max: REDIRECTS_MAX, accept: &[] };
        let wishes: RobotsAnswer = match self.fetcher.fetch(at.as_str(), limits).await {
            Ok(fetched) => match fetched.status {
                200..300 => Ok(Arc::new(Robots::of(&String::from_utf8_lossy(&fetched.bytes)))),
                status @ 500.. => Err(status),
                // There is no `robots.txt`, or it is not accessible to us: everything is allowed.
                _ => Ok(Arc::default()),
            },
            Err(FetchError::TooManyRedirects { .. }) => Ok(Arc::default()),
            // The site is not reachable, so the page would fail too. This error is clearer.
            Err(error) => return Err(error),
        };
        let fresh_for = if wishes.is_ok() { ROBOTS_FRESH } else { TROUBLE_FRESH };
        lock(&self.robots).put(at.into(), wishes.clone(), 0, fresh_for);
        Ok(wishes)
    }
}

/// The kind of a response, by its media type, and by its name if that is more specific.
fn kind(fetched: &FetchResponse) -> MediaKind {
    match fetched.media_type.as_str() {
        "text/html" | "application/xhtml+xml" => MediaKind::Html,
        "text/markdown" | "text/x-markdown" => MediaKind::Markdown,
        "application/pdf" | "application/x-pdf" => MediaKind::Pdf,
        _ => {
            let path = Url::parse(&fetched.final_url).map(|url| url.path().to_owned()).unwrap_or_default();
            let is_markdown = MediaKind::of_path(Path::new(&path)) == Some(MediaKind::Markdown);
            if is_markdown { MediaKind::Markdown } else { MediaKind::Plain }
        }
    }
}

fn host_of(url: &Url) -> String {
    url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned()
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
