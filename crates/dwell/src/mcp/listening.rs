//! What the server says by itself, for as long as the session is the one it was begun for.

use std::{sync::Arc, time::Duration};

use futures::StreamExt;
use reqwest::header::ACCEPT;
use secrecy::ExposeSecret;
use serde_json::Value;
use sse_stream::SseStream;

use super::bridge::{Bridge, SESSION_ID, VERSION};

const AGAIN: Duration = Duration::from_secs(1);

/// Passes on what the server says by itself, until the session is another one.
pub(super) async fn listen(bridge: Arc<Bridge>, begun: u64) {
    loop {
        let session = bridge.session().await;
        if session.begun != begun {
            return;
        }
        let Some(id) = session.id else { return };
        if let Err(error) = pass_on(&bridge, &id, session.version.as_deref()).await {
            tracing::debug!(%error, "nothing is heard of the server at the moment");
            bridge.house().doubt().await;
        }
        tokio::time::sleep(AGAIN).await;
    }
}

async fn pass_on(bridge: &Bridge, id: &str, version: Option<&str>) -> anyhow::Result<()> {
    let house = bridge.house();
    let mut request =
        house.http().get(format!("{}/mcp", house.url().await.map_err(|error| anyhow::anyhow!("{error}"))?));
    request = request.header(ACCEPT, "text/event-stream").header(SESSION_ID, id);
    if let Some(version) = version {
        request = request.header(VERSION, version);
    }
    let token = house.token().map_err(|error| anyhow::anyhow!("{error}"))?;
    let response = request.bearer_auth(token.expose_secret()).send().await?.error_for_status()?;
    let mut events = SseStream::from_bytes_stream(response.bytes_stream());
    while let Some(event) = events.next().await {
        let Some(data) = event?.data.filter(|data| !data.is_empty()) else { continue };
        if let Ok(message) = serde_json::from_str::<Value>(&data) {
            bridge.outlet().tell(&message).await;
        }
    }
    Ok(())
}
