//! Messages that the server sends on its own initiative, while the session stays the same.

use std::{sync::Arc, time::Duration};

use futures::StreamExt;
use reqwest::header::ACCEPT;
use secrecy::ExposeSecret;
use serde_json::Value;
use sse_stream::SseStream;

use super::bridge::{Bridge, SESSION_ID, VERSION};

const AGAIN: Duration = Duration::from_secs(1);

/// Forwards the messages that the server sends on its own initiative, until another session begins.
pub(super) async fn listen(bridge: Arc<Bridge>, begun: u64) {
    loop {
        let session = bridge.session().await;
        if session.begun != begun {
            return;
        }
        let Some(id) = session.id else { return };
        if let Err(error) = pass_on(&bridge, &id, session.version.as_deref()).await {
            tracing::debug!(%error, "the server's message stream is not available at the moment");
            bridge.server_handle().mark_unreachable().await;
        }
        tokio::time::sleep(AGAIN).await;
    }
}

async fn pass_on(bridge: &Bridge, id: &str, version: Option<&str>) -> anyhow::Result<()> {
    let server_handle = bridge.server_handle();
    let mut request = server_handle
        .http()
        .get(format!("{}/mcp", server_handle.url().await.map_err(|error| anyhow::anyhow!("{error}"))?));
    request = request.header(ACCEPT, "text/event-stream").header(SESSION_ID, id);
    if let Some(version) = version {
        request = request.header(VERSION, version);
    }
    let token = server_handle.token().await.map_err(|error| anyhow::anyhow!("{error}"))?;
    let response = request.bearer_auth(token.expose_secret()).send().await?.error_for_status()?;
    let mut events = SseStream::from_bytes_stream(response.bytes_stream());
    while let Some(event) = events.next().await {
        let Some(data) = event?.data.filter(|data| !data.is_empty()) else { continue };
        if let Ok(message) = serde_json::from_str::<Value>(&data) {
            bridge.stdout().tell(&message).await;
        }
    }
    Ok(())
}
