//! The hub: where every door comes in.
//!
//! It knows no state of its own beyond which sessions are live. A command is mail to the session's actor; what can be
//! read without it (lists, turns, pages) is read from the journal.

mod approvals;
mod artifacts;
mod ask;
mod call;
mod client_tools;
mod desktop;
mod directory;
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
mod pages;
mod quota;
mod readiness;
mod reading;
mod recognise;
mod recovery;
mod restore;
mod retention;
mod sessions;
mod sweep;
mod tool_specs;
mod turns;
mod understand;
mod verification;
mod window;

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, Mutex, PoisonError},
};

use ::memory::{
    agent::{
        Agent,
        control::Invoker,
        words::{Composed, Extract, Words},
    },
    embedding::Embedder,
    room::{self, Room},
};
pub use call::CallAnswer;
pub(crate) use directory::Directory;
use journal::Store;
pub use manifest::ExportKey;
use model::Models;
use protocol::{
    BackupStatus, Event, JournalStats, OwnerId, ServerStats, SessionId, SessionRef, SessionView, Timestamp,
    ToolServerView, ToolView, TurnId,
};
use readiness::Readiness;
pub use reading::named as client_name;
pub use recognise::{Exchange, Handed, Recognised};
pub(crate) use retention::archive;
use session::{Command, Outcome};
use tokio::sync::{oneshot, watch};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tool_specs::ToolSpecs;
use tools::{
    Library, Outlook, RateLimits, Reflexes, Registry, Rules, Senses, TooMany, net::Fetcher, redaction::Redactor,
};

use crate::{
    Error, Options, World,
    clock::{SweepClock, Tolerance},
    counters::Counters,
    follower::Follower,
    live::Mail,
    pool::{Limiter, Limits},
    quota::Reservations,
    subscription::{Joined, Subscription, Watched},
    turn::LikelyTools,
};

/// Ended turns whose tokens are remembered.
const TURN_TOKENS_MAX: usize = 16 * 1024;

/// A turn, whether its calls are told as such, and how many entries of its thread are left.
pub(crate) type TurnForm = (TurnId, bool, usize);

/// What a hub is made of.
pub struct Parts {
    /// Where sessions are kept.
    pub store: Arc<dyn Store>,
    /// Who answers.
    pub models: Models,
    /// What agents can do.
    pub tools: Registry,
    /// What they may.
    pub rules: Rules,
    /// What nobody may see.
    pub redactor: Redactor,
    /// How addresses from outside are fetched.
    pub fetcher: Fetcher,
    /// Who understands messages with no language model.
    pub reflexes: Option<Arc<dyn Reflexes>>,
    /// Who knows of the world around.
    pub senses: Option<Arc<dyn Senses>>,
    /// Who shows people the home.
    pub outlook: Option<Arc<dyn Outlook>>,
    /// Who keeps the library.
    pub library: Option<Arc<dyn Library>>,
    /// Time and chance.
    pub world: Arc<dyn World>,
    /// What memory is made of.
    pub memory: MemoryParts,
    /// How it is set.
    pub options: Options,
}

/// What memory is made of.
pub struct MemoryParts {
    /// What says what texts mean, or why there is nothing that does.
    pub embedder: Result<Arc<dyn Embedder>, String>,
    /// The model that sums conversations up, by name; none leaves that to the conversations' own words.
    pub model: Option<String>,
    /// How it is set.
    pub options: room::Options,
}

impl Default for MemoryParts {
    fn default() -> Self {
        let embedder = Err("no model of meaning was set up".to_owned());
        Self { embedder, model: None, options: room::Options::default() }
    }
}

/// What every part of the engine shares.
pub(crate) struct House {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) models: Arc<Models>,
    pub(crate) tools: Registry,
    pub(crate) rules: Rules,
    pub(crate) redactor: Redactor,
    pub(crate) fetcher: Fetcher,
    pub(crate) reflexes: Option<Arc<dyn Reflexes>>,
    pub(crate) senses: Option<Arc<dyn Senses>>,
    outlook: Option<Arc<dyn Outlook>>,
    library: Option<Arc<dyn Library>>,
    pub(crate) world: Arc<dyn World>,
    /// What deleting by age goes by.
    pub(crate) clock: SweepClock,
    pub(crate) room: Room,
    pub(crate) options: Options,
    pub(crate) counters: Arc<Counters>,
    /// Whether the store could be written to when that was tried last.
    readiness: Readiness,
    /// How many agents work at once.
    pub(crate) agents: Limiter,
    /// What owners have that the store does not count, or not yet.
    pub(crate) reservations: Reservations,
    pub(crate) stopping: CancellationToken,
    pub(crate) tasks: TaskTracker,
    rates: Mutex<RateLimits>,
    /// The tools as models are told of them.
    pub(crate) tool_specs: ToolSpecs,
    turn_tokens: Mutex<HashMap<TurnForm, Arc<[u64]>>>,
    /// The tools that messages make likely.
    pub(crate) likely_tools: LikelyTools,
    /// Models that have refused to be shown tools.
    toolless: Mutex<BTreeSet<String>>,
    /// How the scheduled backups stand, where there are any.
    backup: Mutex<Option<BackupStatus>>,
}

impl House {
    /// Tokens of each message of an ended turn in one of its forms: it does not change any more, so it is counted once.
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

    /// Whether a model has refused to be shown tools.
    pub(crate) fn is_toolless(&self, model: &str) -> bool {
        self.toolless.lock().unwrap_or_else(PoisonError::into_inner).contains(model)
    }

    /// Remembers that a model is to be shown no tools.
    pub(crate) fn show_no_tools(&self, model: &str) {
        self.toolless.lock().unwrap_or_else(PoisonError::into_inner).insert(model.to_owned());
    }

    /// Takes that back.
    pub(crate) fn show_tools_again(&self, model: &str) {
        self.toolless.lock().unwrap_or_else(PoisonError::into_inner).remove(model);
    }

    /// Whether an owner has a library.
    pub(crate) fn has_library(&self, owner: &OwnerId) -> bool {
        self.library.as_ref().is_some_and(|library| library.has_folders(owner))
    }

    /// Takes one of the calls that an owner has each minute.
    pub(crate) fn take_call(&self, owner: &OwnerId, tool: &str, per_minute_max: u32) -> Result<(), TooMany> {
        let mut rates = self.rates.lock().unwrap_or_else(PoisonError::into_inner);
        rates.take(owner, tool, per_minute_max, self.world.now())
    }
}

/// Where every door comes in. Cheap to clone.
#[derive(Clone)]
pub struct Hub {
    directory: Arc<Directory>,
    follower: Arc<Follower>,
}

impl Hub {
    /// Opens the hub. What was interrupted goes on from now on, and connections to the models are opened.
    pub fn open(parts: Parts) -> Self {
        let Parts {
            store,
            models,
            tools,
            rules,
            redactor,
            fetcher,
            reflexes,
            senses,
            outlook,
            library,
            world,
            memory,
            options,
        } = parts;
        let models = Arc::new(models);
        let counters = Arc::new(Counters::new(world.now()));
        let words = words(&models, memory.model.as_deref(), &counters);
        let room = Room::open(store.clone(), Arc::new(OwnWorld(world.clone())), memory.embedder, memory.options);
        let house = Arc::new(House {
            tool_specs: ToolSpecs::default(),
            counters,
            agents: Limiter::new(Limits {
                session: options.agents_session_max,
                owner: options.agents_owner_max,
                all: options.agents_max,
            }),
            reservations: Reservations::default(),
            readiness: Readiness::default(),
            stopping: CancellationToken::new(),
            tasks: TaskTracker::new(),
            rates: Mutex::default(),
            toolless: Mutex::default(),
            turn_tokens: Mutex::default(),
            likely_tools: LikelyTools::default(),
            backup: Mutex::default(),
            clock: SweepClock::new(Tolerance { jump_max: options.clock_jump_max, settle: options.clock_settle }),
            store,
            models,
            tools,
            rules,
            redactor,
            fetcher,
            reflexes,
            senses,
            outlook,
            library,
            world,
            room: room.clone(),
            options,
        });
        for entry in house.tools.entries() {
            house.tool_specs.of(&entry).tokens();
        }
        let warm = house.clone();
        house.tasks.spawn(async move {
            tokio::select! {
                () = models::keep_asking(&warm) => {}
                () = warm.stopping.cancelled() => {}
            }
        });
        let directory = Arc::new(Directory::new(house));
        recovery::spawn(directory.clone());
        let follower = Follower::spawn(directory.clone(), Agent::new(room, words, Invoker::default()));
        let hub = Self { directory, follower };
        sweep::spawn(&hub);
        verification::spawn(&hub);
        hub
    }

    /// Stops: no more mail is taken, text that is out is written down, turns are put aside until the next start.
    pub async fn stop(&self) {
        let house = self.house();
        house.stopping.cancel();
        house.tasks.close();
        house.tasks.wait().await;
    }

    /// The present moment.
    pub fn now(&self) -> Timestamp {
        self.house().world.now()
    }

    /// A new id.
    pub fn ulid(&self) -> ulid::Ulid {
        self.house().world.ulid()
    }

    /// The tools there are.
    pub fn tools(&self) -> Vec<ToolView> {
        let house = self.house();
        house.tools.entries().map(|entry| tools::view(&entry, &house.rules)).collect()
    }

    /// The external servers that may bring tools.
    pub fn tool_servers(&self) -> Vec<ToolServerView> {
        self.house().tools.servers()
    }

    /// Tells of every change to the tools there are, from now on.
    pub fn tools_changed(&self) -> watch::Receiver<u64> {
        self.house().tools.changes()
    }

    /// What the server has done since it started.
    pub fn stats(&self) -> ServerStats {
        let house = self.house();
        let stats = house.counters.read(self.directory.live_count() as u64, &house.agents, house.options.limits());
        let journal = JournalStats { damaged_sessions: self.damaged_sessions(), ..stats.journal };
        let backup = house.backup.lock().unwrap_or_else(PoisonError::into_inner).clone();
        ServerStats { journal, clock: house.clock.doubt(), backup, ..stats }
    }

    /// Notes how the scheduled backups stand, for the statistics.
    pub fn note_backup(&self, status: BackupStatus) {
        *self.house().backup.lock().unwrap_or_else(PoisonError::into_inner) = Some(status);
    }

    /// Follows a session: every event after that number, then live.
    pub async fn subscribe(&self, owner: &OwnerId, session_id: SessionId, after: u64) -> Result<Subscription, Error> {
        self.watch(owner, session_id, after, Arc::default()).await
    }

    /// The same, looking at some of its monitors only.
    pub async fn watch(
        &self,
        owner: &OwnerId,
        session_id: SessionId,
        after: u64,
        watched: Arc<Watched>,
    ) -> Result<Subscription, Error> {
        let joined = self.join(owner, session_id).await?;
        if after > joined.head {
            return Err(Error::Invalid(format!("the session has no event {after} yet; its newest is {}", joined.head)));
        }
        Ok(Subscription::new(self.clone(), owner.clone(), session_id, after, joined, watched))
    }

    pub(crate) async fn join(&self, owner: &OwnerId, session_id: SessionId) -> Result<Joined, Error> {
        self.ask(session_id, |reply| Mail::Join { owner: owner.clone(), reply }).await
    }

    pub(crate) async fn page(&self, session_id: SessionId, after: u64, limit: usize) -> Result<Vec<Event>, Error> {
        Ok(self.house().store.read(session_id, after, limit).await?)
    }

    fn house(&self) -> &House {
        &self.directory.house
    }

    fn room(&self) -> &Room {
        &self.directory.house.room
    }

    fn follower(&self) -> &Follower {
        &self.follower
    }

    /// The session that is meant. A name that nobody has used yet makes one where `create` says so.
    async fn find(&self, owner: &OwnerId, session: &SessionRef, create: bool) -> Result<SessionId, Error> {
        match (&session.session_id, &session.conversation_id) {
            (Some(id), None) => Ok(*id),
            (None, Some(name)) => {
                if let Some(id) = self.house().store.named(owner, name).await? {
                    return Ok(id);
                }
                if !create {
                    return Err(Error::NoSession);
                }
                let asked = protocol::Start { key: Some(name.clone()), ..protocol::Start::default() };
                Ok(self.start(owner, asked).await?.session_id)
            }
            _ => Err(Error::Invalid("give either `session_id` or `conversation_id`".to_owned())),
        }
    }

    async fn view(&self, owner: &OwnerId, session_id: SessionId) -> Result<SessionView, Error> {
        self.ask(session_id, |reply| Mail::View { owner: owner.clone(), reply }).await
    }

    async fn command(&self, owner: &OwnerId, session_id: SessionId, command: Command) -> Result<Outcome, Error> {
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

/// Time and ids for the memory room.
struct OwnWorld(Arc<dyn World>);

impl room::World for OwnWorld {
    fn now(&self) -> Timestamp {
        self.0.now()
    }

    fn ulid(&self) -> ulid::Ulid {
        self.0.ulid()
    }
}

/// Who puts into words what conversations come to.
fn words(models: &Arc<Models>, name: Option<&str>, counters: &Arc<Counters>) -> Arc<dyn Words> {
    match name.map(|name| models.by_name(Some(name))) {
        Some(model) if model.traits().understands => {
            let counters = counters.clone();
            let meter = move |purpose: &str, model: &str, took| counters.beside_turns(purpose, model, took);
            Arc::new(Composed::new(model, Arc::new(meter)))
        }
        _ => Arc::new(Extract),
    }
}
