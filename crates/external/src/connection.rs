//! One connection to a server, from the handshake to its end.

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
    ears::Ears,
    http,
    link::Link,
    process::{self, Process},
    settings::{Reach, Server},
};

/// How long the other side gets to say goodbye.
const CLOSE_MAX: Duration = Duration::from_secs(2);

/// A connection that stands.
pub(crate) struct Connection {
    peer: Peer<RoleClient>,
    cancel: Option<RunningServiceCancellationToken>,
    ended: JoinHandle<()>,
    process: Option<Process>,
}

/// How the handshake begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Handshake {
    /// With the question which versions there are; whoever says that it does not know it is met in the old way.
    Newest,
    /// In the old way.
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

impl Connection {
    /// Starts or calls the server. The error says why it cannot be used.
    pub(crate) async fn open(server: &Server, ears: &Ears) -> Result<Self, String> {
        let link = &ears.link;
        match Self::greet(server, ears, Handshake::Newest).await? {
            Ok(connection) => Ok(connection),
            Err(error) if is_old(&error) => {
                Self::greet(server, ears, Handshake::Old).await?.map_err(|error| refused(link, &error))
            }
            Err(error) => Err(refused(link, &error)),
        }
    }

    /// Tries one way to begin, on a connection of its own.
    async fn greet(
        server: &Server,
        ears: &Ears,
        handshake: Handshake,
    ) -> Result<Result<Self, ClientInitializeError>, String> {
        let ears = ears.clone();
        Ok(match &server.reach {
            Reach::Process(program) => {
                let (process, stdout, stdin) = process::start(program, ears.link.clone())
                    .map_err(|error| format!("`{}` cannot be started: {error}", program.command))?;
                let served = ears.serve_with_lifecycle((stdout, stdin), handshake.mode()).await;
                served.map(|service| Self::of(service, Some(process)))
            }
            Reach::Http(address) => {
                let served = ears.serve_with_lifecycle(http::transport(address)?, handshake.mode()).await;
                served.map(|service| Self::of(service, None))
            }
        })
    }

    fn of(service: RunningService<RoleClient, Ears>, process: Option<Process>) -> Self {
        let (peer, cancel) = (service.peer().clone(), service.cancellation_token());
        let ended = tokio::spawn(async move {
            // Why it ended is told by whoever waits for something.
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

    /// The version that was agreed on.
    pub(crate) fn version(&self) -> Option<ProtocolVersion> {
        self.peer.peer_info().map(|info| info.protocol_version.clone())
    }

    /// Asks to be told of changes to the list, where that has to be asked for.
    pub(crate) async fn subscribe(&self) -> Option<Subscription> {
        let info = self.peer.peer_info()?;
        let tells = info.capabilities.tools.as_ref().is_some_and(|tools| tools.list_changed == Some(true));
        if !tells || info.protocol_version.has_initialize() {
            return None;
        }
        let asked = self.peer.listen(SubscriptionFilter::builder().tools_list_changed().build()).await;
        asked.inspect_err(|error| tracing::debug!(?error, "changes of an external server's list are not told")).ok()
    }

    /// Waits for the end of it.
    pub(crate) async fn ended(&mut self) {
        let _ = (&mut self.ended).await;
    }

    /// Closes it. A program ends with it.
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

/// Waits until the list has changed, or there is nothing more to hear.
pub(crate) async fn next_change(subscription: &mut Subscription) -> Option<()> {
    loop {
        match subscription.next().await {
            Ok(Some(ServerNotification::ToolListChangedNotification(_))) => return Some(()),
            Ok(Some(_)) => {}
            Ok(None) | Err(_) => return None,
        }
    }
}

/// Whether the old way may work where the new one did not: some programs end when they are asked what they do not know, and
/// some name their versions, none of which is new.
fn is_old(error: &ClientInitializeError) -> bool {
    matches!(
        error,
        ClientInitializeError::ConnectionClosed(_) | ClientInitializeError::NoCompatibleProtocolVersion { .. }
    )
}

/// Why a server cannot be used, in words that give nothing away: an address may hold a secret.
fn refused(link: &Arc<Link>, error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::ConnectionClosed(_) => "it ended or hung up during the handshake".to_owned(),
        ClientInitializeError::JsonRpcError(error) => format!("it refused: {}", link.remark(&error.message)),
        ClientInitializeError::TransportError { error, .. } => unreachable(link, error),
        ClientInitializeError::NoCompatibleProtocolVersion { .. } => {
            "it speaks no version of the protocol that is known here".to_owned()
        }
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => refused(link, fallback),
        _ => "its answers are not those of an MCP server".to_owned(),
    }
}

fn unreachable(link: &Link, error: &DynamicTransportError) -> String {
    use StreamableHttpError as Http;
    match error.error.downcast_ref::<Http<reqwest::Error>>() {
        Some(Http::Client(error)) if error.is_connect() => match guarded(error) {
            Some(reason) => format!("{reason}; if that is meant, set `allow_private`"),
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

/// What our own guard says, if it was that.
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

/// Why a list could not be read.
pub(crate) fn unlisted(link: &Link, error: &ServiceError) -> String {
    match error {
        ServiceError::McpError(error) => format!("it does not tell its tools: {}", link.remark(&error.message)),
        ServiceError::TransportSend(error) => unreachable(link, error),
        ServiceError::TransportClosed => "it ended or hung up before it told its tools".to_owned(),
        _ => "its list of tools makes no sense".to_owned(),
    }
}
