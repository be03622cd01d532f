//! The members of groups, recursively.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{
    index::{EntitySnapshot, HomeIndex},
    port::EntityId,
};

/// How deep groups are followed.
const DEPTH_MAX: usize = 5;

/// An entity and, if it is a group, all its members.
pub(super) fn with_members(index: &HomeIndex, snapshot: &EntitySnapshot) -> Vec<EntitySnapshot> {
    let mut all = vec![snapshot.clone()];
    let mut seen = BTreeSet::from([snapshot.entity.id.clone()]);
    let mut from = 0;
    for _ in 0..DEPTH_MAX {
        let fresh: Vec<EntityId> = all[from..].iter().flat_map(named).filter(|id| seen.insert(id.clone())).collect();
        from = all.len();
        all.extend(fresh.iter().filter_map(|id| index.get(id)));
        if from == all.len() {
            break;
        }
    }
    all
}

/// The members in the state of a group.
fn named(snapshot: &EntitySnapshot) -> Vec<EntityId> {
    let state = snapshot.state.as_ref();
    let members = state.and_then(|state| state.attributes.get("entity_id")).and_then(Value::as_array);
    members.into_iter().flatten().filter_map(|id| id.as_str()?.parse().ok()).collect()
}
