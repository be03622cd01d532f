//! The contents of an index.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use super::{EntitySnapshot, words};
use crate::port::{Area, AreaId, Device, DeviceId, Entity, EntityId, EntityState, Floor, FloorId};

/// The registry of a home.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HomeRegistry {
    /// Its floors.
    pub floors: Vec<Floor>,
    /// Its areas.
    pub areas: Vec<Area>,
    /// Its devices.
    pub devices: Vec<Device>,
    /// Its entities. In a real home about a third of them are not registered and known by their
    /// states only.
    pub entities: Vec<Entity>,
    /// The exposure of entities that are not registered, by id.
    pub exposed_unlisted: UnlistedExposure,
}

/// The exposure of entities that are not registered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum UnlistedExposure {
    /// All of it.
    #[default]
    All,
    /// Only these.
    Only(std::collections::BTreeSet<EntityId>),
}

impl UnlistedExposure {
    fn has(&self, id: &EntityId) -> bool {
        match self {
            Self::All => true,
            Self::Only(ids) => ids.contains(id),
        }
    }
}

/// The contents of an index, with the words for its search.
#[derive(Default)]
pub(super) struct IndexContents {
    pub(super) floors: BTreeMap<FloorId, Arc<Floor>>,
    pub(super) areas: BTreeMap<AreaId, Arc<Area>>,
    pub(super) devices: BTreeMap<DeviceId, Arc<Device>>,
    pub(super) entities: BTreeMap<EntityId, Arc<Entity>>,
    pub(super) states: HashMap<EntityId, Arc<EntityState>>,
    /// The words of every entity, computed when it is added.
    pub(super) words: HashMap<EntityId, words::EntityWords>,
    listed: BTreeMap<EntityId, Arc<Entity>>,
    exposed_unlisted: UnlistedExposure,
    pub(super) revision: u64,
}

impl IndexContents {
    pub(super) fn furnish(&mut self, registry: HomeRegistry) {
        let HomeRegistry { floors, areas, devices, entities, exposed_unlisted } = registry;
        self.floors = floors.into_iter().map(|floor| (floor.id.clone(), Arc::new(floor))).collect();
        self.areas = areas.into_iter().map(|area| (area.id.clone(), Arc::new(area))).collect();
        self.devices = devices.into_iter().map(|device| (device.id.clone(), Arc::new(device))).collect();
        self.listed = entities.into_iter().map(|entity| (entity.id.clone(), Arc::new(entity))).collect();
        self.exposed_unlisted = exposed_unlisted;
        self.entities = self.listed.clone();
        let states: Vec<Arc<EntityState>> = self.states.values().cloned().collect();
        for state in states {
            self.enter(&state);
        }
        let all: Vec<Arc<Entity>> = self.entities.values().cloned().collect();
        self.words = all.iter().map(|entity| (entity.id.clone(), self.words_of(entity))).collect();
        self.revision += 1;
    }

    pub(super) fn set_states(&mut self, states: impl IntoIterator<Item = EntityState>) {
        self.states.clear();
        let before = self.entities.len();
        self.entities = self.listed.clone();
        for state in states {
            self.update(state);
        }
        let (entities, words) = (&self.entities, &mut self.words);
        words.retain(|id, _| entities.contains_key(id));
        if self.entities.len() != before {
            self.revision += 1;
        }
    }

    pub(super) fn update(&mut self, state: EntityState) {
        let state = Arc::new(state);
        if self.enter(&state) {
            self.revision += 1;
        }
        self.states.insert(state.entity_id.clone(), state);
    }

    pub(super) fn remove(&mut self, id: &EntityId) {
        self.states.remove(id);
        if !self.listed.contains_key(id) && self.entities.remove(id).is_some() {
            self.words.remove(id);
            self.revision += 1;
        }
    }

    /// Adds an entity that is known by its state only, and completes any entity from its state.
    /// Returns whether the entity changed.
    fn enter(&mut self, state: &EntityState) -> bool {
        let id = &state.entity_id;
        let known = self.entities.get(id);
        let mut entity = known.map_or_else(|| self.unlisted(id), |known| Entity::clone(known));
        let is_listed = self.listed.contains_key(id);
        if let Some(name) = state.text("friendly_name").filter(|name| !name.trim().is_empty())
            && (!is_listed || entity.name.is_empty())
        {
            name.clone_into(&mut entity.name);
        }
        if entity.name.is_empty() {
            entity.name = words::from_id(id);
        }
        if entity.class.is_none() {
            entity.class = state.text("device_class").map(str::to_owned);
        }
        if known.is_some_and(|known| **known == entity) && self.words.contains_key(id) {
            return false;
        }
        let words = self.words_of(&entity);
        self.words.insert(id.clone(), words);
        self.entities.insert(id.clone(), Arc::new(entity));
        true
    }

    fn unlisted(&self, id: &EntityId) -> Entity {
        Entity {
            id: id.clone(),
            name: String::new(),
            aliases: Vec::new(),
            area: None,
            device: None,
            class: None,
            platform: None,
            exposed: self.exposed_unlisted.has(id),
            auxiliary: false,
        }
    }

    fn words_of(&self, entity: &Entity) -> words::EntityWords {
        let area = self.area_of(entity);
        let floor = area.and_then(|area| self.floors.get(area.floor.as_ref()?));
        words::EntityWords::of(entity, area.map(AsRef::as_ref), floor.map(AsRef::as_ref))
    }

    pub(super) fn area_of(&self, entity: &Entity) -> Option<&Arc<Area>> {
        let own = entity.area.as_ref();
        let device = || self.devices.get(entity.device.as_ref()?)?.area.as_ref();
        self.areas.get(own.or_else(device)?)
    }

    pub(super) fn snapshot(&self, id: &EntityId) -> Option<EntitySnapshot> {
        let entity = self.entities.get(id)?.clone();
        let area = self.area_of(&entity).cloned();
        Some(EntitySnapshot {
            floor: area.as_ref().and_then(|area| self.floors.get(area.floor.as_ref()?)).cloned(),
            device: entity.device.as_ref().and_then(|device| self.devices.get(device)).cloned(),
            state: self.states.get(id).cloned(),
            area,
            entity,
        })
    }
}
