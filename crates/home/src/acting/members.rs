//! What is moved with an entity: the members of a group, and theirs.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{
    house::EntityId,
    index::{Index, Standing},
};

/// How deep groups in groups are looked into.
const DEPTH_MAX: usize = 5;

/// An entity and, if it is a group, all that is moved with it.
pub(super) fn with_members(index: &Index, standing: &Standing) -> Vec<Standing> {
    let mut all = vec![standing.clone()];
    let mut seen = BTreeSet::from([standing.entity.id.clone()]);
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

/// The members that a group names in its state.
fn named(standing: &Standing) -> Vec<EntityId> {
    let state = standing.state.as_ref();
    let members = state.and_then(|state| state.attributes.get("entity_id")).and_then(Value::as_array);
    members.into_iter().flatten().filter_map(|id| id.as_str()?.parse().ok()).collect()
}
