//! What an entity has to do with: what it is made of, what uses it, and whether its integration is in trouble.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    inventory::if_offered,
    link::{Link, read},
    wire::{Command, ConfigEntry, Relations, each},
};
use crate::{
    house::{AreaId, DeviceId, EntityId, HouseError, Related, State, User, UserKind},
    index::{Index, Standing},
};

/// What an entity has to do with, from Home Assistant's own search and from what states say of each other.
pub(super) async fn related(link: &Link, index: &Index, id: &EntityId) -> Result<Related, HouseError> {
    let standing = index.get(id);
    let found = if_offered(link.ask(Command::Related { item_type: "entity", item_id: id.clone() }).await)?;
    let relations: Relations = read(found.as_deref()).unwrap_or_default();
    let mut made_of = sources(standing.as_ref().and_then(|standing| standing.state.as_deref()), index);
    if let Some(config) = config(link, id).await {
        made_of.extend(named_in(&config, index));
    }
    made_of.remove(id);
    let device = standing.as_ref().and_then(|standing| standing.entity.device.clone());
    let area = standing.as_ref().and_then(|standing| Some(standing.area.as_ref()?.id.clone()));
    Ok(Related {
        made_of: made_of.into_iter().collect(),
        used_by: users(link, index, id, &relations, standing.as_ref()).await,
        device: device.or_else(|| relations.device.first().map(DeviceId::new)),
        area: area.or_else(|| relations.area.first().map(AreaId::new)),
        integration_trouble: trouble(link, &relations.config_entry).await,
    })
}

async fn users(
    link: &Link,
    index: &Index,
    id: &EntityId,
    relations: &Relations,
    standing: Option<&Standing>,
) -> Vec<User> {
    let mut found: BTreeSet<(UserKind, EntityId)> = BTreeSet::new();
    let kinds = [
        (UserKind::Automation, &relations.automation),
        (UserKind::Script, &relations.script),
        (UserKind::Scene, &relations.scene),
        (UserKind::Entity, &relations.group),
        (UserKind::Entity, &relations.person),
    ];
    for (kind, ids) in kinds {
        for user in ids.iter().filter_map(|id| id.parse::<EntityId>().ok()) {
            // Before 2024.4 the search goes on through the device to its other entities.
            if matches!(kind, UserKind::Automation | UserKind::Script)
                && let Some(config) = config(link, &user).await
                && !concerns(&config, id, standing)
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
    let name = |id: &EntityId| index.get(id).map_or_else(|| id.to_string(), |standing| standing.entity.name.clone());
    found.into_iter().map(|(kind, entity_id)| User { kind, name: name(&entity_id), entity_id }).collect()
}

fn kind_of(id: &EntityId) -> UserKind {
    match id.domain() {
        "automation" => UserKind::Automation,
        "script" => UserKind::Script,
        "scene" => UserKind::Scene,
        _ => UserKind::Entity,
    }
}

/// The entities that a state names as its sources or members.
fn sources(state: Option<&State>, index: &Index) -> BTreeSet<EntityId> {
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

/// How an automation or a script is written.
async fn config(link: &Link, id: &EntityId) -> Option<Value> {
    let entity_id = id.clone();
    let command = match id.domain() {
        "automation" => Command::AutomationConfig { entity_id },
        "script" => Command::ScriptConfig { entity_id },
        _ => return None,
    };
    link.ask_for(command).await.ok()
}

/// The entities that are named anywhere in it, in templates, too.
fn named_in(config: &Value, index: &Index) -> BTreeSet<EntityId> {
    let mut named = BTreeSet::new();
    each_text(config, &mut |text| {
        let words = text.split(|char: char| !(char.is_ascii_alphanumeric() || char == '_' || char == '.'));
        named.extend(words.filter_map(|word| word.parse().ok()).filter(|id| index.get(id).is_some()));
    });
    named
}

/// Whether an automation or a script names an entity, its device, its area or its floor.
fn concerns(config: &Value, id: &EntityId, standing: Option<&Standing>) -> bool {
    let mut names = vec![id.as_str()];
    if let Some(standing) = standing {
        names.extend(standing.entity.device.as_ref().map(DeviceId::as_str));
        names.extend(standing.area.as_ref().map(|area| area.id.as_str()));
        names.extend(standing.floor.as_ref().map(|floor| floor.id.as_str()));
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

/// What is wrong with the integrations it comes from.
async fn trouble(link: &Link, entries: &[String]) -> Option<String> {
    if entries.is_empty() {
        return None;
    }
    let answer = link.ask(Command::ConfigEntries).await.ok()??;
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
