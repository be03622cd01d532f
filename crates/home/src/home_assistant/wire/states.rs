//! The compressed stream of states: all at first, then the changes.

use std::{borrow::Cow, collections::BTreeMap};

use serde::Deserialize;
use serde_json::{Map, Value, value::RawValue};

use super::lenient::{moment, or_default, texts};
use crate::port::{EntityId, EntityState};

/// An event of the stream: added, changed and removed entities.
#[derive(Debug, Default, Deserialize)]
pub(in crate::home_assistant) struct EntitiesEvent<'a> {
    #[serde(borrow, default)]
    a: BTreeMap<Cow<'a, str>, &'a RawValue>,
    #[serde(borrow, default)]
    c: BTreeMap<Cow<'a, str>, &'a RawValue>,
    #[serde(default)]
    r: Vec<String>,
}

/// What an event says about one entity.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::home_assistant) enum EntityUpdate {
    /// Its current state.
    Current(EntityState),
    /// It was removed.
    Removed(EntityId),
    /// It has changed, but its previous state is not known.
    MissingBase(EntityId),
}

#[derive(Debug, Default, Deserialize)]
struct CompressedState {
    #[serde(default, deserialize_with = "or_default")]
    s: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    a: Map<String, Value>,
    #[serde(default, deserialize_with = "or_default")]
    lc: Option<f64>,
    #[serde(default, deserialize_with = "or_default")]
    lu: Option<f64>,
}

#[derive(Debug, Default, Deserialize)]
struct StateDiff {
    #[serde(rename = "+", default)]
    added: CompressedState,
    #[serde(rename = "-", default)]
    removed: RemovedAttributes,
}

#[derive(Debug, Default, Deserialize)]
struct RemovedAttributes {
    #[serde(default, deserialize_with = "texts")]
    a: Vec<String>,
}

impl<'a> EntitiesEvent<'a> {
    /// Parses an event.
    pub(in crate::home_assistant) fn read(event: &'a RawValue) -> Result<Self, serde_json::Error> {
        serde_json::from_str(event.get())
    }

    /// The updates, given the previous states. An entity that cannot be parsed is skipped.
    pub(in crate::home_assistant) fn updates(
        &self,
        mut before: impl FnMut(&EntityId) -> Option<EntityState>,
    ) -> Vec<EntityUpdate> {
        let mut news = Vec::with_capacity(self.a.len() + self.c.len() + self.r.len());
        for (id, state) in &self.a {
            let (Ok(id), Ok(state)) = (id.parse(), serde_json::from_str::<CompressedState>(state.get())) else {
                continue;
            };
            news.push(EntityUpdate::Current(state.whole(id)));
        }
        for (id, difference) in &self.c {
            let (Ok(id), Ok(difference)) = (id.parse(), serde_json::from_str::<StateDiff>(difference.get())) else {
                continue;
            };
            news.push(match before(&id) {
                Some(state) => EntityUpdate::Current(difference.applied_to(state)),
                None => EntityUpdate::MissingBase(id),
            });
        }
        news.extend(self.r.iter().filter_map(|id| id.parse().ok()).map(EntityUpdate::Removed));
        news
    }

    /// The states that it contains in full.
    pub(in crate::home_assistant) fn states(&self) -> Vec<EntityState> {
        let stands = |news| if let EntityUpdate::Current(state) = news { Some(state) } else { None };
        self.updates(|_| None).into_iter().filter_map(stands).collect()
    }
}

impl CompressedState {
    fn whole(self, entity_id: EntityId) -> EntityState {
        let changed = self.lc.or(self.lu).unwrap_or_default();
        EntityState {
            entity_id,
            state: self.s.unwrap_or_else(|| EntityState::UNKNOWN.to_owned()),
            attributes: self.a,
            changed_at: moment(changed),
            // Left out where it is the same.
            updated_at: moment(self.lu.unwrap_or(changed)),
        }
    }
}

impl StateDiff {
    fn applied_to(self, mut state: EntityState) -> EntityState {
        if let Some(word) = self.added.s {
            state.state = word;
        }
        if let Some(changed) = self.added.lc {
            state.changed_at = moment(changed);
            state.updated_at = state.changed_at;
        }
        if let Some(updated) = self.added.lu {
            state.updated_at = moment(updated);
        }
        for name in &self.removed.a {
            state.attributes.remove(name);
        }
        state.attributes.extend(self.added.a);
        state
    }
}
