//! The services that the simulated home offers.

use super::ServiceSpec;
use crate::{ServiceDescription, simulated::layout::HomeLayout};

const LIGHT: &[&str] = &[
    "brightness",
    "brightness_pct",
    "brightness_step",
    "brightness_step_pct",
    "color_name",
    "rgb_color",
    "color_temp_kelvin",
    "kelvin",
    "transition",
    "flash",
    "effect",
];

/// Domain, name, fields, and whether it returns a response.
const SERVICES: &[(&str, &str, &[&str], bool)] = &[
    ("homeassistant", "turn_on", &[], false),
    ("homeassistant", "turn_off", &[], false),
    ("homeassistant", "toggle", &[], false),
    ("homeassistant", "update_entity", &[], false),
    ("light", "turn_on", LIGHT, false),
    ("light", "turn_off", &["transition", "flash"], false),
    ("light", "toggle", LIGHT, false),
    ("switch", "turn_on", &[], false),
    ("switch", "turn_off", &[], false),
    ("switch", "toggle", &[], false),
    ("input_boolean", "turn_on", &[], false),
    ("input_boolean", "turn_off", &[], false),
    ("input_boolean", "toggle", &[], false),
    ("input_number", "set_value", &["value"], false),
    ("input_number", "increment", &[], false),
    ("input_number", "decrement", &[], false),
    ("input_select", "select_option", &["option"], false),
    ("input_select", "select_next", &["cycle"], false),
    ("input_select", "select_previous", &["cycle"], false),
    ("cover", "open_cover", &[], false),
    ("cover", "close_cover", &[], false),
    ("cover", "stop_cover", &[], false),
    ("cover", "toggle", &[], false),
    ("cover", "set_cover_position", &["position"], false),
    ("valve", "open_valve", &[], false),
    ("valve", "close_valve", &[], false),
    ("valve", "stop_valve", &[], false),
    ("valve", "toggle", &[], false),
    ("valve", "set_valve_position", &["position"], false),
    ("lock", "lock", &["code"], false),
    ("lock", "unlock", &["code"], false),
    ("lock", "open", &["code"], false),
    ("climate", "set_temperature", &["temperature", "target_temp_high", "target_temp_low", "hvac_mode"], false),
    ("climate", "set_hvac_mode", &["hvac_mode"], false),
    ("climate", "set_preset_mode", &["preset_mode"], false),
    ("climate", "turn_on", &[], false),
    ("climate", "turn_off", &[], false),
    ("climate", "toggle", &[], false),
    ("fan", "turn_on", &["percentage", "preset_mode"], false),
    ("fan", "turn_off", &[], false),
    ("fan", "toggle", &[], false),
    ("fan", "set_percentage", &["percentage"], false),
    ("fan", "increase_speed", &["percentage_step"], false),
    ("fan", "decrease_speed", &["percentage_step"], false),
    ("media_player", "turn_on", &[], false),
    ("media_player", "turn_off", &[], false),
    ("media_player", "toggle", &[], false),
    ("media_player", "media_play", &[], false),
    ("media_player", "media_pause", &[], false),
    ("media_player", "media_play_pause", &[], false),
    ("media_player", "media_stop", &[], false),
    ("media_player", "media_next_track", &[], false),
    ("media_player", "media_previous_track", &[], false),
    ("media_player", "volume_up", &[], false),
    ("media_player", "volume_down", &[], false),
    ("media_player", "volume_set", &["volume_level"], false),
    ("media_player", "volume_mute", &["is_volume_muted"], false),
    ("media_player", "select_source", &["source"], false),
    ("media_player", "play_media", &["media_content_id", "media_content_type", "enqueue", "announce", "extra"], false),
    ("vacuum", "start", &[], false),
    ("vacuum", "pause", &[], false),
    ("vacuum", "stop", &[], false),
    ("vacuum", "return_to_base", &[], false),
    ("vacuum", "locate", &[], false),
    ("lawn_mower", "start_mowing", &[], false),
    ("lawn_mower", "pause", &[], false),
    ("lawn_mower", "dock", &[], false),
    ("alarm_control_panel", "alarm_arm_home", &["code"], false),
    ("alarm_control_panel", "alarm_arm_away", &["code"], false),
    ("alarm_control_panel", "alarm_arm_night", &["code"], false),
    ("alarm_control_panel", "alarm_disarm", &["code"], false),
    ("alarm_control_panel", "alarm_trigger", &["code"], false),
    ("scene", "turn_on", &["transition"], false),
    ("script", "turn_on", &["variables"], false),
    ("script", "turn_off", &[], false),
    ("script", "toggle", &[], false),
    ("automation", "trigger", &["skip_condition"], false),
    ("automation", "turn_on", &[], false),
    ("automation", "turn_off", &["stop_actions"], false),
    ("automation", "toggle", &[], false),
    ("todo", "add_item", &["item", "due_date", "due_datetime", "description"], false),
    ("todo", "update_item", &["item", "rename", "status", "due_date", "due_datetime", "description"], false),
    ("todo", "remove_item", &["item"], false),
    ("todo", "remove_completed_items", &[], false),
    ("todo", "get_items", &["status"], true),
    ("weather", "get_forecasts", &["type"], true),
    ("persistent_notification", "create", &["message", "title", "notification_id"], false),
];

fn service(domain: &str, name: &str, fields: &[&str], responds: bool) -> ServiceDescription {
    let fields = fields.iter().map(|field| (*field).to_owned()).collect();
    ServiceDescription { domain: domain.to_owned(), name: name.to_owned(), fields, responds }
}

/// All services; every script is also a service.
pub(in crate::simulated) fn services(layout: &HomeLayout) -> Vec<ServiceDescription> {
    let fixed = SERVICES.iter().map(|(domain, name, fields, responds)| service(domain, name, fields, *responds));
    let scripts = layout.all().filter(|(id, _)| id.domain() == "script");
    fixed.chain(scripts.map(|(id, _)| service("script", id.object(), &[], false))).collect()
}

/// A service, if it is offered.
pub(super) fn find(layout: &HomeLayout, domain: &str, name: &str) -> Option<ServiceSpec> {
    let fixed = SERVICES.iter().find(|known| known.0 == domain && known.1 == name);
    let fixed =
        fixed.map(|(domain, name, fields, responds)| ServiceSpec::from(&service(domain, name, fields, *responds)));
    fixed.or_else(|| {
        let is_script = domain == "script" && layout.get(&format!("script.{name}")).is_some();
        is_script.then(|| ServiceSpec { fields: Vec::new(), responds: false })
    })
}
