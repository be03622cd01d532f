//! The listener: its socket, its certificate, and the address by which other programs reach it.

use std::net::Ipv4Addr;

use anyhow::Context;
use server::{AllowedOrigins, AllowedPeers, TlsCertificate};
use tokio::net::TcpListener;

use crate::config::Config;

/// A socket that listens, and what clients have to know of it.
pub(super) struct OpenListener {
    pub(super) listener: TcpListener,
    /// The address for programs on this machine.
    pub(super) url: String,
    /// The names under which it may be addressed.
    pub(super) hosts: Vec<String>,
    /// The certificate, if it speaks TLS.
    pub(super) tls: Option<TlsCertificate>,
    /// The pages of other origins that may use it.
    pub(super) origins: AllowedOrigins,
    /// The proxies that are believed.
    pub(super) trusted_proxies: AllowedPeers,
}

impl OpenListener {
    pub(super) async fn open(config: &Config, listen: &str) -> anyhow::Result<Self> {
        let tls = config.certificate().context("`tls` is wrong")?;
        let (texts, with_cookies) = (&config.server.allowed_origins, config.server.allowed_origins_cookies);
        let origins = AllowedOrigins::new(texts, with_cookies).context("`server.allowed_origins` is wrong")?;
        let trusted = &config.server.trusted_proxies;
        let trusted_proxies = AllowedPeers::new(trusted).context("`server.trusted_proxies` is wrong")?;
        let listener = TcpListener::bind(listen).await.with_context(|| format!("failed to listen on {listen}"))?;
        let mut at = listener.local_addr().context("failed to listen")?;
        let mut hosts = config.server.hosts.clone();
        if at.ip().is_unspecified() {
            // It listens on all addresses; programs on this machine use loopback.
            at.set_ip(Ipv4Addr::LOCALHOST.into());
        } else if !at.ip().is_loopback() {
            hosts.push(at.to_string());
        }
        let scheme = if tls.is_some() { "https" } else { "http" };
        Ok(Self { listener, url: format!("{scheme}://{at}"), hosts, tls, origins, trusted_proxies })
    }
}
