//! Converts intents to service calls.

use ports::ReflexCall;
use serde_json::{Map, Value, json};

use super::{answers::AnswerLanguage, media, resolved_intent::ResolvedIntent};
use crate::{
    acting::CALL_SERVICE,
    index::{EntitySnapshot, HomeIndex},
    port::EntityId,
};

/// The range of temperatures that a sentence may set.
pub(super) const DEGREES: std::ops::RangeInclusive<f64> = 5.0..=90.0;

/// The plan for a sentence.
#[derive(Debug)]
pub(super) enum ReflexPlan {
    /// These calls.
    Calls(Vec<ReflexCall>),
    /// An answer; nothing is called.
    Answered(String),
    /// A question to the user; the target is not clear.
    Asked(String),
}

/// A service with its data.
type ServiceStep = (String, String, Map<String, Value>);

/// The calls for an intent; `None` if it is not an intent of the home.
pub(super) fn calls(
    index: &HomeIndex,
    resolved: &ResolvedIntent,
    answer_language: AnswerLanguage,
) -> Option<ReflexPlan> {
    if resolved.is_question() {
        return None;
    }
    match resolved.intent.as_str() {
        intent if intent.starts_with("HassMedia") || intent.starts_with("HassSetVolume") => {
            return media::calls(index, resolved, answer_language);
        }
        intent if intent.contains("List") => return list(index, resolved, answer_language),
        _ => {}
    }
    let usual = usual(&resolved.intent)?;
    let entities = resolved.entities(index, usual);
    let entities = match choose_targets(index, resolved, entities, usual, answer_language) {
        Ok(entities) => entities,
        Err(unclear) => return Some(unclear),
    };
    let mut calls: Vec<(ServiceStep, Vec<EntityId>)> = Vec::new();
    for snapshot in &entities {
        let step = step(resolved, snapshot)?;
        match calls.iter_mut().find(|(known, _)| *known == step) {
            Some((_, ids)) => ids.push(snapshot.entity.id.clone()),
            None => calls.push((step, vec![snapshot.entity.id.clone()])),
        }
    }
    let calls = calls.into_iter().map(|((domain, service, data), ids)| service_call(&domain, &service, data, &ids));
    Some(ReflexPlan::Calls(calls.collect()))
}

/// The default domains of an intent; `None` if it is not an intent of the home.
fn usual(intent: &str) -> Option<&'static [&'static str]> {
    Some(match intent {
        "HassTurnOn" | "HassTurnOff" | "HassToggle" => &["light", "switch", "fan"],
        "HassLightSet" => &["light"],
        "HassSetPosition" | "HassOpenCover" | "HassCloseCover" => &["cover", "valve"],
        "HassClimateSetTemperature" => &["climate"],
        "HassFanSetSpeed" => &["fan"],
        "HassVacuumStart" | "HassVacuumReturnToBase" | "HassVacuumCleanArea" => &["vacuum"],
        "HassLawnMowerStartMowing" | "HassLawnMowerDock" => &["lawn_mower"],
        _ => return None,
    })
}

/// The target among the matching entities. The error is the plan if the target is not clear.
pub(super) fn choose_targets(
    index: &HomeIndex,
    resolved: &ResolvedIntent,
    entities: Vec<EntitySnapshot>,
    usual: &[&str],
    answer_language: AnswerLanguage,
) -> Result<Vec<EntitySnapshot>, ReflexPlan> {
    if entities.is_empty() {
        let place = resolved.area.as_ref().and_then(|id| index.areas().into_iter().find(|area| area.id == *id));
        let kind = resolved.domains.first().map_or_else(|| usual.first().copied().unwrap_or("entity"), String::as_str);
        let words = answer_language.nothing_there(kind, place.as_ref().map(|area| area.name.as_str()));
        return Err(ReflexPlan::Answered(words));
    }
    // A name means one entity.
    if resolved.named.is_some() && entities.len() > 1 {
        let places: Vec<String> = entities.iter().map(place_of).collect();
        return Err(ReflexPlan::Asked(answer_language.which_one(&entities[0].entity.name, &places)));
    }
    // Without an area, the entity must be the only one of its kind.
    if resolved.lacks_place && entities.len() > 1 {
        let mut places: Vec<String> =
            entities.iter().filter_map(|it| it.area.as_ref().map(|it| it.name.clone())).collect();
        places.sort_unstable();
        places.dedup();
        if places.len() > 1 {
            return Err(ReflexPlan::Asked(answer_language.where_to(&places)));
        }
    }
    Ok(entities)
}

pub(super) fn place_of(snapshot: &EntitySnapshot) -> String {
    snapshot.area.as_ref().map_or_else(|| snapshot.entity.id.to_string(), |area| area.name.clone())
}

/// The service call for one entity.
fn step(resolved: &ResolvedIntent, snapshot: &EntitySnapshot) -> Option<ServiceStep> {
    let domain = snapshot.entity.id.domain();
    let mut data = Map::new();
    let number = |slot: &str| resolved.number(slot);
    let service = match resolved.intent.as_str() {
        "HassTurnOn" | "HassOpenCover" => on(domain),
        "HassTurnOff" | "HassCloseCover" => off(domain)?,
        "HassToggle" => "toggle",
        "HassLightSet" => {
            if let Some(brightness) = number("brightness") {
                data.insert("brightness_pct".to_owned(), whole(brightness));
            }
            if let Some(color) = resolved.text("color") {
                data.insert("color_name".to_owned(), color.into());
            }
            if let Some(kelvin) = number("temperature") {
                data.insert("color_temp_kelvin".to_owned(), whole(kelvin));
            }
            "turn_on"
        }
        "HassSetPosition" => {
            data.insert("position".to_owned(), whole(number("position")?));
            if domain == "valve" { "set_valve_position" } else { "set_cover_position" }
        }
        "HassClimateSetTemperature" => {
            let degrees = number("temperature").filter(|degrees| DEGREES.contains(degrees))?;
            data.insert("temperature".to_owned(), whole(degrees));
            "set_temperature"
        }
        "HassFanSetSpeed" => {
            data.insert("percentage".to_owned(), whole(number("percentage")?));
            "set_percentage"
        }
        "HassVacuumStart" | "HassVacuumCleanArea" => "start",
        "HassVacuumReturnToBase" => "return_to_base",
        "HassLawnMowerStartMowing" => "start_mowing",
        "HassLawnMowerDock" => "dock",
        _ => return None,
    };
    Some((domain.to_owned(), service.to_owned(), data))
}

/// The service for "on" of a domain.
pub(super) fn on(domain: &str) -> &'static str {
    match domain {
        "cover" => "open_cover",
        "valve" => "open_valve",
        "lock" => "lock",
        "button" | "input_button" => "press",
        "vacuum" => "start",
        "lawn_mower" => "start_mowing",
        _ => "turn_on",
    }
}

/// The service for "off" of a domain; some have none.
pub(super) fn off(domain: &str) -> Option<&'static str> {
    Some(match domain {
        "cover" => "close_cover",
        "valve" => "close_valve",
        "lock" => "unlock",
        "vacuum" => "return_to_base",
        "lawn_mower" => "dock",
        "scene" | "button" | "input_button" => return None,
        _ => "turn_off",
    })
}

/// A whole number without a fraction.
#[allow(clippy::cast_possible_truncation, reason = "whole, and far from the end")]
pub(super) fn whole(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() < 1e9 { json!(number as i64) } else { json!(number) }
}

pub(super) fn service_call(domain: &str, service: &str, data: Map<String, Value>, ids: &[EntityId]) -> ReflexCall {
    let mut arguments = json!({ "domain": domain, "service": service });
    if !ids.is_empty() {
        arguments["target"] = json!({ "entity_id": ids });
    }
    if !data.is_empty() {
        arguments["data"] = Value::Object(data);
    }
    ReflexCall { tool: CALL_SERVICE.to_owned(), arguments }
}

/// Adds an item to a list, or removes it.
fn list(index: &HomeIndex, resolved: &ResolvedIntent, answer_language: AnswerLanguage) -> Option<ReflexPlan> {
    let item = resolved.text("item")?;
    let is_shopping = resolved.intent.contains("ShoppingList");
    let mut lists = index.matching(|entity| entity.exposed && entity.id.domain() == "todo");
    if let Some(ids) = &resolved.named {
        lists.retain(|list| ids.contains(&list.entity.id));
    } else if is_shopping && lists.len() > 1 {
        lists.retain(|list| list.entity.id.object().contains("shopping"));
    }
    let [list] = lists.as_slice() else {
        return Some(ReflexPlan::Answered(answer_language.nothing_there("todo", None)));
    };
    let (service, data) = match resolved.intent.as_str() {
        "HassListAddItem" | "HassShoppingListAddItem" => ("add_item", json!({ "item": item })),
        "HassListCompleteItem" | "HassShoppingListCompleteItem" => {
            ("update_item", json!({ "item": item, "status": "completed" }))
        }
        "HassListRemoveItem" => ("remove_item", json!({ "item": item })),
        _ => return None,
    };
    let data = data.as_object().cloned().unwrap_or_default();
    Some(ReflexPlan::Calls(vec![service_call("todo", service, data, std::slice::from_ref(&list.entity.id))]))
}
