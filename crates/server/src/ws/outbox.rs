//! What goes out on a connection, in order.

use axum::{
    body::Bytes,
    extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket},
};
use futures::{SinkExt, stream::SplitSink};
use protocol::ServerMessage;
use tokio::sync::mpsc;

/// Messages that may wait for the client to read; beyond it, whoever has something to say waits too.
const MESSAGES_MAX: usize = 256;

/// The way out of a connection. Cheap to clone.
#[derive(Clone)]
pub(super) struct Outbox(mpsc::Sender<Message>);

/// The client is gone.
pub(super) struct Gone;

impl Outbox {
    /// Starts the task that writes; it ends with the last sender, or when the client takes nothing for too long.
    pub(super) fn open(mut sink: SplitSink<WebSocket, Message>) -> Self {
        let (sender, mut receiver) = mpsc::channel(MESSAGES_MAX);
        tokio::spawn(async move {
            while let Some(message) = receiver.recv().await {
                let is_last = matches!(message, Message::Close(_));
                if let Err(error) = sink.send(message).await {
                    tracing::debug!(%error, "a client is gone, or was cut off for reading too slowly");
                    return;
                }
                if is_last {
                    return;
                }
            }
        });
        Self(sender)
    }

    pub(super) async fn send(&self, message: &ServerMessage) -> Result<(), Gone> {
        // Plain data: it always serialises.
        let text = serde_json::to_string(message).unwrap_or_default();
        self.0.send(Message::Text(Utf8Bytes::from(text))).await.map_err(|_| Gone)
    }

    /// Asks the client for a sign of life. Where other messages wait to be read, those will do.
    pub(super) fn ping(&self) {
        let _ = self.0.try_send(Message::Ping(Bytes::new()));
    }

    /// Ends the connection of a client that may not be there, without waiting for it.
    pub(super) fn give_up(&self, code: u16, reason: &'static str) {
        let _ = self.0.try_send(Message::Close(Some(CloseFrame { code, reason: Utf8Bytes::from_static(reason) })));
    }

    /// Waits until nothing can go out any more.
    pub(super) async fn closed(&self) {
        self.0.closed().await;
    }

    /// Ends the connection with a reason.
    pub(super) async fn close(&self, code: u16, reason: &'static str) {
        // If the client is gone, it is closed already.
        let _ = self.0.send(Message::Close(Some(CloseFrame { code, reason: Utf8Bytes::from_static(reason) }))).await;
    }
}
