//! Small homes of known contents, and tools called as a turn calls them.

use std::{collections::BTreeMap, sync::Arc};

use async_trait::async_trait;
use home::{
    About, Area, AreaId, Connection, Device, DeviceId, Entity, EntityId, Happening, House, HouseError, Index, LogEntry,
    Period, Registry, Related, Sample, Series, Service, ServiceCall, State, Trace, Unlisted, add_observing,
};
use protocol::{Origin, SessionId, Timestamp, TurnId};
use serde_json::{Map, Value};
use tokio::sync::mpsc;
use tools::{Context, Failure, Keeper, Keeping, NoDesktop, Output, run};

/// The moment at which all of it is looked at.
pub(crate) fn now() -> Timestamp {
    "2026-05-12T10:00:00Z".parse().unwrap()
}

/// So many seconds before.
pub(crate) fn ago(seconds: i64) -> Timestamp {
    Timestamp::from_millis(now().as_millis() - seconds * 1_000)
}

pub(crate) fn id(text: &str) -> EntityId {
    text.parse().unwrap()
}

/// A home that knows what it was given.
#[derive(Default)]
pub(crate) struct Small {
    index: Index,
    registry: Registry,
    past: BTreeMap<EntityId, Vec<Sample>>,
    pub(crate) related: BTreeMap<EntityId, Related>,
    pub(crate) log: Vec<LogEntry>,
    pub(crate) lines: Vec<Happening>,
    pub(crate) traces: BTreeMap<EntityId, Vec<Trace>>,
    /// What only administrators may read, if the token is none's.
    pub(crate) withheld: Option<HouseError>,
}

impl Small {
    /// Adds an entity with its past, as moments before now and words; the last is how it stands.
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
        let sample = |(seconds, state): &(i64, &str)| Sample {
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
        self.registry.exposed_unlisted = Unlisted::All;
        self.index.furnish(self.registry.clone());
        let states = self.past.iter().map(|(entity_id, samples)| {
            let last = samples.last().unwrap();
            State {
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
impl House for Small {
    fn about(&self) -> About {
        About {
            name: "Small".to_owned(),
            simulated: false,
            version: None,
            time_zone: Some("Europe/Berlin".to_owned()),
            temperature_unit: Some("°C".to_owned()),
            connection: Connection::Connected { since: ago(9_000) },
        }
    }

    fn index(&self) -> &Index {
        &self.index
    }

    async fn call(&self, _call: &ServiceCall) -> Result<Option<Value>, HouseError> {
        Err(HouseError::Unsupported("anything".to_owned()))
    }

    async fn read(&self, entities: &[EntityId]) -> Result<Vec<State>, HouseError> {
        Ok(entities.iter().filter_map(|id| self.index.state(id)).map(|state| State::clone(&state)).collect())
    }

    async fn services(&self) -> Result<Vec<Service>, HouseError> {
        Ok(Vec::new())
    }

    async fn history(&self, entities: &[EntityId], period: Period) -> Result<Vec<Series>, HouseError> {
        let series = entities.iter().filter_map(|id| {
            let all = self.past.get(id)?;
            let before = all.iter().rev().find(|sample| sample.at <= period.from).cloned();
            let first = before.map(|sample| Sample { at: period.from, ..sample });
            let within = all.iter().filter(|sample| sample.at > period.from && sample.at < period.until).cloned();
            Some(Series { entity_id: id.clone(), samples: first.into_iter().chain(within).collect() })
        });
        Ok(series.collect())
    }

    async fn logbook(&self, entities: &[EntityId], period: Period) -> Result<Vec<Happening>, HouseError> {
        let is_wanted = |line: &&Happening| {
            period.has(line.at)
                && (entities.is_empty() || line.entity_id.as_ref().is_some_and(|id| entities.contains(id)))
        };
        Ok(self.lines.iter().filter(is_wanted).cloned().collect())
    }

    async fn errors(&self) -> Result<Vec<LogEntry>, HouseError> {
        self.withheld.clone().map_or_else(|| Ok(self.log.clone()), Err)
    }

    async fn traces(&self, entity_id: &EntityId) -> Result<Vec<Trace>, HouseError> {
        let traces = || Ok(self.traces.get(entity_id).cloned().unwrap_or_default());
        self.withheld.clone().map_or_else(traces, Err)
    }

    async fn related(&self, entity_id: &EntityId) -> Result<Related, HouseError> {
        Ok(self.related.get(entity_id).cloned().unwrap_or_default())
    }
}

struct NoPins;

#[async_trait]
impl Keeper for NoPins {
    async fn pins(&self) -> Result<Vec<(String, String)>, Failure> {
        Ok(Vec::new())
    }

    async fn keep(&self, _keeping: Keeping) -> Result<(), Failure> {
        Ok(())
    }
}

/// What a call answered, and what it said on the way.
pub(crate) struct Answered {
    pub(crate) output: Output,
    pub(crate) said: Vec<String>,
}

impl Answered {
    pub(crate) fn tokens(&self) -> usize {
        tokens::count(&self.output.value.to_string())
    }
}

/// Calls a tool as a turn does: checked first.
pub(crate) async fn call(
    home: Arc<dyn House>,
    tool: &str,
    arguments: Value,
    now: Timestamp,
) -> Result<Answered, Failure> {
    let mut registry = tools::Registry::default();
    add_observing(&mut registry, home).unwrap();
    let checked = registry.check(tool, &arguments).map_err(Failure::Invalid)?;
    let (progress, mut said) = mpsc::unbounded_channel();
    let context = Context {
        owner: "ada".parse().unwrap(),
        session_id: SessionId::from_bytes([1; 16]),
        turn_id: TurnId::from_bytes([9; 16]),
        call_id: "call-1".to_owned(),
        place: 0,
        key: "call-1".to_owned(),
        now,
        origin: Origin::Trusted,
        keeper: Arc::new(NoPins),
        desktop: Arc::new(NoDesktop::default()),
        study: Arc::new(tools::NoStudy),
        progress,
    };
    let output = run(&checked.entry, arguments, context).await?;
    let mut told = Vec::new();
    while let Ok(message) = said.try_recv() {
        told.push(message);
    }
    Ok(Answered { output, said: told })
}
