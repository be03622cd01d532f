//! The ordered queue of messages to a client.

use axum::{
    body::Bytes,
    extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket},
};
use futures::{SinkExt, stream::SplitSink};
use protocol::ServerMessage;
use tokio::sync::mpsc;

/// Most messages that wait for the client to read; beyond that, senders wait.
const MESSAGES_MAX: usize = 256;

/// The sending side of a connection. Cheap to clone.
#[derive(Clone)]
pub(super) struct Outbox(mpsc::Sender<Message>);

/// The client is gone.
pub(super) struct ConnectionClosed;

impl Outbox {
    /// Starts the task that writes. It ends with the last sender, or when the client reads nothing
    /// for too long.
    pub(super) fn open(mut sink: SplitSink<WebSocket, Message>) -> Self {
        let (sender, mut receiver) = mpsc::channel(MESSAGES_MAX);
        tokio::spawn(async move {
            while let Some(message) = receiver.recv().await {
                let is_last = matches!(message, Message::Close(_));
                if let Err(error) = sink.send(message).await {
                    tracing::debug!(%error, "a client is gone, or was disconnected for reading too slowly");
                    return;
                }
                if is_last {
                    return;
                }
            }
        });
        Self(sender)
    }

    pub(super) async fn send(&self, message: &ServerMessage) -> Result<(), ConnectionClosed> {
        // Plain data always serialises.
        let text = serde_json::to_string(message).unwrap_or_default();
        self.0.send(Message::Text(Utf8Bytes::from(text))).await.map_err(|_| ConnectionClosed)
    }

    /// Pings the client. If other messages wait to be sent, those do as well.
    pub(super) fn ping(&self) {
        let _ = self.0.try_send(Message::Ping(Bytes::new()));
    }

    /// Closes the connection without waiting for the client.
    pub(super) fn give_up(&self, code: u16, reason: &'static str) {
        let _ = self.0.try_send(Message::Close(Some(CloseFrame { code, reason: Utf8Bytes::from_static(reason) })));
    }

    /// Waits until the connection can no longer send.
    pub(super) async fn closed(&self) {
        self.0.closed().await;
    }

    /// Closes the connection with a reason.
    pub(super) async fn close(&self, code: u16, reason: &'static str) {
        // If the client is gone, it is closed already.
        let _ = self.0.send(Message::Close(Some(CloseFrame { code, reason: Utf8Bytes::from_static(reason) }))).await;
    }
}
