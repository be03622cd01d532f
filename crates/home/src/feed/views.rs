//! Entities and areas in the wire format: only what people need to see.

use std::collections::BTreeMap;

use protocol::{AreaView, EntityView};
use serde_json::Value;

use crate::{index::EntitySnapshot, port::EntityState};

/// Attributes that are shown, for all kinds of entities.
const SHOWN_ATTRIBUTES: &[&str] = &[
    // Lights and fans.
    "brightness",
    "color_temp_kelvin",
    "rgb_color",
    "effect",
    "percentage",
    "oscillating",
    "preset_mode",
    // Climate, water and weather.
    "temperature",
    "target_temp_low",
    "target_temp_high",
    "current_temperature",
    "humidity",
    "current_humidity",
    "hvac_action",
    "fan_mode",
    "operation_mode",
    "temperature_unit",
    "pressure",
    "wind_speed",
    "wind_speed_unit",
    // Covers, valves and vacuums.
    "current_position",
    "current_tilt_position",
    "position",
    "fan_speed",
    "status",
    // Charge.
    "battery",
    "battery_level",
    // Media.
    "media_title",
    "media_artist",
    "media_album_name",
    "app_name",
    "source",
    "volume_level",
    "is_volume_muted",
    // Timers, calendars, updates, automations.
    "remaining",
    "finishes_at",
    "message",
    "start_time",
    "end_time",
    "installed_version",
    "latest_version",
    "last_triggered",
];
/// Longer values are left out.
const VALUE_CHARS_MAX: usize = 120;

/// The view of an entity.
pub(super) fn entity(snapshot: &EntitySnapshot, state: &EntityState) -> EntityView {
    let entity = &snapshot.entity;
    EntityView {
        entity_id: entity.id.to_string(),
        name: entity.name.clone(),
        area_id: snapshot.area.as_ref().map(|area| area.id.to_string()),
        domain: entity.id.domain().to_owned(),
        state: state.state.clone(),
        unit: state.text("unit_of_measurement").map(str::to_owned),
        device_class: entity.class.clone(),
        attributes: attributes(state),
        changed_at: state.changed_at,
        available: state.state != EntityState::UNAVAILABLE,
        auxiliary: entity.auxiliary,
    }
}

fn attributes(state: &EntityState) -> BTreeMap<String, Value> {
    let is_short = |value: &Value| !value.is_null() && value.to_string().chars().count() <= VALUE_CHARS_MAX;
    let shown = SHOWN_ATTRIBUTES.iter().filter_map(|name| Some((*name, state.attributes.get(*name)?)));
    shown.filter(|(_, value)| is_short(value)).map(|(name, value)| (name.to_owned(), value.clone())).collect()
}

/// The areas of these entities, from the lowest floor up, by name.
pub(super) fn areas(all: &[EntitySnapshot]) -> Vec<AreaView> {
    let mut areas = BTreeMap::new();
    for snapshot in all.iter().filter(|snapshot| snapshot.state.is_some()) {
        let Some(area) = &snapshot.area else { continue };
        let floor = snapshot.floor.as_ref();
        let level = floor.and_then(|floor| floor.level);
        // Areas without a floor come last.
        let place = (level.is_none(), level, floor.map(|floor| &floor.name), &area.name, &area.id);
        areas.entry(place).or_insert_with(|| AreaView {
            area_id: area.id.to_string(),
            name: area.name.clone(),
            floor: floor.map(|floor| floor.name.clone()),
        });
    }
    areas.into_values().collect()
}
