//! Reading what there is.

use std::collections::{BTreeMap, BTreeSet};

use serde::de::DeserializeOwned;

use super::{
    exposure::{ASSISTANT, Exposure},
    link::{Link, read},
    wire::{
        AreaEntry, Command, Config, DeviceEntry, EntityDetails, EntityEntry, ExposedList, ExposesNew, FloorEntry, each,
        each_named,
    },
};
use crate::{
    house::{Area, AreaId, Device, DeviceId, Entity, EntityId, Floor, FloorId, HouseError, State},
    index::Registry,
};

/// What there is, as it was read.
#[derive(Debug)]
pub(super) struct Inventory {
    pub(super) config: Config,
    entities: Vec<EntityEntry>,
    details: BTreeMap<String, EntityDetails>,
    devices: Vec<DeviceEntry>,
    areas: Vec<AreaEntry>,
    floors: Vec<FloorEntry>,
    exposure: Exposure,
}

impl Inventory {
    /// Reads it. What this token may not read is empty, and so are the floors of a version that has none; anything else
    /// that is missing is not there yet, and is to be read again.
    pub(super) async fn read(link: Link, only_exposed: bool) -> Result<Self, HouseError> {
        let (config, entities, devices, areas, floors, exposed, exposes_new) = tokio::join!(
            link.ask(Command::GetConfig),
            link.ask(Command::Entities),
            link.ask(Command::Devices),
            link.ask(Command::Areas),
            link.ask(Command::Floors),
            link.ask(Command::Exposed),
            link.ask(Command::ExposesNew { assistant: ASSISTANT }),
        );
        let mut entities: Vec<EntityEntry> = if_allowed(entities)?.map_or_else(Vec::new, |list| each(&list));
        entities.retain(|entry| entry.disabled_by.is_none());
        let details = if entities.is_empty() {
            None
        } else {
            let entity_ids = entities.iter().map(|entry| entry.entity_id.clone()).collect();
            if_allowed(link.ask(Command::EntityDetails { entity_ids }).await)?
        };
        let exposed = if_allowed(exposed)?.and_then(|list| readable::<ExposedList>(&list));
        let exposes_new = if_allowed(exposes_new)?.and_then(|answer| readable::<ExposesNew>(&answer));
        let exposes_new = exposes_new.map(|answer| answer.expose_new);
        Ok(Self {
            exposure: Exposure::new(only_exposed, exposed, exposes_new, &entities),
            config: if_allowed(config)?.and_then(|config| readable(&config)).unwrap_or_default(),
            entities,
            details: details.map_or_else(BTreeMap::new, |details| each_named(&details)),
            devices: if_allowed(devices)?.map_or_else(Vec::new, |list| each(&list)),
            areas: if_allowed(areas)?.map_or_else(Vec::new, |list| each(&list)),
            floors: if_offered(floors)?.map_or_else(Vec::new, |list| each(&list)),
        })
    }

    /// Says why some entities are not shown, where it is for the token's sake.
    pub(super) fn explain(&self) {
        if self.exposure.keeps_rest_back() {
            tracing::info!(
                "only an administrator's token may read which entities outside of Home Assistant's registry are exposed, \
                 so none of them is shown; give them a unique id, or use such a token"
            );
        }
    }

    /// In our words. The states tell of what is not listed.
    pub(super) fn furnish<'a>(&self, states: impl Iterator<Item = &'a State>) -> Registry {
        let states: BTreeMap<&EntityId, &State> = states.map(|state| (&state.entity_id, state)).collect();
        let devices: BTreeMap<&str, &DeviceEntry> =
            self.devices.iter().map(|device| (device.id.as_str(), device)).collect();
        let listed: BTreeSet<&EntityId> = self.entities.iter().map(|entry| &entry.entity_id).collect();
        let entity = |entry: &EntityEntry| {
            let device = entry.device_id.as_deref().and_then(|id| devices.get(id).copied());
            self.entity(entry, device, states.get(&entry.entity_id).copied())
        };
        Registry {
            floors: self.floors.iter().map(floor).collect(),
            areas: self.areas.iter().map(area).collect(),
            devices: self.devices.iter().map(device).collect(),
            entities: self.entities.iter().map(entity).collect(),
            exposed_unlisted: self.exposure.unlisted(|id| listed.contains(id), states.values().copied()),
        }
    }

    fn entity(&self, entry: &EntityEntry, device: Option<&DeviceEntry>, state: Option<&State>) -> Entity {
        let details = self.details.get(entry.entity_id.as_str());
        let class = details.and_then(|details| details.device_class.clone().or(details.original_device_class.clone()));
        let class = class.or_else(|| state?.text("device_class").map(str::to_owned));
        Entity {
            id: entry.entity_id.clone(),
            name: name(entry, device),
            aliases: details.map_or_else(Vec::new, |details| details.aliases.clone()),
            area: entry.area_id.clone().map(AreaId::new),
            device: entry.device_id.clone().map(DeviceId::new),
            exposed: self.exposure.listed(entry, class.as_deref()),
            class,
            platform: entry.platform.clone(),
            auxiliary: entry.entity_category.is_some(),
        }
    }
}

/// As Home Assistant names it: by the user's name, else by the integration's behind that of its device. Empty if it has
/// none; then the state tells.
fn name(entry: &EntityEntry, device: Option<&DeviceEntry>) -> String {
    let filled =
        |name: &Option<String>| name.as_deref().map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned);
    if let Some(name) = filled(&entry.name) {
        return name;
    }
    let own = filled(&entry.original_name);
    let device = device.and_then(|device| filled(&device.name_by_user).or_else(|| filled(&device.name)));
    match (own, device.filter(|_| entry.has_entity_name)) {
        (Some(own), Some(device)) => format!("{device} {own}"),
        (Some(name), None) | (None, Some(name)) => name,
        (None, None) => String::new(),
    }
}

fn device(entry: &DeviceEntry) -> Device {
    Device {
        id: DeviceId::new(&entry.id),
        name: entry.name_by_user.clone().or_else(|| entry.name.clone()).unwrap_or_default(),
        area: entry.area_id.clone().map(AreaId::new),
        via: entry.via_device_id.clone().map(DeviceId::new),
        maker: entry.manufacturer.clone(),
        model: entry.model.clone(),
    }
}

fn area(entry: &AreaEntry) -> Area {
    Area {
        id: AreaId::new(&entry.area_id),
        name: entry.name.clone(),
        aliases: entry.aliases.clone(),
        floor: entry.floor_id.clone().map(FloorId::new),
    }
}

fn floor(entry: &FloorEntry) -> Floor {
    Floor {
        id: FloorId::new(&entry.floor_id),
        name: entry.name.clone(),
        aliases: entry.aliases.clone(),
        level: entry.level,
    }
}

/// What this version does not have, or this token may not read, is nothing; any other trouble is trouble.
pub(super) fn if_offered<T>(answer: Result<Option<T>, HouseError>) -> Result<Option<T>, HouseError> {
    match answer {
        Err(HouseError::Unsupported(_) | HouseError::Forbidden(_)) => Ok(None),
        other => other,
    }
}

/// What this token may not read is nothing. What there has to be and is not there means that the home is still starting.
fn if_allowed<T>(answer: Result<Option<T>, HouseError>) -> Result<Option<T>, HouseError> {
    match answer {
        Err(HouseError::Forbidden(_)) => Ok(None),
        Err(HouseError::Unsupported(_)) => {
            Err(HouseError::Failed("it is still starting, or older than what can be used (2024.3)".to_owned()))
        }
        other => other,
    }
}

fn readable<T: DeserializeOwned>(answer: &serde_json::value::RawValue) -> Option<T> {
    read(Some(answer)).inspect_err(|error| tracing::debug!(%error, "passed over an answer of Home Assistant")).ok()
}
