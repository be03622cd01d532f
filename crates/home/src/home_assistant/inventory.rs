//! Reads the registries.

use std::collections::{BTreeMap, BTreeSet};

use serde::de::DeserializeOwned;

use super::{
    command_sender::{CommandSender, read},
    exposure::{ASSISTANT, Exposure},
    wire::{
        AreaEntry, CoreConfig, DeviceEntry, EntityDetails, EntityEntry, ExposedList, ExposesNew, FloorEntry,
        HassCommand, each, each_named,
    },
};
use crate::{
    index::HomeRegistry,
    port::{Area, AreaId, Device, DeviceId, Entity, EntityId, EntityState, Floor, FloorId, HomeError},
};

/// The contents of the registries.
#[derive(Debug)]
pub(super) struct Inventory {
    pub(super) config: CoreConfig,
    entities: Vec<EntityEntry>,
    details: BTreeMap<String, EntityDetails>,
    devices: Vec<DeviceEntry>,
    areas: Vec<AreaEntry>,
    floors: Vec<FloorEntry>,
    exposure: Exposure,
}

impl Inventory {
    /// Reads the registries. What this token may not read is empty, and so are floors in versions
    /// without them. Any other missing part means that the home is still starting, and is read
    /// again.
    pub(super) async fn read(link: CommandSender, only_exposed: bool) -> Result<Self, HomeError> {
        let (config, entities, devices, areas, floors, exposed, exposes_new) = tokio::join!(
            link.ask(HassCommand::GetConfig),
            link.ask(HassCommand::Entities),
            link.ask(HassCommand::Devices),
            link.ask(HassCommand::Areas),
            link.ask(HassCommand::Floors),
            link.ask(HassCommand::Exposed),
            link.ask(HassCommand::ExposesNew { assistant: ASSISTANT }),
        );
        let mut entities: Vec<EntityEntry> = if_allowed(entities)?.map_or_else(Vec::new, |list| each(&list));
        entities.retain(|entry| entry.disabled_by.is_none());
        let details = if entities.is_empty() {
            None
        } else {
            let entity_ids = entities.iter().map(|entry| entry.entity_id.clone()).collect();
            if_allowed(link.ask(HassCommand::EntityDetails { entity_ids }).await)?
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

    /// Logs why some entities are hidden because of the token.
    pub(super) fn explain(&self) {
        if self.exposure.keeps_rest_back() {
            tracing::info!(
                "only an administrator's token may read which entities outside of Home Assistant's registry are exposed, \
                 so none of them is shown; give them a unique id, or use such a token"
            );
        }
    }

    /// Converts the registries. The states reveal entities that are not listed.
    pub(super) fn furnish<'a>(&self, states: impl Iterator<Item = &'a EntityState>) -> HomeRegistry {
        let states: BTreeMap<&EntityId, &EntityState> = states.map(|state| (&state.entity_id, state)).collect();
        let devices: BTreeMap<&str, &DeviceEntry> =
            self.devices.iter().map(|device| (device.id.as_str(), device)).collect();
        let listed: BTreeSet<&EntityId> = self.entities.iter().map(|entry| &entry.entity_id).collect();
        let entity = |entry: &EntityEntry| {
            let device = entry.device_id.as_deref().and_then(|id| devices.get(id).copied());
            self.entity(entry, device, states.get(&entry.entity_id).copied())
        };
        HomeRegistry {
            floors: self.floors.iter().map(floor).collect(),
            areas: self.areas.iter().map(area).collect(),
            devices: self.devices.iter().map(device).collect(),
            entities: self.entities.iter().map(entity).collect(),
            exposed_unlisted: self.exposure.unlisted(|id| listed.contains(id), states.values().copied()),
        }
    }

    fn entity(&self, entry: &EntityEntry, device: Option<&DeviceEntry>, state: Option<&EntityState>) -> Entity {
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

/// The name as Home Assistant builds it: the user's name, else the device name with the
/// integration's name. Empty if there is none; the state then has it.
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

/// `None` for what this version does not have or this token may not read; other errors are
/// returned.
pub(super) fn if_offered<T>(answer: Result<Option<T>, HomeError>) -> Result<Option<T>, HomeError> {
    match answer {
        Err(HomeError::Unsupported(_) | HomeError::Forbidden(_)) => Ok(None),
        other => other,
    }
}

/// `None` for what this token may not read. A missing required part means that the home is still
/// starting.
fn if_allowed<T>(answer: Result<Option<T>, HomeError>) -> Result<Option<T>, HomeError> {
    match answer {
        Err(HomeError::Forbidden(_)) => Ok(None),
        Err(HomeError::Unsupported(_)) => Err(HomeError::Failed(
            "it is still starting, or older than 2024.3, the oldest supported version".to_owned(),
        )),
        other => other,
    }
}

fn readable<T: DeserializeOwned>(answer: &serde_json::value::RawValue) -> Option<T> {
    read(Some(answer)).inspect_err(|error| tracing::debug!(%error, "ignored an answer of Home Assistant")).ok()
}
