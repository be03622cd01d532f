//! The description of the simulated home: two floors and a garden, an ordinary household. It is
//! data; the files in `data/` say what there is, and this module reads them.

mod entity;
mod problem;
mod read;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use home::{Area, Device, Entity, Floor, HomeRegistry, ServiceDescription, UnlistedExposure};

use crate::error::SimulatedHomeError;

pub(crate) use entity::{
    Behaviour, MeterKind, ScheduledState, ServiceAction, SimulatedEntity, SimulatedState, TimeOfDay, object,
};
pub(crate) use problem::{InjectedFault, Problem, log_entry};

static LAYOUT: LazyLock<Result<HomeLayout, String>> = LazyLock::new(|| read::read().map_err(|error| error.to_string()));

/// Everything that is in the home.
pub(crate) struct HomeLayout {
    floors: Vec<Floor>,
    areas: Vec<Area>,
    devices: Vec<Device>,
    /// By id.
    entities: Vec<SimulatedEntity>,
    /// The services, with one for every script.
    pub(crate) services: Vec<ServiceDescription>,
    /// What media players play.
    pub(crate) tracks: Vec<String>,
    /// Red, green and blue of colours.
    pub(crate) colours: BTreeMap<String, [u8; 3]>,
    pub(crate) problems: Vec<Problem>,
    /// Integrations that are not loaded, with their error.
    pub(crate) integration_trouble: BTreeMap<String, String>,
}

impl HomeLayout {
    /// The layout, which is read once.
    pub(crate) fn get_or_read() -> Result<&'static Self, SimulatedHomeError> {
        LAYOUT.as_ref().map_err(|why| SimulatedHomeError::BadDescription(why.clone()))
    }

    pub(crate) fn get(&self, id: &str) -> Option<&SimulatedEntity> {
        let number = self.entities.binary_search_by(|entity| entity.id.as_str().cmp(id)).ok()?;
        self.entities.get(number)
    }

    /// All entities, by id.
    pub(crate) fn all(&self) -> impl Iterator<Item = &SimulatedEntity> {
        self.entities.iter()
    }

    /// Some entities and all entities that depend on them.
    pub(crate) fn with_dependants(&self, ids: impl IntoIterator<Item = &'static str>) -> BTreeSet<&str> {
        let mut all: BTreeSet<&str> = ids.into_iter().collect();
        loop {
            let hangs = |entity: &&SimulatedEntity| {
                !all.contains(entity.id.as_str()) && entity.depends_on().iter().any(|id| all.contains(id))
            };
            let more: Vec<&str> = self.all().filter(hangs).map(|entity| entity.id.as_str()).collect();
            if more.is_empty() {
                return all;
            }
            all.extend(more);
        }
    }

    /// The registry of the home.
    pub(crate) fn registry(&self) -> HomeRegistry {
        let entities = self.all().map(|entity| Entity {
            id: entity.id.clone(),
            name: entity.name.clone(),
            aliases: entity.aliases.clone(),
            area: entity.area.clone(),
            device: entity.device.clone(),
            class: entity.class.clone(),
            platform: Some(entity.platform.clone()),
            exposed: entity.exposed,
            auxiliary: entity.auxiliary,
        });
        HomeRegistry {
            floors: self.floors.clone(),
            areas: self.areas.clone(),
            devices: self.devices.clone(),
            entities: entities.collect(),
            exposed_unlisted: UnlistedExposure::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_refers_to_what_is_not_there() {
        let layout = HomeLayout::get_or_read().unwrap();
        let devices: BTreeSet<&str> = layout.devices.iter().map(|device| device.id.as_str()).collect();
        let areas: BTreeSet<&str> = layout.areas.iter().map(|area| area.id.as_str()).collect();
        let mut used = BTreeSet::new();
        for entity in layout.all() {
            let id = &entity.id;
            for other in entity.made_of().into_iter().chain(entity.uses()) {
                assert!(layout.get(other).is_some(), "{id} uses {other}");
            }
            assert!(entity.area.as_ref().is_none_or(|area| areas.contains(area.as_str())), "{id}");
            assert!(entity.device.as_ref().is_none_or(|device| devices.contains(device.as_str())), "{id}");
            used.extend(entity.device.as_ref().map(|device| device.as_str()));
            let has_routine = matches!(entity.behaviour, Behaviour::Routine | Behaviour::Climate(_));
            assert_eq!(has_routine, !entity.idle.state.is_empty(), "{id} has a state, or computes it");
            let states = entity.schedule.iter().map(|scheduled| scheduled.state.as_ref().unwrap_or(&entity.active));
            assert!(states.into_iter().all(|state| !state.state.is_empty()), "{id}");
        }
        for device in &layout.devices {
            assert!(device.area.as_ref().is_none_or(|area| areas.contains(area.as_str())), "{}", device.id);
            assert!(device.via.as_ref().is_none_or(|via| devices.contains(via.as_str())), "{}", device.id);
        }
        for id in layout.problems.iter().flat_map(Problem::entities) {
            assert!(layout.get(id).is_some(), "a problem of {id}");
        }
        let empty: Vec<_> = devices.difference(&used).filter(|id| **id != "coordinator").collect();
        assert!(empty.is_empty(), "{empty:?}");
    }

    #[test]
    fn a_household_of_a_believable_size() {
        let layout = HomeLayout::get_or_read().unwrap();
        let count = layout.all().count();
        assert!((80..130).contains(&count), "{count}");
        assert!(layout.all().filter(|entity| !entity.exposed).count() >= 3);
    }
}
