//! The compact stream of states: all at first, then what has changed.

use std::{borrow::Cow, collections::BTreeMap};

use serde::Deserialize;
use serde_json::{Map, Value, value::RawValue};

use super::lenient::{moment, or_default, texts};
use crate::house::{EntityId, State};

/// An event of the stream: what is there, what has changed, what is gone.
#[derive(Debug, Default, Deserialize)]
pub(in crate::assistant) struct EntitiesEvent<'a> {
    #[serde(borrow, default)]
    a: BTreeMap<Cow<'a, str>, &'a RawValue>,
    #[serde(borrow, default)]
    c: BTreeMap<Cow<'a, str>, &'a RawValue>,
    #[serde(default)]
    r: Vec<String>,
}

/// What an event says of one entity.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::assistant) enum News {
    /// How it stands now.
    Stands(State),
    /// It is no more.
    Gone(EntityId),
    /// It has changed, but nothing was known from which it could have.
    Unfounded(EntityId),
}

#[derive(Debug, Default, Deserialize)]
struct Compressed {
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
struct Difference {
    #[serde(rename = "+", default)]
    added: Compressed,
    #[serde(rename = "-", default)]
    removed: Removed,
}

#[derive(Debug, Default, Deserialize)]
struct Removed {
    #[serde(default, deserialize_with = "texts")]
    a: Vec<String>,
}

impl<'a> EntitiesEvent<'a> {
    /// Reads an event.
    pub(in crate::assistant) fn read(event: &'a RawValue) -> Result<Self, serde_json::Error> {
        serde_json::from_str(event.get())
    }

    /// What it says, given how entities stood before. An entity that cannot be read is passed over.
    pub(in crate::assistant) fn news(&self, mut before: impl FnMut(&EntityId) -> Option<State>) -> Vec<News> {
        let mut news = Vec::with_capacity(self.a.len() + self.c.len() + self.r.len());
        for (id, state) in &self.a {
            let (Ok(id), Ok(state)) = (id.parse(), serde_json::from_str::<Compressed>(state.get())) else { continue };
            news.push(News::Stands(state.whole(id)));
        }
        for (id, difference) in &self.c {
            let (Ok(id), Ok(difference)) = (id.parse(), serde_json::from_str::<Difference>(difference.get())) else {
                continue;
            };
            news.push(match before(&id) {
                Some(state) => News::Stands(difference.applied_to(state)),
                None => News::Unfounded(id),
            });
        }
        news.extend(self.r.iter().filter_map(|id| id.parse().ok()).map(News::Gone));
        news
    }

    /// The states it tells in full.
    pub(in crate::assistant) fn states(&self) -> Vec<State> {
        let stands = |news| if let News::Stands(state) = news { Some(state) } else { None };
        self.news(|_| None).into_iter().filter_map(stands).collect()
    }
}

impl Compressed {
    fn whole(self, entity_id: EntityId) -> State {
        let changed = self.lc.or(self.lu).unwrap_or_default();
        State {
            entity_id,
            state: self.s.unwrap_or_else(|| State::UNKNOWN.to_owned()),
            attributes: self.a,
            changed_at: moment(changed),
            // Left out where it is the same.
            updated_at: moment(self.lu.unwrap_or(changed)),
        }
    }
}

impl Difference {
    fn applied_to(self, mut state: State) -> State {
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
