//! Entities and rooms in the words of the wire: what a person would look at, and no more.

use std::collections::BTreeMap;

use protocol::{AreaView, EntityView};
use serde_json::Value;

use crate::{house::State, index::Standing};

/// Attributes that a person would look at, over all kinds of things.
const TELLING: &[&str] = &[
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

/// An entity as it stands.
pub(super) fn entity(standing: &Standing, state: &State) -> EntityView {
    let entity = &standing.entity;
    EntityView {
        entity_id: entity.id.to_string(),
        name: entity.name.clone(),
        area_id: standing.area.as_ref().map(|area| area.id.to_string()),
        domain: entity.id.domain().to_owned(),
        state: state.state.clone(),
        unit: state.text("unit_of_measurement").map(str::to_owned),
        device_class: entity.class.clone(),
        attributes: attributes(state),
        changed_at: state.changed_at,
        available: state.state != State::UNAVAILABLE,
        auxiliary: entity.auxiliary,
    }
}

fn attributes(state: &State) -> BTreeMap<String, Value> {
    let is_short = |value: &Value| !value.is_null() && value.to_string().chars().count() <= VALUE_CHARS_MAX;
    let telling = TELLING.iter().filter_map(|name| Some((*name, state.attributes.get(*name)?)));
    telling.filter(|(_, value)| is_short(value)).map(|(name, value)| (name.to_owned(), value.clone())).collect()
}

/// The rooms that these are in, from the lowest floor up, by name.
pub(super) fn areas(all: &[Standing]) -> Vec<AreaView> {
    let mut areas = BTreeMap::new();
    for standing in all.iter().filter(|standing| standing.state.is_some()) {
        let Some(area) = &standing.area else { continue };
        let floor = standing.floor.as_ref();
        let level = floor.and_then(|floor| floor.level);
        // A room on no floor comes after those that are on one.
        let place = (level.is_none(), level, floor.map(|floor| &floor.name), &area.name, &area.id);
        areas.entry(place).or_insert_with(|| AreaView {
            area_id: area.id.to_string(),
            name: area.name.clone(),
            floor: floor.map(|floor| floor.name.clone()),
        });
    }
    areas.into_values().collect()
}
