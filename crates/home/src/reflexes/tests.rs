//! Fuzzy matching at home: what is corrected, and what is not.

use std::sync::Arc;

use async_trait::async_trait;
use ports::{Reflex, ReflexInput, Reflexes};
use protocol::Timestamp;
use reflex::Grammar;
use serde_json::{Value, json};

use super::{FUZZY, HomeReflexes};
use crate::{
    Area, Entity, EntityId, EntityState, HomeIndex, HomePort, HomeRegistry, ServiceCall, ServiceDescription,
    UnlistedExposure,
    port::{
        AreaId, ConnectionStatus, EntityRelations, HomeError, HomeInfo, LogEntry, LogbookEntry, Period, StateSeries,
        Trace,
    },
};

/// A home with states only, which does nothing.
struct StaticHome(HomeIndex);

fn nothing<T>() -> Result<T, HomeError> {
    Err(HomeError::Unsupported("it stands still".to_owned()))
}

#[async_trait]
impl HomePort for StaticHome {
    fn about(&self) -> HomeInfo {
        let connection = ConnectionStatus::Connected { since: Timestamp::from_millis(0) };
        HomeInfo {
            name: "Still".to_owned(),
            simulated: false,
            version: None,
            time_zone: None,
            temperature_unit: None,
            connection,
        }
    }

    fn index(&self) -> &HomeIndex {
        &self.0
    }

    async fn call(&self, _: &ServiceCall) -> Result<Option<Value>, HomeError> {
        nothing()
    }

    async fn read(&self, _: &[EntityId]) -> Result<Vec<EntityState>, HomeError> {
        nothing()
    }

    async fn services(&self) -> Result<Vec<ServiceDescription>, HomeError> {
        nothing()
    }

    async fn history(&self, _: &[EntityId], _: Period) -> Result<Vec<StateSeries>, HomeError> {
        nothing()
    }

    async fn logbook(&self, _: &[EntityId], _: Period) -> Result<Vec<LogbookEntry>, HomeError> {
        nothing()
    }

    async fn errors(&self) -> Result<Vec<LogEntry>, HomeError> {
        nothing()
    }

    async fn traces(&self, _: &EntityId) -> Result<Vec<Trace>, HomeError> {
        nothing()
    }

    async fn related(&self, _: &EntityId) -> Result<EntityRelations, HomeError> {
        nothing()
    }
}

fn reflexes() -> HomeReflexes {
    let entity = |id: &str, name: &str, class: Option<&str>| Entity {
        id: id.parse().unwrap(),
        name: name.to_owned(),
        aliases: Vec::new(),
        area: Some(AreaId::new("kitchen")),
        device: None,
        class: class.map(str::to_owned),
        platform: None,
        exposed: true,
        auxiliary: false,
    };
    let index = HomeIndex::default();
    index.furnish(HomeRegistry {
        floors: Vec::new(),
        areas: vec![Area { id: AreaId::new("kitchen"), name: "Kitchen".to_owned(), aliases: Vec::new(), floor: None }],
        devices: Vec::new(),
        entities: vec![
            entity("light.counter", "Counter Lamp", None),
            entity("lock.front", "Front Door", None),
            entity("cover.garage", "Big Shutter", Some("garage")),
            entity("todo.shopping_list", "Shopping List", None),
        ],
        exposed_unlisted: UnlistedExposure::All,
    });
    HomeReflexes::new(Arc::new(StaticHome(index)), vec![Grammar::english().unwrap()])
}

fn read(message: &str) -> Option<Reflex> {
    reflexes().read(&ReflexInput {
        message,
        language: None,
        area: Some("Kitchen"),
        before: &[],
        previous: None,
        unclear: None,
    })
}

#[test]
fn a_small_fault_is_forgiven_with_less_confidence() {
    let exactly = read("turn on the counter lamp").unwrap();
    for message in ["um, turn on the counter lamp", "turn on the counter lamp, thanks mate", "tunr on the counter lamp"]
    {
        let forgiven = read(message).unwrap();
        assert_eq!(forgiven.calls, exactly.calls, "{message}");
        assert!(forgiven.confidence <= FUZZY && exactly.confidence > FUZZY, "{message}");
    }
}

#[test]
fn locks_and_garages_are_not_touched_by_a_guess() {
    assert!(read("lock the front door").is_some());
    for message in ["unlokc the front door", "open the big shutetr", "lock the fornt door", "hey lcok the front door"] {
        assert_eq!(read(message), None, "{message}");
    }
    // Politeness changes no word of it.
    assert_eq!(
        read("um, please lock the front door").map(|it| it.calls),
        read("lock the front door").map(|it| it.calls)
    );
}

#[test]
fn questions_and_refusals_are_not_forgiven_into_doing() {
    for message in [
        "the counter lamp on?",
        "um counter lamp on?",
        "hey don't turn on the counter lamp",
        "why turn on the counter lmap",
    ] {
        assert!(read(message).is_none_or(|reflex| reflex.calls.is_empty()), "{message}");
    }
}

#[test]
fn politeness_does_not_get_onto_the_list() {
    let reflex = read("hey, add oat milk to my shopping list, thank you").unwrap();
    assert_eq!(reflex.slots["item"], json!("oat milk"));
}
