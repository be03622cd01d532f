//! The application: the state that all APIs share, and the router of all routes.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use axum::{
    Router,
    extract::DefaultBodyLimit,
    http::Uri,
    middleware,
    response::{IntoResponse, Response},
};
use engine::Hub;
use protocol::{Code, ConnectionLimits, ConnectionStats, OwnerConnections, OwnerId, Problem, SettingView};
use rmcp::ServerHandler;
use secrecy::ExposeSecret;
use secret::{Secret, SecretDigest};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::{
    AllowedOrigins, AllowedPeers, Credential, Limits, LogFeed, MetricsPage, MetricsSettings, ModelSetup, Page,
    PushDevices, Roster, SealKey, TlsCertificate, TokenFile,
    access::{
        self, AllowedHosts, AuthFailures, Cookies, INVITATION_LIFETIME, Ingress, STREAM_LIFETIME, ScopedTokens,
        Tickets, Tokens, TrustedProxies,
    },
    chat::{self, Dialect},
    cluster::{Cluster, ClusterSettings, NodeDoor, routes_for_nodes},
    listener::{Connections, HttpServer},
    mcp::{McpHandler, OwnerServices},
    problem::ProblemResponse,
    rate::OwnerRateLimit,
    routes,
    streams::{StreamPermit, Streams},
    trace, upload,
};

/// How often the list of owners is checked for open streams.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// After how many such checks the last use of tokens is stored.
const STORE_USES_EVERY: u32 = 20;

/// Longest interval between two checks for idle MCP sessions.
const IDLE_LOOK_MAX: Duration = Duration::from_secs(60);

/// A file's media type and its bytes.
pub type AppFile = (&'static str, &'static [u8]);

/// The bundled apps.
#[derive(Clone, Copy)]
pub struct Apps {
    /// A file, by the app's name and the file's name.
    pub file: fn(&str, &str) -> Option<AppFile>,
    /// The content security policy of every file: what a frame may do.
    pub policy: &'static str,
}

/// The operator of the server, with its settings.
pub struct Operator {
    /// The owner who operates the server.
    pub owner: OwnerId,
    /// All settings, without secrets.
    pub settings: Vec<SettingView>,
    /// The log, as far as it is kept.
    pub logs: Option<Box<dyn LogFeed>>,
    /// The choice of providers and models, if it is made on this server.
    pub models: Option<Box<dyn ModelSetup>>,
}

/// The settings of the server.
pub struct ServerSettings {
    /// The page.
    pub page: Page,
    /// The bundled apps.
    pub apps: Apps,
    /// The owners and tokens that are always valid.
    pub credentials: Vec<Credential>,
    /// An invitation for the first of them: valid once, for ten minutes.
    pub invitation: Option<Secret>,
    /// Further owners, from a list that may change.
    pub roster: Option<Box<dyn Roster>>,
    /// Where the scoped tokens of all owners are stored; without it there are none.
    pub tokens: Option<Box<dyn TokenFile>>,
    /// Keys that are valid only for the Ollama API, as part of the URL.
    pub keys: Vec<Credential>,
    /// The operator, who may read the settings.
    pub operator: Option<Operator>,
    /// Authorization servers that hand out tokens for the MCP endpoint, as URLs. Often none.
    pub authorization_servers: Vec<String>,
    /// Names under which the server may be addressed beside loopback.
    pub hosts: Vec<String>,
    /// Pages of other origins that may use the server.
    pub origins: AllowedOrigins,
    /// Proxies whose word on their clients is believed.
    pub trusted_proxies: AllowedPeers,
    /// The certificate of the server, if it speaks TLS itself.
    pub tls: Option<TlsCertificate>,
    /// The proxies of Home Assistant's ingress, whose users are signed in as the first owner.
    pub ingress: AllowedPeers,
    /// How much clients may ask for, and how long they may take.
    pub limits: Limits,
    /// The key that seals the state that MCP clients keep for us, and the cookies of browsers.
    pub seal: SealKey,
    /// The browsers that owners have subscribed to Web Push, if the server has a key for it.
    pub push: Option<Box<dyn PushDevices>>,
    /// The measurements at `/metrics`, if they are on.
    pub metrics: Option<MetricsSettings>,
    /// The part of this node in a cluster, if its store can be shared.
    pub cluster: Option<ClusterSettings>,
    /// Ends every stream when it is cancelled.
    pub stopping: CancellationToken,
}

/// The state that all APIs share. Cheap to clone.
#[derive(Clone)]
pub(crate) struct AppState(Arc<Shared>);

pub(crate) struct Shared {
    pub(crate) hub: Hub,
    pub(crate) tokens: Tokens,
    pub(crate) keys: Tokens,
    pub(crate) tickets: Tickets,
    pub(crate) invitations: Tickets,
    pub(crate) cookies: Cookies,
    pub(crate) allowed_hosts: AllowedHosts,
    pub(crate) ingress: Ingress,
    pub(crate) trusted_proxies: TrustedProxies,
    pub(crate) rate: OwnerRateLimit,
    pub(crate) failures: AuthFailures,
    pub(crate) limits: Limits,
    pub(crate) page: Page,
    pub(crate) apps: Apps,
    pub(crate) operator: Option<Operator>,
    pub(crate) authorization_servers: Vec<String>,
    pub(crate) mcp: OwnerServices,
    pub(crate) stopping: CancellationToken,
    pub(crate) seal: SealKey,
    pub(crate) push: Option<Box<dyn PushDevices>>,
    pub(crate) metrics: Option<Box<dyn MetricsPage>>,
    pub(crate) cluster: Option<Cluster>,
    /// Tokens that are valid for the measurements only.
    pub(crate) scrapers: Tokens,
    connections: Arc<Connections>,
    streams: Arc<Streams>,
}

impl std::ops::Deref for AppState {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

impl AppState {
    /// A permit for one more WebSocket or event stream of an owner.
    pub(crate) fn stream_permit(&self, owner: &OwnerId) -> Result<StreamPermit, Problem> {
        self.streams.open(owner)
    }

    /// The number of connections, streams and MCP sessions that this owner may see.
    pub(crate) fn connection_stats(&self, asks: &OwnerId) -> ConnectionStats {
        let (connections, streams, mcp) = (self.connections.counts(), self.streams.owners(), self.mcp.sessions());
        let is_operator = self.operator.as_ref().is_some_and(|operator| operator.owner == *asks);
        let all = connections.owners.keys().chain(streams.keys()).chain(mcp.keys());
        let shown = all.filter(|owner| is_operator || *owner == asks).map(|owner| {
            let of = |counts: &BTreeMap<OwnerId, usize>| counts.get(owner).copied().unwrap_or_default() as u64;
            let (connections, streams, mcp_sessions) = (of(&connections.owners), of(&streams), of(&mcp));
            (owner.clone(), OwnerConnections { connections, streams, mcp_sessions })
        });
        ConnectionStats {
            open: connections.open as u64,
            anonymous: connections.anonymous as u64,
            refused: connections.refused,
            displaced: connections.displaced,
            timed_out: connections.timed_out,
            streams: streams.values().sum::<usize>() as u64,
            mcp_sessions: mcp.values().sum::<usize>() as u64,
            limits: self.connection_limits(),
            owners: shown.collect(),
        }
    }

    fn connection_limits(&self) -> ConnectionLimits {
        let (limits, capacity) = (&self.limits, self.connections.capacity());
        ConnectionLimits {
            connections: (capacity.anonymous + capacity.known) as u64,
            anonymous_connections: capacity.anonymous as u64,
            peer_connections: capacity.per_peer as u64,
            owner_connections: capacity.per_owner as u64,
            streams: limits.streams_max as u64,
            owner_streams: limits.owner_streams_max as u64,
            mcp_sessions: limits.mcp_sessions_max as u64,
            owner_mcp_sessions: limits.owner_mcp_sessions_max as u64,
        }
    }
}

/// The whole application as one router.
pub fn app(hub: Hub, settings: ServerSettings) -> std::io::Result<Router> {
    app_with(hub, settings, |mcp| mcp)
}

/// The same with a wrapper around the MCP handler, which tests use to add to it.
pub fn app_with<H: ServerHandler>(
    hub: Hub,
    settings: ServerSettings,
    wrap: impl Fn(McpHandler) -> H + Clone + Send + Sync + 'static,
) -> std::io::Result<Router> {
    Ok(router(AppState::new(hub, settings, wrap)?))
}

impl AppState {
    fn new<H: ServerHandler>(
        hub: Hub,
        settings: ServerSettings,
        wrap: impl Fn(McpHandler) -> H + Clone + Send + Sync + 'static,
    ) -> std::io::Result<Self> {
        let ServerSettings {
            page,
            apps,
            credentials,
            invitation,
            roster,
            tokens,
            keys,
            operator,
            authorization_servers,
            hosts,
            origins,
            trusted_proxies,
            tls: _,
            ingress,
            limits,
            seal,
            push,
            metrics,
            cluster,
            stopping,
        } = settings;
        let cookies = Cookies::new(&seal);
        let clock = hub.clone();
        let scoped = ScopedTokens::open(tokens, move || clock.now())?;
        let tokens = Tokens::new(&credentials, roster).with_scoped(scoped);
        let invitations = Tickets::new(INVITATION_LIFETIME);
        let first = credentials.first().map(|first| SecretDigest::of(first.token.expose_secret()));
        if let (Some(invitation), Some(grant)) = (invitation, first.and_then(|digest| tokens.grant_of(digest))) {
            invitations.issue_drawn(grant, &invitation, hub.now());
        }
        let (metrics, scrape_token) = metrics.map_or((None, None), |on| (Some(on.page), on.token));
        let scraper = scrape_token.zip(operator.as_ref());
        let scraper = scraper.map(|(token, operator)| Credential { owner: operator.owner.clone(), token });
        let mcp = OwnerServices::new(hub.clone(), seal.clone(), &limits, stopping.clone(), wrap);
        Ok(AppState(Arc::new(Shared {
            hub,
            tokens,
            keys: Tokens::new(&keys, None),
            tickets: Tickets::new(STREAM_LIFETIME),
            invitations,
            cookies,
            allowed_hosts: AllowedHosts::new(&hosts, origins),
            ingress: Ingress::new(ingress, first),
            trusted_proxies: TrustedProxies::new(trusted_proxies),
            rate: OwnerRateLimit::new(&limits),
            failures: AuthFailures::new(&limits),
            connections: Arc::new(Connections::new(&limits)),
            streams: Arc::new(Streams::new(&limits)),
            cluster: cluster.map(|settings| Cluster::new(settings, &seal)),
            stopping,
            limits,
            page,
            apps,
            operator,
            authorization_servers,
            mcp,
            seal,
            push,
            metrics,
            scrapers: Tokens::new(scraper.as_slice(), None),
        })))
    }
}

fn router(app: AppState) -> Router {
    let mut router = Router::new();
    for route in routes::routes() {
        router = router.route(route.path, (route.handler)());
    }
    let is_traced = app.hub.is_traced();
    let router = router
        .fallback(async |uri: Uri| {
            let hint = "`/openapi.json` lists all of them.";
            refuse(&uri, Problem::new(Code::NotFound, "there is no such path", hint))
        })
        .method_not_allowed_fallback(async |uri: Uri| {
            let hint = "`/openapi.json` lists the methods of every path.";
            refuse(&uri, Problem::new(Code::MethodNotAllowed, "the path does not support this method", hint))
        })
        .layer(DefaultBodyLimit::max(app.limits.frame_bytes_max))
        .layer(middleware::from_fn_with_state(app.clone(), upload::watch))
        .layer(middleware::from_fn_with_state(app.clone(), access::guard))
        .layer(middleware::from_fn_with_state(app.clone(), chat::request_id))
        .layer(middleware::from_fn_with_state(app.clone(), chat::identify))
        .with_state(app);
    if is_traced { router.layer(middleware::from_fn(trace::adopt)) } else { router }
}

/// Answers with an error in the format that the path's clients expect.
fn refuse(uri: &Uri, problem: Problem) -> Response {
    match Dialect::of(uri.path()) {
        Some(dialect) => dialect.refuse(&problem),
        None => ProblemResponse(problem).into_response(),
    }
}

/// Serves the application until `settings.stopping` is cancelled and every connection has ended.
pub async fn serve(listener: TcpListener, hub: Hub, mut settings: ServerSettings) -> std::io::Result<()> {
    let tls = settings.tls.take();
    let node_listener = settings.cluster.as_mut().and_then(|cluster| cluster.listener.take());
    let app = AppState::new(hub, settings, |mcp| mcp)?;
    let watching = tokio::spawn(watch_owners(app.clone()));
    tokio::spawn(end_idle(app.clone()));
    let (connections, limits, stopping) = (app.connections.clone(), app.limits.clone(), app.stopping.clone());
    let tls = tls.map(|certificate| certificate.watch(&stopping));
    let clients = HttpServer { router: router(app.clone()), connections, limits, stopping, tls }.serve(listener);
    let nodes = async {
        if let Some(listener) = node_listener {
            serve_nodes(&app, listener).await;
        }
    };
    let watch_nodes = async {
        if let Some(cluster) = &app.cluster {
            cluster.watch(&app.hub, &app.stopping).await;
        }
    };
    tokio::join!(clients, nodes, watch_nodes);
    // It stores what it has noted last.
    let _ = watching.await;
    Ok(())
}

/// Serves the requests that other nodes pass on. Their clients were counted there.
async fn serve_nodes(app: &AppState, listener: TcpListener) {
    let mut limits = app.limits.clone();
    (limits.peer_connections_max, limits.owner_connections_max) = (limits.connections_max, limits.connections_max);
    let connections = Arc::new(Connections::new(&limits));
    let router = router(app.clone()).merge(routes_for_nodes(app)).layer(axum::Extension(NodeDoor));
    HttpServer { router, connections, limits, stopping: app.stopping.clone(), tls: None }.serve(listener).await;
}

/// Ends idle MCP sessions.
async fn end_idle(app: AppState) {
    let every = (app.limits.mcp_idle / 4).clamp(Duration::from_millis(20), IDLE_LOOK_MAX);
    let looking = async {
        loop {
            tokio::time::sleep(every).await;
            app.mcp.end_idle().await;
        }
    };
    app.stopping.run_until_cancelled(looking).await;
}

/// Every request checks the list of owners itself; open streams have to be notified of changes.
async fn watch_owners(app: AppState) {
    let stopping = app.stopping.clone();
    let looking = async {
        loop {
            for _ in 0..STORE_USES_EVERY {
                tokio::time::sleep(LOOK_EVERY).await;
                app.tokens.look();
            }
            store_uses(&app).await;
        }
    };
    stopping.run_until_cancelled(looking).await;
    store_uses(&app).await;
}

/// Stores when scoped tokens were last used.
async fn store_uses(app: &AppState) {
    let app = app.clone();
    let store = move || app.tokens.scoped().map(ScopedTokens::store_uses);
    if tokio::task::spawn_blocking(store).await.is_err() {
        tracing::error!("storing the last use of tokens panicked");
    }
}
