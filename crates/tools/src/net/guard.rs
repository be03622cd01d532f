//! An HTTP client for an address that the operator has configured, restricted to the public
//! internet.

use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use reqwest::{
    ClientBuilder, Url,
    dns::{Addrs, Name, Resolve, Resolving},
    redirect,
};

use super::{FetchError, Resolver, host_of, is_local, refusal};

/// A client that follows no redirects and uses no proxies. Unless private addresses are allowed, it
/// resolves a name once per connection, checks all its addresses, and connects to exactly those.
pub fn guarded_client(
    url: &Url,
    allow_private: bool,
    resolver: Arc<dyn Resolver>,
    connect_timeout: Duration,
) -> Result<ClientBuilder, FetchError> {
    let builder = reqwest::Client::builder()
        .redirect(redirect::Policy::none())
        .no_proxy()
        .connect_timeout(connect_timeout)
        .user_agent(concat!("dwell/", env!("CARGO_PKG_VERSION")));
    if allow_private {
        return Ok(builder);
    }
    let host = host_of(url);
    // An IP address is never resolved, so the resolver below would not see it.
    let reason = match host.parse::<IpAddr>() {
        Ok(ip) => refusal(ip).map(|kind| format!("{ip} is {kind}")),
        Err(_) => is_local(host.trim_end_matches('.')).then(|| "it is this machine".to_owned()),
    };
    match reason {
        Some(reason) => Err(FetchError::Refused { host, reason }),
        None => Ok(builder.dns_resolver(GuardedResolver(resolver))),
    }
}

/// Resolves names, and fails if one of the addresses is refused.
struct GuardedResolver(Arc<dyn Resolver>);

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let resolver = self.0.clone();
        Box::pin(async move {
            let host = name.as_str().to_owned();
            if is_local(host.trim_end_matches('.')) {
                return Err(FetchError::Refused { host, reason: "it is this machine".to_owned() }.into());
            }
            let addresses = resolver.resolve(&host).await?;
            if addresses.is_empty() {
                return Err(FetchError::Unresolved { host }.into());
            }
            if let Some((ip, kind)) = addresses.iter().find_map(|ip| Some((ip, refusal(*ip)?))) {
                return Err(FetchError::Refused { reason: format!("{ip} is {kind}"), host }.into());
            }
            let addresses: Addrs = Box::new(addresses.into_iter().map(|ip| SocketAddr::new(ip, 0)));
            Ok(addresses)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::{io, net::Ipv4Addr};

    use async_trait::async_trait;

    use super::*;

    /// A resolver that returns these addresses for any name.
    struct FixedResolver(Vec<IpAddr>);

    #[async_trait]
    impl Resolver for FixedResolver {
        async fn resolve(&self, _: &str) -> io::Result<Vec<IpAddr>> {
            Ok(self.0.clone())
        }
    }

    fn client(url: &str, allow_private: bool, means: &[[u8; 4]]) -> Result<reqwest::Client, FetchError> {
        let addresses = means.iter().map(|octets| IpAddr::V4(Ipv4Addr::from(*octets))).collect();
        let url = url.parse().unwrap();
        let builder = guarded_client(&url, allow_private, Arc::new(FixedResolver(addresses)), Duration::from_secs(1))?;
        Ok(builder.build().unwrap())
    }

    #[test]
    fn addresses_in_figures_and_names_of_this_machine_are_refused_before_anything_is_sent() {
        for url in ["http://127.0.0.1:9/mcp", "http://[::1]/mcp", "http://localhost/mcp", "http://10.1.2.3/"] {
            assert!(client(url, false, &[]).is_err(), "{url}");
            assert!(client(url, true, &[]).is_ok(), "{url}");
        }
        assert!(client("https://93.184.216.34/mcp", false, &[]).is_ok());
    }

    #[tokio::test]
    async fn a_name_that_means_a_private_address_is_not_connected_to() {
        for means in [&[[127, 0, 0, 1]][..], &[[93, 184, 216, 34], [192, 168, 1, 1]]] {
            let client = client("http://tools.example/mcp", false, means).unwrap();
            let error = client.get("http://tools.example/mcp").send().await.unwrap_err();
            let mut source = std::error::Error::source(&error);
            let mut told = String::new();
            while let Some(error) = source {
                told = error.to_string();
                source = error.source();
            }
            assert!(error.is_connect() && told.contains("will not fetch from tools.example"), "{told}");
        }
    }
}
