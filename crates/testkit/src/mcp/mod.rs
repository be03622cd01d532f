//! A client of the Model Context Protocol that shows a test exactly what comes: both wires, over HTTP and over `dwell mcp`.
//!
//! Whatever is not the answer to a request, notifications and the server's own requests, is kept until the test asks for it.

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

use http::Http;
use inbox::Inbox;
use stdio::Stdio;

/// What clients call themselves unless told.
const NAME: &str = "dwell-tests";
/// How long a test waits for an answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// A wire of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum McpWire {
    /// 2025-11-25: a session that begins with a handshake.
    Session,
    /// 2026-07-28: every request stands alone.
    Alone,
}

impl McpWire {
    /// Both.
    pub const BOTH: [Self; 2] = [Self::Session, Self::Alone];

    /// Its name.
    pub const fn version(self) -> &'static str {
        match self {
            Self::Session => "2025-11-25",
            Self::Alone => "2026-07-28",
        }
    }
}

/// The server's result, or its error.
pub type McpAnswer = Result<Value, Value>;

/// Nobody answers: the server is gone, or the client was cut off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gone(pub String);

/// A client. Cheap to clone; the clones share their ids.
#[derive(Clone)]
pub struct Mcp(Arc<Shared>);

struct Shared {
    wire: McpWire,
    /// What it calls itself.
    name: String,
    capabilities: Value,
    ids: AtomicU64,
    inbox: Arc<Inbox>,
    door: Door,
}

enum Door {
    Http(Http),
    Stdio(Box<Stdio>),
}

impl Mcp {
    /// A client of the server at this address, which has begun.
    pub async fn http(url: &str, token: &str, wire: McpWire, capabilities: Value) -> Self {
        let inbox = Arc::<Inbox>::default();
        let mcp = Self::new(wire, capabilities, inbox.clone(), Door::Http(Http::new(url, token, inbox)));
        mcp.begin_session().await;
        mcp
    }

    /// The same, under another name.
    pub async fn http_named(url: &str, token: &str, name: &str, wire: McpWire, capabilities: Value) -> Self {
        let inbox = Arc::<Inbox>::default();
        let door = Door::Http(Http::new(url, token, inbox.clone()));
        let mcp = Self::named(name, wire, capabilities, inbox, door);
        mcp.begin_session().await;
        mcp
    }

    /// A client of a program that speaks on its standard input and output, which has begun.
    pub(crate) async fn stdio(command: Command, wire: McpWire, capabilities: Value) -> Self {
        let mcp = Self::stdio_silent(command, wire, capabilities);
        mcp.begin_session().await;
        mcp
    }

    /// The same, which has not said anything.
    pub(crate) fn stdio_silent(command: Command, wire: McpWire, capabilities: Value) -> Self {
        let inbox = Arc::<Inbox>::default();
        Self::new(wire, capabilities, inbox.clone(), Door::Stdio(Box::new(Stdio::start(command, inbox))))
    }

    fn new(wire: McpWire, capabilities: Value, inbox: Arc<Inbox>, door: Door) -> Self {
        Self::named(NAME, wire, capabilities, inbox, door)
    }

    fn named(name: &str, wire: McpWire, capabilities: Value, inbox: Arc<Inbox>, door: Door) -> Self {
        let (name, ids) = (name.to_owned(), AtomicU64::new(1));
        Self(Arc::new(Shared { wire, name, capabilities, ids, inbox, door }))
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

    /// The wire it speaks.
    pub fn wire(&self) -> McpWire {
        self.0.wire
    }

    /// Asks, and waits for the answer.
    ///
    /// # Panics
    /// When nobody answers.
    pub async fn ask(&self, method: &str, params: Value) -> McpAnswer {
        self.try_ask(method, params).await.expect("the server answers")
    }

    /// Asks a server that may be gone.
    ///
    /// # Errors
    /// When nobody answers.
    pub async fn try_ask(&self, method: &str, params: Value) -> Result<McpAnswer, Gone> {
        self.begin(method, params).end().await
    }

    /// Asks, and leaves it to the test when to wait; dropping it goes away.
    pub fn begin(&self, method: &str, params: Value) -> Pending {
        let id = self.0.ids.fetch_add(1, Ordering::Relaxed);
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": self.params(params) });
        let shared = self.0.clone();
        let task = tokio::spawn(async move {
            let answer = async {
                match &shared.door {
                    Door::Http(http) => http.ask(shared.wire, message).await,
                    Door::Stdio(stdio) => stdio.ask(id, &message).await,
                }
            };
            tokio::time::timeout(PATIENCE, answer).await.unwrap_or_else(|_| Err(Gone("no answer in time".to_owned())))
        });
        Pending { id, task: AbortOnDropHandle::new(task) }
    }

    /// Calls a tool; the result is as it came.
    pub async fn call(&self, tool: &str, arguments: Value) -> McpAnswer {
        self.ask("tools/call", json!({ "name": tool, "arguments": arguments })).await
    }

    /// Calls a tool and leaves it to the test when to wait.
    pub fn begin_call(&self, tool: &str, arguments: Value) -> Pending {
        self.begin("tools/call", json!({ "name": tool, "arguments": arguments }))
    }

    /// What a tool answers with, as data.
    ///
    /// # Panics
    /// When it answers otherwise.
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

    /// Says something that is not answered.
    pub async fn notify(&self, method: &str, params: Value) {
        let params = self.params(params);
        self.tell(json!({ "jsonrpc": "2.0", "method": method, "params": params })).await;
    }

    /// Answers a request of the server.
    pub async fn reply(&self, request: &Value, result: Value) {
        self.tell(json!({ "jsonrpc": "2.0", "id": request["id"], "result": result })).await;
    }

    async fn tell(&self, message: Value) {
        match &self.0.door {
            Door::Http(http) => http.tell(self.0.wire, message).await,
            Door::Stdio(stdio) => stdio.write(&message.to_string()).await,
        }
    }

    /// The next message of this method that is no answer; it is taken out of what was heard.
    pub async fn heard(&self, method: &str) -> Value {
        self.0.inbox.take(|message| message["method"] == method).await
    }

    /// The next message like this that is no answer to a request.
    pub async fn heard_that(&self, is_meant: impl Fn(&Value) -> bool) -> Value {
        self.0.inbox.take(is_meant).await
    }

    /// All that was heard and not taken.
    pub fn inbox(&self) -> Vec<Value> {
        self.0.inbox.all()
    }

    /// Hears what the server of the older wire says by itself, over HTTP, until it is dropped. `dwell mcp` does that unasked.
    pub async fn listen(&self) -> Option<AbortOnDropHandle<()>> {
        match &self.0.door {
            Door::Http(http) => Some(http.listen(self.0.wire).await),
            Door::Stdio(_) => None,
        }
    }

    /// Writes a line as it is to `dwell mcp`.
    pub async fn write(&self, line: &str) {
        self.child().write(line).await;
    }

    /// Closes the standard input of `dwell mcp` and gives how it ended.
    pub async fn close(&self) -> ExitStatus {
        self.child().close().await
    }

    /// Kills `dwell mcp` as a power cut would.
    pub async fn kill(&self) {
        self.child().kill().await;
    }

    /// Lines of `dwell mcp` that are no messages: there should be none.
    pub fn garbage(&self) -> Vec<String> {
        self.child().garbage()
    }

    fn child(&self) -> &Stdio {
        match &self.0.door {
            Door::Stdio(stdio) => stdio,
            Door::Http(_) => panic!("this client has no process"),
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

/// A request that is not answered yet. Dropping it goes away without a word.
pub struct Pending {
    id: u64,
    task: AbortOnDropHandle<Result<McpAnswer, Gone>>,
}

impl Pending {
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
    /// When nobody answers.
    pub async fn end(self) -> Result<McpAnswer, Gone> {
        self.task.await.expect("the client works")
    }
}
