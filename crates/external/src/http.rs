//! A server at an address: our own client, which follows no redirects and goes nowhere it should not.

use std::{sync::Arc, time::Duration};

use reqwest::Client;
use rmcp::transport::{StreamableHttpClientTransport, streamable_http_client::StreamableHttpClientTransportConfig};
use tools::net::{SystemResolver, guarded_client};

use crate::settings::Address;

/// How long a connection may take to come about.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// The way to the server. The error says why it is not gone.
pub(crate) fn transport(address: &Address) -> Result<StreamableHttpClientTransport<Client>, String> {
    let client = guarded_client(&address.url, address.allow_private, Arc::new(SystemResolver), CONNECT_TIMEOUT)
        .map_err(|error| format!("{error}; if that is meant, set `allow_private`"))?
        // A kept connection whose last answer was not read to its end makes the next request wait.
        .pool_max_idle_per_host(0)
        .build()
        .map_err(|_| "no HTTP client can be made for it".to_owned())?;
    let config = StreamableHttpClientTransportConfig::with_uri(address.url.as_str())
        .custom_headers(address.headers.clone())
        // A call is sent once; what the server has forgotten is begun anew as a whole.
        .reinit_on_expired_session(false);
    Ok(StreamableHttpClientTransport::with_client(client, config))
}
