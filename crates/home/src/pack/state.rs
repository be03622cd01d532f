//! `get_state`: the states of entities.

use std::sync::Arc;

use async_trait::async_trait;
use ports::ToolFailure;
use protocol::Citation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tools::{CallContext, Declaration, Tool};

use super::{
    answer::{CitedSources, ENTITIES_MAX, HomeClock, UnknownEntity, count, failed, length, resolve, stale},
    observes, search,
};
use crate::{EntityId, EntitySnapshot, EntityState, HomePort, reachable::check_known};

/// Attributes that only repeat other information.
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
    pub(super) home: Arc<dyn HomePort>,
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
pub(super) struct StatesOutput {
    states: Vec<StateEntry>,
    /// Names that are unknown or not exposed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unknown: Vec<UnknownEntity>,
    /// How many more there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    more: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    time_zone: String,
    sources: Vec<Citation>,
}

#[derive(Serialize, JsonSchema)]
struct StateEntry {
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
    type Output = StatesOutput;

    fn declaration(&self) -> Declaration {
        observes(self.home.as_ref(), "get_state", "Current states of entities: named ones, or all of a room or domain.")
            .core()
    }

    async fn call(&self, input: StateInput, context: &CallContext) -> Result<StatesOutput, ToolFailure> {
        let home = self.home.as_ref();
        check_known(home)?;
        let (mut known, unknown) = resolve(home, &input.entity_ids)?;
        let mut more = None;
        if input.entity_ids.is_empty() {
            let area = search::area(home, input.area.as_deref())?;
            let domain = input.domain.as_deref().map(|domain| domain.trim().to_lowercase());
            if area.is_none() && domain.is_none() {
                return Err(ToolFailure::Invalid("name `entity_ids`, an `area` or a `domain`".to_owned()));
            }
            known = home
                .index()
                .matching(|entity| entity.exposed && domain.as_ref().is_none_or(|domain| entity.id.domain() == domain));
            known.retain(|snapshot| {
                area.as_ref().is_none_or(|area| snapshot.area.as_ref().is_some_and(|other| other.id == area.id))
            });
            // The main entities of a device come before its auxiliary ones.
            known.sort_by_key(|snapshot| snapshot.entity.auxiliary);
            more = known.len().checked_sub(ENTITIES_MAX).filter(|more| *more > 0);
            known.truncate(ENTITIES_MAX);
        }
        context.say(format!("Reading {}", count(known.len(), "state", "states")));
        let ids: Vec<EntityId> = known.iter().map(|snapshot| snapshot.entity.id.clone()).collect();
        // The home itself is asked. If it cannot answer, the known state is returned with a note.
        let note = stale(home);
        let states =
            if note.is_some() || ids.is_empty() { Vec::new() } else { home.read(&ids).await.map_err(failed)? };
        let (clock, mut sources) = (HomeClock::of(home), CitedSources::default());
        let is_many = known.len() > 8;
        let told = known.iter().map(|snapshot| {
            sources.state(snapshot);
            let state = states.iter().find(|state| state.entity_id == snapshot.entity.id);
            tell(snapshot, state.or(snapshot.state.as_deref()), &clock, context, is_many)
        });
        let told = told.collect();
        Ok(StatesOutput { states: told, unknown, more, note, time_zone: clock.name, sources: sources.finish() })
    }

    fn sources(&self, output: &StatesOutput) -> Vec<Citation> {
        output.sources.clone()
    }
}

fn tell(
    snapshot: &EntitySnapshot,
    state: Option<&EntityState>,
    clock: &HomeClock,
    context: &CallContext,
    is_many: bool,
) -> StateEntry {
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
    StateEntry {
        entity_id: snapshot.entity.id.clone(),
        name: snapshot.entity.name.clone(),
        area: snapshot.area.as_ref().map(|area| area.name.clone()),
        state: state.map_or_else(|| EntityState::UNKNOWN.to_owned(), EntityState::in_words),
        since,
        attributes,
    }
}
