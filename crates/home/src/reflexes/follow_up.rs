//! Follow-ups that refer to the previous turn: "and now off again", "a bit brighter", "the kitchen
//! too".

use ports::{ReflexCall, ReflexCallResult, ReflexInput};
use protocol::CallStatus;
use serde_json::{Map, Value, json};

use super::act::{off, on, service_call, whole};
use crate::{
    acting::{AffectedEntity, CALL_SERVICE, EntityOutcome, ServiceCallResult},
    index::{HomeIndex, plain},
    port::EntityId,
};

/// One step of brightness, in percent.
const BRIGHTNESS_STEP: f64 = 20.0;
/// One step of temperature, in degrees.
const WARMTH_STEP: f64 = 1.0;
/// Filler words.
const FILLING: &[&str] = &[
    "a", "again", "also", "and", "bit", "by", "can", "could", "just", "little", "much", "now", "ok", "okay", "please",
    "so", "then", "too", "well", "you", "as", "to", "at", "percent", "%", "degrees", "und", "jetzt", "nun", "dann",
    "bitte", "wieder", "auch", "mal", "etwas", "ein", "bisschen", "noch", "auf", "prozent", "grad", "nochmal", "doch",
];
/// Pronouns for the previous target.
const SAME: &[&str] = &["it", "them", "that", "those", "these", "this", "es", "sie", "das", "diese", "ihn", "die"];
/// Verbs of a follow-up.
const DOING: &[&str] = &[
    "turn", "switch", "make", "set", "put", "dim", "mach", "mache", "schalt", "schalte", "stell", "stelle", "dreh",
    "drehe",
];
/// Words before an area or a name.
const AT: &[&str] = &["in", "the", "my", "our", "on", "im", "in", "der", "den", "dem", "die", "das"];

/// The meaning of a follow-up.
pub(super) struct FollowUp {
    pub(super) intent: String,
    pub(super) slots: Map<String, Value>,
    pub(super) calls: Vec<ReflexCall>,
}

/// A previous action.
pub(super) struct PreviousAction {
    pub(super) domain: String,
    pub(super) service: String,
    pub(super) data: Map<String, Value>,
    pub(super) entities: Vec<EntityId>,
    /// The entities that it changed.
    changed: Vec<EntityId>,
}

/// What a follow-up asks for.
enum FollowUpAction {
    On,
    Off,
    Back,
    Service(&'static str),
    Step(f64),
    Number(f64),
}

/// Reads a follow-up; `None` if it is not one, or there is no previous action.
pub(super) fn read(index: &HomeIndex, said: &ReflexInput<'_>) -> Option<FollowUp> {
    let before: Vec<PreviousAction> = said.before.iter().filter_map(done).collect();
    let asks = said.message.trim_end().ends_with('?');
    if before.is_empty() || asks {
        return None;
    }
    let text = plain(&said.message.replace('%', " percent "));
    let words: Vec<&str> = text.split(' ').filter(|word| !FILLING.contains(word)).collect();
    let all: Vec<&str> = text.split(' ').collect();
    if let Some(calls) = elsewhere(index, &words, &all, &before) {
        return Some(FollowUp { intent: "SameElsewhere".to_owned(), slots: Map::new(), calls });
    }
    let core: Vec<&str> = words.iter().copied().filter(|word| !SAME.contains(word) && !DOING.contains(word)).collect();
    // Further words mean a different request.
    let [core] = core.as_slice() else { return None };
    let wanted = wanted(core)?;
    let mut calls = Vec::new();
    for done in &before {
        calls.extend(call(index, done, &wanted));
    }
    let (intent, slots) = (intent(&wanted).to_owned(), slots(&before));
    (!calls.is_empty()).then_some(FollowUp { intent, slots, calls })
}

/// The action of a call of the previous turn, if it changed something.
pub(super) fn done(settled: &ReflexCallResult) -> Option<PreviousAction> {
    if settled.call.tool != CALL_SERVICE || settled.status != CallStatus::Ok {
        return None;
    }
    let called: ServiceCallResult = serde_json::from_str(&settled.content).ok()?;
    let (domain, service) = called.service.split_once('.')?;
    let data = settled.call.arguments.get("data").and_then(Value::as_object).cloned().unwrap_or_default();
    let is_changed =
        |touched: &&AffectedEntity| matches!(touched.outcome, EntityOutcome::Done | EntityOutcome::OnTheWay);
    let changed: Vec<EntityId> =
        called.entities.iter().filter(is_changed).map(|touched| touched.entity_id.clone()).collect();
    let (domain, service) = (domain.to_owned(), service.to_owned());
    let entities: Vec<EntityId> = called.entities.into_iter().map(|touched| touched.entity_id).collect();
    (!entities.is_empty()).then_some(PreviousAction { domain, service, data, entities, changed })
}

fn wanted(word: &str) -> Option<FollowUpAction> {
    Some(match word {
        "on" | "an" => FollowUpAction::On,
        "off" | "aus" => FollowUpAction::Off,
        "undo" | "back" | "revert" | "reverse" | "zurück" | "rückgängig" => FollowUpAction::Back,
        "open" | "öffne" | "öffnen" => FollowUpAction::Service("open"),
        "close" | "shut" | "schließe" | "schließen" | "zu" => FollowUpAction::Service("close"),
        "lock" | "verriegle" => FollowUpAction::Service("lock"),
        "unlock" | "entriegle" => FollowUpAction::Service("unlock"),
        "brighter" | "louder" | "warmer" | "hotter" | "higher" | "more" | "up" | "heller" | "lauter" | "wärmer" => {
            FollowUpAction::Step(1.0)
        }
        "darker" | "dimmer" | "quieter" | "softer" | "cooler" | "colder" | "lower" | "less" | "down" | "dunkler"
        | "leiser" | "kälter" => FollowUpAction::Step(-1.0),
        number => FollowUpAction::Number(number.parse().ok()?),
    })
}

const fn intent(wanted: &FollowUpAction) -> &'static str {
    match wanted {
        FollowUpAction::On => "HassTurnOn",
        FollowUpAction::Off => "HassTurnOff",
        FollowUpAction::Back => "Undo",
        FollowUpAction::Service(_) => "SameAgain",
        FollowUpAction::Step(_) | FollowUpAction::Number(_) => "Adjust",
    }
}

fn slots(before: &[PreviousAction]) -> Map<String, Value> {
    let entities: Vec<&EntityId> = before.iter().flat_map(|done| &done.entities).collect();
    Map::from_iter([("entities".to_owned(), json!(entities))])
}

fn call(index: &HomeIndex, done: &PreviousAction, wanted: &FollowUpAction) -> Vec<ReflexCall> {
    let of = |service: &str, data: Map<String, Value>, domain: &str| {
        vec![service_call(domain, service, data, &done.entities)]
    };
    let domain = done.domain.as_str();
    match wanted {
        FollowUpAction::On => of(on(domain), Map::new(), domain),
        FollowUpAction::Off => off(domain).map(|service| of(service, Map::new(), domain)).unwrap_or_default(),
        // The previous brightness is not known, and unchanged entities stay.
        FollowUpAction::Back if !done.data.is_empty() || done.changed.is_empty() => Vec::new(),
        FollowUpAction::Back => back(domain, &done.service)
            .map(|service| vec![service_call(domain, service, Map::new(), &done.changed)])
            .unwrap_or_default(),
        FollowUpAction::Service(verb) => {
            verb_of(domain, verb).map(|service| of(service, Map::new(), domain)).unwrap_or_default()
        }
        FollowUpAction::Number(number) => done.entities.iter().filter_map(|id| adjusted(id, *number)).collect(),
        FollowUpAction::Step(by) => done.entities.iter().filter_map(|id| stepped(index, id, *by)).collect(),
    }
}

/// The inverse of a service.
fn back(domain: &str, service: &str) -> Option<&'static str> {
    Some(match service {
        "turn_on" | "press" if matches!(domain, "scene" | "script" | "button") => return None,
        "turn_on" => "turn_off",
        "turn_off" => "turn_on",
        "open_cover" => "close_cover",
        "close_cover" => "open_cover",
        "open_valve" => "close_valve",
        "close_valve" => "open_valve",
        "lock" => "unlock",
        "unlock" => "lock",
        "media_pause" => "media_play",
        "media_play" => "media_pause",
        "toggle" => "toggle",
        _ => return None,
    })
}

fn verb_of(domain: &str, verb: &str) -> Option<&'static str> {
    Some(match (domain, verb) {
        ("cover", "open") => "open_cover",
        ("cover", "close") => "close_cover",
        ("valve", "open") => "open_valve",
        ("valve", "close") => "close_valve",
        ("lock", "lock") => "lock",
        ("lock", "unlock") => "unlock",
        _ => return None,
    })
}

/// Sets an entity to a number: percent for a light, a cover, a fan, a player; degrees for a
/// thermostat.
fn adjusted(id: &EntityId, number: f64) -> Option<ReflexCall> {
    let is_percent = (0.0..=100.0).contains(&number);
    let (service, field, value) = match id.domain() {
        "light" if is_percent => ("turn_on", "brightness_pct", whole(number)),
        "cover" if is_percent => ("set_cover_position", "position", whole(number)),
        "fan" if is_percent => ("set_percentage", "percentage", whole(number)),
        "media_player" if is_percent => ("volume_set", "volume_level", json!(number / 100.0)),
        "climate" if (5.0..=90.0).contains(&number) => ("set_temperature", "temperature", whole(number)),
        _ => return None,
    };
    Some(service_call(id.domain(), service, Map::from_iter([(field.to_owned(), value)]), std::slice::from_ref(id)))
}

/// Changes an entity by a step.
fn stepped(index: &HomeIndex, id: &EntityId, by: f64) -> Option<ReflexCall> {
    let state = index.state(id)?;
    let now = |attribute: &str| state.number(attribute);
    let number = match id.domain() {
        // A light that is off or cannot be dimmed is not made brighter.
        "light" if state.state == "on" => (now("brightness")? / 2.55 + by * BRIGHTNESS_STEP).clamp(1.0, 100.0),
        "climate" => now("temperature")? + by * WARMTH_STEP,
        "media_player" => (now("volume_level")? * 100.0 + by * 10.0).clamp(0.0, 100.0),
        "fan" => (now("percentage")? + by * BRIGHTNESS_STEP).clamp(0.0, 100.0),
        _ => return None,
    };
    adjusted(id, number.round())
}

/// The same action in another place: "and the kitchen too", "und im Bad".
fn elsewhere(index: &HomeIndex, words: &[&str], all: &[&str], before: &[PreviousAction]) -> Option<Vec<ReflexCall>> {
    let leans = all.iter().any(|word| matches!(*word, "and" | "also" | "too" | "und" | "auch"));
    let place: Vec<&str> = words.iter().copied().skip_while(|word| AT.contains(word)).collect();
    let place = place.join(" ");
    if !leans || place.is_empty() {
        return None;
    }
    let is_called =
        |name: &str, aliases: &[String]| plain(name) == place || aliases.iter().any(|it| plain(it) == place);
    let area = index.areas().into_iter().find(|area| is_called(&area.name, &area.aliases));
    let table = index.sensitive();
    let calls = before.iter().filter_map(|done| {
        let meant = index.matching(|entity| {
            let is_kind = entity.id.domain() == done.domain && entity.exposed && !entity.auxiliary;
            is_kind && (area.is_some() || is_called(&entity.name, &entity.aliases))
        });
        let is_there = |it: &crate::EntitySnapshot| {
            area.as_ref().is_none_or(|area| it.area.as_ref().is_some_and(|own| own.id == area.id))
        };
        let ids: Vec<EntityId> = meant.into_iter().filter(is_there).map(|it| it.entity.id.clone()).collect();
        // An action on one lock is not extended to a whole area of locks.
        let is_risky = |id: &EntityId| table.is_entity(id.as_str(), None) || id.domain() == "cover";
        let is_plain = !ids.iter().any(is_risky) || ids.len() == 1;
        (!ids.is_empty() && is_plain).then(|| service_call(&done.domain, &done.service, done.data.clone(), &ids))
    });
    let calls: Vec<ReflexCall> = calls.collect();
    (!calls.is_empty()).then_some(calls)
}
