//! A harness for one test: a hub over a real journal in a folder of its own, and a model that the
//! test controls.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
    time::Duration,
};

use engine::{Error, Hub, HubParts, MemoryParts, Options, SystemWorld, World};
use journal::{Journal, sqlite::Sqlite};
use memory::long_term;
use model::Models;
use protocol::{
    ChatSend, Event, OwnerId, SessionId, SessionStart, SessionView, Timestamp, TurnId, TurnResume, TurnView,
};
use secrecy::SecretString;
use tempfile::TempDir;
use tools::{Registry, Rules, net::Fetcher, redaction::Redactor};

use crate::{
    driven_model::{DrivenModel, ModelCall},
    failing_store::FailingStore,
    subscriber::Subscriber,
    test_channel::TestChannel,
    test_reflexes::{TestHomeContext, TestReflexes},
    test_tools::{self, ToolRuns, note},
};

/// A timeout that no working test comes near.
const PATIENCE: Duration = Duration::from_secs(45);

/// A configured secret, which must be redacted.
pub(crate) const SECRET: &str = "hunter2-hunter2";

/// Waits for something that is certain to happen.
pub(crate) async fn within_patience<T>(what: &str, future: impl Future<Output = T>) -> T {
    match tokio::time::timeout(PATIENCE, future).await {
        Ok(value) => value,
        Err(_) => panic!("waited in vain: {what}"),
    }
}

/// Options with short waits; sessions stay loaded unless a test changes that.
pub(crate) fn options() -> Options {
    Options {
        recovery_interval: Duration::from_millis(20),
        model_backoff: vec![Duration::from_millis(2), Duration::from_millis(4)],
        ..Options::default()
    }
}

/// Options with which an idle session is unloaded at once.
pub(crate) fn unloading_at_once() -> Options {
    Options { idle_unload: Duration::from_millis(1), ..options() }
}

/// The real world, with a clock that tests can move.
#[derive(Default)]
pub(crate) struct AdjustableWorld {
    real: SystemWorld,
    by_ms: AtomicU64,
    /// By how much the wall clock is wrong.
    wrong_by_ms: AtomicI64,
}

impl AdjustableWorld {
    /// Lets time pass.
    pub(crate) fn pass(&self, time: Duration) {
        self.by_ms.fetch_add(u64::try_from(time.as_millis()).unwrap(), Ordering::SeqCst);
    }

    /// Makes the wall clock jump without time passing.
    pub(crate) fn jump(&self, by_ms: i64) {
        self.wrong_by_ms.fetch_add(by_ms, Ordering::SeqCst);
    }
}

impl World for AdjustableWorld {
    fn now(&self) -> Timestamp {
        let right = self.real.now().plus(Duration::from_millis(self.by_ms.load(Ordering::SeqCst)));
        Timestamp::from_millis(right.as_millis() + self.wrong_by_ms.load(Ordering::SeqCst))
    }

    fn running(&self) -> Duration {
        self.real.running() + Duration::from_millis(self.by_ms.load(Ordering::SeqCst))
    }

    fn ulid(&self) -> ulid::Ulid {
        self.real.ulid()
    }
}

/// A hub with everything around it. Its owner is Ada.
pub(crate) struct Harness {
    pub(crate) hub: Hub,
    pub(crate) model: Arc<DrivenModel>,
    pub(crate) store: Arc<FailingStore>,
    /// The tools of agents; tests can change them.
    pub(crate) tools: Registry,
    /// Where the test tools run.
    pub(crate) tool_runs: Arc<ToolRuns>,
    pub(crate) world: Arc<AdjustableWorld>,
    pub(crate) home_context: Arc<TestHomeContext>,
    /// Where alerts go.
    pub(crate) channel: Arc<TestChannel>,
    pub(crate) ada: OwnerId,
    remembers: bool,
    options: Options,
    folder: TempDir,
}

impl Harness {
    pub(crate) fn new() -> Self {
        Self::with(options())
    }

    pub(crate) fn with(options: Options) -> Self {
        Self::over(TempDir::new().unwrap(), options)
    }

    /// A harness over the folder of another one.
    pub(crate) fn over(folder: TempDir, options: Options) -> Self {
        Self::build(folder, options, false, Arc::default(), Arc::default(), Arc::default())
    }

    /// A harness in which the follower derives memories from conversations.
    pub(crate) fn remembering() -> Self {
        Self::remembering_with(options())
    }

    /// The same, with other options.
    pub(crate) fn remembering_with(options: Options) -> Self {
        Self::build(TempDir::new().unwrap(), options, true, Arc::default(), Arc::default(), Arc::default())
    }

    fn build(
        folder: TempDir,
        options: Options,
        remembers: bool,
        tool_runs: Arc<ToolRuns>,
        world: Arc<AdjustableWorld>,
        channel: Arc<TestChannel>,
    ) -> Self {
        let store = Arc::new(FailingStore::new(Sqlite::open(folder.path()).unwrap()));
        let model = Arc::new(DrivenModel::new());
        let home_context = Arc::new(TestHomeContext::default());
        let mut tools = Registry::default();
        tools::add_builtins(&mut tools, store.clone(), "UTC").unwrap();
        desktop::add_artifact_show(&mut tools, store.clone()).unwrap();
        test_tools::add(&mut tools, &tool_runs);
        let rules = Rules { actuation: true, ..Rules::default() };
        let hub = Hub::open(HubParts {
            store: store.clone(),
            models: Models::of(model.clone()),
            tools: tools.clone(),
            rules,
            redactor: Redactor::new([SecretString::from(SECRET)]),
            fetcher: Fetcher::new(Vec::new()),
            reflexes: Some(Arc::new(TestReflexes)),
            home_context: Some(home_context.clone()),
            home_feed: None,
            library: None,
            world: world.clone(),
            memory: MemoryParts {
                options: long_term::MemoryOptions {
                    follows_sessions: remembers,
                    ..long_term::MemoryOptions::default()
                },
                ..MemoryParts::default()
            },
            alert_channels: vec![channel.clone()],
            options: options.clone(),
        });
        let ada = owner("ada");
        Self { hub, model, store, tools, tool_runs, world, home_context, channel, ada, remembers, options, folder }
    }

    /// Stops the hub and closes the journal. An open subscription keeps it open.
    pub(crate) async fn close(self) -> TempDir {
        self.hub.stop().await;
        let Self { hub, model, store, tools, folder, .. } = self;
        let closed = Arc::downgrade(&store);
        drop((hub, model, store, tools));
        let closing = async {
            while closed.strong_count() > 0 || Sqlite::open(folder.path()).is_err() {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        within_patience("the journal is closed", closing).await;
        folder
    }

    /// Stops the hub and opens a new one over the same folder.
    pub(crate) async fn restart(self) -> Self {
        let (options, remembers) = (self.options.clone(), self.remembers);
        let (tool_runs, world, channel) = (self.tool_runs.clone(), self.world.clone(), self.channel.clone());
        Self::build(self.close().await, options, remembers, tool_runs, world, channel)
    }

    /// Starts a session.
    pub(crate) async fn start(&self) -> SessionId {
        self.start_with(SessionStart::default()).await
    }

    pub(crate) async fn start_with(&self, asked: SessionStart) -> SessionId {
        self.hub.start(&self.ada, asked).await.unwrap().session_id
    }

    /// Sends a message.
    pub(crate) async fn say(&self, session_id: SessionId, message: &str) -> TurnId {
        self.send(session_id, ChatSend::text(message)).await.unwrap()
    }

    pub(crate) async fn send(&self, session_id: SessionId, send: ChatSend) -> Result<TurnId, Error> {
        let session = session_id.into();
        let sent = self.hub.send(&self.ada, &session, send);
        within_patience("the message is answered for", sent).await.map(|accepted| accepted.turn_id)
    }

    /// Sends a message and answers it.
    pub(crate) async fn exchange(&self, session_id: SessionId, message: &str, answer: &str) -> TurnView {
        let turn_id = self.say(session_id, message).await;
        self.model.call().await.answer(answer);
        self.ended(turn_id).await
    }

    /// Sends a message that the model answers with a call. Returns the model's next call.
    pub(crate) async fn call(&self, session_id: SessionId, tool: &str, text: &str) -> (TurnId, ModelCall) {
        let turn_id = self.say(session_id, &format!("Please use the {tool}.")).await;
        self.model.call().await.use_tools(&[("c1", tool, note(text))]);
        (turn_id, self.model.call().await)
    }

    /// The current state of a session.
    pub(crate) async fn view(&self, session_id: SessionId) -> SessionView {
        self.hub.session(&self.ada, &session_id.into()).await.unwrap()
    }

    /// The current state of a turn.
    pub(crate) async fn turn(&self, turn_id: TurnId) -> TurnView {
        self.hub.turn(&self.ada, turn_id).await.unwrap()
    }

    /// The turn once it has ended or waits for input.
    pub(crate) async fn settled(&self, turn_id: TurnId) -> TurnView {
        self.hub.wait(&self.ada, turn_id, PATIENCE).await.unwrap()
    }

    /// The turn once it has ended.
    pub(crate) async fn ended(&self, turn_id: TurnId) -> TurnView {
        let turn = self.settled(turn_id).await;
        assert!(turn.status.is_final(), "the turn has not ended: {turn:?}");
        turn
    }

    pub(crate) async fn follow(&self, session_id: SessionId) -> Subscriber {
        Subscriber::new(&self.hub, &self.ada, session_id).await
    }

    /// The journal of a session, with its numbers checked.
    pub(crate) async fn journal(&self, session_id: SessionId) -> Vec<Event> {
        let events = self.store.read(session_id, 0, 100_000).await.unwrap();
        for (event, seq) in events.iter().zip(1..) {
            assert_eq!(event.seq, seq, "numbers come without gap and repeat");
        }
        events
    }
}

pub(crate) fn owner(name: &str) -> OwnerId {
    name.parse().unwrap()
}

/// Continues a turn, without outcomes for its calls.
pub(crate) fn resume(turn_id: TurnId) -> TurnResume {
    TurnResume { turn_id, outcome: None, call_id: None }
}
