//! The state that was sent to a client, so that only changes are sent.

use std::{collections::BTreeMap, sync::Arc};

use protocol::{AreaView, EntityView, HomeChanged, HomeConnection, HomeView};

use super::{connection, kind, views};
use crate::{
    index::EntitySnapshot,
    port::{Area, Entity, EntityId, EntityState, HomePort},
};

/// The state that was sent.
#[derive(Default)]
pub(super) struct SentState {
    entities: BTreeMap<EntityId, SentEntity>,
    areas: Vec<AreaView>,
    connection: Option<(HomeConnection, Option<String>)>,
}

struct SentEntity {
    entity: Arc<Entity>,
    area: Option<Arc<Area>>,
    state: Arc<EntityState>,
    view: EntityView,
}

impl SentEntity {
    /// Whether nothing was reported since. A new report is a new allocation, so comparing pointers
    /// is enough.
    fn is_as(&self, snapshot: &EntitySnapshot, state: &Arc<EntityState>) -> bool {
        let is_same_area = match (&self.area, &snapshot.area) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        };
        is_same_area && Arc::ptr_eq(&self.entity, &snapshot.entity) && Arc::ptr_eq(&self.state, state)
    }
}

impl SentState {
    /// Reads the home, and returns what has changed.
    pub(super) fn look(&mut self, home: &dyn HomePort) -> HomeChanged {
        let all = home.index().matching(|entity| entity.exposed);
        let mut changed = HomeChanged::default();
        let mut before = std::mem::take(&mut self.entities);
        for snapshot in &all {
            // An entity without a state is not shown.
            let Some(state) = &snapshot.state else { continue };
            let id = snapshot.entity.id.clone();
            let told = before.remove(&id);
            let told = match told {
                Some(told) if told.is_as(snapshot, state) => told,
                told => {
                    let view = views::entity(snapshot, state);
                    if told.is_none_or(|told| told.view != view) {
                        changed.entities.push(view.clone());
                    }
                    let (entity, area) = (snapshot.entity.clone(), snapshot.area.clone());
                    SentEntity { entity, area, state: state.clone(), view }
                }
            };
            self.entities.insert(id, told);
        }
        changed.removed = before.into_keys().map(String::from).collect();
        let areas = views::areas(&all);
        if areas != self.areas {
            self.areas.clone_from(&areas);
            changed.areas = Some(areas);
        }
        let now = connection(home);
        if self.connection.as_ref() != Some(&now) {
            (changed.connection, changed.why) = (Some(now.0), now.1.clone());
            self.connection = Some(now);
        }
        changed
    }

    /// The whole state that was sent.
    pub(super) fn view(&self, home: &dyn HomePort) -> HomeView {
        let (connection, why) = self.connection.clone().unwrap_or_else(|| connection(home));
        HomeView {
            home: kind(home),
            connection,
            why,
            name: Some(home.about().name).filter(|name| !name.is_empty()),
            notices: Vec::new(),
            areas: self.areas.clone(),
            entities: self.entities.values().map(|told| told.view.clone()).collect(),
        }
    }
}
