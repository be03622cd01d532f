//! The hub: the entry point of every transport.
//!
//! Its only state is the directory of live sessions. A command is mail to the session's actor;
//! everything that can be read without the actor (lists, turns, pages) is read from the journal.

mod alerts;
mod approvals;
mod artifacts;
mod ask;
mod background;
mod call;
mod client_reads;
mod client_tools;
mod desktop;
mod directory;
mod embeddings;
mod gauges;
mod home;
mod images;
mod interchange;
mod journal_file;
mod labels;
mod library;
mod manifest;
mod memory;
mod model_settings;
mod models;
mod nodes;
mod owners_gained;
mod pages;
mod quota;
mod readiness;
mod recognise;
mod recovery;
mod restore;
mod retention;
mod schedules;
mod sessions;
mod subscribe;
mod sweep;
mod tool_specs;
mod tool_workers;
mod turns;
mod understand;
mod values;
mod verification;
mod window;

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, Mutex, OnceLock, PoisonError, Weak},
};

use ::memory::{
    agent::{
        Agent,
        control::Invoker,
        summarizer::{ExtractiveSummarizer, ModelSummarizer, Summarizer},
    },
    embedding::Embedder,
    long_term::{self, LongTermMemory},
};
pub use call::CallAnswer;
pub use client_reads::named as client_name;
pub(crate) use directory::{Directory, opened};
pub use embeddings::{CountedMessage, CountedPrompt};
use journal::Store;
pub use manifest::ExportKey;
use model::Models;
pub(crate) use owners_gained::OwnersGained;
use ports::{AlertChannel, HomeContext, HomeFeed, LibraryPort, Reflexes};
use protocol::{
    BackupStatus, Event, JournalStats, OwnerId, ServerStats, SessionId, SessionRef, SessionView, Timestamp,
    ToolServerView, ToolView, TurnId,
};
use readiness::Readiness;
pub use recognise::{ClientCalls, ConversationMatch, Exchange};
pub(crate) use retention::archive;
pub use schedules::ScheduleMaker;
use session::{Command, CommandOutcome};
use tokio::sync::{Notify, oneshot, watch};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tool_specs::ToolSpecs;
use tools::{RateLimitExceeded, RateLimits, Registry, Rules, net::Fetcher, redaction::Redactor};

use crate::{
    Error, Options, World,
    clock::{SweepClock, Tolerance},
    counters::ServerCounters,
    extraction::{ExtractionFollower, ExtractionOptions},
    follower::Follower,
    live::{Heartbeats, Mail},
    memory_tools::MemoryPort,
    plans::{self, Alarms, AlertFeed, HomeTriggers, TimerFeed},
    pool::{Limiter, PermitLimits},
    quota::Reservations,
    schedule_tools::SchedulePort,
    subscription::LiveFeed,
    tool_workers::ToolWorkers,
    turn::LikelyTools,
};

/// Ended turns whose token counts are cached.
const TURN_TOKENS_MAX: usize = 16 * 1024;

/// A turn, whether its calls are included as such, and how many entries of its thread are left.
pub(crate) type TurnForm = (TurnId, bool, usize);

/// The parts of a hub.
pub struct HubParts {
    /// The storage of sessions.
    pub store: Arc<dyn Store>,
    /// The models that answer.
    pub models: Models,
    /// The tools of agents.
    pub tools: Registry,
    /// The policy rules.
    pub rules: Rules,
    /// Redacts secrets.
    pub redactor: Redactor,
    /// Fetches URLs from outside.
    pub fetcher: Fetcher,
    /// Understands messages without a language model.
    pub reflexes: Option<Arc<dyn Reflexes>>,
    /// Gives models context about the home.
    pub home_context: Option<Arc<dyn HomeContext>>,
    /// Shows the home to clients.
    pub home_feed: Option<Arc<dyn HomeFeed>>,
    /// The document library.
    pub library: Option<Arc<dyn LibraryPort>>,
    /// Time and randomness.
    pub world: Arc<dyn World>,
    /// The parts of memory.
    pub memory: MemoryParts,
    /// The channels for alerts.
    pub alert_channels: Vec<Arc<dyn AlertChannel>>,
    /// The options.
    pub options: Options,
}

/// The parts of memory.
pub struct MemoryParts {
    /// The embedding model, or why there is none.
    pub embedder: Result<Arc<dyn Embedder>, String>,
    /// The name of the model that summarizes conversations; `None` uses excerpts of the
    /// conversations instead.
    pub model: Option<String>,
    /// The extraction of facts by a model.
    pub extraction: ExtractionOptions,
    /// The options.
    pub options: long_term::MemoryOptions,
}

impl Default for MemoryParts {
    fn default() -> Self {
        let embedder = Err("no embedding model is configured".to_owned());
        let extraction = ExtractionOptions::default();
        Self { embedder, model: None, extraction, options: long_term::MemoryOptions::default() }
    }
}

/// The services that all parts of the engine share.
pub(crate) struct Services {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) models: Arc<Models>,
    pub(crate) tools: Registry,
    pub(crate) rules: Rules,
    pub(crate) redactor: Redactor,
    pub(crate) fetcher: Fetcher,
    pub(crate) reflexes: Option<Arc<dyn Reflexes>>,
    pub(crate) home_context: Option<Arc<dyn HomeContext>>,
    pub(crate) home_feed: Option<Arc<dyn HomeFeed>>,
    library: Option<Arc<dyn LibraryPort>>,
    pub(crate) world: Arc<dyn World>,
    /// The clock for deletion by age.
    pub(crate) clock: SweepClock,
    pub(crate) long_term: LongTermMemory,
    pub(crate) options: Options,
    pub(crate) counters: Arc<ServerCounters>,
    /// The result of the last readiness probe.
    readiness: Readiness,
    /// Limits the number of running agents.
    pub(crate) agents: Limiter,
    /// Limits the number of running turns in the background, which take no place of the others.
    pub(crate) background_agents: Limiter,
    /// Signs of life of turns in the background.
    pub(crate) heartbeats: Arc<Heartbeats>,
    /// Quota usage that the store does not count, or not yet.
    pub(crate) reservations: Reservations,
    pub(crate) stopping: CancellationToken,
    pub(crate) tasks: TaskTracker,
    rates: Mutex<RateLimits>,
    /// The tools as models see them.
    pub(crate) tool_specs: ToolSpecs,
    turn_tokens: Mutex<HashMap<TurnForm, Arc<[u64]>>>,
    /// The tools that messages make likely.
    pub(crate) likely_tools: LikelyTools,
    /// Models that have refused requests with tools.
    toolless: Mutex<BTreeSet<String>>,
    /// The status of the scheduled backups, if there are any.
    backup: Mutex<Option<BackupStatus>>,
    /// The clients that serve tools.
    pub(crate) tool_workers: Arc<ToolWorkers>,
    /// When sessions have to be woken.
    pub(crate) alarms: Alarms,
    /// The followers of alerts, and the channels.
    pub(crate) alerts: AlertFeed,
    /// Which sessions wait for which entities of the home.
    pub(crate) home_triggers: HomeTriggers,
    /// A session may have missed the end of a turn: the last ones are told again.
    pub(crate) ends_missed: Notify,
    /// The followers of timers.
    pub(crate) timers: TimerFeed,
    /// The hub itself, for turns that change memory.
    hub: OnceLock<(Weak<Directory>, Weak<Follower>, Weak<ExtractionFollower>)>,
}

impl Services {
    /// The hub; none while it opens and after it was dropped.
    pub(crate) fn hub(&self) -> Option<Hub> {
        let (directory, follower, extraction) = self.hub.get()?;
        Some(Hub { directory: directory.upgrade()?, follower: follower.upgrade()?, extraction: extraction.upgrade()? })
    }

    /// Token counts of the messages of an ended turn in one of its forms. They do not change any
    /// more, so they are counted once.
    pub(crate) fn turn_tokens(&self, form: TurnForm, count: impl FnOnce() -> Arc<[u64]>) -> Arc<[u64]> {
        let lock = || self.turn_tokens.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&form) {
            return known.clone();
        }
        let tokens = count();
        let mut all = lock();
        if all.len() >= TURN_TOKENS_MAX {
            all.clear();
        }
        all.insert(form, tokens.clone());
        tokens
    }

    /// Whether a model has refused requests with tools.
    pub(crate) fn is_toolless(&self, model: &str) -> bool {
        self.toolless.lock().unwrap_or_else(PoisonError::into_inner).contains(model)
    }

    /// Records that a model gets no tools.
    pub(crate) fn show_no_tools(&self, model: &str) {
        self.toolless.lock().unwrap_or_else(PoisonError::into_inner).insert(model.to_owned());
    }

    /// Clears that record.
    pub(crate) fn show_tools_again(&self, model: &str) {
        self.toolless.lock().unwrap_or_else(PoisonError::into_inner).remove(model);
    }

    /// Whether an owner has a library.
    pub(crate) fn has_library(&self, owner: &OwnerId) -> bool {
        self.library.as_ref().is_some_and(|library| library.has_folders(owner))
    }

    /// Takes one of the calls that an owner has per minute.
    pub(crate) fn take_call(&self, owner: &OwnerId, tool: &str, per_minute_max: u32) -> Result<(), RateLimitExceeded> {
        let mut rates = self.rates.lock().unwrap_or_else(PoisonError::into_inner);
        rates.take(owner, tool, per_minute_max, self.world.now())
    }
}

/// The entry point of every transport. Cheap to clone.
#[derive(Clone)]
pub struct Hub {
    directory: Arc<Directory>,
    follower: Arc<Follower>,
    extraction: Arc<ExtractionFollower>,
}

impl Hub {
    /// Opens the hub. Interrupted turns continue from now on, and connections to the models are
    /// opened.
    pub fn open(parts: HubParts) -> Self {
        let HubParts {
            store,
            models,
            mut tools,
            rules,
            redactor,
            fetcher,
            reflexes,
            home_context,
            home_feed,
            library,
            world,
            memory,
            alert_channels,
            options,
        } = parts;
        let memory_port = MemoryPort::register(&mut tools);
        let schedule_port = SchedulePort::register(&mut tools);
        let models = Arc::new(models);
        let counters = Arc::new(ServerCounters::new(world.now(), options.observers.clone()));
        let words = words(&models, memory.model.as_deref(), &counters);
        let long_term =
            LongTermMemory::open(store.clone(), Arc::new(MemoryWorld(world.clone())), memory.embedder, memory.options);
        let services = Arc::new(Services {
            tool_specs: ToolSpecs::default(),
            counters,
            agents: Limiter::new(PermitLimits::of(&options)),
            background_agents: Limiter::new(PermitLimits::of_background(&options)),
            heartbeats: Arc::default(),
            reservations: Reservations::default(),
            readiness: Readiness::default(),
            stopping: CancellationToken::new(),
            tasks: TaskTracker::new(),
            rates: Mutex::default(),
            toolless: Mutex::default(),
            turn_tokens: Mutex::default(),
            likely_tools: LikelyTools::default(),
            backup: Mutex::default(),
            tool_workers: Arc::default(),
            alarms: Alarms::default(),
            alerts: AlertFeed::new(alert_channels),
            home_triggers: HomeTriggers::default(),
            ends_missed: Notify::new(),
            timers: TimerFeed::default(),
            hub: OnceLock::new(),
            clock: SweepClock::new(Tolerance { jump_max: options.clock_jump_max, settle: options.clock_settle }),
            store,
            models,
            tools,
            rules,
            redactor,
            fetcher,
            reflexes,
            home_context,
            home_feed,
            library,
            world,
            long_term: long_term.clone(),
            options,
        });
        memory_port.connect(&services);
        schedule_port.connect(&services);
        warm(&services);
        let directory = Arc::new(Directory::new(services));
        let follower = Follower::spawn(directory.clone(), Agent::new(long_term, words, Invoker::default()));
        let extraction = ExtractionFollower::spawn(directory.clone(), follower.clone(), memory.extraction);
        let hub = Self { directory, follower, extraction };
        let weak = (Arc::downgrade(&hub.directory), Arc::downgrade(&hub.follower), Arc::downgrade(&hub.extraction));
        // It is set once, here.
        let _ = hub.services().hub.set(weak);
        recovery::spawn(hub.directory.clone());
        plans::spawn(hub.directory.clone());
        plans::follow_home(hub.directory.clone());
        sweep::spawn(&hub);
        verification::spawn(&hub);
        hub
    }

    /// Stops the hub: no more mail is taken, published text is written, and turns are interrupted
    /// until the next start.
    pub async fn stop(&self) {
        let services = self.services();
        services.stopping.cancel();
        services.tasks.close();
        services.tasks.wait().await;
    }

    /// The current time.
    pub fn now(&self) -> Timestamp {
        self.services().world.now()
    }

    /// A new id.
    pub fn ulid(&self) -> ulid::Ulid {
        self.services().world.ulid()
    }

    /// The registered tools.
    pub fn tools(&self) -> Vec<ToolView> {
        let services = self.services();
        services.tools.entries().map(|entry| tools::view(&entry, &services.rules)).collect()
    }

    /// The external servers that may provide tools.
    pub fn tool_servers(&self) -> Vec<ToolServerView> {
        self.services().tools.servers()
    }

    /// Notifies of every change of the registered tools from now on.
    pub fn tools_changed(&self) -> watch::Receiver<u64> {
        self.services().tools.changes()
    }

    /// The statistics of the server since its start.
    pub fn stats(&self) -> ServerStats {
        let services = self.services();
        let stats =
            services.counters.read(self.directory.live_count() as u64, &services.agents, services.options.limits());
        let journal = JournalStats { damaged_sessions: self.damaged_sessions(), ..stats.journal };
        let backup = services.backup.lock().unwrap_or_else(PoisonError::into_inner).clone();
        ServerStats { journal, clock: services.clock.doubt(), backup, memory_model: self.extraction.stats(), ..stats }
    }

    /// Records the status of the scheduled backups, for the statistics.
    pub fn note_backup(&self, status: BackupStatus) {
        *self.services().backup.lock().unwrap_or_else(PoisonError::into_inner) = Some(status);
    }

    pub(crate) async fn join(&self, owner: &OwnerId, session_id: SessionId) -> Result<LiveFeed, Error> {
        self.ask(session_id, |reply| Mail::Join { owner: owner.clone(), reply }).await
    }

    pub(crate) async fn page(&self, session_id: SessionId, after: u64, limit: usize) -> Result<Vec<Event>, Error> {
        Ok(self.services().store.read(session_id, after, limit).await?)
    }

    fn services(&self) -> &Services {
        &self.directory.services
    }

    fn long_term(&self) -> &LongTermMemory {
        &self.directory.services.long_term
    }

    fn follower(&self) -> &Follower {
        &self.follower
    }

    /// Resolves a session reference. An unused name creates a session if `create` is set.
    async fn find(&self, owner: &OwnerId, session: &SessionRef, create: bool) -> Result<SessionId, Error> {
        match (&session.session_id, &session.conversation_id) {
            (Some(id), None) => Ok(*id),
            (None, Some(name)) => {
                if let Some(id) = self.services().store.named(owner, name).await? {
                    return Ok(id);
                }
                if !create {
                    return Err(Error::NoSession);
                }
                let asked = protocol::SessionStart { key: Some(name.clone()), ..protocol::SessionStart::default() };
                Ok(self.start(owner, asked).await?.session_id)
            }
            _ => Err(Error::Invalid("give either `session_id` or `conversation_id`".to_owned())),
        }
    }

    async fn view(&self, owner: &OwnerId, session_id: SessionId) -> Result<SessionView, Error> {
        self.ask(session_id, |reply| Mail::View { owner: owner.clone(), reply }).await
    }

    async fn command(&self, owner: &OwnerId, session_id: SessionId, command: Command) -> Result<CommandOutcome, Error> {
        let (_held, full) = self.admit(owner, &command).await?;
        self.directory.command_unless(owner, session_id, command, full).await
    }

    async fn ask<T>(
        &self,
        session_id: SessionId,
        mail: impl FnOnce(oneshot::Sender<Result<T, Error>>) -> Mail,
    ) -> Result<T, Error> {
        self.directory.ask(session_id, mail).await
    }
}

/// Reads the sentences about schedules, counts the tokens of the tools, and opens connections to
/// the models, so that no first turn waits for it.
fn warm(services: &Arc<Services>) {
    let languages = schedule::languages().count();
    tracing::debug!(languages, "sentences about schedules are read");
    for entry in services.tools.entries() {
        services.tool_specs.of(&entry).tokens();
    }
    let warm = services.clone();
    services.tasks.spawn(async move {
        tokio::select! {
            () = models::keep_asking(&warm) => {}
            () = warm.stopping.cancelled() => {}
        }
    });
}

/// Time and ids for the long-term memory.
struct MemoryWorld(Arc<dyn World>);

impl long_term::World for MemoryWorld {
    fn now(&self) -> Timestamp {
        self.0.now()
    }

    fn ulid(&self) -> ulid::Ulid {
        self.0.ulid()
    }
}

/// The model that summarizes conversations.
fn words(models: &Arc<Models>, name: Option<&str>, counters: &Arc<ServerCounters>) -> Arc<dyn Summarizer> {
    match name.map(|name| models.by_name(Some(name))) {
        Some(model) if model.traits().understands => {
            let counters = counters.clone();
            let meter = move |purpose: &str, model: &str, took| counters.side_call(purpose, model, took);
            Arc::new(ModelSummarizer::new(model, Arc::new(meter)))
        }
        _ => Arc::new(ExtractiveSummarizer),
    }
}
