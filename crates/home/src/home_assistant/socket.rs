//! An authenticated connection to Home Assistant, or to the node that has one.

use std::{sync::Arc, time::Duration};

use futures::{SinkExt, StreamExt};
use rustls::ClientConfig;
use rustls_platform_verifier::BuilderVerifierExt;
use secrecy::{ExposeSecret, SecretString};
use serde_json::json;
use tokio::{net::TcpStream, time::timeout};
use tokio_tungstenite::{
    Connector, MaybeTlsStream, WebSocketStream, connect_async_tls_with_config, connect_async_with_config,
    tungstenite::{
        self, Message, Utf8Bytes,
        client::IntoClientRequest,
        http::{HeaderValue, StatusCode},
        protocol::WebSocketConfig,
    },
};

use super::{route::RelayAddress, settings::WebSocketAddress, wire::AuthMessage};

/// An authenticated connection.
pub(super) struct HassSocket {
    stream: WebSocketStream<MaybeTlsStream<TcpStream>>,
}

/// Why the connection failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ConnectError {
    /// The token is not accepted.
    Refused,
    /// Another reason, as text.
    Broken(String),
}

impl HassSocket {
    /// Connects and authenticates; returns the version of Home Assistant.
    pub(super) async fn open(
        address: &WebSocketAddress,
        token: &SecretString,
        message_limit: usize,
    ) -> Result<(Self, Option<String>), ConnectError> {
        let is_safe = address.uri.scheme_str() == Some("wss");
        let connector =
            if is_safe { Connector::Rustls(trusting().map_err(ConnectError::Broken)?) } else { Connector::Plain };
        let connecting =
            connect_async_tls_with_config(address.uri.clone(), Some(limits(message_limit)), true, Some(connector));
        let (stream, _) = connecting.await.map_err(|error| ConnectError::Broken(in_words(&error)))?;
        let mut socket = Self { stream };
        loop {
            let text = socket.next().await.map_err(ConnectError::Broken)?;
            match serde_json::from_str(&text) {
                Ok(AuthMessage::Required) => {
                    let auth = json!({"type": "auth", "access_token": token.expose_secret()});
                    socket.send(auth.to_string()).await.map_err(ConnectError::Broken)?;
                }
                Ok(AuthMessage::Ok { ha_version }) => return Ok((socket, ha_version)),
                Ok(AuthMessage::Invalid) => return Err(ConnectError::Refused),
                // The response is not repeated: the server is unknown.
                Err(_) => {
                    return Err(ConnectError::Broken("the server at this address is not Home Assistant".to_owned()));
                }
            }
        }
    }

    /// Connects to the node that has the connection, which knows this one by its key.
    pub(super) async fn open_relay(
        relay: &RelayAddress,
        message_limit: usize,
    ) -> Result<(Self, Option<String>), ConnectError> {
        let RelayAddress { node, url, header, key } = relay;
        let failed = |why: &str| ConnectError::Broken(format!("the node {node} has the connection, and {why}"));
        let mut request = url.as_str().into_client_request().map_err(|error| failed(&in_words(&error)))?;
        let mut key = HeaderValue::from_str(key.expose_secret()).map_err(|_| failed("its key is not valid"))?;
        key.set_sensitive(true);
        request.headers_mut().insert(*header, key);
        let connecting = connect_async_with_config(request, Some(limits(message_limit)), true);
        let (stream, _) = connecting.await.map_err(|error| match &error {
            tungstenite::Error::Http(answer) if answer.status() == StatusCode::SERVICE_UNAVAILABLE => {
                failed("has none at the moment")
            }
            error => failed(&in_words(error)),
        })?;
        let mut socket = Self { stream };
        let text = socket.next().await.map_err(|why| failed(&why))?;
        match serde_json::from_str(&text) {
            Ok(AuthMessage::Ok { ha_version }) => Ok((socket, ha_version)),
            _ => Err(failed("does not pass it on")),
        }
    }

    /// Sends a text. The error says why that failed.
    pub(super) async fn send(&mut self, text: String) -> Result<(), String> {
        // A peer that accepts nothing for so long is gone.
        match timeout(Duration::from_secs(10), self.stream.send(Message::text(text))).await {
            Ok(sent) => sent.map_err(|error| in_words(&error)),
            Err(_) => Err("it accepts no more messages".to_owned()),
        }
    }

    /// The next text, or why there is none. Cancel-safe.
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

    /// Closes the connection.
    pub(super) async fn close(mut self) {
        let _ = timeout(Duration::from_secs(1), self.stream.close(None)).await;
    }
}

fn limits(message_limit: usize) -> WebSocketConfig {
    WebSocketConfig::default().max_message_size(Some(message_limit)).max_frame_size(Some(message_limit))
}

/// Trusts the root certificates of the operating system.
fn trusting() -> Result<Arc<ClientConfig>, String> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let unusable = |error: rustls::Error| format!("TLS cannot be set up: {error}");
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.and_then(BuilderVerifierExt::with_platform_verifier).map_err(unusable)?;
    Ok(Arc::new(config.with_no_client_auth()))
}

fn in_words(error: &tungstenite::Error) -> String {
    use tungstenite::Error;
    match error {
        Error::Http(answer) => match answer.status() {
            StatusCode::FORBIDDEN => {
                "it rejects this machine, perhaps because of wrong tokens; see its `ip_bans.yaml`".to_owned()
            }
            StatusCode::NOT_FOUND => {
                "there is no WebSocket of Home Assistant at this address; is the address right, and has it started?"
                    .to_owned()
            }
            StatusCode::BAD_GATEWAY | StatusCode::SERVICE_UNAVAILABLE | StatusCode::GATEWAY_TIMEOUT => {
                format!("a proxy in front of it answers {}", answer.status())
            }
            status => format!("it answers {status} instead of opening a WebSocket"),
        },
        Error::Capacity(_) => "a message was too large".to_owned(),
        Error::ConnectionClosed | Error::AlreadyClosed => "the connection is closed".to_owned(),
        Error::Io(error) if error.get_ref().is_some_and(|inner| inner.is::<rustls::Error>()) => format!(
            "its certificate is not trusted by this machine ({error}); make the machine trust it, or use the \
             address that the certificate is for"
        ),
        other => other.to_string(),
    }
}
