//! What somebody was told of a home, so that they are told only what is new.

use std::{collections::BTreeMap, sync::Arc};

use protocol::{AreaView, EntityView, HomeChanged, HomeConnection, HomeView};

use super::{connection, kind, views};
use crate::{
    house::{Area, Entity, EntityId, House, State},
    index::Standing,
};

/// What somebody was told.
#[derive(Default)]
pub(super) struct Told {
    entities: BTreeMap<EntityId, ToldEntity>,
    areas: Vec<AreaView>,
    connection: Option<(HomeConnection, Option<String>)>,
}

struct ToldEntity {
    entity: Arc<Entity>,
    area: Option<Arc<Area>>,
    state: Arc<State>,
    view: EntityView,
}

impl ToldEntity {
    /// Whether nothing was said of it since. What is said anew is another value, so that looking costs next to nothing.
    fn is_as(&self, standing: &Standing, state: &Arc<State>) -> bool {
        let is_same_area = match (&self.area, &standing.area) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        };
        is_same_area && Arc::ptr_eq(&self.entity, &standing.entity) && Arc::ptr_eq(&self.state, state)
    }
}

impl Told {
    /// Looks at the home, and gives what is new.
    pub(super) fn look(&mut self, house: &dyn House) -> HomeChanged {
        let all = house.index().matching(|entity| entity.exposed);
        let mut changed = HomeChanged::default();
        let mut before = std::mem::take(&mut self.entities);
        for standing in &all {
            // Of what has never said anything there is nothing to show.
            let Some(state) = &standing.state else { continue };
            let id = standing.entity.id.clone();
            let told = before.remove(&id);
            let told = match told {
                Some(told) if told.is_as(standing, state) => told,
                told => {
                    let view = views::entity(standing, state);
                    if told.is_none_or(|told| told.view != view) {
                        changed.entities.push(view.clone());
                    }
                    let (entity, area) = (standing.entity.clone(), standing.area.clone());
                    ToldEntity { entity, area, state: state.clone(), view }
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
        let now = connection(house);
        if self.connection.as_ref() != Some(&now) {
            (changed.connection, changed.why) = (Some(now.0), now.1.clone());
            self.connection = Some(now);
        }
        changed
    }

    /// All that was told.
    pub(super) fn view(&self, house: &dyn House) -> HomeView {
        let (connection, why) = self.connection.clone().unwrap_or_else(|| connection(house));
        HomeView {
            home: kind(house),
            connection,
            why,
            name: Some(house.about().name).filter(|name| !name.is_empty()),
            areas: self.areas.clone(),
            entities: self.entities.values().map(|told| told.view.clone()).collect(),
        }
    }
}
