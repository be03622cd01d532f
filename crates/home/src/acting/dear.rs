//! What a mistake would cost more than a light in the wrong room: a person confirms it each time, and nothing is guessed.

use std::collections::BTreeSet;

use super::members::with_members;
use crate::{
    house::{EntityId, House},
    index::{Standing, plain},
};

/// How deep it is looked into what something is made of.
const DEPTH_MAX: usize = 3;
/// Domains whose things do what other things do.
const MADE_OF_OTHERS: &[&str] = &["automation", "group", "scene", "script"];
/// Words in the name of a cover or a switch that has no class.
const TELLING: &[&str] = &["garage", "gate", "garagentor", "garagentür", "tor", "haustür"];

/// Whether a thing of this kind is confirmed each time.
pub fn is_sensitive(domain: &str, class: Option<&str>) -> bool {
    match domain {
        "lock" | "alarm_control_panel" | "valve" | "siren" => true,
        "cover" => matches!(class, Some("garage" | "gate" | "door")),
        _ => false,
    }
}

/// Whether this one is: by its kind, or by its name where its kind says nothing.
fn is_dear(standing: &Standing) -> bool {
    let (entity, domain) = (&standing.entity, standing.entity.id.domain());
    let is_told = || {
        let names = std::iter::once(&entity.name).chain(&entity.aliases);
        names.map(|name| plain(name)).any(|name| name.split(' ').any(|word| TELLING.contains(&word)))
    };
    is_sensitive(domain, entity.class.as_deref())
        || entity.class.is_none() && matches!(domain, "cover" | "switch" | "button") && is_told()
}

/// The names of what would be touched that is confirmed each time, also through scripts, scenes, automations and groups; of
/// those into which nobody can look, their own.
pub(super) async fn touched(house: &dyn House, meant: &[Standing]) -> Vec<String> {
    let mut names = Vec::new();
    for standing in meant {
        let members = with_members(house.index(), standing);
        if let Some(dear) = members.iter().find(|member| is_dear(member)) {
            names.push(dear.entity.name.clone());
        } else if is_made_of_others(standing) {
            names.extend(through(house, standing).await);
        }
    }
    names
}

/// Groups of lights, covers and such are told by their members.
fn is_made_of_others(standing: &Standing) -> bool {
    let has_members = standing.state.as_ref().is_some_and(|state| state.attributes.contains_key("entity_id"));
    MADE_OF_OTHERS.contains(&standing.entity.id.domain()) || has_members
}

async fn through(house: &dyn House, standing: &Standing) -> Option<String> {
    let name = &standing.entity.name;
    let mut seen: BTreeSet<EntityId> = BTreeSet::from([standing.entity.id.clone()]);
    let mut next = vec![standing.entity.id.clone()];
    for _ in 0..DEPTH_MAX {
        let mut deeper = Vec::new();
        for id in next {
            let Ok(related) = house.related(&id).await else {
                return Some(format!("{name}, into which nobody can look"));
            };
            for part in related.made_of {
                let Some(standing) = house.index().get(&part) else { continue };
                if is_dear(&standing) {
                    return Some(format!("{} through {name}", standing.entity.name));
                }
                if seen.insert(part.clone()) && is_made_of_others(&standing) {
                    deeper.push(part);
                }
            }
        }
        next = deeper;
    }
    None
}
