//! One WebSocket to the server.

use std::io;

use futures::{SinkExt, StreamExt};
use protocol::{ClientBody, RequestId, ServerMessage};
use secrecy::ExposeSecret;
use serde_json::json;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
};
use tokio_rustls::TlsConnector;
use tokio_tungstenite::{
    WebSocketStream, client_async,
    tungstenite::{self, Message, client::IntoClientRequest, http::StatusCode},
};

use super::Client;
use crate::command_error::CommandError;

/// A connection, with or without TLS.
trait ByteStream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> ByteStream for S {}

/// One WebSocket to the server.
pub(super) struct Socket {
    stream: WebSocketStream<Box<dyn ByteStream>>,
    last_id: i64,
}

/// The connection is closed.
pub(super) struct ConnectionClosed;

impl Socket {
    pub(super) async fn connect(client: &Client) -> Result<Self, CommandError> {
        let address = format!("{}/ws", client.url.replacen("http", "ws", 1));
        let wrong = |error: tungstenite::Error| match error {
            tungstenite::Error::Http(answer) if answer.status() == StatusCode::UNAUTHORIZED => {
                CommandError::Refused("the server does not accept the token".to_owned())
            }
            tungstenite::Error::Http(answer) => {
                CommandError::Refused(format!("the server answers {}", answer.status()))
            }
            tungstenite::Error::Io(error) => client.unreachable_because(&error),
            _ => client.unreachable(),
        };
        let mut request = address.into_client_request().map_err(wrong)?;
        let bearer = format!("Bearer {}", client.token.expose_secret());
        let header = bearer.parse().map_err(|_| CommandError::Usage("the token is not plain text".to_owned()))?;
        request.headers_mut().insert("authorization", header);
        let bytes = open(client).await.map_err(|error| client.unreachable_because(&error))?;
        let (stream, _) = client_async(request, bytes).await.map_err(wrong)?;
        Ok(Self { stream, last_id: 0 })
    }

    /// Sends a message and returns the id that its answer will carry.
    pub(super) async fn send(&mut self, body: &ClientBody) -> Result<RequestId, ConnectionClosed> {
        self.last_id += 1;
        // Plain data always serialises.
        let mut message = serde_json::to_value(body).unwrap_or_default();
        message["id"] = json!(self.last_id);
        self.stream.send(Message::text(message.to_string())).await.map_err(|_| ConnectionClosed)?;
        Ok(RequestId::Number(self.last_id))
    }

    /// The next message of the server. Unknown messages are skipped.
    pub(super) async fn next(&mut self) -> Result<ServerMessage, ConnectionClosed> {
        loop {
            match self.stream.next().await {
                Some(Ok(Message::Text(text))) => {
                    if let Ok(message) = serde_json::from_str(&text) {
                        return Ok(message);
                    }
                }
                Some(Ok(Message::Close(_)) | Err(_)) | None => return Err(ConnectionClosed),
                Some(Ok(_)) => {}
            }
        }
    }
}

/// Connects to the server, by TLS if its address says so.
async fn open(client: &Client) -> io::Result<Box<dyn ByteStream>> {
    let url = reqwest::Url::parse(&client.url).map_err(io::Error::other)?;
    let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else {
        return Err(io::Error::other("the address has no host"));
    };
    // Addresses of IPv6 have brackets in a URL, and nowhere else.
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let stream = TcpStream::connect((host, port)).await?;
    // Messages are small, and each is waited for.
    stream.set_nodelay(true)?;
    let Some(tls) = client.tls.clone().filter(|_| url.scheme() == "https") else {
        return Ok(Box::new(stream));
    };
    let name = host.to_owned().try_into().map_err(io::Error::other)?;
    Ok(Box::new(TlsConnector::from(tls).connect(name, stream).await?))
}
