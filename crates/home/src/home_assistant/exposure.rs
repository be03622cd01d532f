//! Which entities are exposed to assistants, by Home Assistant's rules.
//!
//! Entities in the registry carry their exposure there, readable by every user. For the others
//! there is a list that only administrators may read; without access, none of them is exposed,
//! since it is not known which the owner excluded. Home Assistant decides on an entity when its own
//! assistant first uses it. Until then the default rule applies: some domains, and sensors of some
//! classes.

use std::collections::{BTreeMap, BTreeSet};

use super::wire::{EntityEntry, ExposedList};
use crate::{
    index::UnlistedExposure,
    port::{EntityId, EntityState},
};

/// The id of the Home Assistant assistant whose exposure settings apply.
pub(super) const ASSISTANT: &str = "conversation";

const DOMAINS: &[&str] = &[
    "climate",
    "cover",
    "fan",
    "humidifier",
    "light",
    "media_player",
    "scene",
    "switch",
    "todo",
    "vacuum",
    "water_heater",
];
const BINARY_SENSOR_CLASSES: &[&str] = &["door", "garage_door", "lock", "motion", "opening", "presence", "window"];
const SENSOR_CLASSES: &[&str] = &[
    "aqi",
    "carbon_dioxide",
    "carbon_monoxide",
    "humidity",
    "pm10",
    "pm25",
    "temperature",
    "volatile_organic_compounds",
];

/// Whether Home Assistant exposes an entity of this kind by default.
fn is_usual(id: &EntityId, class: Option<&str>) -> bool {
    let among = |classes: &[&str]| class.is_some_and(|class| classes.contains(&class));
    match id.domain() {
        "binary_sensor" => among(BINARY_SENSOR_CLASSES),
        "sensor" => among(SENSOR_CLASSES),
        domain => DOMAINS.contains(&domain),
    }
}

/// The exposure of all entities.
#[derive(Debug, Clone)]
pub(super) struct Exposure {
    only_exposed: bool,
    /// Whether new entities of a default kind are exposed; `None` if this token may not read it.
    exposes_new: Option<bool>,
    rest: ExposureDecisions,
}

/// The exposure of entities that the registry does not list.
#[derive(Debug, Clone)]
enum ExposureDecisions {
    /// Unknown: this token may not read it.
    Unreadable,
    /// The decisions.
    Decided {
        by_id: BTreeMap<String, bool>,
        /// Whether an entity missing from the list is not exposed.
        silence_is_no: bool,
    },
}

impl ExposureDecisions {
    fn of(list: ExposedList, registry: &[EntityEntry]) -> Self {
        let list = list.exposed_entities;
        // 2024.3 lists all registry entities, also those not exposed; 2025.4 lists only the exposed
        // ones.
        let names_all = list.values().any(|to| to.is_empty() || to.values().any(|exposed| !exposed));
        let by_id: BTreeMap<String, bool> =
            list.into_iter().filter_map(|(id, assistants)| Some((id, *assistants.get(ASSISTANT)?))).collect();
        // Home Assistant decides on all entities at once. If none is decided, none was excluded.
        let is_decided = |entry: &EntityEntry| entry.options.conversation.should_expose.is_some();
        let is_begun = !by_id.is_empty() || registry.iter().any(is_decided);
        Self::Decided { by_id, silence_is_no: is_begun && !names_all }
    }
}

impl Exposure {
    /// Built from the list and the default for new entities, as far as this token may read them.
    pub(super) fn new(
        only_exposed: bool,
        list: Option<ExposedList>,
        exposes_new: Option<bool>,
        registry: &[EntityEntry],
    ) -> Self {
        let rest = list.map_or(ExposureDecisions::Unreadable, |list| ExposureDecisions::of(list, registry));
        Self { only_exposed, exposes_new, rest }
    }

    /// Whether entities outside the registry are hidden because this token may not read their
    /// exposure.
    pub(super) fn keeps_rest_back(&self) -> bool {
        self.only_exposed && matches!(self.rest, ExposureDecisions::Unreadable)
    }

    /// Whether a registry entity is exposed.
    pub(super) fn listed(&self, entry: &EntityEntry, class: Option<&str>) -> bool {
        if entry.hidden_by.is_some() {
            return false;
        }
        // Without access to the setting for new entities, Home Assistant's default applies.
        let exposes_new = self.exposes_new != Some(false);
        let undecided = || exposes_new && entry.entity_category.is_none() && is_usual(&entry.entity_id, class);
        !self.only_exposed || entry.options.conversation.should_expose.unwrap_or_else(undecided)
    }

    /// The exposed entities among those that the registry does not list.
    pub(super) fn unlisted<'a>(
        &self,
        is_listed: impl Fn(&EntityId) -> bool,
        states: impl Iterator<Item = &'a EntityState>,
    ) -> UnlistedExposure {
        if !self.only_exposed {
            return UnlistedExposure::All;
        }
        let mut exposed = BTreeSet::new();
        if let ExposureDecisions::Decided { by_id, silence_is_no } = &self.rest {
            let takes_new = self.exposes_new == Some(true) && !silence_is_no;
            for state in states.filter(|state| !is_listed(&state.entity_id)) {
                let id = &state.entity_id;
                let undecided = || takes_new && is_usual(id, state.text("device_class"));
                if by_id.get(id.as_str()).copied().unwrap_or_else(undecided) {
                    exposed.insert(id.clone());
                }
            }
        }
        UnlistedExposure::Only(exposed)
    }
}

#[cfg(test)]
mod tests {
    use protocol::Timestamp;
    use serde_json::json;

    use super::*;

    fn entry(json: serde_json::Value) -> EntityEntry {
        serde_json::from_value(json).unwrap()
    }

    fn list(json: serde_json::Value) -> Option<ExposedList> {
        serde_json::from_value(json!({"exposed_entities": json})).unwrap()
    }

    fn states(ids: &[&str]) -> Vec<EntityState> {
        let at = Timestamp::from_millis(0);
        let state = |id: &&str| EntityState {
            entity_id: id.parse().unwrap(),
            state: "on".to_owned(),
            attributes: serde_json::Map::new(),
            changed_at: at,
            updated_at: at,
        };
        ids.iter().map(state).collect()
    }

    fn unlisted(exposure: &Exposure, ids: &[&str]) -> Vec<String> {
        match exposure.unlisted(|_| false, states(ids).iter()) {
            UnlistedExposure::All => panic!("all"),
            UnlistedExposure::Only(exposed) => exposed.iter().map(ToString::to_string).collect(),
        }
    }

    #[test]
    fn the_registry_decides_and_the_default_rule_where_it_does_not() {
        let exposure = Exposure::new(true, None, None, &[]);
        let is = |json, class| exposure.listed(&entry(json), class);
        let told = |yes: bool| json!({"entity_id": "lock.door", "options": {"conversation": {"should_expose": yes}}});
        assert!(is(told(true), None));
        assert!(!is(told(false), None));
        assert!(is(json!({"entity_id": "light.a", "options": null}), None));
        assert!(!is(json!({"entity_id": "lock.a"}), None));
        assert!(is(json!({"entity_id": "sensor.a"}), Some("temperature")));
        assert!(!is(json!({"entity_id": "sensor.a"}), Some("battery")));
        assert!(!is(json!({"entity_id": "light.a", "entity_category": "config"}), None));
        assert!(!is(json!({"entity_id": "light.a", "hidden_by": "user"}), None));
    }

    #[test]
    fn without_the_exposure_filter_all_but_hidden_entities_are_shown() {
        let exposure = Exposure::new(false, None, None, &[]);
        assert!(exposure.listed(&entry(json!({"entity_id": "lock.a"})), None));
        assert!(!exposure.listed(&entry(json!({"entity_id": "lock.a", "hidden_by": "integration"})), None));
        assert_eq!(exposure.unlisted(|_| false, states(&["lock.a"]).iter()), UnlistedExposure::All);
    }

    #[test]
    fn a_list_that_says_no_is_silent_on_what_is_new() {
        let of_2024 = list(json!({"lock.a": {"conversation": true}, "light.b": {"conversation": false}}));
        let exposure = Exposure::new(true, of_2024, Some(true), &[]);
        assert_eq!(unlisted(&exposure, &["lock.a", "light.b", "light.new", "lock.new"]), ["light.new", "lock.a"]);
    }

    #[test]
    fn a_list_that_never_says_no_means_no_by_silence() {
        let of_2025 = list(json!({"scene.a": {"conversation": true}, "light.c": {"cloud.alexa": true}}));
        let exposure = Exposure::new(true, of_2025, Some(true), &[]);
        assert_eq!(unlisted(&exposure, &["scene.a", "light.b", "light.c"]), ["scene.a"]);
    }

    #[test]
    fn what_was_all_decided_against_leaves_a_list_that_is_empty_and_means_no() {
        let decided = entry(json!({"entity_id": "light.b", "options": {"conversation": {"should_expose": false}}}));
        let exposure = Exposure::new(true, list(json!({})), Some(true), &[decided]);
        assert!(unlisted(&exposure, &["light.a"]).is_empty());
        let undecided = entry(json!({"entity_id": "light.b"}));
        let of_2024 = list(json!({"light.b": {}}));
        for (list, registry) in [(list(json!({})), vec![]), (of_2024, vec![undecided])] {
            let exposure = Exposure::new(true, list, Some(true), &registry);
            assert_eq!(unlisted(&exposure, &["light.a", "lock.a"]), ["light.a"], "no decision yet");
        }
    }

    #[test]
    fn without_the_list_nothing_is_exposed_that_the_registry_does_not_list() {
        let exposure = Exposure::new(true, None, None, &[]);
        assert!(exposure.keeps_rest_back() && unlisted(&exposure, &["light.a", "lock.a"]).is_empty());
        assert!(!Exposure::new(false, None, None, &[]).keeps_rest_back());
    }

    #[test]
    fn what_is_new_is_not_exposed_where_the_owner_wants_it_so_or_it_is_not_known() {
        for exposes_new in [Some(false), None] {
            let exposure = Exposure::new(true, list(json!({})), exposes_new, &[]);
            assert!(unlisted(&exposure, &["light.a"]).is_empty(), "{exposes_new:?}");
        }
        let exposure = Exposure::new(true, list(json!({})), Some(false), &[]);
        assert!(!exposure.listed(&entry(json!({"entity_id": "light.a"})), None));
    }
}
