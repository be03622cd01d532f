//! The real program, started on a data folder of its own, killed and started again.

use std::{
    fs::File,
    path::{Path, PathBuf},
    process::{ExitStatus, Stdio},
    sync::{Arc, OnceLock},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use serde_json::Value;
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
};

use crate::{
    Frames, McpClient, McpWire, ModelServer, RestClient, Socket,
    test_store::{TestDatabase, is_on_postgres},
};

/// How long the program may take to start or to stop.
const PATIENCE: Duration = Duration::from_secs(30);
/// The token of every program that the tests start.
pub const TOKEN: &str = "test-token-0123456789";

/// The name of a time zone in which it is between one and two in the afternoon.
#[allow(clippy::disallowed_methods, reason = "the program under test goes by the clock of the machine")]
fn zone_with_afternoon() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let east = 13 - i64::try_from(seconds / 3_600 % 24).unwrap_or(0);
    // The names of these zones count hours west of Greenwich.
    format!("Etc/GMT{:+}", -east)
}

/// A program and its data folder; it can be started any number of times.
pub struct Program {
    binary: PathBuf,
    folder: Arc<TempDir>,
    environment: Vec<(String, String)>,
    keeps_log: bool,
    file_blocks_max: Option<u32>,
    /// Its database, made when it is started, if its journal is in PostgreSQL.
    database: Option<Arc<OnceLock<TestDatabase>>>,
}

/// The address of the database that a program uses.
const STORE_URL: &str = "DWELL_STORE_URL";

impl Program {
    /// The program at this path, with no model, no home and an empty data folder.
    pub fn new(binary: &str) -> Self {
        let folder = Arc::new(TempDir::new().expect("a folder for the data"));
        // A model that extracts facts in the background would take the replies that tests queue for
        // answers.
        let environment = [("DWELL_TOKEN", TOKEN), ("DWELL_HOME_ENABLED", "false"), ("DWELL_MEMORY_MODEL", "off")];
        let environment = environment.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
        let database = is_on_postgres().then(Arc::default);
        Self { binary: binary.into(), folder, environment, keeps_log: false, file_blocks_max: None, database }
    }

    /// The same, with this model server as its provider.
    #[must_use]
    pub fn with_model(self, model: &ModelServer) -> Self {
        self.with("OPENAI_BASE_URL", &model.base_url()).with("OPENAI_API_KEY", "sk-test")
    }

    /// The same, with the default home. Tests that need no home leave it out, because learning its
    /// sentences takes time.
    ///
    /// Its people leave and come by the clock, so it stands in a time zone where it is afternoon:
    /// a test finds the same home at every hour at which it is run.
    #[must_use]
    pub fn with_home(mut self) -> Self {
        self.environment.retain(|(name, _)| name != "DWELL_HOME_ENABLED");
        self.with("DWELL_TOOLS_TIME_ZONE", &zone_with_afternoon())
    }

    /// The same, with facts extracted by the model that answers in a session, some milliseconds
    /// after a turn.
    #[must_use]
    pub fn with_memory_model(mut self, delay_ms: u32) -> Self {
        self.environment.retain(|(name, _)| name != "DWELL_MEMORY_MODEL");
        self.with("DWELL_MEMORY_MODEL_DELAY_MS", &delay_ms.to_string())
    }

    /// The same, with its journal in the data folder, also where tests run on PostgreSQL.
    #[must_use]
    pub fn with_embedded_store(mut self) -> Self {
        self.database = None;
        self
    }

    /// The same, with an environment variable.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    /// The same, without a given token, so that the program makes its own.
    #[must_use]
    pub fn with_own_token(mut self) -> Self {
        self.environment.retain(|(name, _)| name != "DWELL_TOKEN");
        self
    }

    /// The same, with its log in the file `log` of its data folder.
    #[must_use]
    pub fn with_log(mut self) -> Self {
        self.keeps_log = true;
        self
    }

    /// The same, with files limited to that many blocks of 512 bytes: beyond that, writes fail as
    /// on a full disk.
    #[must_use]
    pub const fn with_file_blocks(mut self, most: u32) -> Self {
        self.file_blocks_max = Some(most);
        self
    }

    /// The data folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A command of the program on the data folder, with nothing of the environment of the tests.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.binary);
        command.args(arguments).arg("--data").arg(self.folder()).env_clear().kill_on_drop(true);
        command.env("HOME", self.folder());
        if let Some(database) = &self.database
            && !self.environment.iter().any(|(name, _)| name == STORE_URL)
        {
            command.env(STORE_URL, database.get_or_init(TestDatabase::create).url());
        }
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs a command to its end.
    pub async fn run(&self, arguments: &[&str]) -> CommandOutput {
        let output = self.command(arguments).stdin(Stdio::null()).output().await.expect("the command runs");
        CommandOutput {
            status: output.status,
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Starts the server.
    pub async fn start(&self) -> RunningServer {
        self.start_with(&[]).await
    }

    /// Starts the server with more arguments.
    pub async fn start_with(&self, arguments: &[&str]) -> RunningServer {
        let mut command = self.command(&[&["serve", "--listen", "127.0.0.1:0"], arguments].concat());
        if let Some(most) = self.file_blocks_max {
            command = limited(&command, most);
        }
        // The log goes to the output of the test, unless the test reads it.
        let log = if self.keeps_log { Stdio::from(self.log()) } else { Stdio::inherit() };
        let mut child = command.stdout(Stdio::piped()).stderr(log).spawn().expect("the program starts");
        let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        let mut greeting = Vec::new();
        let url = tokio::time::timeout(PATIENCE, async {
            while let Some(line) = lines.next_line().await.expect("its output") {
                greeting.push(line.clone());
                if let Some(url) = line.strip_prefix("listening on ") {
                    return url.to_owned();
                }
            }
            panic!("the program ended while starting: {greeting:?}")
        });
        let url = url.await.expect("the program is slow to start");
        RunningServer { child, url, greeting, _folder: self.folder.clone(), _database: self.database.clone() }
    }

    /// A client of `dwell mcp`, started on the data folder.
    pub async fn mcp(&self, wire: McpWire, capabilities: Value) -> McpClient {
        McpClient::stdio(self.command(&["mcp"]), wire, capabilities).await
    }

    /// The same, without the handshake.
    pub fn mcp_silent(&self, wire: McpWire) -> McpClient {
        McpClient::stdio_silent(self.command(&["mcp"]), wire, serde_json::json!({}))
    }

    fn log(&self) -> File {
        let file = File::options().create(true).append(true).open(self.folder().join("log"));
        file.expect("a file for the log")
    }
}

/// The same command, started by a shell that limits the size of files.
fn limited(command: &Command, blocks: u32) -> Command {
    let inner = command.as_std();
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg(script).arg(inner.get_program()).args(inner.get_args()).env_clear().kill_on_drop(true);
    command.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command
}

/// The result of a command.
#[derive(Debug)]
pub struct CommandOutput {
    /// The exit status.
    pub status: ExitStatus,
    /// The standard output.
    pub stdout: String,
    /// The standard error.
    pub stderr: String,
}

impl CommandOutput {
    /// The exit code.
    pub fn code(&self) -> i32 {
        self.status.code().unwrap_or(-1)
    }
}

/// A running server. Dropping it kills it.
pub struct RunningServer {
    child: Child,
    url: String,
    greeting: Vec<String>,
    /// Not removed while the server runs, even if the program is dropped.
    _folder: Arc<TempDir>,
    _database: Option<Arc<OnceLock<TestDatabase>>>,
}

impl RunningServer {
    /// The address of the server.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The lines that it printed up to its address.
    pub fn greeting(&self) -> &[String] {
        &self.greeting
    }

    /// The address of its Wyoming listener, from the printed lines.
    pub fn wyoming(&self) -> &str {
        let line = self.greeting.iter().find_map(|line| line.strip_prefix("wyoming on tcp://"));
        line.expect("Wyoming is enabled")
    }

    /// A client of its REST API.
    pub fn rest(&self) -> RestClient {
        RestClient::new(&self.url, Some(TOKEN))
    }

    /// A client of its REST API with another token, or none.
    pub fn rest_as(&self, token: Option<&str>) -> RestClient {
        RestClient::new(&self.url, token)
    }

    /// A WebSocket.
    pub async fn socket(&self) -> Socket {
        Socket::connect(&self.url, TOKEN).await
    }

    /// A WebSocket with another token.
    pub async fn socket_as(&self, token: &str) -> Socket {
        Socket::connect(&self.url, token).await
    }

    /// Any event stream, with another token.
    pub async fn frames_as(&self, token: &str, path: &str) -> Frames {
        Frames::open(&self.url, token, path).await
    }

    /// A session's events after a number.
    pub async fn frames(&self, session_id: &str, after: u64) -> Frames {
        Frames::open(&self.url, TOKEN, &format!("/events/{session_id}?after={after}")).await
    }

    /// Any event stream.
    pub async fn frames_at(&self, path: &str) -> Frames {
        Frames::open(&self.url, TOKEN, path).await
    }

    /// An MCP client.
    pub async fn mcp(&self, wire: McpWire, capabilities: Value) -> McpClient {
        self.mcp_as(TOKEN, wire, capabilities).await
    }

    /// The same with another token.
    pub async fn mcp_as(&self, token: &str, wire: McpWire, capabilities: Value) -> McpClient {
        McpClient::http(&self.url, token, wire, capabilities).await
    }

    /// An MCP client with another name.
    pub async fn mcp_named(&self, name: &str, wire: McpWire, capabilities: Value) -> McpClient {
        McpClient::http_named(&self.url, TOKEN, name, wire, capabilities).await
    }

    /// The process id.
    pub fn pid(&self) -> u32 {
        self.child.id().expect("it runs")
    }

    /// Kills it as a power cut would.
    pub async fn kill(mut self) {
        self.child.kill().await.expect("it can be killed");
    }

    /// Asks it to stop and waits for it.
    pub async fn stop(mut self) -> ExitStatus {
        let asked = Command::new("sh").arg("-c").arg(format!("kill -TERM {}", self.pid())).status().await;
        assert!(asked.expect("a shell").success());
        tokio::time::timeout(PATIENCE, self.child.wait()).await.expect("it is slow to stop").expect("it stops")
    }
}
