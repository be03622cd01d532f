//! Resolves a target: entities that exist, are exposed, are allowed, and belong to a domain of the
//! service.

use std::collections::BTreeMap;

use super::permission::Permission;
use crate::{
    index::{EntityQuery, EntitySnapshot, HomeIndex, plain},
    port::{EntityId, ServiceTarget},
};

/// Domains whose services do nothing without a target.
const NEED_TARGET: &[&str] = &[
    "alarm_control_panel",
    "climate",
    "cover",
    "fan",
    "homeassistant",
    "humidifier",
    "input_boolean",
    "lawn_mower",
    "light",
    "lock",
    "media_player",
    "scene",
    "siren",
    "switch",
    "todo",
    "vacuum",
    "valve",
];
/// Domains that `homeassistant.turn_on` and the like affect in a whole area.
const SWITCHED: &[&str] = &["fan", "humidifier", "input_boolean", "light", "media_player", "switch"];

/// The number of entities suggested for an unknown one.
const NEAR_MAX: usize = 3;
/// The minimum similarity of two ids, from 0 to 1, for a suggestion.
const ALIKE_MIN: f64 = 0.6;
/// The penalty for ids of different domains.
const OTHER_DOMAIN: f64 = 0.2;

/// The entities of a target. The error is for the caller: what is wrong, and what would be right.
pub(super) fn resolve_target(
    index: &HomeIndex,
    permission: &Permission,
    domain: &str,
    service: &str,
    target: &ServiceTarget,
) -> Result<Vec<EntitySnapshot>, String> {
    let is_whole = domain == "homeassistant";
    let is_for_all = is_whole && matches!(service, "restart" | "stop" | "reload_all" | "check_config");
    if target.is_empty() {
        if NEED_TARGET.contains(&domain) && !is_for_all {
            return Err(format!(
                "`{domain}.{service}` needs a target: entities, a device, an area or a floor. `search_entities` finds them"
            ));
        }
        // A script is also a service of that name.
        let own = (domain == "script").then(|| format!("script.{service}").parse::<EntityId>().ok()).flatten();
        return match own.and_then(|id| index.get(&id)) {
            Some(script) => permission.objection(index, &script).map_or_else(|| Ok(vec![script]), Err),
            None => permission.objection_to_service(domain).map_or_else(|| Ok(Vec::new()), Err),
        };
    }
    let mut all: BTreeMap<EntityId, EntitySnapshot> = BTreeMap::new();
    for id in &target.entity_id {
        let snapshot = index.get(id).ok_or_else(|| unknown(index, id))?;
        if !is_whole && id.domain() != domain {
            return Err(format!(
                "`{domain}.{service}` does nothing to `{id}`, which is a {}: use `{}.{service}` or `homeassistant.{service}`",
                id.domain(),
                id.domain()
            ));
        }
        if let Some(objection) = permission.objection(index, &snapshot) {
            return Err(objection);
        }
        all.insert(id.clone(), snapshot);
    }
    let is_fit = |snapshot: &EntitySnapshot| {
        let own = snapshot.entity.id.domain();
        let is_kind = if is_whole { SWITCHED.contains(&own) } else { own == domain };
        is_kind && !snapshot.entity.auxiliary && snapshot.entity.exposed
    };
    let mut widely = Vec::new();
    for device in &target.device_id {
        if index.device(device).is_none() {
            return Err(format!("there is no device `{device}`"));
        }
        widely.extend(index.of_device(device));
    }
    for area in &target.area_id {
        let known = index.areas();
        let wanted = plain(area.as_str());
        let Some(found) = known.iter().find(|known| known.id == *area || plain(&known.name) == wanted) else {
            let names: Vec<&str> = known.iter().map(|area| area.id.as_str()).collect();
            return Err(format!("there is no area `{area}`; there are {}", names.join(", ")));
        };
        widely.extend(index.in_area(&found.id));
    }
    for floor in &target.floor_id {
        if !index.floors().iter().any(|known| known.id == *floor) {
            return Err(format!("there is no floor `{floor}`"));
        }
        let is_there = |snapshot: &EntitySnapshot| snapshot.floor.as_ref().is_some_and(|known| known.id == *floor);
        widely.extend(index.all().into_iter().filter(is_there));
    }
    let has_wide = !(target.device_id.is_empty() && target.area_id.is_empty() && target.floor_id.is_empty());
    let fit: Vec<EntitySnapshot> = widely.into_iter().filter(is_fit).collect();
    // In an area, entities that may not be controlled are skipped. It is an error only if none is
    // left.
    let (may, may_not): (Vec<_>, Vec<_>) = fit.into_iter().partition(|it| permission.objection(index, it).is_none());
    if has_wide && may.is_empty() && all.is_empty() {
        return Err(match may_not.first().and_then(|snapshot| permission.objection(index, snapshot)) {
            Some(objection) => objection,
            None => format!("there is nothing there that `{domain}.{service}` applies to"),
        });
    }
    all.extend(may.into_iter().map(|snapshot| (snapshot.entity.id.clone(), snapshot)));
    Ok(all.into_values().collect())
}

/// Suggests similar ids, then the search results for its words.
fn unknown(index: &HomeIndex, id: &EntityId) -> String {
    let mut alike: Vec<(f64, EntityId)> = index
        .matching(|entity| entity.exposed)
        .into_iter()
        .map(|snapshot| {
            let own = &snapshot.entity.id;
            let likeness = strsim::normalized_damerau_levenshtein(own.object(), id.object());
            (if own.domain() == id.domain() { likeness } else { likeness - OTHER_DOMAIN }, own.clone())
        })
        .filter(|(likeness, _)| *likeness >= ALIKE_MIN)
        .collect();
    alike.sort_by(|one, two| two.0.total_cmp(&one.0).then_with(|| one.1.cmp(&two.1)));
    let query =
        EntityQuery { text: format!("{} {}", id.domain(), id.object()), limit: NEAR_MAX, ..EntityQuery::default() };
    let found = index.search(&query).into_iter().map(|hit| hit.snapshot.entity.id.clone());
    let mut near: Vec<String> = Vec::new();
    for id in alike.into_iter().map(|(_, id)| id).chain(found).map(|id| format!("`{id}`")) {
        if near.len() < NEAR_MAX && !near.contains(&id) {
            near.push(id);
        }
    }
    let meant = if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(" or ")) };
    format!("there is no entity `{id}` in this home, so nothing was done{meant}")
}
