//! An MCP server that somebody else wrote: it does what it is asked to, or dies, hangs, lies and changes its mind, as its
//! switches and its callers say. It is a program over standard input and output, or a server at an address.

mod calls;
mod http;
mod list;

use std::{
    borrow::Cow,
    io::Write as _,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use clap::Parser;
pub use http::HttpStranger;
use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt,
    model::{
        CallToolRequestParams, CallToolResponse, DiscoverResult, Implementation, ListToolsResult,
        PaginatedRequestParams, ProtocolVersion, ServerCapabilities, ServerConfig, SubscriptionFilter,
    },
    service::{RequestContext, SubscriptionContext},
    transport::stdio,
};
use tokio::sync::watch;

/// Where the program is that `examples/NAME.rs` of the crate under test is built to.
pub fn stranger_program(name: &str) -> String {
    let own = std::env::current_exe().expect("the test has a file");
    let folder = own.parent().and_then(|deps| deps.parent()).expect("a folder of builds");
    let program = folder.join("examples").join(name);
    assert!(program.exists(), "{} is missing: build the examples of the crate under test", program.display());
    program.to_str().expect("a plain path").to_owned()
}

/// How a stranger behaves.
#[derive(Debug, Clone, Default, Parser)]
pub struct Stranger {
    /// Where it writes down what it has done, a line each.
    #[arg(long)]
    pub ledger: Option<PathBuf>,
    /// Speak no version newer than 2025-11-25.
    #[arg(long)]
    pub old: bool,
    /// Answer nothing at all.
    #[arg(long)]
    pub deaf: bool,
    /// End at once.
    #[arg(long)]
    pub exit: bool,
    /// End when asked which versions there are.
    #[arg(long)]
    pub touchy: bool,
    /// Offer this many tools more.
    #[arg(long, default_value_t = 0)]
    pub extra: usize,
    /// Offer pages without end.
    #[arg(long)]
    pub endless: bool,
    /// Write what this variable of its environment holds to standard error.
    #[arg(long)]
    pub mutter: Option<String>,
}

impl Stranger {
    /// Runs as a program, by the switches it was started with, until nothing more comes in.
    pub fn run() {
        let stranger = Self::parse();
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        runtime.expect("a runtime").block_on(stranger.talk());
        std::process::exit(0);
    }

    async fn talk(self) {
        if let Some(name) = &self.mutter {
            let _ = writeln!(std::io::stderr(), "key {}", variable(name));
        }
        if self.exit {
            std::process::exit(7);
        }
        if self.deaf {
            std::future::pending::<()>().await;
        }
        if let Ok(service) = Acting::new(self).serve(stdio()).await {
            let _ = service.waiting().await;
        }
    }

    /// Serves at an address of its own.
    pub async fn at_an_address(self) -> HttpStranger {
        HttpStranger::start(Acting::new(self), "127.0.0.1:0").await
    }

    /// The same at this address.
    pub async fn at(self, address: &str) -> HttpStranger {
        HttpStranger::start(Acting::new(self), address).await
    }
}

#[allow(clippy::disallowed_methods, reason = "what a stranger finds there is what a test asks")]
fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

/// A stranger at work. Clones are the same stranger.
#[derive(Clone)]
struct Acting {
    stranger: Arc<Stranger>,
    /// What it has done.
    ledger: Arc<Mutex<Vec<String>>>,
    /// How many tools it has come by since it started.
    grown: watch::Sender<usize>,
}

impl Acting {
    fn new(stranger: Stranger) -> Self {
        Self { stranger: Arc::new(stranger), ledger: Arc::default(), grown: watch::Sender::new(0) }
    }

    /// Writes down what was done.
    fn note(&self, line: &str) {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner).push(line.to_owned());
        if let Some(path) = &self.stranger.ledger {
            let file = std::fs::File::options().create(true).append(true).open(path);
            writeln!(file.expect("a ledger"), "{line}").expect("a ledger that can be written");
        }
    }
}

impl ServerHandler for Acting {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build();
        ServerConfig::new(capabilities).with_server_info(Implementation::new("stranger", "1.0.0"))
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        let newest = if self.stranger.old { ProtocolVersion::V_2025_11_25 } else { ProtocolVersion::V_2026_07_28 };
        Cow::Borrowed(ProtocolVersion::known_up_to(&newest))
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        if self.stranger.touchy {
            std::process::exit(9);
        }
        Ok(DiscoverResult::from_server_info(self.supported_protocol_versions().into_owned(), self.get_info()))
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.supported_by(&self.get_info().capabilities))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut grown = self.grown.subscribe();
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                changed = grown.changed() => {
                    if changed.is_err() || context.sink().notify_tool_list_changed().await.is_err() {
                        return Ok(());
                    }
                }
            }
        }
    }

    async fn list_tools(
        &self,
        asked: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let cursor = asked.and_then(|asked| asked.cursor);
        Ok(list::page(&self.stranger, *self.grown.borrow(), cursor.as_deref()))
    }

    async fn call_tool(
        &self,
        asked: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        calls::answer(self, asked, context).await
    }
}
