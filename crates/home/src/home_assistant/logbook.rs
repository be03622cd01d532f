//! Builds the text of logbook entries. Home Assistant leaves that to its clients and sends only the
//! state.

use super::wire::{LogbookRow, moment};
use crate::{
    index::HomeIndex,
    port::{EntityId, EntityState, LogbookEntry},
};

/// A row as text.
pub(super) fn happening(row: LogbookRow, index: &HomeIndex) -> LogbookEntry {
    let entity_id: Option<EntityId> = row.entity_id.as_deref().and_then(|id| id.parse().ok());
    let snapshot = entity_id.as_ref().and_then(|id| index.get(id));
    let known_name = snapshot.as_ref().map(|snapshot| snapshot.entity.name.clone());
    let id_as_name = || row.entity_id.clone().unwrap_or_else(|| "Home Assistant".to_owned());
    let class = snapshot.as_ref().and_then(|snapshot| snapshot.entity.class.as_deref());
    let message = match (&row.message, &row.state) {
        (Some(message), _) => message.clone(),
        (None, Some(state)) => {
            let unit = snapshot.as_ref().and_then(|snapshot| snapshot.state.as_ref()?.text("unit_of_measurement"));
            changed(entity_id.as_ref().map_or("", EntityId::domain), class, state, unit)
        }
        (None, None) => String::new(),
    };
    LogbookEntry {
        at: moment(row.when),
        name: row.name.clone().or(known_name).unwrap_or_else(id_as_name),
        message,
        cause: cause(&row, index),
        entity_id,
    }
}

/// The text for a new state.
fn changed(domain: &str, class: Option<&str>, state: &str, unit: Option<&str>) -> String {
    let is_on = match state {
        EntityState::UNAVAILABLE => return "became unavailable".to_owned(),
        EntityState::UNKNOWN => return "became unknown".to_owned(),
        "on" => Some(true),
        "off" => Some(false),
        _ => None,
    };
    let pair = match (domain, class) {
        ("binary_sensor", Some("door" | "garage_door" | "opening" | "window")) => ("was opened", "was closed"),
        ("binary_sensor", Some("lock")) => ("was unlocked", "was locked"),
        ("binary_sensor", Some("battery")) => ("became low", "became normal"),
        ("binary_sensor", Some("connectivity")) => ("connected", "disconnected"),
        ("binary_sensor", Some("power" | "plug")) => ("got power", "lost power"),
        (
            "binary_sensor",
            Some(
                "gas" | "moisture" | "motion" | "occupancy" | "presence" | "problem" | "smoke" | "sound" | "vibration",
            ),
        ) => ("detected something", "detects nothing any more"),
        _ => ("turned on", "turned off"),
    };
    match (is_on, domain, state) {
        (Some(true), ..) => pair.0.to_owned(),
        (Some(false), ..) => pair.1.to_owned(),
        (None, "cover" | "valve", "open") => "was opened".to_owned(),
        (None, "cover" | "valve", "closed") => "was closed".to_owned(),
        (None, "lock", "locked" | "unlocked") => format!("was {state}"),
        (None, "person" | "device_tracker", "home") => "came home".to_owned(),
        (None, "person" | "device_tracker", "not_home") => "left".to_owned(),
        _ => unit.map_or_else(|| format!("changed to {state}"), |unit| format!("changed to {state} {unit}")),
    }
}

/// The cause, as far as the row names it.
fn cause(row: &LogbookRow, index: &HomeIndex) -> Option<String> {
    let other = row.context_entity_id.as_ref().filter(|id| Some(*id) != row.entity_id.as_ref());
    let by_other = other.map(|id| {
        let known = || id.parse().ok().and_then(|id| index.get(&id)).map(|snapshot| snapshot.entity.name.clone());
        let name = row.context_name.clone().or_else(|| row.context_entity_id_name.clone()).or_else(known);
        let name = name.unwrap_or_else(|| id.clone());
        let kind = id.split('.').next().unwrap_or_default().replace('_', " ");
        match &row.context_message {
            Some(message) => format!("{kind} {name}, {message}"),
            None => format!("{kind} {name}"),
        }
    });
    let by_service = match (&row.context_domain, &row.context_service) {
        (Some(domain), Some(service)) => Some(format!("the service {domain}.{service}")),
        _ => None,
    };
    let by_message = || Some(format!("{}, {}", row.context_name.as_ref()?, row.context_message.as_ref()?));
    let what = by_other.or(by_service).or_else(by_message);
    let who = row.context_user_id.as_deref().map(|user| person(user, index));
    match (what, who) {
        (Some(what), Some(who)) => Some(format!("{what}, called by {who}")),
        (what, who) => what.or(who),
    }
}

/// The name of a user; person entities carry the user id.
fn person(user: &str, index: &HomeIndex) -> String {
    let people = index.matching(|entity| entity.id.domain() == "person");
    let is_user = |state: &EntityState| state.text("user_id") == Some(user);
    let found = people.into_iter().find(|person| person.state.as_deref().is_some_and(is_user));
    found.map_or_else(|| "a user".to_owned(), |person| person.entity.name.clone())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(row: serde_json::Value) -> LogbookEntry {
        happening(serde_json::from_value(row).unwrap(), &HomeIndex::default())
    }

    #[test]
    fn a_bare_state_is_told_in_words() {
        assert_eq!(changed("light", None, "on", None), "turned on");
        assert_eq!(changed("binary_sensor", Some("door"), "off", None), "was closed");
        assert_eq!(changed("lock", None, "unlocked", None), "was unlocked");
        assert_eq!(changed("sensor", Some("temperature"), "21.5", Some("°C")), "changed to 21.5 °C");
        assert_eq!(changed("light", None, "unavailable", None), "became unavailable");
    }

    #[test]
    fn the_cause_names_the_automation_or_the_service() {
        let by_automation = told(json!({
            "when": 1.5, "entity_id": "light.hall", "state": "on", "context_entity_id": "automation.guests",
            "context_entity_id_name": "Guests", "context_message": "triggered by state of input_boolean.guests",
            "context_domain": "automation", "context_event_type": "automation_triggered", "of_tomorrow": {},
        }));
        assert_eq!(
            by_automation.cause.as_deref(),
            Some("automation Guests, triggered by state of input_boolean.guests")
        );
        assert_eq!((by_automation.at.as_millis(), by_automation.name.as_str()), (1500, "light.hall"));
        let by_user = told(json!({
            "when": 2, "entity_id": "light.hall", "state": "off", "context_user_id": "abc",
            "context_domain": "light", "context_service": "turn_off", "context_event_type": "call_service",
        }));
        assert_eq!(by_user.cause.as_deref(), Some("the service light.turn_off, called by a user"));
        let of_the_home =
            told(json!({"when": 3, "name": "Home Assistant", "message": "started", "domain": "homeassistant"}));
        assert_eq!((of_the_home.entity_id, of_the_home.cause), (None, None));
    }
}
