//! Fetches URLs from untrusted sources: a model, a web page, a message.
//!
//! Such a URL must not reach what only this machine can reach. A name is resolved once, each of its
//! addresses is [checked](address), and the connection goes to exactly those, which prevents DNS
//! rebinding. Redirects are followed here and not by the HTTP library, with all checks again at
//! each hop. Proxies from the environment are not used: behind one, the destination could not be
//! checked.

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
pub use allow::{AllowRule, AllowRuleError};
pub use answer::FetchResponse;
pub use guard::guarded_client;
pub use resolver::{Resolver, SystemResolver};

/// Limits of a fetch.
#[derive(Debug, Clone, Copy)]
pub struct FetchLimits {
    /// The body is truncated at this size.
    pub bytes_max: usize,
    /// The number of redirects to follow.
    pub redirects_max: usize,
    /// The timeout of the whole fetch.
    pub timeout: Duration,
    /// The accepted media types, such as `text/html`; empty for all. The body of another type is
    /// not read.
    pub accept: &'static [&'static str],
}

impl Default for FetchLimits {
    fn default() -> Self {
        Self { bytes_max: 2 * 1024 * 1024, redirects_max: 5, timeout: Duration::from_secs(20), accept: &[] }
    }
}

impl FetchLimits {
    fn takes(&self, media_type: &str) -> bool {
        self.accept.is_empty() || self.accept.contains(&media_type)
    }

    /// The `Accept` header.
    fn accept_header(&self) -> String {
        if self.accept.is_empty() { "*/*".to_owned() } else { self.accept.join(", ") }
    }
}

/// The result of a single request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hop {
    /// The response.
    Here(FetchResponse),
    /// A redirect to this URL, which is not checked yet.
    Elsewhere(String),
}

/// Why a fetch failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// The URL is invalid or has an unsupported scheme.
    #[error("`{url}` cannot be fetched: {reason}")]
    BadUrl {
        /// The URL.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The URL leads to an address that untrusted sources must not reach.
    #[error("will not fetch from {host}: {reason}")]
    Refused {
        /// The host of the URL.
        host: String,
        /// Why that is refused.
        reason: String,
    },
    /// The name cannot be resolved.
    #[error("the name {host} cannot be resolved")]
    Unresolved {
        /// The name.
        host: String,
    },
    /// The connection could not be established.
    #[error("cannot connect to {host}")]
    Unreachable {
        /// The host.
        host: String,
    },
    /// The connection broke, or the response is not HTTP.
    #[error("the connection to {host} broke")]
    Broken {
        /// The host.
        host: String,
    },
    /// There were too many redirects.
    #[error("gave up on {host} after {redirects_max} redirects")]
    TooManyRedirects {
        /// The host of the last redirect.
        host: String,
        /// How many were followed.
        redirects_max: usize,
    },
    /// The media type is not accepted.
    #[error("{host} returned `{media_type}`, which is not supported")]
    WrongType {
        /// The host.
        host: String,
        /// The media type.
        media_type: String,
    },
    /// The timeout expired.
    #[error("{host} did not answer in time")]
    TimedOut {
        /// The host of the first URL.
        host: String,
    },
}

/// Fetches URLs from untrusted sources.
#[derive(Clone)]
pub struct Fetcher {
    resolver: Arc<dyn Resolver>,
    allow: Vec<AllowRule>,
}

impl Default for Fetcher {
    fn default() -> Self {
        Self { resolver: Arc::new(SystemResolver), allow: Vec::new() }
    }
}

impl Fetcher {
    /// A fetcher that may also reach what the operator allows.
    pub fn new(allow: Vec<AllowRule>) -> Self {
        Self { allow, ..Self::default() }
    }

    /// Uses another resolver.
    #[must_use]
    pub fn with_resolver(mut self, resolver: Arc<dyn Resolver>) -> Self {
        self.resolver = resolver;
        self
    }

    /// Fetches the URL and follows its redirects.
    pub async fn fetch(&self, url: &str, limits: FetchLimits) -> Result<FetchResponse, FetchError> {
        let url = parse(url)?;
        let host = host_of(&url);
        let fetched = tokio::time::timeout(limits.timeout, self.follow(url, limits)).await;
        fetched.unwrap_or(Err(FetchError::TimedOut { host }))
    }

    /// Fetches the URL without following redirects, for callers that check each hop themselves.
    pub async fn hop(&self, url: &str, limits: FetchLimits) -> Result<Hop, FetchError> {
        let url = parse(url)?;
        let host = host_of(&url);
        let hop = tokio::time::timeout(limits.timeout, self.hop_to(url, limits)).await;
        hop.unwrap_or(Err(FetchError::TimedOut { host }))
    }

    async fn follow(&self, mut url: Url, limits: FetchLimits) -> Result<FetchResponse, FetchError> {
        for _ in 0..=limits.redirects_max {
            match self.hop_to(url.clone(), limits).await? {
                Hop::Here(fetched) => return Ok(fetched),
                Hop::Elsewhere(next) => url = parse(&next)?,
            }
        }
        Err(FetchError::TooManyRedirects { host: host_of(&url), redirects_max: limits.redirects_max })
    }

    async fn hop_to(&self, url: Url, limits: FetchLimits) -> Result<Hop, FetchError> {
        let addresses = self.check(&url).await?;
        let response = get(&url, addresses, limits).await?;
        match redirection(&url, &response)? {
            Some(next) => Ok(Hop::Elsewhere(next.into())),
            None => Ok(Hop::Here(answer::read(url, response, limits).await?)),
        }
    }

    /// The addresses that the URL resolves to, each of which may be reached.
    async fn check(&self, url: &Url) -> Result<Vec<SocketAddr>, FetchError> {
        let host = host_of(url);
        let port = url.port_or_known_default().unwrap_or(0);
        let refused = |reason: &str| FetchError::Refused { host: host.clone(), reason: reason.to_owned() };
        if !url.username().is_empty() || url.password().is_some() {
            return Err(refused("its address contains a user name or a password"));
        }
        let name = host.trim_end_matches('.');
        let allowed = |ip: IpAddr| self.allow.iter().any(|allow| allow.permits(name, ip, port));
        let addresses = match host.parse::<IpAddr>() {
            Ok(ip) => vec![ip],
            // These names mean this machine, whatever a resolver says.
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
                return Err(refused(&format!("port {port} is not allowed")));
            }
        }
        Ok(addresses.into_iter().map(|ip| SocketAddr::new(ip, port)).collect())
    }
}

fn parse(url: &str) -> Result<Url, FetchError> {
    // The error must not repeat a password in the URL.
    let bad = |reason: &str| {
        let shown = url.rsplit_once('@').map_or(url, |(_, after)| after);
        FetchError::BadUrl { url: shown.to_owned(), reason: reason.to_owned() }
    };
    let mut parsed = Url::parse(url.trim()).map_err(|error| bad(&error.to_string()))?;
    if !matches!(parsed.scheme(), "http" | "https") {
        return Err(bad("only http and https are supported"));
    }
    if parsed.host_str().is_none_or(str::is_empty) {
        return Err(bad("it has no host"));
    }
    parsed.set_fragment(None);
    Ok(parsed)
}

/// The host, without the brackets of an IPv6 address.
fn host_of(url: &Url) -> String {
    url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned()
}

fn is_local(name: &str) -> bool {
    name == "localhost" || name.ends_with(".localhost")
}

/// Sends the request to one of these addresses and no other.
async fn get(url: &Url, addresses: Vec<SocketAddr>, limits: FetchLimits) -> Result<Response, FetchError> {
    let host = host_of(url);
    let pinned = resolver::PinnedResolver(addresses.clone());
    // A client for each hop, since it is pinned to the addresses of this hop.
    let client = reqwest::Client::builder()
        .redirect(redirect::Policy::none())
        .no_proxy()
        // Without compression, the size limit holds for both the transfer and the content.
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
    // A second check, in case the HTTP library connects elsewhere.
    match response.remote_addr() {
        Some(address) if !addresses.contains(&address) => {
            Err(FetchError::Refused { host, reason: "the connection went to another address".to_owned() })
        }
        _ => Ok(response),
    }
}

/// The redirect target of a response, if it is a redirect.
fn redirection(url: &Url, response: &Response) -> Result<Option<Url>, FetchError> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
    location.map(|location| next(url, location)).transpose()
}

/// The redirect target, which must not downgrade from HTTPS to HTTP.
fn next(url: &Url, location: &str) -> Result<Url, FetchError> {
    let broken =
        |_| FetchError::BadUrl { url: location.to_owned(), reason: "a redirect has an invalid address".to_owned() };
    let next = parse(url.join(location).map_err(broken)?.as_str())?;
    if url.scheme() == "https" && next.scheme() == "http" {
        let reason = "a redirect leads from https to http".to_owned();
        return Err(FetchError::Refused { host: host_of(&next), reason });
    }
    Ok(next)
}
