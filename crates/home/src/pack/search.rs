//! `search_entities`: finds entities.

use std::{collections::BTreeMap, sync::Arc};

use async_trait::async_trait;
use ports::ToolFailure;
use protocol::Citation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools::{CallContext, Declaration, Tool};

use super::{
    answer::{CitedSources, stale},
    observes,
};
use crate::{Area, AreaId, EntityQuery, EntitySnapshot, FloorId, HomePort, plain, reachable::check_known};

/// The default number of results.
const LIMIT: usize = 15;
const LIMIT_MAX: usize = 60;

/// Looks for entities.
pub(super) struct SearchEntities {
    pub(super) home: Arc<dyn HomePort>,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct SearchInput {
    /// Words of names, rooms, kinds.
    text: Option<String>,
    /// As `light`, `sensor`.
    domain: Option<String>,
    /// Name or id of a room.
    area: Option<String>,
    /// Name or id of a floor.
    floor: Option<String>,
    /// Device class, as `battery`, `motion`.
    class: Option<String>,
    /// As `on`, `unavailable`.
    state: Option<String>,
    /// At most so many; 15 by default.
    limit: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct SearchOutput {
    /// Those that fit, best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    entities: Vec<FoundEntity>,
    /// How many more fit.
    #[serde(skip_serializing_if = "is_zero")]
    more: usize,
    /// Where nothing was asked for: the rooms, with what is in them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    areas: Vec<FoundArea>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sources: Vec<Citation>,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

#[derive(Serialize, JsonSchema)]
struct FoundEntity {
    entity_id: String,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    area: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<String>,
    state: String,
}

#[derive(Serialize, JsonSchema)]
struct FoundArea {
    area_id: AreaId,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    floor: Option<FloorId>,
    /// How many of each domain.
    holds: BTreeMap<String, usize>,
}

#[async_trait]
impl Tool for SearchEntities {
    type Input = SearchInput;
    type Output = SearchOutput;

    fn declaration(&self) -> Declaration {
        let about = "Finds entities of the home by words, room, kind or state. With no arguments: lists the rooms.";
        observes(self.home.as_ref(), "search_entities", about).core()
    }

    async fn call(&self, input: SearchInput, context: &CallContext) -> Result<SearchOutput, ToolFailure> {
        let home = self.home.as_ref();
        check_known(home)?;
        let (area, floor) = (self.area(input.area.as_deref())?, self.floor(input.floor.as_deref())?);
        let text = input.text.unwrap_or_default();
        let is_narrowed = input.domain.is_some() || input.class.is_some() || input.state.is_some();
        if text.trim().is_empty() && area.is_none() && floor.is_none() && !is_narrowed {
            context.say("Looking at the rooms of the home");
            return Ok(SearchOutput {
                areas: self.areas(),
                entities: Vec::new(),
                more: 0,
                note: stale(home),
                sources: Vec::new(),
            });
        }
        context.say(said(&text, input.domain.as_deref(), area.as_deref()));
        let limit = input.limit.unwrap_or(LIMIT).clamp(1, LIMIT_MAX);
        let lower = |word: Option<String>| word.map(|word| word.trim().to_lowercase());
        let mut hits = home.index().search(&EntityQuery {
            text,
            domains: lower(input.domain).into_iter().collect(),
            classes: lower(input.class).into_iter().collect(),
            area: area.map(|area| area.id.clone()),
            floor,
            state: input.state.map(|state| state.trim().to_owned()).filter(|state| !state.is_empty()),
            hidden_too: false,
            limit: usize::MAX,
        });
        let more = hits.len().saturating_sub(limit);
        hits.truncate(limit);
        let mut sources = CitedSources::default();
        let entities = hits.into_iter().map(|hit| {
            sources.state(&hit.snapshot);
            found(&hit.snapshot)
        });
        let entities: Vec<FoundEntity> = entities.collect();
        Ok(SearchOutput { entities, more, areas: Vec::new(), note: stale(home), sources: sources.finish() })
    }

    fn sources(&self, output: &SearchOutput) -> Vec<Citation> {
        output.sources.clone()
    }
}

fn said(text: &str, domain: Option<&str>, area: Option<&Area>) -> String {
    let kind =
        domain.map_or_else(|| "everything".to_owned(), |domain| format!("all that is a {}", domain.replace('_', " ")));
    match (text.trim(), area) {
        ("", Some(area)) => format!("Gathering {kind} in the area {}", area.name),
        ("", None) => format!("Gathering {kind}"),
        (text, Some(area)) => format!("Looking for “{text}” in the area {}", area.name),
        (text, None) => format!("Looking for “{text}”"),
    }
}

fn found(snapshot: &EntitySnapshot) -> FoundEntity {
    FoundEntity {
        entity_id: snapshot.entity.id.to_string(),
        name: snapshot.entity.name.clone(),
        area: snapshot.area.as_ref().map(|area| area.name.clone()),
        class: snapshot.entity.class.clone(),
        state: snapshot.state.as_ref().map_or_else(|| snapshot.word().to_owned(), |state| state.in_words()),
    }
}

impl SearchEntities {
    fn areas(&self) -> Vec<FoundArea> {
        let index = self.home.index();
        let all = index.matching(|entity| entity.exposed);
        let mut areas: Vec<FoundArea> = Vec::new();
        for area in index.areas() {
            let mut holds: BTreeMap<String, usize> = BTreeMap::new();
            let here = all.iter().filter(|snapshot| snapshot.area.as_ref().is_some_and(|other| other.id == area.id));
            for snapshot in here.filter(|snapshot| !snapshot.entity.auxiliary) {
                *holds.entry(snapshot.entity.id.domain().to_owned()).or_default() += 1;
            }
            areas.push(FoundArea {
                area_id: area.id.clone(),
                name: area.name.clone(),
                floor: area.floor.clone(),
                holds,
            });
        }
        areas
    }

    fn area(&self, name: Option<&str>) -> Result<Option<Arc<Area>>, ToolFailure> {
        area(self.home.as_ref(), name)
    }

    fn floor(&self, name: Option<&str>) -> Result<Option<FloorId>, ToolFailure> {
        let Some(name) = name.map(str::trim).filter(|name| !name.is_empty()) else { return Ok(None) };
        let floors = self.home.index().floors();
        let is_it = |names: &[String]| names.iter().any(|known| plain(known) == plain(name));
        let found = floors
            .iter()
            .find(|floor| floor.id.as_str() == name || is_it(&floor.aliases) || plain(&floor.name) == plain(name));
        found.map(|floor| Some(floor.id.clone())).ok_or_else(|| {
            let known: Vec<&str> = floors.iter().map(|floor| floor.name.as_str()).collect();
            ToolFailure::Invalid(format!("there is no floor `{name}`; there are: {}", known.join(", ")))
        })
    }
}

/// The area of that name.
pub(super) fn area(home: &dyn HomePort, name: Option<&str>) -> Result<Option<Arc<Area>>, ToolFailure> {
    let Some(name) = name.map(str::trim).filter(|name| !name.is_empty()) else { return Ok(None) };
    let areas = home.index().areas();
    let is_it = |area: &Area| {
        area.id.as_str() == name
            || std::iter::once(&area.name).chain(&area.aliases).any(|known| plain(known) == plain(name))
    };
    areas.iter().find(|area| is_it(area)).map(|area| Some(area.clone())).ok_or_else(|| {
        let known: Vec<&str> = areas.iter().map(|area| area.name.as_str()).collect();
        ToolFailure::Invalid(format!("there is no area `{name}`; there are: {}", known.join(", ")))
    })
}
