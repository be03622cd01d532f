//! From what is wanted to the services that do it.

use serde_json::{Map, Value, json};
use tools::ReflexCall;

use super::{meaning::Meaning, media, words::Tongue};
use crate::{
    acting::CALL_SERVICE,
    house::EntityId,
    index::{Index, Standing},
};

/// What comes of a sentence.
#[derive(Debug)]
pub(super) enum Done {
    /// These calls.
    Calls(Vec<ReflexCall>),
    /// An answer: nothing is to be called.
    Answered(String),
    /// A question: it is not clear what is to be called.
    Asked(String),
}

/// A service and what it is given.
type Step = (String, String, Map<String, Value>);

/// The calls that do what is wanted; none if it is nothing that a home does.
pub(super) fn calls(index: &Index, meaning: &Meaning, tongue: Tongue) -> Option<Done> {
    if meaning.is_question() {
        return None;
    }
    match meaning.intent.as_str() {
        intent if intent.starts_with("HassMedia") || intent.starts_with("HassSetVolume") => {
            return media::calls(index, meaning, tongue);
        }
        intent if intent.contains("List") => return list(index, meaning, tongue),
        _ => {}
    }
    let usual = usual(&meaning.intent)?;
    let entities = meaning.entities(index, usual);
    let entities = match settle(index, meaning, entities, usual, tongue) {
        Ok(entities) => entities,
        Err(unclear) => return Some(unclear),
    };
    let mut calls: Vec<(Step, Vec<EntityId>)> = Vec::new();
    for standing in &entities {
        let step = step(meaning, standing)?;
        match calls.iter_mut().find(|(known, _)| *known == step) {
            Some((_, ids)) => ids.push(standing.entity.id.clone()),
            None => calls.push((step, vec![standing.entity.id.clone()])),
        }
    }
    let calls = calls.into_iter().map(|((domain, service, data), ids)| service_call(&domain, &service, data, &ids));
    Some(Done::Calls(calls.collect()))
}

/// The domains that an intent is about where the sentence does not say; none if it is no intent of the home.
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

/// Which of the entities that answer to a sentence are meant; the error is what comes of it if that is not clear.
pub(super) fn settle(
    index: &Index,
    meaning: &Meaning,
    entities: Vec<Standing>,
    usual: &[&str],
    tongue: Tongue,
) -> Result<Vec<Standing>, Done> {
    if entities.is_empty() {
        let place = meaning.area.as_ref().and_then(|id| index.areas().into_iter().find(|area| area.id == *id));
        let kind = meaning.domains.first().map_or_else(|| usual.first().copied().unwrap_or("entity"), String::as_str);
        let words = tongue.nothing_there(kind, place.as_ref().map(|area| area.name.as_str()));
        return Err(Done::Answered(words));
    }
    // Whoever names one thing means one thing.
    if meaning.named.is_some() && entities.len() > 1 {
        let places: Vec<String> = entities.iter().map(place_of).collect();
        return Err(Done::Asked(tongue.which_one(&entities[0].entity.name, &places)));
    }
    // Of one kind there may be one only; else it matters where.
    if meaning.lacks_place && entities.len() > 1 {
        let mut places: Vec<String> =
            entities.iter().filter_map(|it| it.area.as_ref().map(|it| it.name.clone())).collect();
        places.sort_unstable();
        places.dedup();
        if places.len() > 1 {
            return Err(Done::Asked(tongue.where_to(&places)));
        }
    }
    Ok(entities)
}

fn place_of(standing: &Standing) -> String {
    standing.area.as_ref().map_or_else(|| standing.entity.id.to_string(), |area| area.name.clone())
}

/// What is done to one entity.
fn step(meaning: &Meaning, standing: &Standing) -> Option<Step> {
    let domain = standing.entity.id.domain();
    let mut data = Map::new();
    let number = |slot: &str| meaning.number(slot);
    let service = match meaning.intent.as_str() {
        "HassTurnOn" | "HassOpenCover" => on(domain),
        "HassTurnOff" | "HassCloseCover" => off(domain)?,
        "HassToggle" => "toggle",
        "HassLightSet" => {
            if let Some(brightness) = number("brightness") {
                data.insert("brightness_pct".to_owned(), whole(brightness));
            }
            if let Some(color) = meaning.text("color") {
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
            data.insert("temperature".to_owned(), whole(number("temperature")?));
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

/// What "on" is for a kind of thing.
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

/// What "off" is for a kind of thing; some have none.
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

/// A number without a fraction that says nothing.
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

/// Something is put on a list, or taken off it.
fn list(index: &Index, meaning: &Meaning, tongue: Tongue) -> Option<Done> {
    let item = meaning.text("item")?;
    let is_shopping = meaning.intent.contains("ShoppingList");
    let mut lists = index.matching(|entity| entity.exposed && entity.id.domain() == "todo");
    if let Some(ids) = &meaning.named {
        lists.retain(|list| ids.contains(&list.entity.id));
    } else if is_shopping && lists.len() > 1 {
        lists.retain(|list| list.entity.id.object().contains("shopping"));
    }
    let [list] = lists.as_slice() else { return Some(Done::Answered(tongue.nothing_there("todo", None))) };
    let (service, data) = match meaning.intent.as_str() {
        "HassListAddItem" | "HassShoppingListAddItem" => ("add_item", json!({ "item": item })),
        "HassListCompleteItem" | "HassShoppingListCompleteItem" => {
            ("update_item", json!({ "item": item, "status": "completed" }))
        }
        "HassListRemoveItem" => ("remove_item", json!({ "item": item })),
        _ => return None,
    };
    let data = data.as_object().cloned().unwrap_or_default();
    Some(Done::Calls(vec![service_call("todo", service, data, std::slice::from_ref(&list.entity.id))]))
}
