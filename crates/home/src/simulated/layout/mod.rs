//! The layout of the simulated home: two floors and a garden, an ordinary household.

mod devices;
mod entity;
mod ground;
mod outside;
mod upper;

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    Area, AreaId, Device, DeviceId, Entity, EntityId, Floor, FloorId, InvalidId,
    index::{HomeRegistry, UnlistedExposure},
};

pub(super) use entity::{
    Behaviour, Days, MeterKind, ScheduledState, ServiceAction, SimulatedEntity, SimulatedState, TimeOfDay, object,
};

/// Floors, as id, name, aliases and level.
const FLOORS: &[(&str, &str, &[&str], i32)] =
    &[("ground", "Ground floor", &["Downstairs"], 0), ("upper", "Upper floor", &["Upstairs", "First floor"], 1)];

/// Areas, as id, name, aliases and floor.
const AREAS: &[(&str, &str, &[&str], Option<&str>)] = &[
    ("kitchen", "Kitchen", &[], Some("ground")),
    ("living_room", "Living room", &["Lounge", "Sitting room"], Some("ground")),
    ("hallway", "Hallway", &["Entrance", "Hall"], Some("ground")),
    ("garage", "Garage", &[], Some("ground")),
    ("bedroom", "Bedroom", &["Master bedroom"], Some("upper")),
    ("bathroom", "Bathroom", &["Bath"], Some("upper")),
    ("office", "Office", &["Study"], Some("upper")),
    ("landing", "Landing", &[], Some("upper")),
    ("garden", "Garden", &["Yard", "Outside"], None),
];

/// All entities and devices.
pub(super) struct HomeLayout {
    entities: BTreeMap<&'static str, (EntityId, SimulatedEntity)>,
}

impl HomeLayout {
    pub(super) fn new() -> Result<Self, InvalidId> {
        let all = [ground::entities(), upper::entities(), outside::entities()];
        let entities = all.into_iter().flatten().map(|entity| Ok((entity.id, (entity.id.parse()?, entity))));
        Ok(Self { entities: entities.collect::<Result<_, InvalidId>>()? })
    }

    pub(super) fn get(&self, id: &str) -> Option<&SimulatedEntity> {
        self.entities.get(id).map(|(_, entity)| entity)
    }

    /// All entities, by id.
    pub(super) fn all(&self) -> impl Iterator<Item = (&EntityId, &SimulatedEntity)> {
        self.entities.values().map(|(id, entity)| (id, entity))
    }

    /// The typed id of an entity.
    pub(super) fn id(&self, id: &str) -> Option<&EntityId> {
        self.entities.get(id).map(|(id, _)| id)
    }

    /// Some entities and all entities that depend on them.
    pub(super) fn with_dependants(&self, ids: impl IntoIterator<Item = &'static str>) -> BTreeSet<&'static str> {
        let mut all: BTreeSet<&'static str> = ids.into_iter().collect();
        loop {
            let hangs = |entity: &SimulatedEntity| {
                !all.contains(entity.id) && entity.depends_on().iter().any(|id| all.contains(id))
            };
            let more: Vec<&'static str> =
                self.all().map(|(_, entity)| entity).filter(|entity| hangs(entity)).map(|entity| entity.id).collect();
            if more.is_empty() {
                return all;
            }
            all.extend(more);
        }
    }

    /// The registry of the home.
    pub(super) fn registry(&self) -> HomeRegistry {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let floors = FLOORS.iter().map(|(id, name, aliases, level)| Floor {
            id: FloorId::new(*id),
            name: (*name).to_owned(),
            aliases: names(aliases),
            level: Some(*level),
        });
        let areas = AREAS.iter().map(|(id, name, aliases, floor)| Area {
            id: AreaId::new(*id),
            name: (*name).to_owned(),
            aliases: names(aliases),
            floor: floor.map(FloorId::new),
        });
        let devices = devices::DEVICES.iter().map(|(id, name, area, via, maker, model)| Device {
            id: DeviceId::new(*id),
            name: (*name).to_owned(),
            area: area.map(AreaId::new),
            via: via.map(DeviceId::new),
            maker: Some((*maker).to_owned()),
            model: Some((*model).to_owned()),
        });
        let entities = self.all().map(|(id, entity)| Entity {
            id: id.clone(),
            name: entity.name.to_owned(),
            aliases: names(entity.aliases),
            area: entity.area.map(AreaId::new),
            device: entity.device.map(DeviceId::new),
            class: entity.class.filter(|class| !class.is_empty()).map(str::to_owned),
            platform: Some(entity.platform.to_owned()),
            exposed: entity.exposed,
            auxiliary: entity.auxiliary,
        });
        HomeRegistry {
            floors: floors.collect(),
            areas: areas.collect(),
            devices: devices.collect(),
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
        let layout = HomeLayout::new().unwrap();
        let devices: BTreeSet<&str> = devices::DEVICES.iter().map(|device| device.0).collect();
        let areas: BTreeSet<&str> = AREAS.iter().map(|area| area.0).collect();
        let mut used = BTreeSet::new();
        for (id, entity) in layout.all() {
            for other in entity.made_of().into_iter().chain(entity.uses()) {
                assert!(layout.get(other).is_some(), "{id} uses {other}");
            }
            assert!(entity.area.is_none_or(|area| areas.contains(area)), "{id}");
            assert!(entity.device.is_none_or(|device| devices.contains(device)), "{id}");
            used.extend(entity.device);
        }
        for (id, _, area, via, ..) in devices::DEVICES {
            assert!(area.is_none_or(|area| areas.contains(area)), "{id}");
            assert!(via.is_none_or(|via| devices.contains(via)), "{id}");
        }
        let empty: Vec<_> = devices.difference(&used).filter(|id| **id != "coordinator").collect();
        assert!(empty.is_empty(), "{empty:?}");
    }

    #[test]
    fn a_household_of_a_believable_size() {
        let layout = HomeLayout::new().unwrap();
        let count = layout.all().count();
        assert!((80..130).contains(&count), "{count}");
        assert!(layout.all().filter(|(_, entity)| !entity.exposed).count() >= 3);
    }
}
