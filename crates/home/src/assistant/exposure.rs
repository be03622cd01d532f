//! What assistants may see and use, by Home Assistant's own rules.
//!
//! For what is listed in the registry, the registry says it, to every user. For the rest there is a list that only
//! administrators may read; whoever may not read it cannot tell what the owner took away, so none of the rest is exposed.
//! Home Assistant decides on an entity when its own assistant first looks at it; until then its default rule holds: some
//! domains, and sensors of some classes.

use std::collections::{BTreeMap, BTreeSet};

use super::wire::{EntityEntry, ExposedList};
use crate::{
    house::{EntityId, State},
    index::Unlisted,
};

/// Which of Home Assistant's assistants we count as.
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

/// Whether Home Assistant exposes an entity of this kind by itself.
fn is_usual(id: &EntityId, class: Option<&str>) -> bool {
    let among = |classes: &[&str]| class.is_some_and(|class| classes.contains(&class));
    match id.domain() {
        "binary_sensor" => among(BINARY_SENSOR_CLASSES),
        "sensor" => among(SENSOR_CLASSES),
        domain => DOMAINS.contains(&domain),
    }
}

/// What is exposed.
#[derive(Debug, Clone)]
pub(super) struct Exposure {
    only_exposed: bool,
    /// Whether what nobody has decided on is exposed if it is of a usual kind; none if this token may not know.
    exposes_new: Option<bool>,
    rest: Rest,
}

/// What is known of entities that the registry does not list.
#[derive(Debug, Clone)]
enum Rest {
    /// Nothing: this token may not read it.
    Untold,
    /// What was decided.
    Decided {
        by_id: BTreeMap<String, bool>,
        /// Whether the list is silent on what was decided against, too.
        silence_is_no: bool,
    },
}

impl Rest {
    fn of(list: ExposedList, registry: &[EntityEntry]) -> Self {
        let list = list.exposed_entities;
        // 2024.3 names everything in the registry, and what is not exposed; 2025.4 names only what is.
        let names_all = list.values().any(|to| to.is_empty() || to.values().any(|exposed| !exposed));
        let by_id: BTreeMap<String, bool> =
            list.into_iter().filter_map(|(id, assistants)| Some((id, *assistants.get(ASSISTANT)?))).collect();
        // Home Assistant decides on everything at once; where nothing was decided on, nothing was decided against.
        let is_decided = |entry: &EntityEntry| entry.options.conversation.should_expose.is_some();
        let is_begun = !by_id.is_empty() || registry.iter().any(is_decided);
        Self::Decided { by_id, silence_is_no: is_begun && !names_all }
    }
}

impl Exposure {
    /// By the list and the rule for what is new, as far as this token may know them.
    pub(super) fn new(
        only_exposed: bool,
        list: Option<ExposedList>,
        exposes_new: Option<bool>,
        registry: &[EntityEntry],
    ) -> Self {
        let rest = list.map_or(Rest::Untold, |list| Rest::of(list, registry));
        Self { only_exposed, exposes_new, rest }
    }

    /// Whether entities that the registry does not list are kept back because nobody here may know of them.
    pub(super) fn keeps_rest_back(&self) -> bool {
        self.only_exposed && matches!(self.rest, Rest::Untold)
    }

    /// Whether an entity of the registry is.
    pub(super) fn listed(&self, entry: &EntityEntry, class: Option<&str>) -> bool {
        if entry.hidden_by.is_some() {
            return false;
        }
        // Whoever may not know the rule for what is new goes by the one that Home Assistant comes with.
        let exposes_new = self.exposes_new != Some(false);
        let undecided = || exposes_new && entry.entity_category.is_none() && is_usual(&entry.entity_id, class);
        !self.only_exposed || entry.options.conversation.should_expose.unwrap_or_else(undecided)
    }

    /// Which of those are that the registry does not list.
    pub(super) fn unlisted<'a>(
        &self,
        is_listed: impl Fn(&EntityId) -> bool,
        states: impl Iterator<Item = &'a State>,
    ) -> Unlisted {
        if !self.only_exposed {
            return Unlisted::All;
        }
        let mut exposed = BTreeSet::new();
        if let Rest::Decided { by_id, silence_is_no } = &self.rest {
            let takes_new = self.exposes_new == Some(true) && !silence_is_no;
            for state in states.filter(|state| !is_listed(&state.entity_id)) {
                let id = &state.entity_id;
                let undecided = || takes_new && is_usual(id, state.text("device_class"));
                if by_id.get(id.as_str()).copied().unwrap_or_else(undecided) {
                    exposed.insert(id.clone());
                }
            }
        }
        Unlisted::Only(exposed)
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

    fn states(ids: &[&str]) -> Vec<State> {
        let at = Timestamp::from_millis(0);
        let state = |id: &&str| State {
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
            Unlisted::All => panic!("all"),
            Unlisted::Only(exposed) => exposed.iter().map(ToString::to_string).collect(),
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
    fn whoever_wants_all_gets_all_but_the_hidden() {
        let exposure = Exposure::new(false, None, None, &[]);
        assert!(exposure.listed(&entry(json!({"entity_id": "lock.a"})), None));
        assert!(!exposure.listed(&entry(json!({"entity_id": "lock.a", "hidden_by": "integration"})), None));
        assert_eq!(exposure.unlisted(|_| false, states(&["lock.a"]).iter()), Unlisted::All);
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
            assert_eq!(unlisted(&exposure, &["light.a", "lock.a"]), ["light.a"], "nobody has decided yet");
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
