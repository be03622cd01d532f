//! What is forgiven at home, and what is not.

use std::sync::Arc;

use async_trait::async_trait;
use protocol::Timestamp;
use reflex::Grammar;
use serde_json::{Value, json};
use tools::{Reflex, Reflexes, Said};

use super::{FORGIVEN, HomeReflexes};
use crate::{
    Area, Entity, EntityId, House, Index, Registry, Service, ServiceCall, State, Unlisted,
    house::{About, AreaId, Connection, Happening, HouseError, LogEntry, Period, Related, Series, Trace},
};

/// A house that can be looked at, and does nothing.
struct Still(Index);

fn nothing<T>() -> Result<T, HouseError> {
    Err(HouseError::Unsupported("it stands still".to_owned()))
}

#[async_trait]
impl House for Still {
    fn about(&self) -> About {
        let connection = Connection::Connected { since: Timestamp::from_millis(0) };
        About {
            name: "Still".to_owned(),
            simulated: false,
            version: None,
            time_zone: None,
            temperature_unit: None,
            connection,
        }
    }

    fn index(&self) -> &Index {
        &self.0
    }

    async fn call(&self, _: &ServiceCall) -> Result<Option<Value>, HouseError> {
        nothing()
    }

    async fn read(&self, _: &[EntityId]) -> Result<Vec<State>, HouseError> {
        nothing()
    }

    async fn services(&self) -> Result<Vec<Service>, HouseError> {
        nothing()
    }

    async fn history(&self, _: &[EntityId], _: Period) -> Result<Vec<Series>, HouseError> {
        nothing()
    }

    async fn logbook(&self, _: &[EntityId], _: Period) -> Result<Vec<Happening>, HouseError> {
        nothing()
    }

    async fn errors(&self) -> Result<Vec<LogEntry>, HouseError> {
        nothing()
    }

    async fn traces(&self, _: &EntityId) -> Result<Vec<Trace>, HouseError> {
        nothing()
    }

    async fn related(&self, _: &EntityId) -> Result<Related, HouseError> {
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
    let index = Index::default();
    index.furnish(Registry {
        floors: Vec::new(),
        areas: vec![Area { id: AreaId::new("kitchen"), name: "Kitchen".to_owned(), aliases: Vec::new(), floor: None }],
        devices: Vec::new(),
        entities: vec![
            entity("light.counter", "Counter Lamp", None),
            entity("lock.front", "Front Door", None),
            entity("cover.garage", "Big Shutter", Some("garage")),
            entity("todo.shopping_list", "Shopping List", None),
        ],
        exposed_unlisted: Unlisted::All,
    });
    HomeReflexes::new(Arc::new(Still(index)), vec![Grammar::english().unwrap()])
}

fn read(message: &str) -> Option<Reflex> {
    reflexes().read(&Said { message, language: None, area: Some("Kitchen"), before: &[], unclear: None })
}

#[test]
fn a_small_fault_is_forgiven_with_less_confidence() {
    let exactly = read("turn on the counter lamp").unwrap();
    for message in ["um, turn on the counter lamp", "turn on the counter lamp, thanks mate", "tunr on the counter lamp"]
    {
        let forgiven = read(message).unwrap();
        assert_eq!(forgiven.calls, exactly.calls, "{message}");
        assert!(forgiven.confidence <= FORGIVEN && exactly.confidence > FORGIVEN, "{message}");
    }
}

#[test]
fn locks_and_garages_are_not_touched_by_a_guess() {
    assert!(read("lock the front door").is_some());
    for message in
        ["um lock the front door", "unlokc the front door", "open the big shutetr", "hey open the big shutter"]
    {
        assert_eq!(read(message), None, "{message}");
    }
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
