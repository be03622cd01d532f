//! The HTTP transport: a client that follows no redirects and refuses private addresses.

use std::{sync::Arc, time::Duration};

use reqwest::Client;
use rmcp::transport::{StreamableHttpClientTransport, streamable_http_client::StreamableHttpClientTransportConfig};
use tools::net::{SystemResolver, guarded_client};

use crate::settings::HttpEndpoint;

/// The timeout for establishing a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// The transport to the server. The error says why the address is refused.
pub(crate) fn transport(address: &HttpEndpoint) -> Result<StreamableHttpClientTransport<Client>, String> {
    let client = guarded_client(&address.url, address.allow_private, Arc::new(SystemResolver), CONNECT_TIMEOUT)
        .map_err(|error| format!("{error}; if that is intended, set `allow_private`"))?
        // A pooled connection whose last response was not read to its end delays the next request.
        .pool_max_idle_per_host(0)
        .build()
        .map_err(|_| "cannot create an HTTP client for it".to_owned())?;
    let config = StreamableHttpClientTransportConfig::with_uri(address.url.as_str())
        .custom_headers(address.headers.clone())
        // A call is sent once. After an expired session, the whole connection is started anew.
        .reinit_on_expired_session(false);
    Ok(StreamableHttpClientTransport::with_client(client, config))
}
