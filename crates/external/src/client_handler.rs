//! Handles the notifications of a server: list changes, progress and log messages. Requests of the
//! server are refused.

// The refused requests are deprecated in the protocol.
#![allow(deprecated)]

use std::sync::Arc;

use rmcp::{
    ClientHandler, ErrorData, RoleClient,
    model::{
        ClientCapabilities, ClientConfig, CreateMessageRequestParams, CreateMessageResult, ElicitRequestParams,
        ElicitResult, ErrorCode, Implementation, ListRootsResult, LoggingMessageNotificationParam,
        ProgressNotificationParam, ProtocolVersion,
    },
    service::{NotificationContext, RequestContext},
};
use tokio::sync::Notify;

use crate::link::ServerLink;

/// Receives the messages of a server.
#[derive(Clone)]
pub(crate) struct McpClientHandler {
    pub(crate) link: Arc<ServerLink>,
    /// Notified when the server's tool list has changed.
    pub(crate) changed: Arc<Notify>,
}

fn not_offered<T>() -> Result<T, ErrorData> {
    Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "this client offers nothing to servers", None))
}

impl ClientHandler for McpClientHandler {
    fn get_info(&self) -> ClientConfig {
        let own = Implementation::new("dwell", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), own).with_protocol_version(ProtocolVersion::V_2025_11_25)
    }

    async fn create_message(
        &self,
        _: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        not_offered()
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        not_offered()
    }

    async fn create_elicitation(
        &self,
        _: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        not_offered()
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed.notify_one();
    }

    async fn on_progress(&self, told: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        let text = match (&told.message, told.total) {
            (Some(message), _) => message.clone(),
            (None, Some(total)) => format!("{} of {total}", told.progress),
            (None, None) => told.progress.to_string(),
        };
        self.link.progressed(&told.progress_token, &text);
    }

    async fn on_logging_message(&self, told: LoggingMessageNotificationParam, _: NotificationContext<RoleClient>) {
        let text = told.data.as_str().map_or_else(|| told.data.to_string(), str::to_owned);
        tracing::debug!(server = self.link.server(), "an external server logs: {}", self.link.remark(&text));
    }
}
