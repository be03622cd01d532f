//! `get_state`: how entities stand.

use std::sync::Arc;

use async_trait::async_trait;
use protocol::Citation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tools::{Context, Declaration, Failure, Tool};

use super::{
    answer::{Clockface, ENTITIES_MAX, Sources, Unknown, count, failed, length, resolve, stale},
    observes, search,
};
use crate::{EntityId, House, Standing, State};

/// Attributes that say nothing that is not said otherwise.
const DULL: &[&str] = &[
    "friendly_name",
    "supported_features",
    "supported_color_modes",
    "device_class",
    "state_class",
    "unit_of_measurement",
    "icon",
    "entity_picture",
    "attribution",
    "restored",
    "assumed_state",
    "editable",
    "id",
    "hs_color",
    "xy_color",
    "min_color_temp_kelvin",
    "max_color_temp_kelvin",
    "min_mireds",
    "max_mireds",
    "color_temp",
    "source_list",
    "access_token",
];
/// Longer attributes are left out.
const ATTRIBUTE_CHARS_MAX: usize = 120;
const ATTRIBUTES_MAX: usize = 10;

/// Reads states.
pub(super) struct GetState {
    pub(super) home: Arc<dyn House>,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct StateInput {
    /// Ids, as `light.kitchen`.
    entity_ids: Vec<String>,
    /// Or all of a room, by name or id.
    area: Option<String>,
    /// Or all of a domain, as `lock`; with `area`, those there.
    domain: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct States {
    states: Vec<StateTold>,
    /// What was named and is not told of.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unknown: Vec<Unknown>,
    /// How many more there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    more: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    time_zone: String,
    sources: Vec<Citation>,
}

#[derive(Serialize, JsonSchema)]
struct StateTold {
    entity_id: EntityId,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    area: Option<String>,
    state: String,
    /// Since when, and for how long.
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<String>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    attributes: Map<String, Value>,
}

#[async_trait]
impl Tool for GetState {
    type Input = StateInput;
    type Output = States;

    fn declaration(&self) -> Declaration {
        observes(
            self.home.as_ref(),
            "get_state",
            "How entities stand right now: named ones, or all of a room or domain.",
        )
        .core()
    }

    async fn call(&self, input: StateInput, context: &Context) -> Result<States, Failure> {
        let home = self.home.as_ref();
        let (mut known, unknown) = resolve(home, &input.entity_ids)?;
        let mut more = None;
        if input.entity_ids.is_empty() {
            let area = search::area(home, input.area.as_deref())?;
            let domain = input.domain.as_deref().map(|domain| domain.trim().to_lowercase());
            if area.is_none() && domain.is_none() {
                return Err(Failure::Invalid("name `entity_ids`, an `area` or a `domain`".to_owned()));
            }
            known = home
                .index()
                .matching(|entity| entity.exposed && domain.as_ref().is_none_or(|domain| entity.id.domain() == domain));
            known.retain(|standing| {
                area.as_ref().is_none_or(|area| standing.area.as_ref().is_some_and(|other| other.id == area.id))
            });
            // What a device is for comes before what it says of itself.
            known.sort_by_key(|standing| standing.entity.auxiliary);
            more = known.len().checked_sub(ENTITIES_MAX).filter(|more| *more > 0);
            known.truncate(ENTITIES_MAX);
        }
        context.say(format!("Reading {}", count(known.len(), "state", "states")));
        let ids: Vec<EntityId> = known.iter().map(|standing| standing.entity.id.clone()).collect();
        // The home itself is asked; where it cannot answer, what is known of it is told as such.
        let note = stale(home);
        let states =
            if note.is_some() || ids.is_empty() { Vec::new() } else { home.read(&ids).await.map_err(failed)? };
        let (clock, mut sources) = (Clockface::of(home), Sources::default());
        let is_many = known.len() > 8;
        let told = known.iter().map(|standing| {
            sources.state(standing);
            let state = states.iter().find(|state| state.entity_id == standing.entity.id);
            tell(standing, state.or(standing.state.as_deref()), &clock, context, is_many)
        });
        let told = told.collect();
        Ok(States { states: told, unknown, more, note, time_zone: clock.name, sources: sources.finish() })
    }

    fn sources(&self, output: &States) -> Vec<Citation> {
        output.sources.clone()
    }
}

fn tell(standing: &Standing, state: Option<&State>, clock: &Clockface, context: &Context, is_many: bool) -> StateTold {
    let mut attributes = Map::new();
    for (name, value) in state.into_iter().flat_map(|state| &state.attributes).filter(|_| !is_many) {
        let is_short = value.to_string().len() <= ATTRIBUTE_CHARS_MAX && !value.is_null();
        if is_short && !DULL.contains(&name.as_str()) && attributes.len() < ATTRIBUTES_MAX {
            attributes.insert(name.clone(), value.clone());
        }
    }
    let since = state.map(|state| {
        let ago = length(context.now.since(state.changed_at));
        if is_many { ago } else { format!("{} ({ago})", clock.at(state.changed_at)) }
    });
    StateTold {
        entity_id: standing.entity.id.clone(),
        name: standing.entity.name.clone(),
        area: standing.area.as_ref().map(|area| area.name.clone()),
        state: state.map_or_else(|| State::UNKNOWN.to_owned(), State::in_words),
        since,
        attributes,
    }
}
