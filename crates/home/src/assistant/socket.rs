//! One connection to Home Assistant that was let in.

use std::{sync::Arc, time::Duration};

use futures::{SinkExt, StreamExt};
use rustls::ClientConfig;
use rustls_platform_verifier::BuilderVerifierExt;
use secrecy::{ExposeSecret, SecretString};
use serde_json::json;
use tokio::{net::TcpStream, time::timeout};
use tokio_tungstenite::{
    Connector, MaybeTlsStream, WebSocketStream, connect_async_tls_with_config,
    tungstenite::{self, Message, Utf8Bytes, http::StatusCode, protocol::WebSocketConfig},
};

use super::{settings::Address, wire::Greeting};

/// A connection that was let in.
pub(super) struct Socket {
    stream: WebSocketStream<MaybeTlsStream<TcpStream>>,
}

/// Why there is no connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NotOpen {
    /// The token is not accepted.
    Refused,
    /// Something else, in words.
    Broken(String),
}

impl Socket {
    /// Connects and is let in; gives the version it met.
    pub(super) async fn open(
        address: &Address,
        token: &SecretString,
        message_limit: usize,
    ) -> Result<(Self, Option<String>), NotOpen> {
        let is_safe = address.uri.scheme_str() == Some("wss");
        let connector =
            if is_safe { Connector::Rustls(trusting().map_err(NotOpen::Broken)?) } else { Connector::Plain };
        let limits =
            WebSocketConfig::default().max_message_size(Some(message_limit)).max_frame_size(Some(message_limit));
        let connecting = connect_async_tls_with_config(address.uri.clone(), Some(limits), true, Some(connector));
        let (stream, _) = connecting.await.map_err(|error| NotOpen::Broken(in_words(&error)))?;
        let mut socket = Self { stream };
        loop {
            let text = socket.next().await.map_err(NotOpen::Broken)?;
            match serde_json::from_str(&text) {
                Ok(Greeting::Asks) => {
                    let auth = json!({"type": "auth", "access_token": token.expose_secret()});
                    socket.send(auth.to_string()).await.map_err(NotOpen::Broken)?;
                }
                Ok(Greeting::LetsIn { ha_version }) => return Ok((socket, ha_version)),
                Ok(Greeting::Refuses) => return Err(NotOpen::Refused),
                // Not repeated: nobody knows what it is that speaks there.
                Err(_) => return Err(NotOpen::Broken("what answers there is no Home Assistant".to_owned())),
            }
        }
    }

    /// Sends a text, or says why not.
    pub(super) async fn send(&mut self, text: String) -> Result<(), String> {
        // A peer that takes nothing for so long is as good as gone.
        match timeout(Duration::from_secs(10), self.stream.send(Message::text(text))).await {
            Ok(sent) => sent.map_err(|error| in_words(&error)),
            Err(_) => Err("it takes no more messages".to_owned()),
        }
    }

    /// The next text, or why there is none. May be dropped while it waits.
    pub(super) async fn next(&mut self) -> Result<Utf8Bytes, String> {
        loop {
            match self.stream.next().await {
                Some(Ok(Message::Text(text))) => return Ok(text),
                Some(Ok(Message::Close(_))) | None => return Err("it has closed the connection".to_owned()),
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(in_words(&error)),
            }
        }
    }

    /// Says goodbye.
    pub(super) async fn close(mut self) {
        let _ = timeout(Duration::from_secs(1), self.stream.close(None)).await;
    }
}

/// Trusts whom the machine trusts.
fn trusting() -> Result<Arc<ClientConfig>, String> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let unusable = |error: rustls::Error| format!("no safe connection can be made here: {error}");
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.and_then(BuilderVerifierExt::with_platform_verifier).map_err(unusable)?;
    Ok(Arc::new(config.with_no_client_auth()))
}

fn in_words(error: &tungstenite::Error) -> String {
    use tungstenite::Error;
    match error {
        Error::Http(answer) => match answer.status() {
            StatusCode::FORBIDDEN => {
                "it turns this machine away, perhaps after tokens that were wrong; see its `ip_bans.yaml`".to_owned()
            }
            StatusCode::NOT_FOUND => {
                "there is no WebSocket of Home Assistant at this address; is the address right, and has it started?"
                    .to_owned()
            }
            StatusCode::BAD_GATEWAY | StatusCode::SERVICE_UNAVAILABLE | StatusCode::GATEWAY_TIMEOUT => {
                format!("what stands before it answers {}", answer.status())
            }
            status => format!("it answers {status} where its WebSocket should be"),
        },
        Error::Capacity(_) => "a message was larger than is taken".to_owned(),
        Error::ConnectionClosed | Error::AlreadyClosed => "the connection is closed".to_owned(),
        Error::Io(error) if error.get_ref().is_some_and(|inner| inner.is::<rustls::Error>()) => format!(
            "its certificate is not one that this machine trusts ({error}); have the machine trust it, or use the \
             address that the certificate is for"
        ),
        other => other.to_string(),
    }
}
