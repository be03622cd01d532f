//! What there is in the simulated home: two floors and a garden, an ordinary household.

mod devices;
mod ground;
mod outside;
mod piece;
mod upper;

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    Area, AreaId, Device, DeviceId, Entity, EntityId, Floor, FloorId, NotAnId,
    index::{Registry, Unlisted},
};

pub(super) use piece::{Act, Days, Face, Kind, Meter, Piece, Spell, When, object};

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

/// Everything there is.
pub(super) struct Furniture {
    pieces: BTreeMap<&'static str, (EntityId, Piece)>,
}

impl Furniture {
    pub(super) fn new() -> Result<Self, NotAnId> {
        let all = [ground::pieces(), upper::pieces(), outside::pieces()];
        let pieces = all.into_iter().flatten().map(|piece| Ok((piece.id, (piece.id.parse()?, piece))));
        Ok(Self { pieces: pieces.collect::<Result<_, NotAnId>>()? })
    }

    pub(super) fn get(&self, id: &str) -> Option<&Piece> {
        self.pieces.get(id).map(|(_, piece)| piece)
    }

    /// All pieces, by id.
    pub(super) fn all(&self) -> impl Iterator<Item = (&EntityId, &Piece)> {
        self.pieces.values().map(|(id, piece)| (id, piece))
    }

    /// The typed id of a piece.
    pub(super) fn id(&self, id: &str) -> Option<&EntityId> {
        self.pieces.get(id).map(|(id, _)| id)
    }

    /// Some pieces and all whose state hangs on theirs.
    pub(super) fn with_dependants(&self, ids: impl IntoIterator<Item = &'static str>) -> BTreeSet<&'static str> {
        let mut all: BTreeSet<&'static str> = ids.into_iter().collect();
        loop {
            let hangs = |piece: &Piece| !all.contains(piece.id) && piece.hangs_on().iter().any(|id| all.contains(id));
            let more: Vec<&'static str> =
                self.all().map(|(_, piece)| piece).filter(|piece| hangs(piece)).map(|piece| piece.id).collect();
            if more.is_empty() {
                return all;
            }
            all.extend(more);
        }
    }

    /// What there is, as any home says it.
    pub(super) fn registry(&self) -> Registry {
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
        let entities = self.all().map(|(id, piece)| Entity {
            id: id.clone(),
            name: piece.name.to_owned(),
            aliases: names(piece.aliases),
            area: piece.area.map(AreaId::new),
            device: piece.device.map(DeviceId::new),
            class: piece.class.filter(|class| !class.is_empty()).map(str::to_owned),
            platform: Some(piece.platform.to_owned()),
            exposed: piece.exposed,
            auxiliary: piece.auxiliary,
        });
        Registry {
            floors: floors.collect(),
            areas: areas.collect(),
            devices: devices.collect(),
            entities: entities.collect(),
            exposed_unlisted: Unlisted::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_refers_to_what_is_not_there() {
        let furniture = Furniture::new().unwrap();
        let devices: BTreeSet<&str> = devices::DEVICES.iter().map(|device| device.0).collect();
        let areas: BTreeSet<&str> = AREAS.iter().map(|area| area.0).collect();
        let mut used = BTreeSet::new();
        for (id, piece) in furniture.all() {
            for other in piece.made_of().into_iter().chain(piece.uses()) {
                assert!(furniture.get(other).is_some(), "{id} uses {other}");
            }
            assert!(piece.area.is_none_or(|area| areas.contains(area)), "{id}");
            assert!(piece.device.is_none_or(|device| devices.contains(device)), "{id}");
            used.extend(piece.device);
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
        let furniture = Furniture::new().unwrap();
        let count = furniture.all().count();
        assert!((80..130).contains(&count), "{count}");
        assert!(furniture.all().filter(|(_, piece)| !piece.exposed).count() >= 3);
    }
}
