//! The simulated home of a new installation, so that everything can be tried at once. It is
//! computed rather than run: every state at any moment follows from a seed, the clock, the recorded
//! actions, and a few injected faults. Only the actions are stored.

mod actions;
mod calendar;
mod error;
mod layout;
mod logbook;
mod random;
mod reports;
mod services;
mod simulation;
mod store;
mod weather;

use std::{
    collections::HashMap,
    path::Path,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use home::{
    ConnectionStatus, EntityId, EntityRelations, EntityState, HomeError, HomeIndex, HomeInfo, HomePort, LogEntry,
    LogLevel, LogbookEntry, Period, ServiceCall, ServiceDescription, StateSeries, Trace,
};
use jiff::tz::TimeZone;
use ports::HomeEvent;
use protocol::Timestamp;
use serde_json::Value;

use actions::ActionChange;
use calendar::Calendar;
use layout::HomeLayout;
use simulation::Simulation;
use store::{HomeFile, StoredHome};

pub use error::SimulatedHomeError;

/// The name of the home.
const NAME: &str = "Simulated home";
/// The interval at which changes are checked.
const TICK: Duration = Duration::from_millis(500);
/// How long an entity without a scheduled change is not checked.
const LOOK_MILLIS: i64 = 900_000;
/// A check this recent need not be repeated while nothing is due.
const FRESH: Duration = Duration::from_secs(1);
/// The number of system log entries kept besides the injected ones.
const LOG_MAX: usize = 50;

/// The clock of the simulated home.
pub type ClockFn = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// A home that exists only in the data folder.
pub struct SimulatedHome {
    inner: Arc<Inner>,
}

struct Inner {
    layout: &'static HomeLayout,
    zone: TimeZone,
    zone_name: String,
    clock: ClockFn,
    opened_at: Timestamp,
    store: HomeFile,
    /// Locked only to read or replace it, never during computation or I/O.
    kept: Mutex<Arc<StoredHome>>,
    /// Locked during an action, so that no action is lost.
    write_lock: Mutex<()>,
    log: Mutex<Vec<LogEntry>>,
    index: HomeIndex,
    /// Calls so far, which name their events.
    calls: AtomicU64,
    looks: Mutex<RefreshSchedule>,
}

/// When entities have to be checked again.
#[derive(Default)]
struct RefreshSchedule {
    at: Option<Timestamp>,
    /// Whether an action happened since the last check.
    has_news: bool,
    due: HashMap<EntityId, Timestamp>,
    /// The earliest of them.
    next_due: Option<Timestamp>,
}

impl SimulatedHome {
    /// Opens the home in a folder, or creates one. Within a runtime it updates its index in the
    /// background.
    pub fn open(folder: &Path, clock: ClockFn, time_zone: &str) -> Result<Arc<Self>, SimulatedHomeError> {
        let zone = Calendar::zone(time_zone).ok_or_else(|| SimulatedHomeError::BadTimeZone(time_zone.to_owned()))?;
        let opened_at = clock();
        let layout = HomeLayout::get_or_read()?;
        let (store, kept, warning) = HomeFile::open(folder, layout, opened_at)?;
        let inner = Arc::new(Inner {
            index: HomeIndex::default(),
            calls: AtomicU64::new(0),
            layout,
            zone,
            zone_name: time_zone.to_owned(),
            clock,
            opened_at,
            store,
            kept: Mutex::new(Arc::new(kept)),
            write_lock: Mutex::default(),
            log: Mutex::default(),
            looks: Mutex::default(),
        });
        if let Some(warning) = warning {
            tracing::warn!("{warning}");
            inner.say(opened_at, "helpers.storage", warning);
        }
        inner.index.furnish(inner.layout.registry());
        inner.look();
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let weak = Arc::downgrade(&inner);
            runtime.spawn(async move {
                loop {
                    tokio::time::sleep(TICK).await;
                    let Some(inner) = weak.upgrade() else { return };
                    // A panic here repeats in the next caller, which reports it.
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
    fn kept(&self) -> Arc<StoredHome> {
        lock(&self.kept).clone()
    }

    /// The simulation at a moment.
    fn simulation<'a>(&'a self, kept: &'a StoredHome, now: Timestamp) -> Simulation<'a> {
        Simulation::new(self.layout, self.zone.clone(), kept.seed, &kept.actions, now)
    }

    /// Updates the index.
    fn look(&self) {
        let mut looks = lock(&self.looks);
        let now = (self.clock)();
        let is_fresh = |at: Timestamp| at <= now && now.since(at) < FRESH && looks.next_due.is_none_or(|due| now < due);
        if !looks.has_news && looks.at.is_some_and(is_fresh) {
            return;
        }
        let kept = self.kept();
        let simulation = self.simulation(&kept, now);
        // A new day has new faults; after the clock was set back, everything is recomputed.
        let anchor = |at| simulation.calendar.anchor(at);
        let is_new = looks.at.is_none_or(|at| now < at || anchor(at) != anchor(now));
        let is_due = |id: &EntityId| is_new || looks.due.get(id).is_none_or(|due| *due <= now);
        let due: Vec<EntityId> = self.layout.all().map(|entity| &entity.id).filter(|id| is_due(id)).cloned().collect();
        let states: Vec<EntityState> = due.iter().filter_map(|id| simulation.state(id.as_str())).collect();
        for id in due {
            let next = simulation.next_edge(id.as_str(), LOOK_MILLIS);
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

    /// Reports a call as an event, as Home Assistant does.
    fn report_call(&self, call: &ServiceCall) {
        let mut service_data = call.data.clone();
        if !call.entities.is_empty() {
            let entities = call.entities.iter().map(|id| Value::from(id.as_str())).collect();
            service_data.insert("entity_id".to_owned(), Value::Array(entities));
        }
        let fields = [
            ("domain", Value::from(call.domain.as_str())),
            ("service", Value::from(call.service.as_str())),
            ("service_data", Value::Object(service_data)),
        ];
        self.index.happen(HomeEvent {
            id: format!("{}/{}", self.opened_at.as_millis(), self.calls.fetch_add(1, Ordering::Relaxed)),
            event_type: "call_service".to_owned(),
            data: fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        });
    }

    /// Performs a call and stores it; either both or neither.
    fn perform(&self, call: &ServiceCall) -> Result<Option<Value>, HomeError> {
        let doing = lock(&self.write_lock);
        let (kept, now) = (self.kept(), (self.clock)());
        let outcome = services::perform(&self.simulation(&kept, now), call)?;
        for warning in outcome.warnings {
            self.say(now, "helpers.service", warning);
        }
        let touched = self.layout.with_dependants(outcome.actions.iter().map(|(id, _)| *id));
        let change = ActionChange {
            actions: outcome.actions.into_iter().map(|(id, action)| (id.to_owned(), Arc::new(action))).collect(),
            lists: outcome.lists.into_iter().map(|(id, items, count)| (id.to_owned(), items, count)).collect(),
        };
        if !change.is_empty() {
            let failed = |error| HomeError::Unreachable(format!("the simulated home cannot be written: {error}"));
            let next = self.store.add(&kept, change).map_err(failed)?;
            *lock(&self.kept) = Arc::new(next);
        }
        drop(doing);
        {
            let mut looks = lock(&self.looks);
            looks.due.retain(|id, _| !touched.contains(id.as_str()));
            looks.has_news = true;
        }
        self.look();
        self.report_call(call);
        Ok(outcome.response.filter(|_| call.wants_response))
    }
}

impl SimulatedHome {
    /// Computes on the current simulation, on a thread where blocking is allowed.
    async fn with<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Simulation<'_>) -> T + Send + 'static,
    ) -> Result<T, HomeError> {
        let inner = self.inner.clone();
        let (kept, now) = (inner.kept(), (inner.clock)());
        let looked = tokio::task::spawn_blocking(move || look(&inner.simulation(&kept, now))).await;
        looked.map_err(|error| HomeError::Failed(format!("the simulated home crashed, which is a bug: {error}")))
    }
}

#[async_trait]
impl HomePort for SimulatedHome {
    fn about(&self) -> HomeInfo {
        HomeInfo {
            name: NAME.to_owned(),
            simulated: true,
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            time_zone: Some(self.inner.zone_name.clone()),
            temperature_unit: Some("°C".to_owned()),
            connection: ConnectionStatus::Connected { since: self.inner.opened_at },
        }
    }

    fn index(&self) -> &HomeIndex {
        self.inner.look();
        &self.inner.index
    }

    async fn call(&self, call: &ServiceCall) -> Result<Option<Value>, HomeError> {
        let (inner, call) = (self.inner.clone(), call.clone());
        let done = tokio::task::spawn_blocking(move || inner.perform(&call)).await;
        done.unwrap_or_else(|error| Err(HomeError::Lost(error.to_string())))
    }

    async fn read(&self, entities: &[EntityId]) -> Result<Vec<EntityState>, HomeError> {
        let entities = entities.to_vec();
        self.with(move |simulation| entities.iter().filter_map(|id| simulation.state(id.as_str())).collect()).await
    }

    async fn services(&self) -> Result<Vec<ServiceDescription>, HomeError> {
        Ok(self.inner.layout.services.clone())
    }

    async fn history(&self, entities: &[EntityId], period: Period) -> Result<Vec<StateSeries>, HomeError> {
        let known = |id: &&EntityId| self.inner.layout.get(id.as_str()).is_some();
        let known: Vec<EntityId> = entities.iter().filter(known).cloned().collect();
        let series = move |simulation: &Simulation<'_>, entity_id: EntityId| {
            let samples = simulation.series(entity_id.as_str(), period);
            StateSeries { entity_id, samples }
        };
        self.with(move |simulation| known.into_iter().map(|id| series(simulation, id)).collect()).await
    }

    async fn logbook(&self, entities: &[EntityId], period: Period) -> Result<Vec<LogbookEntry>, HomeError> {
        let entities = entities.to_vec();
        self.with(move |simulation| logbook::logbook(simulation, &entities, period)).await
    }

    async fn errors(&self) -> Result<Vec<LogEntry>, HomeError> {
        let own = lock(&self.inner.log).clone();
        self.with(move |simulation| reports::errors(simulation, &own)).await
    }

    async fn traces(&self, entity_id: &EntityId) -> Result<Vec<Trace>, HomeError> {
        let id = entity_id.clone();
        self.with(move |simulation| {
            let entity = simulation.layout.get(id.as_str());
            entity.map(|entity| reports::traces(simulation, entity)).unwrap_or_default()
        })
        .await
    }

    async fn related(&self, entity_id: &EntityId) -> Result<EntityRelations, HomeError> {
        let id = entity_id.clone();
        self.with(move |simulation| {
            let entity = simulation.layout.get(id.as_str());
            entity.map(|entity| reports::related(simulation, entity)).unwrap_or_default()
        })
        .await
    }

    async fn automation(&self, entity_id: &EntityId) -> Result<Value, HomeError> {
        let id = entity_id.clone();
        let found = self.with(move |simulation| {
            let entity = simulation.layout.get(id.as_str()).filter(|entity| entity.domain() == "automation");
            entity.map(|entity| reports::automation(simulation, entity))
        });
        found.await?.ok_or_else(|| HomeError::Invalid(format!("`{entity_id}` is not an automation")))
    }
}
