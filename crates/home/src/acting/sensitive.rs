//! Sensitive entities: the user confirms each call to them, and nothing is guessed.

use std::collections::BTreeSet;

use reflex::SensitiveTable;

use super::members::with_members;
use crate::{
    index::{EntitySnapshot, plain},
    port::{EntityId, HomePort},
};

/// How deep scripts, scenes, automations and groups are followed.
const DEPTH_MAX: usize = 3;
/// Domains whose entities act on other entities.
const MADE_OF_OTHERS: &[&str] = &["automation", "group", "scene", "script"];

/// Whether an entity is sensitive: by what the operator has decided, by its kind, or by its name
/// where the kind does not decide.
pub(crate) fn is_sensitive_entity(table: &SensitiveTable, snapshot: &EntitySnapshot) -> bool {
    let (entity, domain) = (&snapshot.entity, snapshot.entity.id.domain());
    let has_sensitive_name = || {
        let names = std::iter::once(&entity.name).chain(&entity.aliases);
        names.map(|name| plain(name)).any(|name| name.split(' ').any(|word| table.is_word(word)))
    };
    let is_kind = || {
        table.is_kind(domain, entity.class.as_deref())
            || entity.class.is_none() && table.is_by_name(domain) && has_sensitive_name()
    };
    table.decides(entity.id.as_str()).unwrap_or_else(is_kind)
}

/// The names of the sensitive entities that a call would affect, also through scripts, scenes,
/// automations and groups. Those whose contents cannot be read are named themselves.
pub(super) async fn sensitive_names(home: &dyn HomePort, meant: &[EntitySnapshot]) -> Vec<String> {
    let table = home.index().sensitive();
    let mut names = Vec::new();
    for snapshot in meant {
        let members = with_members(home.index(), snapshot);
        if let Some(sensitive) = members.iter().find(|member| is_sensitive_entity(&table, member)) {
            names.push(sensitive.entity.name.clone());
        } else if is_made_of_others(snapshot) {
            names.extend(through(home, snapshot).await);
        }
    }
    names
}

/// Groups of lights, covers and the like name their members in the state.
fn is_made_of_others(snapshot: &EntitySnapshot) -> bool {
    let has_members = snapshot.state.as_ref().is_some_and(|state| state.attributes.contains_key("entity_id"));
    MADE_OF_OTHERS.contains(&snapshot.entity.id.domain()) || has_members
}

async fn through(home: &dyn HomePort, snapshot: &EntitySnapshot) -> Option<String> {
    let (table, name) = (home.index().sensitive(), &snapshot.entity.name);
    let mut seen: BTreeSet<EntityId> = BTreeSet::from([snapshot.entity.id.clone()]);
    let mut next = vec![snapshot.entity.id.clone()];
    for _ in 0..DEPTH_MAX {
        let mut deeper = Vec::new();
        for id in next {
            let Ok(related) = home.related(&id).await else {
                return Some(format!("{name}, whose actions cannot be read"));
            };
            for part in related.made_of {
                let Some(snapshot) = home.index().get(&part) else { continue };
                if is_sensitive_entity(&table, &snapshot) {
                    return Some(format!("{} through {name}", snapshot.entity.name));
                }
                if seen.insert(part.clone()) && is_made_of_others(&snapshot) {
                    deeper.push(part);
                }
            }
        }
        next = deeper;
    }
    None
}
