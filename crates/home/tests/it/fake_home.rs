//! A fake home with a few entities.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use home::{
    Area, AreaId, ConnectionStatus, Entity, EntityId, EntityRelations, EntityState, HomeError, HomeIndex, HomeInfo,
    HomePort, HomeRegistry, LogEntry, LogbookEntry, Period, ServiceCall, ServiceDescription, StateSeries, Trace,
    UnlistedExposure,
};
use protocol::Timestamp;
use serde_json::Value;

/// Its reaction to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FakeBehaviour {
    /// It does what is asked.
    #[default]
    Willing,
    /// It confirms and does nothing.
    Deaf,
    /// It refuses.
    Forbidden,
    /// It does not answer.
    Silent,
    /// It cannot be reached.
    Gone,
}

/// A fake home with a few entities.
pub struct FakeHome {
    pub index: HomeIndex,
    pub temper: Mutex<FakeBehaviour>,
    pub simulated: bool,
    pub calls: Mutex<Vec<ServiceCall>>,
}

pub fn entity(id: &str, name: &str, area: &str) -> Entity {
    Entity {
        id: id.parse().unwrap(),
        name: name.to_owned(),
        aliases: Vec::new(),
        area: (!area.is_empty()).then(|| AreaId::new(area)),
        device: None,
        class: None,
        platform: None,
        exposed: true,
        auxiliary: false,
    }
}

pub fn classed(class: &str, entity: Entity) -> Entity {
    Entity { class: Some(class.to_owned()), ..entity }
}

pub fn area(id: &str, name: &str) -> Area {
    Area { id: AreaId::new(id), name: name.to_owned(), aliases: Vec::new(), floor: None }
}

/// The registry of a small home.
pub fn registry() -> HomeRegistry {
    let entities = vec![
        entity("light.kitchen", "Kitchen light", "kitchen"),
        entity("light.counter", "Counter light", "kitchen"),
        entity("light.bedroom", "Bedroom light", "bedroom"),
        entity("switch.kettle", "Kettle", "kitchen"),
        entity("climate.bedroom", "Bedroom thermostat", "bedroom"),
        entity("lock.front", "Front door", "hall"),
        classed("garage", entity("cover.garage", "Garage door", "hall")),
        classed("blind", entity("cover.blind", "Blind", "bedroom")),
        entity("media_player.radio", "Radio", "kitchen"),
        classed("window", entity("binary_sensor.window", "Bedroom window", "bedroom")),
        entity("todo.shopping", "Shopping list", ""),
        entity("script.good_night", "Good night", ""),
        entity("script.reading", "Reading time", ""),
        entity("script.opaque", "Opaque", ""),
        entity("group.doors", "Doors", ""),
        entity("cover.old_gate", "Old gate", "hall"),
        entity("fan.ceiling", "Ceiling fan", "kitchen"),
        Entity { exposed: false, ..entity("switch.secret", "Secret switch", "hall") },
    ];
    let areas = vec![area("kitchen", "Kitchen"), area("bedroom", "Bedroom"), area("hall", "Hall")];
    HomeRegistry { areas, entities, exposed_unlisted: UnlistedExposure::All, ..HomeRegistry::default() }
}

impl FakeHome {
    /// A small home.
    pub fn new() -> Arc<Self> {
        let words = [
            ("light.kitchen", "off"),
            ("light.counter", "on"),
            ("light.bedroom", "off"),
            ("switch.kettle", "off"),
            ("climate.bedroom", "heat"),
            ("lock.front", "locked"),
            ("cover.garage", "closed"),
            ("cover.blind", "open"),
            ("media_player.radio", "playing"),
            ("binary_sensor.window", "on"),
            ("todo.shopping", "2"),
            ("switch.secret", "off"),
            ("script.good_night", "off"),
            ("script.reading", "off"),
            ("script.opaque", "off"),
            ("group.doors", "off"),
            ("cover.old_gate", "closed"),
            ("fan.ceiling", "off"),
        ];
        Self::with(registry(), &words)
    }

    /// A home with this registry and these states.
    pub fn with(registry: HomeRegistry, words: &[(&str, &str)]) -> Arc<Self> {
        let index = HomeIndex::default();
        index.furnish(registry);
        index.set_states(words.iter().map(|(id, word)| state(id, word)));
        Arc::new(Self { index, temper: Mutex::default(), simulated: false, calls: Mutex::default() })
    }

    pub fn is(&self, temper: FakeBehaviour) -> &Self {
        *self.temper.lock().unwrap() = temper;
        self
    }

    pub fn word(&self, id: &str) -> String {
        self.index.state(&id.parse().unwrap()).unwrap().state.clone()
    }

    fn obey(&self, call: &ServiceCall) {
        for id in &call.entities {
            let mut now = EntityState::clone(&self.index.state(id).unwrap());
            now.attributes.extend(call.data.clone());
            let word = match call.service.as_str() {
                "turn_on" => "on",
                "turn_off" => "off",
                "open_cover" => "opening",
                "close_cover" => "closed",
                "lock" => "locked",
                "unlock" => "unlocked",
                "media_pause" => "paused",
                "media_play" => "playing",
                _ => "",
            };
            if !word.is_empty() {
                word.clone_into(&mut now.state);
            }
            if let Some(percent) = call.data.get("brightness_pct").and_then(Value::as_f64) {
                now.attributes.insert("brightness".to_owned(), (percent * 2.55).round().into());
            }
            self.index.update([now]);
        }
    }
}

pub fn state(id: &str, word: &str) -> EntityState {
    let moment = Timestamp::from_millis(1_700_000_000_000);
    EntityState {
        entity_id: id.parse().unwrap(),
        state: word.to_owned(),
        attributes: serde_json::Map::new(),
        changed_at: moment,
        updated_at: moment,
    }
}

#[async_trait]
impl HomePort for FakeHome {
    fn about(&self) -> HomeInfo {
        let connection = ConnectionStatus::Connected { since: Timestamp::from_millis(0) };
        HomeInfo {
            name: "Fake".to_owned(),
            simulated: self.simulated,
            version: Some("1".to_owned()),
            time_zone: None,
            temperature_unit: Some("°C".to_owned()),
            connection,
        }
    }

    fn index(&self) -> &HomeIndex {
        &self.index
    }

    async fn call(&self, call: &ServiceCall) -> Result<Option<Value>, HomeError> {
        self.calls.lock().unwrap().push(call.clone());
        let temper = *self.temper.lock().unwrap();
        match temper {
            FakeBehaviour::Willing => self.obey(call),
            FakeBehaviour::Deaf => {}
            FakeBehaviour::Forbidden => return Err(HomeError::Forbidden("this token may only read".to_owned())),
            FakeBehaviour::Silent => return Err(HomeError::Lost("no answer".to_owned())),
            FakeBehaviour::Gone => return Err(HomeError::Unreachable("no server listens".to_owned())),
        }
        Ok(None)
    }

    async fn read(&self, entities: &[EntityId]) -> Result<Vec<EntityState>, HomeError> {
        Ok(entities.iter().filter_map(|id| self.index.state(id)).map(|state| EntityState::clone(&state)).collect())
    }

    async fn services(&self) -> Result<Vec<ServiceDescription>, HomeError> {
        Ok(Vec::new())
    }

    async fn history(&self, _: &[EntityId], _: Period) -> Result<Vec<StateSeries>, HomeError> {
        Ok(Vec::new())
    }

    async fn logbook(&self, _: &[EntityId], _: Period) -> Result<Vec<LogbookEntry>, HomeError> {
        Ok(Vec::new())
    }

    async fn errors(&self) -> Result<Vec<LogEntry>, HomeError> {
        Ok(Vec::new())
    }

    async fn traces(&self, _: &EntityId) -> Result<Vec<Trace>, HomeError> {
        Ok(Vec::new())
    }

    async fn related(&self, entity_id: &EntityId) -> Result<EntityRelations, HomeError> {
        let made_of: &[&str] = match entity_id.as_str() {
            "script.good_night" => &["light.kitchen", "group.doors"],
            "group.doors" => &["lock.front"],
            "script.reading" => &["light.bedroom"],
            "script.opaque" => return Err(HomeError::Forbidden("only administrators see that".to_owned())),
            _ => &[],
        };
        let made_of = made_of.iter().map(|id| id.parse().unwrap()).collect();
        Ok(EntityRelations { made_of, ..EntityRelations::default() })
    }
}
