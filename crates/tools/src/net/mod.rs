//! Fetching from addresses that come from outside: from a model, a page, a stranger's message.
//!
//! Whoever names an address must not reach what only this machine can reach. A name is resolved once, each of its
//! addresses is [checked](address), and the connection goes to exactly those, so that a name which means something else
//! the second time gains nothing. Redirects are followed here and not by the HTTP library, with the whole check again
//! at each of them. Proxies of the environment are not used: behind one, nobody would know where a request ends up.

mod address;
mod allow;
mod answer;
mod guard;
mod resolver;
#[cfg(test)]
mod tests;

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use reqwest::{
    Response, Url,
    header::{ACCEPT, LOCATION},
    redirect,
};

pub use address::refusal;
pub use allow::{Allow, BadAllow};
pub use answer::Fetched;
pub use guard::guarded_client;
pub use resolver::{Resolver, SystemResolver};

/// How far a fetch may go.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Where the body is cut off.
    pub bytes_max: usize,
    /// How many redirects are followed.
    pub redirects_max: usize,
    /// How long everything together may take.
    pub timeout: Duration,
    /// The kinds that are wanted, as in `text/html`; none for all. Of another kind, the body is not read.
    pub accept: &'static [&'static str],
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes_max: 2 * 1024 * 1024, redirects_max: 5, timeout: Duration::from_secs(20), accept: &[] }
    }
}

impl Limits {
    fn takes(&self, media_type: &str) -> bool {
        self.accept.is_empty() || self.accept.contains(&media_type)
    }

    /// What the other side is told of it.
    fn accept_header(&self) -> String {
        if self.accept.is_empty() { "*/*".to_owned() } else { self.accept.join(", ") }
    }
}

/// Where an address leads at first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hop {
    /// It is there.
    Here(Fetched),
    /// It is elsewhere: the address to go on with, which nobody has looked at yet.
    Elsewhere(String),
}

/// Why nothing was fetched.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// It is no address that can be fetched.
    #[error("`{url}` cannot be fetched: {reason}")]
    BadUrl {
        /// The address.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// It leads where strangers may not send us.
    #[error("will not fetch from {host}: {reason}")]
    Refused {
        /// Where it leads.
        host: String,
        /// Why that is refused.
        reason: String,
    },
    /// The name has no address.
    #[error("the name {host} cannot be resolved")]
    Unresolved {
        /// The name.
        host: String,
    },
    /// No connection came about.
    #[error("cannot connect to {host}")]
    Unreachable {
        /// Where to.
        host: String,
    },
    /// The connection broke, or what came is no HTTP.
    #[error("the connection to {host} broke")]
    Broken {
        /// Where to.
        host: String,
    },
    /// One redirect led to the next.
    #[error("gave up on {host} after {redirects_max} redirects")]
    TooManyRedirects {
        /// Where the last one came from.
        host: String,
        /// How many were followed.
        redirects_max: usize,
    },
    /// It is of a kind that is not wanted.
    #[error("{host} gives `{media_type}`, which is not read here")]
    WrongType {
        /// Where from.
        host: String,
        /// The kind.
        media_type: String,
    },
    /// It took too long.
    #[error("{host} did not answer in time")]
    TimedOut {
        /// What was asked first.
        host: String,
    },
}

/// Fetches from addresses that come from outside.
#[derive(Clone)]
pub struct Fetcher {
    resolver: Arc<dyn Resolver>,
    allow: Vec<Allow>,
}

impl Default for Fetcher {
    fn default() -> Self {
        Self { resolver: Arc::new(SystemResolver), allow: Vec::new() }
    }
}

impl Fetcher {
    /// A fetcher that may also reach what the operator allows.
    pub fn new(allow: Vec<Allow>) -> Self {
        Self { allow, ..Self::default() }
    }

    /// The same with names resolved elsewhere.
    #[must_use]
    pub fn with_resolver(mut self, resolver: Arc<dyn Resolver>) -> Self {
        self.resolver = resolver;
        self
    }

    /// Fetches the address and what it redirects to.
    pub async fn fetch(&self, url: &str, limits: Limits) -> Result<Fetched, FetchError> {
        let url = parse(url)?;
        let host = host_of(&url);
        let fetched = tokio::time::timeout(limits.timeout, self.follow(url, limits)).await;
        fetched.unwrap_or(Err(FetchError::TimedOut { host }))
    }

    /// Fetches the address and goes no further: for those who want to look at each redirect themselves.
    pub async fn hop(&self, url: &str, limits: Limits) -> Result<Hop, FetchError> {
        let url = parse(url)?;
        let host = host_of(&url);
        let hop = tokio::time::timeout(limits.timeout, self.hop_to(url, limits)).await;
        hop.unwrap_or(Err(FetchError::TimedOut { host }))
    }

    async fn follow(&self, mut url: Url, limits: Limits) -> Result<Fetched, FetchError> {
        for _ in 0..=limits.redirects_max {
            match self.hop_to(url.clone(), limits).await? {
                Hop::Here(fetched) => return Ok(fetched),
                Hop::Elsewhere(next) => url = parse(&next)?,
            }
        }
        Err(FetchError::TooManyRedirects { host: host_of(&url), redirects_max: limits.redirects_max })
    }

    async fn hop_to(&self, url: Url, limits: Limits) -> Result<Hop, FetchError> {
        let addresses = self.check(&url).await?;
        let response = get(&url, addresses, limits).await?;
        match redirection(&url, &response)? {
            Some(next) => Ok(Hop::Elsewhere(next.into())),
            None => Ok(Hop::Here(answer::read(url, response, limits).await?)),
        }
    }

    /// The addresses that the URL stands for, each of which may be reached.
    async fn check(&self, url: &Url) -> Result<Vec<SocketAddr>, FetchError> {
        let host = host_of(url);
        let port = url.port_or_known_default().unwrap_or(0);
        let refused = |reason: &str| FetchError::Refused { host: host.clone(), reason: reason.to_owned() };
        if !url.username().is_empty() || url.password().is_some() {
            return Err(refused("its address carries a user name or a password"));
        }
        let name = host.trim_end_matches('.');
        let allowed = |ip: IpAddr| self.allow.iter().any(|allow| allow.permits(name, ip, port));
        let addresses = match host.parse::<IpAddr>() {
            Ok(ip) => vec![ip],
            // These names mean this machine whatever a resolver says of them.
            Err(_) if is_local(name) => vec![IpAddr::V4(Ipv4Addr::LOCALHOST)],
            Err(_) => self.resolver.resolve(&host).await.unwrap_or_default(),
        };
        if addresses.is_empty() {
            return Err(FetchError::Unresolved { host });
        }
        for ip in addresses.iter().filter(|ip| !allowed(**ip)) {
            if let Some(kind) = refusal(*ip) {
                return Err(refused(&format!("{ip} is {kind}")));
            }
            if !matches!(port, 80 | 443) {
                return Err(refused(&format!("port {port} is not open to addresses from outside")));
            }
        }
        Ok(addresses.into_iter().map(|ip| SocketAddr::new(ip, port)).collect())
    }
}

fn parse(url: &str) -> Result<Url, FetchError> {
    // What is wrong with it is said without repeating a password.
    let bad = |reason: &str| {
        let shown = url.rsplit_once('@').map_or(url, |(_, after)| after);
        FetchError::BadUrl { url: shown.to_owned(), reason: reason.to_owned() }
    };
    let mut parsed = Url::parse(url.trim()).map_err(|error| bad(&error.to_string()))?;
    if !matches!(parsed.scheme(), "http" | "https") {
        return Err(bad("only http and https are"));
    }
    if parsed.host_str().is_none_or(str::is_empty) {
        return Err(bad("it names no host"));
    }
    parsed.set_fragment(None);
    Ok(parsed)
}

/// The host without the brackets of an IPv6 address.
fn host_of(url: &Url) -> String {
    url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned()
}

fn is_local(name: &str) -> bool {
    name == "localhost" || name.ends_with(".localhost")
}

/// Asks one of the addresses, and no other.
async fn get(url: &Url, addresses: Vec<SocketAddr>, limits: Limits) -> Result<Response, FetchError> {
    let host = host_of(url);
    let pinned = resolver::Pinned(addresses.clone());
    // A client of its own for each hop: what it is pinned to goes for this one only.
    let client = reqwest::Client::builder()
        .redirect(redirect::Policy::none())
        .no_proxy()
        // What is sent is what is read, so that a limit means the same on both sides.
        .no_gzip()
        .no_brotli()
        .no_deflate()
        .no_zstd()
        .dns_resolver(pinned)
        .pool_max_idle_per_host(0)
        .connect_timeout(limits.timeout)
        .user_agent(concat!("dwell/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|_| FetchError::Unreachable { host: host.clone() })?;
    let asked = client.get(url.clone()).header(ACCEPT, limits.accept_header()).send().await;
    let response = asked.map_err(|error| match error.is_connect() {
        true => FetchError::Unreachable { host: host.clone() },
        false => FetchError::Broken { host: host.clone() },
    })?;
    // Said twice on purpose: should a library one day go its own way, nothing is read from there.
    match response.remote_addr() {
        Some(address) if !addresses.contains(&address) => {
            Err(FetchError::Refused { host, reason: "the connection went elsewhere".to_owned() })
        }
        _ => Ok(response),
    }
}

/// Where the answer redirects to, if it does.
fn redirection(url: &Url, response: &Response) -> Result<Option<Url>, FetchError> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
    location.map(|location| next(url, location)).transpose()
}

/// The address that a redirect leads to, which must not be a less safe one.
fn next(url: &Url, location: &str) -> Result<Url, FetchError> {
    let broken = |_| FetchError::BadUrl { url: location.to_owned(), reason: "a redirect makes no sense".to_owned() };
    let next = parse(url.join(location).map_err(broken)?.as_str())?;
    if url.scheme() == "https" && next.scheme() == "http" {
        let reason = "a redirect leads from https to http".to_owned();
        return Err(FetchError::Refused { host: host_of(&next), reason });
    }
    Ok(next)
}
