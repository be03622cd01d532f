//! The meaning of a sentence in this home: entities and values.

use reflex::{RecognizedIntent, SlotOrigin, SlotValue};
use serde_json::Value;

use super::ANY_AREA;
use crate::{
    index::{EntitySnapshot, HomeIndex, plain},
    port::{Area, AreaId, EntityId, FloorId},
};

/// The resolved meaning of a sentence.
#[derive(Debug, Clone, PartialEq)]
pub struct ResolvedIntent {
    /// As `HassTurnOn`.
    pub intent: String,
    /// The key of the answer, as `one_yesno`.
    pub response: Option<String>,
    /// The entities with the name in the sentence; `None` if it has no name.
    pub named: Option<Vec<EntityId>>,
    /// The name in the sentence.
    pub name: Option<String>,
    /// The area in the sentence, or the speaker's area if the sentence implies it.
    pub area: Option<AreaId>,
    /// The floor in the sentence.
    pub floor: Option<FloorId>,
    /// The domains.
    pub domains: Vec<String>,
    /// The device classes.
    pub classes: Vec<String>,
    /// Whether the sentence names the area.
    pub is_place_said: bool,
    /// Whether it needs an area that is not known.
    pub lacks_place: bool,
    /// The speaker's area.
    pub here: Option<AreaId>,
    slots: Vec<(String, SlotValue)>,
}

/// Whether the intent is a question.
pub(super) fn is_question(intent: &str) -> bool {
    intent.starts_with("HassGet") || intent.starts_with("HassClimateGet") || intent == "HassTimerStatus"
}

impl ResolvedIntent {
    pub(super) fn of(understood: &RecognizedIntent, index: &HomeIndex, here: Option<&Area>) -> Self {
        let slot = |name: &str| understood.slots.get(name);
        let texts = |name: &str| slot(name).map(|slot| texts(&slot.value)).unwrap_or_default();
        let name = slot("name");
        let said_area = slot("area");
        let lacks_place = said_area.is_some_and(|slot| slot.value.as_str() == Some(ANY_AREA));
        let area = said_area.filter(|_| !lacks_place).and_then(|slot| area_of(slot, index));
        let named = name.filter(|slot| slot.origin != SlotOrigin::Wildcard);
        Self {
            intent: understood.intent.clone(),
            response: understood.response.clone(),
            named: named.map(|slot| slot.ids.iter().filter_map(|id| id.parse().ok()).collect()),
            name: name.and_then(|slot| slot.value.as_str().map(str::to_owned)),
            area,
            floor: slot("floor").and_then(|slot| slot.ids.first().map(FloorId::new)),
            domains: texts("domain"),
            classes: texts("device_class"),
            is_place_said: said_area.is_some_and(|slot| slot.origin == SlotOrigin::List),
            lacks_place,
            here: here.map(|area| area.id.clone()),
            slots: understood.slots.iter().map(|(name, slot)| (name.clone(), slot.clone())).collect(),
        }
    }

    /// Whether the sentence is a question.
    pub fn is_question(&self) -> bool {
        is_question(&self.intent)
    }

    /// The value of a slot.
    pub(super) fn value(&self, slot: &str) -> Option<&Value> {
        self.slots.iter().find(|(name, _)| name == slot).map(|(_, slot)| &slot.value)
    }

    /// The number in a slot.
    pub(super) fn number(&self, slot: &str) -> Option<f64> {
        let value = self.value(slot)?;
        value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())
    }

    /// The text in a slot.
    pub(super) fn text(&self, slot: &str) -> Option<&str> {
        self.value(slot)?.as_str()
    }

    /// The target entities, of the default domains if the sentence names none. If several share a
    /// name, the one in the speaker's area is meant.
    pub(super) fn entities(&self, index: &HomeIndex, usual: &[&str]) -> Vec<EntitySnapshot> {
        let mut all: Vec<EntitySnapshot> = match &self.named {
            Some(ids) => ids.iter().filter_map(|id| index.get(id)).collect(),
            None => index.matching(|entity| entity.exposed && !entity.auxiliary),
        };
        let is_there =
            |snapshot: &EntitySnapshot, place: &AreaId| snapshot.area.as_ref().is_some_and(|area| area.id == *place);
        // A named area is binding; the speaker's own area only helps to choose.
        if let Some(area) = &self.area
            && (self.named.is_none() || self.is_place_said || all.iter().any(|it| is_there(it, area)))
        {
            all.retain(|snapshot| is_there(snapshot, area));
        }
        if let Some(wanted) = &self.floor {
            all.retain(|snapshot| snapshot.floor.as_ref().is_some_and(|floor| floor.id == *wanted));
        }
        // A sentence about lights does nothing to a lock that has the name.
        let domains: Vec<&str> = self.domains.iter().map(String::as_str).collect();
        let domains = if domains.is_empty() && self.named.is_none() { usual } else { &domains };
        all.retain(|snapshot| domains.is_empty() || domains.contains(&snapshot.entity.id.domain()));
        if !self.classes.is_empty() {
            let is_class = |class: &String| self.classes.contains(class);
            all.retain(|snapshot| snapshot.entity.class.as_ref().is_some_and(is_class));
        }
        if all.len() > 1
            && self.named.is_some()
            && let Some(here) = &self.here
            && all.iter().any(|it| is_there(it, here))
        {
            all.retain(|snapshot| is_there(snapshot, here));
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

fn area_of(slot: &SlotValue, index: &HomeIndex) -> Option<AreaId> {
    if let Some(id) = slot.ids.first() {
        return Some(AreaId::new(id));
    }
    let wanted = plain(slot.value.as_str()?);
    let areas = index.areas();
    let found = areas.iter().find(|area| plain(&area.name) == wanted || plain(area.id.as_str()) == wanted);
    found.map(|area| area.id.clone())
}
