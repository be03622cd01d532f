//! What a sentence means in this home: which entities, and what about them.

use reflex::{Origin, Slot, Understood};
use serde_json::Value;

use super::SOMEWHERE;
use crate::{
    house::{Area, AreaId, EntityId, FloorId},
    index::{Index, Standing, plain},
};

/// What a sentence means.
#[derive(Debug, Clone, PartialEq)]
pub struct Meaning {
    /// As `HassTurnOn`.
    pub intent: String,
    /// The key of the answer, as `one_yesno`.
    pub response: Option<String>,
    /// The entities that are called by the name that was said; none where no name was.
    pub named: Option<Vec<EntityId>>,
    /// The name that was said.
    pub name: Option<String>,
    /// The area that was said, or the one of whoever speaks where the sentence means that.
    pub area: Option<AreaId>,
    /// The floor that was said.
    pub floor: Option<FloorId>,
    /// The kinds of things that are meant.
    pub domains: Vec<String>,
    /// The kinds of things within their domain.
    pub classes: Vec<String>,
    /// Whether the area was said.
    pub is_place_said: bool,
    /// Whether it means a place that nobody named.
    pub lacks_place: bool,
    /// The area of whoever speaks.
    pub here: Option<AreaId>,
    slots: Vec<(String, Slot)>,
}

/// Whether something is asked rather than wanted.
pub(super) fn is_question(intent: &str) -> bool {
    intent.starts_with("HassGet") || intent.starts_with("HassClimateGet") || intent == "HassTimerStatus"
}

impl Meaning {
    pub(super) fn of(understood: &Understood, index: &Index, here: Option<&Area>) -> Self {
        let slot = |name: &str| understood.slots.get(name);
        let texts = |name: &str| slot(name).map(|slot| texts(&slot.value)).unwrap_or_default();
        let name = slot("name");
        let said_area = slot("area");
        let lacks_place = said_area.is_some_and(|slot| slot.value.as_str() == Some(SOMEWHERE));
        let area = said_area.filter(|_| !lacks_place).and_then(|slot| area_of(slot, index));
        let named = name.filter(|slot| slot.origin != Origin::Wildcard);
        Self {
            intent: understood.intent.clone(),
            response: understood.response.clone(),
            named: named.map(|slot| slot.ids.iter().filter_map(|id| id.parse().ok()).collect()),
            name: name.and_then(|slot| slot.value.as_str().map(str::to_owned)),
            area,
            floor: slot("floor").and_then(|slot| slot.ids.first().map(FloorId::new)),
            domains: texts("domain"),
            classes: texts("device_class"),
            is_place_said: said_area.is_some_and(|slot| slot.origin == Origin::List),
            lacks_place,
            here: here.map(|area| area.id.clone()),
            slots: understood.slots.iter().map(|(name, slot)| (name.clone(), slot.clone())).collect(),
        }
    }

    /// Whether something is asked rather than wanted.
    pub fn is_question(&self) -> bool {
        is_question(&self.intent)
    }

    /// What was said of a thing.
    pub(super) fn value(&self, slot: &str) -> Option<&Value> {
        self.slots.iter().find(|(name, _)| name == slot).map(|(_, slot)| &slot.value)
    }

    /// The number that was said of a thing.
    pub(super) fn number(&self, slot: &str) -> Option<f64> {
        let value = self.value(slot)?;
        value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())
    }

    /// The words that were said of a thing.
    pub(super) fn text(&self, slot: &str) -> Option<&str> {
        self.value(slot)?.as_str()
    }

    /// The entities that are meant, of these domains where the sentence does not say. A name that several share means the
    /// one where the speaker is, if there is one.
    pub(super) fn entities(&self, index: &Index, usual: &[&str]) -> Vec<Standing> {
        let mut all: Vec<Standing> = match &self.named {
            Some(ids) => ids.iter().filter_map(|id| index.get(id)).collect(),
            None => index.matching(|entity| entity.exposed && !entity.auxiliary),
        };
        let is_there =
            |standing: &Standing, place: &AreaId| standing.area.as_ref().is_some_and(|area| area.id == *place);
        // Whoever names a place means that place; the speaker's own only helps to choose.
        if let Some(area) = &self.area
            && (self.named.is_none() || self.is_place_said || all.iter().any(|it| is_there(it, area)))
        {
            all.retain(|standing| is_there(standing, area));
        }
        if let Some(wanted) = &self.floor {
            all.retain(|standing| standing.floor.as_ref().is_some_and(|floor| floor.id == *wanted));
        }
        if self.named.is_none() {
            let domains: Vec<&str> = self.domains.iter().map(String::as_str).collect();
            let domains = if domains.is_empty() { usual } else { &domains };
            all.retain(|standing| domains.is_empty() || domains.contains(&standing.entity.id.domain()));
            if !self.classes.is_empty() {
                let is_class = |class: &String| self.classes.contains(class);
                all.retain(|standing| standing.entity.class.as_ref().is_some_and(is_class));
            }
        } else if all.len() > 1
            && let Some(here) = &self.here
            && all.iter().any(|it| is_there(it, here))
        {
            all.retain(|standing| is_there(standing, here));
        }
        all
    }
}

fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::Array(all) => all.iter().filter_map(|one| one.as_str().map(str::to_owned)).collect(),
        other => other.as_str().map(str::to_owned).into_iter().collect(),
    }
}

fn area_of(slot: &Slot, index: &Index) -> Option<AreaId> {
    if let Some(id) = slot.ids.first() {
        return Some(AreaId::new(id));
    }
    let wanted = plain(slot.value.as_str()?);
    let areas = index.areas();
    let found = areas.iter().find(|area| plain(&area.name) == wanted || plain(area.id.as_str()) == wanted);
    found.map(|area| area.id.clone())
}
