//! Pages of the web: fetched with care, read, and kept for a while.
//!
//! An address is asked for once by all who want it at the same moment. At every step, the first and each redirect, the site's
//! `robots.txt` is asked before the page, and the guard of `tools::net` before either.

pub(crate) mod address;
mod flight;
mod robots;
mod shelf;

use std::{
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use flight::Flights;
use futures::FutureExt;
use reqwest::Url;
use robots::Robots;
use shelf::Shelf;
use tools::net::{FetchError, Fetched, Fetcher, Hop, Limits};

use crate::read::{self, Kind, Text, Unreadable, pdf::PdfReader};

/// What is read: pages, texts, PDF.
const ACCEPT: [&str; 7] = [
    "text/html",
    "application/xhtml+xml",
    "text/markdown",
    "text/x-markdown",
    "text/plain",
    "application/pdf",
    "application/x-pdf",
];
/// How many redirects are followed.
const REDIRECTS_MAX: usize = 5;
/// How many sites' wishes are remembered, and for how long.
const ROBOTS_MAX: usize = 500;
const ROBOTS_FRESH: Duration = Duration::from_secs(60 * 60);
/// A site that was in trouble may be better soon.
const TROUBLE_FRESH: Duration = Duration::from_secs(60);

/// How pages are fetched and kept.
#[derive(Debug, Clone)]
pub struct Options {
    /// Whether a site's `robots.txt` is respected.
    pub robots: bool,
    /// How much of a page is fetched.
    pub bytes_max: usize,
    /// How long fetching a page may take, with all redirects.
    pub timeout: Duration,
    /// How long a page is kept, unless its site says shorter.
    pub fresh_for: Duration,
    /// How many bytes of text are kept.
    pub cache_bytes_max: usize,
    /// How many pages are kept.
    pub cache_count_max: usize,
}

impl Default for Options {
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
    /// Where it is in the end.
    pub url: String,
    /// What it says.
    pub text: Text,
    /// Whether it was fetched for somebody else, now or before.
    pub is_cached: bool,
}

/// Why a page cannot be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WebError {
    /// It cannot be fetched.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// Its site does not want programs to read it.
    #[error("{host} asks programs not to read this page (robots.txt)")]
    Robots {
        /// The site.
        host: String,
    },
    /// Its site does not say what it wants.
    #[error("the robots.txt of {host} cannot be read now (status {status}), so its pages are not either")]
    NoRobots {
        /// The site.
        host: String,
        /// What it answered.
        status: u16,
    },
    /// The answer is not the page.
    #[error("{host} answered with status {status}")]
    Status {
        /// The site.
        host: String,
        /// What it answered.
        status: u16,
    },
    /// It is too large, and of no use if cut off.
    #[error("the PDF at {host} is larger than {bytes_max} bytes")]
    TooLarge {
        /// The site.
        host: String,
        /// How much is fetched.
        bytes_max: usize,
    },
    /// It has no text that can be read.
    #[error("the page at {host} cannot be read: {reason}")]
    Unreadable {
        /// The site.
        host: String,
        /// Why not.
        reason: String,
    },
}

/// The web, as far as it may be read. Clones share what they keep.
#[derive(Clone)]
pub struct Web(Arc<Inner>);

struct Inner {
    fetcher: Fetcher,
    pdf: Arc<dyn PdfReader>,
    options: Options,
    pages: Mutex<Shelf<Page>>,
    fetching: Flights<Result<Page, WebError>>,
    robots: Mutex<Shelf<Wishes>>,
    asking: Flights<Result<Wishes, FetchError>>,
}

/// What a site wants: its rules, or the status by which it did not say.
type Wishes = Result<Arc<Robots>, u16>;

impl Web {
    /// Pages as the fetcher may reach them.
    pub fn new(fetcher: Fetcher, pdf: Arc<dyn PdfReader>, options: Options) -> Self {
        let pages = Mutex::new(Shelf::new(options.cache_bytes_max, options.cache_count_max));
        let robots = Mutex::new(Shelf::new(usize::MAX, ROBOTS_MAX));
        let (fetching, asking) = (Flights::default(), Flights::default());
        Self(Arc::new(Inner { fetcher, pdf, options, pages, fetching, robots, asking }))
    }

    /// Reads a page, or remembers it.
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

    /// Goes where the address leads, and asks at every step whether one may.
    async fn fetch(self: &Arc<Self>, mut url: Url) -> Result<Fetched, WebError> {
        let Options { bytes_max, timeout, .. } = self.options;
        let limits = Limits { bytes_max, timeout, redirects_max: 0, accept: &ACCEPT };
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

    async fn read(&self, fetched: Fetched) -> Result<Text, WebError> {
        let host = Url::parse(&fetched.final_url).map(|url| host_of(&url)).unwrap_or_default();
        let kind = kind(&fetched);
        let text = match kind {
            Kind::Pdf if fetched.is_cut => {
                return Err(WebError::TooLarge { host, bytes_max: self.options.bytes_max });
            }
            Kind::Pdf => self.pdf.read(fetched.bytes).await,
            _ => {
                let Fetched { bytes, charset, .. } = fetched;
                let work = tokio::task::spawn_blocking(move || read::read(kind, &bytes, charset.as_deref())).await;
                work.unwrap_or_else(|_| Err(Unreadable("reading it failed".to_owned())))
            }
        };
        let mut text = text.map_err(|Unreadable(reason)| WebError::Unreadable { host, reason })?;
        // A page's server says when it last put the page together; a file's, when the file was written.
        if kind != Kind::Html && text.published.is_none() {
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

    /// What a site wants, asked once in a while.
    async fn wishes(self: &Arc<Self>, url: &Url) -> Result<Wishes, FetchError> {
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

    async fn ask(self: Arc<Self>, at: Url) -> Result<Wishes, FetchError> {
        let timeout = self.options.timeout;
        let limits = Limits { bytes_max: robots::BYTES_MAX, timeout, redirects_max: REDIRECTS_MAX, accept: &[] };
        let wishes: Wishes = match self.fetcher.fetch(at.as_str(), limits).await {
            Ok(fetched) => match fetched.status {
                200..300 => Ok(Arc::new(Robots::of(&String::from_utf8_lossy(&fetched.bytes)))),
                status @ 500.. => Err(status),
                // There is none, or it is not for us: nothing is asked of us.
                _ => Ok(Arc::default()),
            },
            Err(FetchError::TooManyRedirects { .. }) => Ok(Arc::default()),
            // Nobody there: the page would not be either, and this says better why.
            Err(error) => return Err(error),
        };
        let fresh_for = if wishes.is_ok() { ROBOTS_FRESH } else { TROUBLE_FRESH };
        lock(&self.robots).put(at.into(), wishes.clone(), 0, fresh_for);
        Ok(wishes)
    }
}

/// What was fetched, by what its server says, and its name where that says more.
fn kind(fetched: &Fetched) -> Kind {
    match fetched.media_type.as_str() {
        "text/html" | "application/xhtml+xml" => Kind::Html,
        "text/markdown" | "text/x-markdown" => Kind::Markdown,
        "application/pdf" | "application/x-pdf" => Kind::Pdf,
        _ => {
            let path = Url::parse(&fetched.final_url).map(|url| url.path().to_owned()).unwrap_or_default();
            let is_markdown = Kind::of_path(Path::new(&path)) == Some(Kind::Markdown);
            if is_markdown { Kind::Markdown } else { Kind::Plain }
        }
    }
}

fn host_of(url: &Url) -> String {
    url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned()
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
