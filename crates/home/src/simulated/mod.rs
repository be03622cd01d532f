//! The simulated home: what a newcomer finds, so that everything can be tried at once. It is computed rather than run:
//! how anything stands at any moment follows from a seed, the clock, what it was told, and a few planted problems. Only what it
//! was told is kept.

mod calendar;
mod chance;
mod deeds;
mod furniture;
mod logbook;
mod nature;
mod reports;
mod services;
mod store;
mod trouble;
mod world;

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use jiff::tz::TimeZone;
use protocol::Timestamp;
use serde_json::Value;

use crate::{
    About, Connection, EntityId, Happening, House, HouseError, Index, LogEntry, LogLevel, NotAnId, Period, Related,
    Series, Service, ServiceCall, State, Trace,
};
use calendar::Calendar;
use furniture::Furniture;
use store::{Kept, Store};
use world::World;

/// What it is called.
const NAME: &str = "Simulated home";
/// How often it is looked whether something has changed by itself.
const TICK: Duration = Duration::from_millis(500);
/// How long nothing is looked at that will not change before.
const LOOK_MILLIS: i64 = 900_000;
/// Another look so soon finds nothing new that is not due.
const FRESH: Duration = Duration::from_secs(1);
/// How many lines of the system log are kept beside the planted ones.
const LOG_MAX: usize = 50;

/// Where the simulated home reads the time.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// Why a simulated home cannot be opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SimulatedError {
    /// Its folder cannot be used.
    #[error("the simulated home cannot be kept in {path}: {why}")]
    Folder {
        /// The file.
        path: PathBuf,
        /// What the system says.
        why: String,
    },
    /// It was written by a newer program.
    #[error(
        "{path} is of version {version}, which this program does not know; use the newer one, or move the file away"
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u32,
    },
    /// There is no such time zone.
    #[error("`{0}` is no time zone; name one as in `Europe/Berlin`")]
    BadTimeZone(String),
    /// An entity is named badly.
    #[error(transparent)]
    BadId(#[from] NotAnId),
}

/// A home that exists only in the data folder.
pub struct Simulated {
    inner: Arc<Inner>,
}

struct Inner {
    furniture: Furniture,
    zone: TimeZone,
    zone_name: String,
    clock: Clock,
    opened_at: Timestamp,
    store: Store,
    /// Held only for as long as it takes to get or set it, never while anything is computed or written.
    kept: Mutex<Arc<Kept>>,
    /// Held by whoever does something, so that nothing that was done is lost.
    doing: Mutex<()>,
    log: Mutex<Vec<LogEntry>>,
    index: Index,
    looks: Mutex<Looks>,
}

/// When what has to be looked at again.
#[derive(Default)]
struct Looks {
    at: Option<Timestamp>,
    /// Whether something was done since.
    has_news: bool,
    due: HashMap<EntityId, Timestamp>,
    /// The first of them.
    next_due: Option<Timestamp>,
}

impl Simulated {
    /// Opens the home that lives in a folder, or founds one. Inside a runtime it keeps its index current by itself.
    pub fn open(folder: &Path, clock: Clock, time_zone: &str) -> Result<Arc<Self>, SimulatedError> {
        let zone = Calendar::zone(time_zone).ok_or_else(|| SimulatedError::BadTimeZone(time_zone.to_owned()))?;
        let opened_at = clock();
        let (store, kept, warning) = Store::open(folder, opened_at)?;
        let furniture = Furniture::new()?;
        let inner = Arc::new(Inner {
            index: Index::default(),
            furniture,
            zone,
            zone_name: time_zone.to_owned(),
            clock,
            opened_at,
            store,
            kept: Mutex::new(Arc::new(kept)),
            doing: Mutex::default(),
            log: Mutex::default(),
            looks: Mutex::default(),
        });
        if let Some(warning) = warning {
            tracing::warn!("{warning}");
            inner.say(opened_at, "helpers.storage", warning);
        }
        inner.index.furnish(inner.furniture.registry());
        inner.look();
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let weak = Arc::downgrade(&inner);
            runtime.spawn(async move {
                loop {
                    tokio::time::sleep(TICK).await;
                    let Some(inner) = weak.upgrade() else { return };
                    // Where it breaks down, so does whoever looks next, and says so.
                    let _ = tokio::task::spawn_blocking(move || inner.look()).await;
                }
            });
        }
        Ok(Arc::new(Self { inner }))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Inner {
    fn kept(&self) -> Arc<Kept> {
        lock(&self.kept).clone()
    }

    /// The world as it looks from a moment.
    fn world<'a>(&'a self, kept: &'a Kept, now: Timestamp) -> World<'a> {
        World::new(&self.furniture, self.zone.clone(), kept.seed, &kept.deeds, now)
    }

    /// Brings the index up to date.
    fn look(&self) {
        let mut looks = lock(&self.looks);
        let now = (self.clock)();
        let is_fresh = |at: Timestamp| at <= now && now.since(at) < FRESH && looks.next_due.is_none_or(|due| now < due);
        if !looks.has_news && looks.at.is_some_and(is_fresh) {
            return;
        }
        let kept = self.kept();
        let world = self.world(&kept, now);
        // With another day come other problems; with a clock that was set back comes everything.
        let anchor = |at| world.calendar.anchor(at);
        let is_new = looks.at.is_none_or(|at| now < at || anchor(at) != anchor(now));
        let is_due = |id: &EntityId| is_new || looks.due.get(id).is_none_or(|due| *due <= now);
        let due: Vec<EntityId> = self.furniture.all().map(|(id, _)| id).filter(|id| is_due(id)).cloned().collect();
        let states: Vec<State> = due.iter().filter_map(|id| world.state(id.as_str())).collect();
        for id in due {
            let next = world.next_edge(id.as_str(), LOOK_MILLIS);
            looks.due.insert(id, next);
        }
        looks.next_due = looks.due.values().min().copied();
        (looks.at, looks.has_news) = (Some(now), false);
        if !states.is_empty() {
            self.index.update(states);
        }
    }

    fn say(&self, at: Timestamp, logger: &str, message: String) {
        let mut log = lock(&self.log);
        let logger = format!("homeassistant.{logger}");
        if let Some(known) = log.iter_mut().find(|known| known.logger == logger && known.messages.contains(&message)) {
            known.count = known.count.saturating_add(1);
            known.last_at = at;
            return;
        }
        let (level, messages, exception) = (LogLevel::Warning, vec![message], String::new());
        log.push(LogEntry { level, logger, messages, exception, first_at: at, last_at: at, count: 1 });
        let excess = log.len().saturating_sub(LOG_MAX);
        log.drain(..excess);
    }

    /// Does it and keeps it; either both or neither.
    fn perform(&self, call: &ServiceCall) -> Result<Option<Value>, HouseError> {
        let doing = lock(&self.doing);
        let (kept, now) = (self.kept(), (self.clock)());
        let outcome = services::perform(&self.world(&kept, now), call)?;
        for warning in outcome.warnings {
            self.say(now, "helpers.service", warning);
        }
        let touched = self.furniture.with_dependants(outcome.deeds.iter().map(|(id, _)| *id));
        if !outcome.deeds.is_empty() || !outcome.lists.is_empty() {
            let mut next = Kept::clone(&kept);
            for (id, deed) in outcome.deeds {
                next.deeds.add(id, deed);
            }
            for (id, items, count) in outcome.lists {
                next.deeds.lists.insert(id.to_owned(), items);
                next.deeds.items = count;
            }
            let failed = |error| HouseError::Unreachable(format!("the simulated home cannot be written: {error}"));
            self.store.write(&next).map_err(failed)?;
            *lock(&self.kept) = Arc::new(next);
        }
        drop(doing);
        {
            let mut looks = lock(&self.looks);
            looks.due.retain(|id, _| !touched.contains(id.as_str()));
            looks.has_news = true;
        }
        self.look();
        Ok(outcome.response.filter(|_| call.wants_response))
    }
}

impl Simulated {
    /// Looks at the world as it is now, where computing holds nobody up.
    async fn with<T: Send + 'static>(
        &self,
        look: impl FnOnce(&World<'_>) -> T + Send + 'static,
    ) -> Result<T, HouseError> {
        let inner = self.inner.clone();
        let (kept, now) = (inner.kept(), (inner.clock)());
        let looked = tokio::task::spawn_blocking(move || look(&inner.world(&kept, now))).await;
        looked.map_err(|error| HouseError::Failed(format!("the simulated home broke down, which is a bug: {error}")))
    }
}

#[async_trait]
impl House for Simulated {
    fn about(&self) -> About {
        About {
            name: NAME.to_owned(),
            simulated: true,
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            time_zone: Some(self.inner.zone_name.clone()),
            temperature_unit: Some("°C".to_owned()),
            connection: Connection::Connected { since: self.inner.opened_at },
        }
    }

    fn index(&self) -> &Index {
        self.inner.look();
        &self.inner.index
    }

    async fn call(&self, call: &ServiceCall) -> Result<Option<Value>, HouseError> {
        let (inner, call) = (self.inner.clone(), call.clone());
        let done = tokio::task::spawn_blocking(move || inner.perform(&call)).await;
        done.unwrap_or_else(|error| Err(HouseError::Lost(error.to_string())))
    }

    async fn read(&self, entities: &[EntityId]) -> Result<Vec<State>, HouseError> {
        let entities = entities.to_vec();
        self.with(move |world| entities.iter().filter_map(|id| world.state(id.as_str())).collect()).await
    }

    async fn services(&self) -> Result<Vec<Service>, HouseError> {
        Ok(services::services(&self.inner.furniture))
    }

    async fn history(&self, entities: &[EntityId], period: Period) -> Result<Vec<Series>, HouseError> {
        let known = |id: &&EntityId| self.inner.furniture.get(id.as_str()).is_some();
        let known: Vec<EntityId> = entities.iter().filter(known).cloned().collect();
        let series = move |world: &World<'_>, entity_id: EntityId| {
            let samples = world.series(entity_id.as_str(), period);
            Series { entity_id, samples }
        };
        self.with(move |world| known.into_iter().map(|id| series(world, id)).collect()).await
    }

    async fn logbook(&self, entities: &[EntityId], period: Period) -> Result<Vec<Happening>, HouseError> {
        let entities = entities.to_vec();
        self.with(move |world| logbook::logbook(world, &entities, period)).await
    }

    async fn errors(&self) -> Result<Vec<LogEntry>, HouseError> {
        let own = lock(&self.inner.log).clone();
        self.with(move |world| reports::errors(world, &own)).await
    }

    async fn traces(&self, entity_id: &EntityId) -> Result<Vec<Trace>, HouseError> {
        let id = entity_id.clone();
        self.with(move |world| {
            let piece = world.furniture.get(id.as_str());
            piece.map(|piece| reports::traces(world, piece)).unwrap_or_default()
        })
        .await
    }

    async fn related(&self, entity_id: &EntityId) -> Result<Related, HouseError> {
        let id = entity_id.clone();
        self.with(move |world| {
            let piece = world.furniture.get(id.as_str());
            piece.map(|piece| reports::related(world, piece)).unwrap_or_default()
        })
        .await
    }
}
