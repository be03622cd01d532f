//! An MCP client that shows a test exactly what it receives: both protocol versions, over HTTP and
//! over `dwell mcp`.
//!
//! Everything that is not the answer to a request, that is notifications and the server's own
//! requests, is kept until the test asks for it.

mod http;
mod inbox;
mod stdio;

use std::{
    process::ExitStatus,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use tokio::process::Command;
use tokio_util::task::AbortOnDropHandle;

use http::HttpTransport;
use inbox::Inbox;
use stdio::StdioTransport;

/// The default name of clients.
const NAME: &str = "dwell-tests";
/// How long a test waits for an answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// A version of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum McpWire {
    /// 2025-11-25: a session that begins with a handshake.
    Session,
    /// 2026-07-28: every request is independent.
    Alone,
}

impl McpWire {
    /// Both versions.
    pub const BOTH: [Self; 2] = [Self::Session, Self::Alone];

    /// Its date.
    pub const fn version(self) -> &'static str {
        match self {
            Self::Session => "2025-11-25",
            Self::Alone => "2026-07-28",
        }
    }
}

/// The server's result, or its error.
pub type McpAnswer = Result<Value, Value>;

/// The connection ended before the answer: the server is gone, or the client was disconnected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectionClosed(pub String);

/// A client. Cheap to clone; the clones share their ids.
#[derive(Clone)]
pub struct McpClient(Arc<Shared>);

struct Shared {
    wire: McpWire,
    /// The name that it sends to the server.
    name: String,
    capabilities: Value,
    ids: AtomicU64,
    inbox: Arc<Inbox>,
    transport: McpTransport,
}

enum McpTransport {
    Http(HttpTransport),
    Stdio(Box<StdioTransport>),
}

impl McpClient {
    /// A client of the server at this address, after the handshake.
    pub async fn http(url: &str, token: &str, wire: McpWire, capabilities: Value) -> Self {
        let inbox = Arc::<Inbox>::default();
        let mcp =
            Self::new(wire, capabilities, inbox.clone(), McpTransport::Http(HttpTransport::new(url, token, inbox)));
        mcp.begin_session().await;
        mcp
    }

    /// The same with another name.
    pub async fn http_named(url: &str, token: &str, name: &str, wire: McpWire, capabilities: Value) -> Self {
        let inbox = Arc::<Inbox>::default();
        let transport = McpTransport::Http(HttpTransport::new(url, token, inbox.clone()));
        let mcp = Self::named(name, wire, capabilities, inbox, transport);
        mcp.begin_session().await;
        mcp
    }

    /// A client of a program that uses its standard input and output, after the handshake.
    pub(crate) async fn stdio(command: Command, wire: McpWire, capabilities: Value) -> Self {
        let mcp = Self::stdio_silent(command, wire, capabilities);
        mcp.begin_session().await;
        mcp
    }

    /// The same, without the handshake.
    pub(crate) fn stdio_silent(command: Command, wire: McpWire, capabilities: Value) -> Self {
        let inbox = Arc::<Inbox>::default();
        Self::new(
            wire,
            capabilities,
            inbox.clone(),
            McpTransport::Stdio(Box::new(StdioTransport::start(command, inbox))),
        )
    }

    fn new(wire: McpWire, capabilities: Value, inbox: Arc<Inbox>, transport: McpTransport) -> Self {
        Self::named(NAME, wire, capabilities, inbox, transport)
    }

    fn named(name: &str, wire: McpWire, capabilities: Value, inbox: Arc<Inbox>, transport: McpTransport) -> Self {
        let (name, ids) = (name.to_owned(), AtomicU64::new(1));
        Self(Arc::new(Shared { wire, name, capabilities, ids, inbox, transport }))
    }

    fn info(&self) -> Value {
        json!({ "name": self.0.name, "version": "1" })
    }

    async fn begin_session(&self) {
        if self.0.wire == McpWire::Session {
            let begin = json!({
                "protocolVersion": self.0.wire.version(),
                "capabilities": self.0.capabilities,
                "clientInfo": self.info(),
            });
            let begun = self.ask("initialize", begin).await.expect("the handshake");
            assert_eq!(begun["protocolVersion"], self.0.wire.version(), "{begun}");
            self.notify("notifications/initialized", json!({})).await;
        }
    }

    /// The version that it uses.
    pub fn wire(&self) -> McpWire {
        self.0.wire
    }

    /// Sends a request and waits for the answer.
    ///
    /// # Panics
    /// When no answer comes.
    pub async fn ask(&self, method: &str, params: Value) -> McpAnswer {
        self.try_ask(method, params).await.expect("the server answers")
    }

    /// Sends a request to a server that may be gone.
    ///
    /// # Errors
    /// When no answer comes.
    pub async fn try_ask(&self, method: &str, params: Value) -> Result<McpAnswer, ConnectionClosed> {
        self.begin(method, params).end().await
    }

    /// Sends a request without waiting for the answer; dropping the result disconnects.
    pub fn begin(&self, method: &str, params: Value) -> PendingRequest {
        let id = self.0.ids.fetch_add(1, Ordering::Relaxed);
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": self.params(params) });
        let shared = self.0.clone();
        let task = tokio::spawn(async move {
            let answer = async {
                match &shared.transport {
                    McpTransport::Http(http) => http.ask(shared.wire, message).await,
                    McpTransport::Stdio(stdio) => stdio.ask(id, &message).await,
                }
            };
            tokio::time::timeout(PATIENCE, answer)
                .await
                .unwrap_or_else(|_| Err(ConnectionClosed("no answer in time".to_owned())))
        });
        PendingRequest { id, task: AbortOnDropHandle::new(task) }
    }

    /// Calls a tool; returns the unchanged result.
    pub async fn call(&self, tool: &str, arguments: Value) -> McpAnswer {
        self.ask("tools/call", json!({ "name": tool, "arguments": arguments })).await
    }

    /// Calls a tool without waiting for the result.
    pub fn begin_call(&self, tool: &str, arguments: Value) -> PendingRequest {
        self.begin("tools/call", json!({ "name": tool, "arguments": arguments }))
    }

    /// The structured result of a tool.
    ///
    /// # Panics
    /// When the tool fails or gives no structured result.
    #[track_caller]
    pub fn data(&self, tool: &str, arguments: Value) -> impl Future<Output = Value> + use<> {
        let (mcp, tool, place) = (self.clone(), tool.to_owned(), std::panic::Location::caller());
        async move {
            let answer = mcp.call(&tool, arguments).await;
            let result = answer.unwrap_or_else(|error| panic!("{place}: {tool}: {error}"));
            assert_ne!(result["isError"], true, "{place}: {tool}: {result}");
            assert!(result["structuredContent"].is_object(), "{place}: {tool}: {result}");
            result["structuredContent"].clone()
        }
    }

    /// Sends a notification.
    pub async fn notify(&self, method: &str, params: Value) {
        let params = self.params(params);
        self.tell(json!({ "jsonrpc": "2.0", "method": method, "params": params })).await;
    }

    /// Answers a request of the server.
    pub async fn reply(&self, request: &Value, result: Value) {
        self.tell(json!({ "jsonrpc": "2.0", "id": request["id"], "result": result })).await;
    }

    async fn tell(&self, message: Value) {
        match &self.0.transport {
            McpTransport::Http(http) => http.tell(self.0.wire, message).await,
            McpTransport::Stdio(stdio) => stdio.write(&message.to_string()).await,
        }
    }

    /// Takes the next message with this method that is not an answer.
    pub async fn received(&self, method: &str) -> Value {
        self.0.inbox.take(|message| message["method"] == method).await
    }

    /// Takes the next message that meets the condition and is not an answer.
    pub async fn received_that(&self, is_meant: impl Fn(&Value) -> bool) -> Value {
        self.0.inbox.take(is_meant).await
    }

    /// All received messages that were not taken.
    pub fn inbox(&self) -> Vec<Value> {
        self.0.inbox.all()
    }

    /// Receives the server's own messages in the 2025-11-25 version, over HTTP, until it is
    /// dropped. `dwell mcp` does that by itself.
    pub async fn listen(&self) -> Option<AbortOnDropHandle<()>> {
        match &self.0.transport {
            McpTransport::Http(http) => Some(http.listen(self.0.wire).await),
            McpTransport::Stdio(_) => None,
        }
    }

    /// Writes a line as it is to `dwell mcp`.
    pub async fn write(&self, line: &str) {
        self.child().write(line).await;
    }

    /// Closes the standard input of `dwell mcp`; returns its exit status.
    pub async fn close(&self) -> ExitStatus {
        self.child().close().await
    }

    /// Kills `dwell mcp` as a power cut would.
    pub async fn kill(&self) {
        self.child().kill().await;
    }

    /// Lines of `dwell mcp` that are not messages: there should be none.
    pub fn garbage(&self) -> Vec<String> {
        self.child().garbage()
    }

    fn child(&self) -> &StdioTransport {
        match &self.0.transport {
            McpTransport::Stdio(stdio) => stdio,
            McpTransport::Http(_) => panic!("this client has no process"),
        }
    }

    fn params(&self, mut params: Value) -> Value {
        if self.0.wire == McpWire::Alone {
            let meta = &mut params["_meta"];
            meta["io.modelcontextprotocol/protocolVersion"] = json!(self.0.wire.version());
            meta["io.modelcontextprotocol/clientInfo"] = self.info();
            meta["io.modelcontextprotocol/clientCapabilities"] = self.0.capabilities.clone();
        }
        params
    }
}

/// A request without an answer yet. Dropping it disconnects without a message.
pub struct PendingRequest {
    id: u64,
    task: AbortOnDropHandle<Result<McpAnswer, ConnectionClosed>>,
}

impl PendingRequest {
    /// Its id on the wire.
    pub const fn id(&self) -> u64 {
        self.id
    }

    /// Whether it is answered.
    pub fn is_ended(&self) -> bool {
        self.task.is_finished()
    }

    /// Waits for the answer.
    ///
    /// # Errors
    /// When no answer comes.
    pub async fn end(self) -> Result<McpAnswer, ConnectionClosed> {
        self.task.await.expect("the client works")
    }
}
