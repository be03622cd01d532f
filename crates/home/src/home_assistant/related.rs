//! The relations of an entity: what it is made of, what uses it, and whether its integration has a
//! problem.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    command_sender::{CommandSender, read},
    inventory::if_offered,
    wire::{ConfigEntry, HassCommand, Relations, each},
};
use crate::{
    index::{EntitySnapshot, HomeIndex},
    port::{AreaId, Dependent, DependentKind, DeviceId, EntityId, EntityRelations, EntityState, HomeError},
};

/// The relations of an entity, from Home Assistant's search and from states that refer to each
/// other.
pub(super) async fn related(
    link: &CommandSender,
    index: &HomeIndex,
    id: &EntityId,
) -> Result<EntityRelations, HomeError> {
    let snapshot = index.get(id);
    let found = if_offered(link.ask(HassCommand::Related { item_type: "entity", item_id: id.clone() }).await)?;
    let relations: Relations = read(found.as_deref()).unwrap_or_default();
    let mut made_of = sources(snapshot.as_ref().and_then(|snapshot| snapshot.state.as_deref()), index);
    if let Some(config) = config(link, id).await {
        made_of.extend(named_in(&config, index));
    }
    made_of.remove(id);
    let device = snapshot.as_ref().and_then(|snapshot| snapshot.entity.device.clone());
    let area = snapshot.as_ref().and_then(|snapshot| Some(snapshot.area.as_ref()?.id.clone()));
    Ok(EntityRelations {
        made_of: made_of.into_iter().collect(),
        used_by: users(link, index, id, &relations, snapshot.as_ref()).await,
        device: device.or_else(|| relations.device.first().map(DeviceId::new)),
        area: area.or_else(|| relations.area.first().map(AreaId::new)),
        integration_trouble: trouble(link, &relations.config_entry).await,
    })
}

async fn users(
    link: &CommandSender,
    index: &HomeIndex,
    id: &EntityId,
    relations: &Relations,
    snapshot: Option<&EntitySnapshot>,
) -> Vec<Dependent> {
    let mut found: BTreeSet<(DependentKind, EntityId)> = BTreeSet::new();
    let kinds = [
        (DependentKind::Automation, &relations.automation),
        (DependentKind::Script, &relations.script),
        (DependentKind::Scene, &relations.scene),
        (DependentKind::Entity, &relations.group),
        (DependentKind::Entity, &relations.person),
    ];
    for (kind, ids) in kinds {
        for user in ids.iter().filter_map(|id| id.parse::<EntityId>().ok()) {
            // Before 2024.4 the search also returns users of the device's other entities.
            if matches!(kind, DependentKind::Automation | DependentKind::Script)
                && let Some(config) = config(link, &user).await
                && !concerns(&config, id, snapshot)
            {
                continue;
            }
            found.insert((kind, user));
        }
    }
    for other in index.all() {
        let other_id = &other.entity.id;
        if other_id != id && sources(other.state.as_deref(), index).contains(id) {
            found.insert((kind_of(other_id), other_id.clone()));
        }
    }
    found.remove(&(kind_of(id), id.clone()));
    let name = |id: &EntityId| index.get(id).map_or_else(|| id.to_string(), |snapshot| snapshot.entity.name.clone());
    found.into_iter().map(|(kind, entity_id)| Dependent { kind, name: name(&entity_id), entity_id }).collect()
}

fn kind_of(id: &EntityId) -> DependentKind {
    match id.domain() {
        "automation" => DependentKind::Automation,
        "script" => DependentKind::Script,
        "scene" => DependentKind::Scene,
        _ => DependentKind::Entity,
    }
}

/// The sources or members that a state names.
fn sources(state: Option<&EntityState>, index: &HomeIndex) -> BTreeSet<EntityId> {
    let mut sources = BTreeSet::new();
    let Some(state) = state else { return sources };
    for (name, value) in &state.attributes {
        let names_sources = name.ends_with("entity_id")
            || name.ends_with("entity_ids")
            || name.ends_with("entities")
            || name.starts_with("source")
            || name == "device_trackers";
        if !names_sources {
            continue;
        }
        let texts = match value {
            Value::Array(items) => items.as_slice(),
            one => std::slice::from_ref(one),
        };
        let ids = texts.iter().filter_map(|text| text.as_str()?.parse::<EntityId>().ok());
        sources.extend(ids.filter(|id| *id != state.entity_id && index.get(id).is_some()));
    }
    sources
}

/// The configuration of an automation or a script.
async fn config(link: &CommandSender, id: &EntityId) -> Option<Value> {
    let entity_id = id.clone();
    let command = match id.domain() {
        "automation" => HassCommand::AutomationConfig { entity_id },
        "script" => HassCommand::ScriptConfig { entity_id },
        _ => return None,
    };
    link.ask_for(command).await.ok()
}

/// The entities that it names anywhere, also in templates.
fn named_in(config: &Value, index: &HomeIndex) -> BTreeSet<EntityId> {
    let mut named = BTreeSet::new();
    each_text(config, &mut |text| {
        let words = text.split(|char: char| !(char.is_ascii_alphanumeric() || char == '_' || char == '.'));
        named.extend(words.filter_map(|word| word.parse().ok()).filter(|id| index.get(id).is_some()));
    });
    named
}

/// Whether an automation or a script refers to an entity, its device, its area or its floor.
fn concerns(config: &Value, id: &EntityId, snapshot: Option<&EntitySnapshot>) -> bool {
    let mut names = vec![id.as_str()];
    if let Some(snapshot) = snapshot {
        names.extend(snapshot.entity.device.as_ref().map(DeviceId::as_str));
        names.extend(snapshot.area.as_ref().map(|area| area.id.as_str()));
        names.extend(snapshot.floor.as_ref().map(|floor| floor.id.as_str()));
    }
    let mut is_named = false;
    each_text(config, &mut |text| is_named |= names.iter().any(|name| text.contains(name)));
    is_named
}

fn each_text(value: &Value, see: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) => see(text),
        Value::Array(items) => items.iter().for_each(|item| each_text(item, see)),
        Value::Object(fields) => fields.values().for_each(|field| each_text(field, see)),
        _ => {}
    }
}

/// The problem of the integrations it comes from.
async fn trouble(link: &CommandSender, entries: &[String]) -> Option<String> {
    if entries.is_empty() {
        return None;
    }
    let answer = link.ask(HassCommand::ConfigEntries).await.ok()??;
    let said = |entry: ConfigEntry| {
        let ConfigEntry { entry_id, domain, state, reason, disabled_by } = entry;
        if !entries.contains(&entry_id) {
            return None;
        }
        match (disabled_by, reason.filter(|reason| !reason.is_empty())) {
            (Some(by), _) => Some(format!("{domain} is disabled by {by}")),
            (None, Some(reason)) if state != "loaded" => Some(format!("{domain} {state}: {reason}")),
            (None, None) if state != "loaded" => Some(format!("{domain} {state}")),
            _ => None,
        }
    };
    let troubles: Vec<String> = each::<ConfigEntry>(&answer).into_iter().filter_map(said).collect();
    (!troubles.is_empty()).then(|| troubles.join("; "))
}
