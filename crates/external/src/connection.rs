//! A connection to a server, from the handshake to its end.

use std::{sync::Arc, time::Duration};

use rmcp::{
    Peer, RoleClient, ServiceError,
    model::{ProtocolVersion, ServerNotification, SubscriptionFilter},
    service::{
        ClientInitializeError, ClientLifecycleMode, ClientServiceExt, RunningService, RunningServiceCancellationToken,
        Subscription,
    },
    transport::{DynamicTransportError, streamable_http_client::StreamableHttpError},
};
use tokio::task::JoinHandle;

use crate::{
    client_handler::McpClientHandler,
    http,
    link::ServerLink,
    process::{self, Process},
    settings::{ExternalServer, Transport},
};

/// How long the other side gets to close the connection.
const CLOSE_MAX: Duration = Duration::from_secs(2);

/// An open connection.
pub(crate) struct McpConnection {
    peer: Peer<RoleClient>,
    cancel: Option<RunningServiceCancellationToken>,
    ended: JoinHandle<()>,
    process: Option<Process>,
}

/// The form of the handshake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Handshake {
    /// Asks for the server's versions first. A server that does not know this request gets the
    /// older handshake.
    Newest,
    /// The older handshake.
    Old,
}

impl Handshake {
    fn mode(self) -> ClientLifecycleMode {
        match self {
            Self::Newest => ClientLifecycleMode::Auto {
                preferred_versions: vec![ProtocolVersion::V_2026_07_28],
                legacy_version: Some(ProtocolVersion::V_2025_11_25),
            },
            Self::Old => ClientLifecycleMode::Initialize,
        }
    }
}

impl McpConnection {
    /// Starts the process or connects to the URL. The error says why the server cannot be used.
    pub(crate) async fn open(server: &ExternalServer, handler: &McpClientHandler) -> Result<Self, String> {
        let link = &handler.link;
        match Self::greet(server, handler, Handshake::Newest).await? {
            Ok(connection) => Ok(connection),
            Err(error) if is_old(&error) => {
                Self::greet(server, handler, Handshake::Old).await?.map_err(|error| refused(link, &error))
            }
            Err(error) => Err(refused(link, &error)),
        }
    }

    /// Tries one form of the handshake on a new connection.
    async fn greet(
        server: &ExternalServer,
        handler: &McpClientHandler,
        handshake: Handshake,
    ) -> Result<Result<Self, ClientInitializeError>, String> {
        let handler = handler.clone();
        Ok(match &server.reach {
            Transport::Process(program) => {
                let (process, stdout, stdin) = process::start(program, handler.link.clone())
                    .map_err(|error| format!("`{}` cannot be started: {error}", program.command))?;
                let served = handler.serve_with_lifecycle((stdout, stdin), handshake.mode()).await;
                served.map(|service| Self::of(service, Some(process)))
            }
            Transport::Http(address) => {
                let served = handler.serve_with_lifecycle(http::transport(address)?, handshake.mode()).await;
                served.map(|service| Self::of(service, None))
            }
        })
    }

    fn of(service: RunningService<RoleClient, McpClientHandler>, process: Option<Process>) -> Self {
        let (peer, cancel) = (service.peer().clone(), service.cancellation_token());
        let ended = tokio::spawn(async move {
            // The waiting requests report why the connection ended.
            let _ = service.waiting().await;
        });
        Self { peer, cancel: Some(cancel), ended, process }
    }

    pub(crate) fn peer(&self) -> &Peer<RoleClient> {
        &self.peer
    }

    pub(crate) fn is_process(&self) -> bool {
        self.process.is_some()
    }

    /// The negotiated protocol version.
    pub(crate) fn version(&self) -> Option<ProtocolVersion> {
        self.peer.peer_info().map(|info| info.protocol_version.clone())
    }

    /// Subscribes to changes of the tool list, where the protocol requires a subscription.
    pub(crate) async fn subscribe(&self) -> Option<Subscription> {
        let info = self.peer.peer_info()?;
        let tells = info.capabilities.tools.as_ref().is_some_and(|tools| tools.list_changed == Some(true));
        if !tells || info.protocol_version.has_initialize() {
            return None;
        }
        let asked = self.peer.listen(SubscriptionFilter::builder().tools_list_changed().build()).await;
        asked
            .inspect_err(|error| {
                tracing::debug!(?error, "cannot subscribe to changes of an external server's tool list")
            })
            .ok()
    }

    /// Waits until the connection ends.
    pub(crate) async fn ended(&mut self) {
        let _ = (&mut self.ended).await;
    }

    /// Closes the connection; a server process ends with it.
    pub(crate) async fn close(mut self) {
        if let Some(cancel) = self.cancel.take() {
            cancel.cancel();
        }
        if !self.ended.is_finished() && tokio::time::timeout(CLOSE_MAX, &mut self.ended).await.is_err() {
            self.ended.abort();
        }
        if let Some(process) = self.process.take() {
            process.end().await;
        }
    }
}

/// Waits until the tool list changes or the subscription ends.
pub(crate) async fn next_change(subscription: &mut Subscription) -> Option<()> {
    loop {
        match subscription.next().await {
            Ok(Some(ServerNotification::ToolListChangedNotification(_))) => return Some(()),
            Ok(Some(_)) => {}
            Ok(None) | Err(_) => return None,
        }
    }
}

/// Whether the older handshake may work where the newer one failed: some servers exit on an unknown
/// request, and some report only older versions.
fn is_old(error: &ClientInitializeError) -> bool {
    matches!(
        error,
        ClientInitializeError::ConnectionClosed(_) | ClientInitializeError::NoCompatibleProtocolVersion { .. }
    )
}

/// Why a server cannot be used. The text contains no address, which may hold a secret.
fn refused(link: &Arc<ServerLink>, error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::ConnectionClosed(_) => {
            "it exited or closed the connection during the handshake".to_owned()
        }
        ClientInitializeError::JsonRpcError(error) => format!("it refused: {}", link.remark(&error.message)),
        ClientInitializeError::TransportError { error, .. } => unreachable(link, error),
        ClientInitializeError::NoCompatibleProtocolVersion { .. } => {
            "it supports no known version of the protocol".to_owned()
        }
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => refused(link, fallback),
        _ => "it does not answer like an MCP server".to_owned(),
    }
}

fn unreachable(link: &ServerLink, error: &DynamicTransportError) -> String {
    use StreamableHttpError as Http;
    match error.error.downcast_ref::<Http<reqwest::Error>>() {
        Some(Http::Client(error)) if error.is_connect() => match guarded(error) {
            Some(reason) => format!("{reason}; if that is intended, set `allow_private`"),
            None => "it cannot be reached".to_owned(),
        },
        Some(Http::AuthRequired(_) | Http::InsufficientScope(_)) => {
            "it does not accept the credentials of the configuration".to_owned()
        }
        Some(Http::HttpStatus(failed)) => format!("it failed ({})", failed.status),
        Some(Http::UnexpectedServerResponse(told)) => format!("it answered {}", link.remark(told)),
        _ => "the connection broke".to_owned(),
    }
}

/// The reason of our own address check, if that caused the error.
fn guarded(error: &reqwest::Error) -> Option<String> {
    let mut source = std::error::Error::source(error);
    while let Some(error) = source {
        if let Some(error) = error.downcast_ref::<tools::net::FetchError>() {
            return Some(error.to_string());
        }
        source = error.source();
    }
    None
}

/// Why the tool list could not be read.
pub(crate) fn unlisted(link: &ServerLink, error: &ServiceError) -> String {
    match error {
        ServiceError::McpError(error) => format!("it does not list its tools: {}", link.remark(&error.message)),
        ServiceError::TransportSend(error) => unreachable(link, error),
        ServiceError::TransportClosed => "it exited or closed the connection before it listed its tools".to_owned(),
        _ => "its tool list is invalid".to_owned(),
    }
}
