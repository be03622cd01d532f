//! Small homes with known contents, and a way to call tools as a turn does.

use std::{collections::BTreeMap, sync::Arc};

use async_trait::async_trait;
use home::{
    Area, AreaId, ConnectionStatus, Device, DeviceId, Entity, EntityId, EntityRelations, EntityState, HomeError,
    HomeIndex, HomeInfo, HomePort, HomeRegistry, LogEntry, LogbookEntry, Period, ServiceCall, ServiceDescription,
    StateSample, StateSeries, Trace, UnlistedExposure, add_home_queries,
};
use ports::{NoDesktop, PinChange, PinStore, ToolFailure};
use protocol::{Origin, SessionId, Timestamp, TurnId};
use serde_json::{Map, Value};
use tokio::sync::mpsc;
use tools::{CallContext, Output, run};

/// The current moment of all tests.
pub(crate) fn now() -> Timestamp {
    "2026-05-12T10:00:00Z".parse().unwrap()
}

/// The moment this many seconds before.
pub(crate) fn ago(seconds: i64) -> Timestamp {
    Timestamp::from_millis(now().as_millis() - seconds * 1_000)
}

pub(crate) fn id(text: &str) -> EntityId {
    text.parse().unwrap()
}

/// A home with given data.
#[derive(Default)]
pub(crate) struct SmallHome {
    index: HomeIndex,
    registry: HomeRegistry,
    past: BTreeMap<EntityId, Vec<StateSample>>,
    pub(crate) related: BTreeMap<EntityId, EntityRelations>,
    pub(crate) log: Vec<LogEntry>,
    pub(crate) lines: Vec<LogbookEntry>,
    pub(crate) traces: BTreeMap<EntityId, Vec<Trace>>,
    /// The error for data that only administrators may read, if the token is not an
    /// administrator's.
    pub(crate) withheld: Option<HomeError>,
}

impl SmallHome {
    /// Adds an entity with its past, as moments before now and states; the last is the current
    /// state.
    pub(crate) fn add(&mut self, entity: &str, class: Option<&str>, device: Option<&str>, past: &[(i64, &str)]) {
        let area = AreaId::new("room");
        if self.registry.areas.is_empty() {
            let room = Area { id: area.clone(), name: "Room".to_owned(), aliases: Vec::new(), floor: None };
            self.registry.areas.push(room);
        }
        self.registry.entities.push(Entity {
            id: id(entity),
            name: entity.replace(['.', '_'], " "),
            aliases: Vec::new(),
            area: Some(area),
            device: device.map(DeviceId::new),
            class: class.map(str::to_owned),
            platform: Some("test".to_owned()),
            exposed: !entity.contains("hidden"),
            auxiliary: false,
        });
        let sample = |(seconds, state): &(i64, &str)| StateSample {
            at: ago(*seconds),
            state: (*state).to_owned(),
            attributes: Map::new(),
        };
        self.past.insert(id(entity), past.iter().map(sample).collect());
    }

    pub(crate) fn device(&mut self, device: &str, via: Option<&str>) {
        self.registry.devices.push(Device {
            id: DeviceId::new(device),
            name: device.replace('_', " "),
            area: None,
            via: via.map(DeviceId::new),
            maker: None,
            model: None,
        });
    }

    pub(crate) fn furnished(mut self) -> Arc<Self> {
        self.registry.exposed_unlisted = UnlistedExposure::All;
        self.index.furnish(self.registry.clone());
        let states = self.past.iter().map(|(entity_id, samples)| {
            let last = samples.last().unwrap();
            EntityState {
                entity_id: entity_id.clone(),
                state: last.state.clone(),
                attributes: Map::new(),
                changed_at: last.at,
                updated_at: last.at,
            }
        });
        self.index.set_states(states.collect::<Vec<_>>());
        Arc::new(self)
    }
}

#[async_trait]
impl HomePort for SmallHome {
    fn about(&self) -> HomeInfo {
        HomeInfo {
            name: "Small".to_owned(),
            simulated: false,
            version: None,
            time_zone: Some("Europe/Berlin".to_owned()),
            temperature_unit: Some("°C".to_owned()),
            connection: ConnectionStatus::Connected { since: ago(9_000) },
        }
    }

    fn index(&self) -> &HomeIndex {
        &self.index
    }

    async fn call(&self, _call: &ServiceCall) -> Result<Option<Value>, HomeError> {
        Err(HomeError::Unsupported("anything".to_owned()))
    }

    async fn read(&self, entities: &[EntityId]) -> Result<Vec<EntityState>, HomeError> {
        Ok(entities.iter().filter_map(|id| self.index.state(id)).map(|state| EntityState::clone(&state)).collect())
    }

    async fn services(&self) -> Result<Vec<ServiceDescription>, HomeError> {
        Ok(Vec::new())
    }

    async fn history(&self, entities: &[EntityId], period: Period) -> Result<Vec<StateSeries>, HomeError> {
        let series = entities.iter().filter_map(|id| {
            let all = self.past.get(id)?;
            let before = all.iter().rev().find(|sample| sample.at <= period.from).cloned();
            let first = before.map(|sample| StateSample { at: period.from, ..sample });
            let within = all.iter().filter(|sample| sample.at > period.from && sample.at < period.until).cloned();
            Some(StateSeries { entity_id: id.clone(), samples: first.into_iter().chain(within).collect() })
        });
        Ok(series.collect())
    }

    async fn logbook(&self, entities: &[EntityId], period: Period) -> Result<Vec<LogbookEntry>, HomeError> {
        let is_wanted = |line: &&LogbookEntry| {
            period.has(line.at)
                && (entities.is_empty() || line.entity_id.as_ref().is_some_and(|id| entities.contains(id)))
        };
        Ok(self.lines.iter().filter(is_wanted).cloned().collect())
    }

    async fn errors(&self) -> Result<Vec<LogEntry>, HomeError> {
        self.withheld.clone().map_or_else(|| Ok(self.log.clone()), Err)
    }

    async fn traces(&self, entity_id: &EntityId) -> Result<Vec<Trace>, HomeError> {
        let traces = || Ok(self.traces.get(entity_id).cloned().unwrap_or_default());
        self.withheld.clone().map_or_else(traces, Err)
    }

    async fn related(&self, entity_id: &EntityId) -> Result<EntityRelations, HomeError> {
        Ok(self.related.get(entity_id).cloned().unwrap_or_default())
    }
}

struct NoPins;

#[async_trait]
impl PinStore for NoPins {
    async fn pins(&self) -> Result<Vec<(String, String)>, ToolFailure> {
        Ok(Vec::new())
    }

    async fn change(&self, _keeping: PinChange) -> Result<(), ToolFailure> {
        Ok(())
    }
}

/// Calls a tool as a turn does: checks the call first.
pub(crate) async fn call(
    home: Arc<dyn HomePort>,
    tool: &str,
    arguments: Value,
    now: Timestamp,
) -> Result<Output, ToolFailure> {
    let mut registry = tools::Registry::default();
    add_home_queries(&mut registry, home).unwrap();
    let checked = registry.check(tool, &arguments).map_err(ToolFailure::Invalid)?;
    let context = CallContext {
        owner: "ada".parse().unwrap(),
        session_id: SessionId::from_bytes([1; 16]),
        turn_id: TurnId::from_bytes([9; 16]),
        call_id: "call-1".to_owned(),
        place: 0,
        key: "call-1".to_owned(),
        now,
        origin: Origin::Trusted,
        schedule_id: None,
        satellite: None,
        pin_store: Arc::new(NoPins),
        desktop: Arc::new(NoDesktop::default()),
        research: Arc::new(ports::NoResearch),
        hold: Default::default(),
        progress: mpsc::channel(tools::PROGRESS_MAX).0,
    };
    run(&checked.entry, arguments, context).await
}
