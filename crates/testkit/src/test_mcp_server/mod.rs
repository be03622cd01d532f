//! An external MCP server for tests: it does what it is asked to, or exits, hangs, gives wrong
//! results and changes its tools, as its options and its callers say. It runs as a program over
//! standard input and output, or as an HTTP server.

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
pub use http::HttpTestMcpServer;
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

/// The path of the program built from `examples/NAME.rs` of the crate under test.
pub fn test_mcp_program(name: &str) -> String {
    let own = std::env::current_exe().expect("the test has a file");
    let folder = own.parent().and_then(|deps| deps.parent()).expect("a folder of builds");
    let program = folder.join("examples").join(name);
    assert!(program.exists(), "{} is missing: build the examples of the crate under test", program.display());
    program.to_str().expect("a plain path").to_owned()
}

/// The behaviour of a test server.
#[derive(Debug, Clone, Default, Parser)]
pub struct TestMcpServer {
    /// The file in which it writes what it has done, one line for each call.
    #[arg(long)]
    pub ledger: Option<PathBuf>,
    /// Speak no version newer than 2025-11-25.
    #[arg(long)]
    pub old: bool,
    /// Answer nothing.
    #[arg(long)]
    pub deaf: bool,
    /// Exit at once.
    #[arg(long)]
    pub exit: bool,
    /// Exit when asked for the supported versions.
    #[arg(long)]
    pub touchy: bool,
    /// Offer this many additional tools.
    #[arg(long, default_value_t = 0)]
    pub extra: usize,
    /// Offer an endless list of pages.
    #[arg(long)]
    pub endless: bool,
    /// Write the value of this environment variable to standard error.
    #[arg(long)]
    pub mutter: Option<String>,
}

impl TestMcpServer {
    /// Runs as a program with its command-line options until its input ends.
    pub fn run() {
        let test_server = Self::parse();
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        runtime.expect("a runtime").block_on(test_server.talk());
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
        if let Ok(service) = TestMcpHandler::new(self).serve(stdio()).await {
            let _ = service.waiting().await;
        }
    }

    /// Serves over HTTP at a free address.
    pub async fn at_an_address(self) -> HttpTestMcpServer {
        HttpTestMcpServer::start(TestMcpHandler::new(self), "127.0.0.1:0").await
    }

    /// Serves over HTTP at this address.
    pub async fn at(self, address: &str) -> HttpTestMcpServer {
        HttpTestMcpServer::start(TestMcpHandler::new(self), address).await
    }
}

#[allow(clippy::disallowed_methods, reason = "what a stranger finds there is what a test asks")]
fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

/// The handler of a test server. Clones share their state.
#[derive(Clone)]
struct TestMcpHandler {
    test_server: Arc<TestMcpServer>,
    /// What it has done.
    ledger: Arc<Mutex<Vec<String>>>,
    /// How many tools were added since it started.
    grown: watch::Sender<usize>,
}

impl TestMcpHandler {
    fn new(test_server: TestMcpServer) -> Self {
        Self { test_server: Arc::new(test_server), ledger: Arc::default(), grown: watch::Sender::new(0) }
    }

    /// Records a call.
    fn note(&self, line: &str) {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner).push(line.to_owned());
        if let Some(path) = &self.test_server.ledger {
            let file = std::fs::File::options().create(true).append(true).open(path);
            writeln!(file.expect("a ledger"), "{line}").expect("a ledger that can be written");
        }
    }
}

impl ServerHandler for TestMcpHandler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build();
        ServerConfig::new(capabilities).with_server_info(Implementation::new("stranger", "1.0.0"))
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        let newest = if self.test_server.old { ProtocolVersion::V_2025_11_25 } else { ProtocolVersion::V_2026_07_28 };
        Cow::Borrowed(ProtocolVersion::known_up_to(&newest))
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        if self.test_server.touchy {
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
        Ok(list::page(&self.test_server, *self.grown.borrow(), cursor.as_deref()))
    }

    async fn call_tool(
        &self,
        asked: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        calls::answer(self, asked, context).await
    }
}
