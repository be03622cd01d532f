//! The application: what all doors share, and the router that holds them.

use std::{sync::Arc, time::Duration};

use axum::{Router, extract::DefaultBodyLimit, middleware};
use engine::Hub;
use protocol::{Code, OwnerId, Problem, SettingView};
use rmcp::ServerHandler;
use secrecy::{ExposeSecret, SecretString};
use tokio::{
    net::TcpListener,
    sync::{OwnedSemaphorePermit, Semaphore},
};
use tokio_util::sync::CancellationToken;

use crate::{
    Credential, Limits, Page, Roster, SealKey,
    access::{self, Cookies, INVITATION_LIFETIME, Places, STREAM_LIFETIME, Tickets, Tokens},
    listener::Bounded,
    mcp::{Doors, Mcp},
    problem::Failure,
    rate::Rate,
    routes,
};

/// How often the list of owners is looked at for those who only listen.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// A file's media type and its bytes.
pub type AppFile = (&'static str, &'static [u8]);

/// The apps that come along.
#[derive(Clone, Copy)]
pub struct Apps {
    /// A file, by the app's name and its own.
    pub file: fn(&str, &str) -> Option<AppFile>,
    /// The content security policy of every file: what a frame may do.
    pub policy: &'static str,
}

/// Who runs the server, and how they have set it.
pub struct Operator {
    /// Who.
    pub owner: OwnerId,
    /// All settings, without secrets.
    pub settings: Vec<SettingView>,
}

/// How the server is set.
pub struct Settings {
    /// The page.
    pub page: Page,
    /// The apps that come along.
    pub apps: Apps,
    /// Who may come in.
    pub credentials: Vec<Credential>,
    /// By what the first of them is invited at the start: good once, ten minutes long.
    pub invitation: Option<SecretString>,
    /// Who else, by a list that may change.
    pub roster: Option<Box<dyn Roster>>,
    /// Who may come in by Ollama's door alone, with a key in the address.
    pub keys: Vec<Credential>,
    /// Who may read how it is set.
    pub operator: Option<Operator>,
    /// Names under which the server may be addressed beside loopback.
    pub hosts: Vec<String>,
    /// How much anybody may ask for.
    pub limits: Limits,
    /// What seals the state that clients of MCP keep for us, and the cookies of browsers.
    pub seal: SealKey,
    /// Ends every stream when it is cancelled.
    pub stopping: CancellationToken,
}

/// What all doors share. Cheap to clone.
#[derive(Clone)]
pub(crate) struct App(Arc<Shared>);

pub(crate) struct Shared {
    pub(crate) hub: Hub,
    pub(crate) tokens: Tokens,
    pub(crate) keys: Tokens,
    pub(crate) tickets: Tickets,
    pub(crate) invitations: Tickets,
    pub(crate) cookies: Cookies,
    pub(crate) places: Places,
    pub(crate) rate: Rate,
    pub(crate) limits: Limits,
    pub(crate) page: Page,
    pub(crate) apps: Apps,
    pub(crate) operator: Option<Operator>,
    pub(crate) mcp: Doors,
    pub(crate) stopping: CancellationToken,
    streams: Arc<Semaphore>,
}

impl std::ops::Deref for App {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

impl App {
    /// A place for one more WebSocket or event stream.
    pub(crate) fn stream_permit(&self) -> Result<OwnedSemaphorePermit, Problem> {
        self.streams.clone().try_acquire_owned().map_err(|_| {
            let hint = "Close one that is not needed, or raise `limits.streams_max`.";
            Problem::new(Code::TooManyConnections, "too many connections", hint)
        })
    }
}

/// The whole application as one router.
pub fn app(hub: Hub, settings: Settings) -> Router {
    app_with(hub, settings, |mcp| mcp)
}

/// The same with something around the door of MCP, by which tests add to it.
pub fn app_with<H: ServerHandler>(
    hub: Hub,
    settings: Settings,
    wrap: impl Fn(Mcp) -> H + Clone + Send + Sync + 'static,
) -> Router {
    router(App::new(hub, settings, wrap))
}

impl App {
    fn new<H: ServerHandler>(
        hub: Hub,
        settings: Settings,
        wrap: impl Fn(Mcp) -> H + Clone + Send + Sync + 'static,
    ) -> Self {
        let Settings { page, apps, credentials, invitation, roster, keys, operator, hosts, limits, seal, stopping } =
            settings;
        let cookies = Cookies::new(&seal);
        let tokens = Tokens::new(&credentials, roster);
        let invitations = Tickets::new(INVITATION_LIFETIME);
        let first = credentials.first().and_then(|first| tokens.pass(first.token.expose_secret()));
        if let (Some(invitation), Some(pass)) = (invitation, first) {
            invitations.issue(pass, invitation.expose_secret().to_owned(), hub.now());
        }
        let mcp = Doors::new(hub.clone(), seal, limits.frame_bytes_max, stopping.clone(), wrap);
        App(Arc::new(Shared {
            hub,
            tokens,
            keys: Tokens::new(&keys, None),
            tickets: Tickets::new(STREAM_LIFETIME),
            invitations,
            cookies,
            places: Places::new(&hosts),
            rate: Rate::new(&limits),
            streams: Arc::new(Semaphore::new(limits.streams_max)),
            stopping,
            limits,
            page,
            apps,
            operator,
            mcp,
        }))
    }
}

fn router(app: App) -> Router {
    let mut router = Router::new();
    for route in routes::routes() {
        router = router.route(route.path, (route.handler)());
    }
    router
        .fallback(async || {
            Failure(Problem::new(Code::NotFound, "there is no such path", "`/openapi.json` lists all of them."))
        })
        .method_not_allowed_fallback(async || {
            let hint = "`/openapi.json` lists the methods of every path.";
            Failure(Problem::new(Code::MethodNotAllowed, "the path does not know this method", hint))
        })
        .layer(DefaultBodyLimit::max(app.limits.frame_bytes_max))
        .layer(middleware::from_fn_with_state(app.clone(), access::guard))
        .with_state(app)
}

/// Serves the application until `settings.stopping` is cancelled and every connection has ended.
pub async fn serve(listener: TcpListener, hub: Hub, settings: Settings) -> std::io::Result<()> {
    let stopping = settings.stopping.clone();
    let bounded = Bounded::new(listener, settings.limits.clone());
    let app = App::new(hub, settings, |mcp| mcp);
    tokio::spawn(watch_owners(app.clone()));
    let service = router(app).into_make_service();
    axum::serve(bounded, service).with_graceful_shutdown(stopping.cancelled_owned()).await
}

/// Requests look at the list of owners themselves; streams have to be told that it has changed.
async fn watch_owners(app: App) {
    let stopping = app.stopping.clone();
    let looking = async {
        loop {
            tokio::time::sleep(LOOK_EVERY).await;
            app.tokens.look();
        }
    };
    stopping.run_until_cancelled(looking).await;
}
