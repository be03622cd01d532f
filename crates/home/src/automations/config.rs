//! The configuration of an automation: brought into the form that every release of Home Assistant
//! takes, and checked against the rules of the operator.

use std::collections::BTreeSet;

use reflex::SensitiveTable;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::yaml::yaml;
use crate::{acting::Permission, index::HomeIndex, port::EntityId};

/// The longest configuration, as text.
const BYTES_MAX: usize = 32 * 1024;
/// Fields that name more than single entities.
const WIDE: &[&str] = &["area_id", "device_id", "floor_id", "label_id"];

/// An automation.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AutomationConfig {
    /// Its name.
    pub alias: String,
    /// What it is for.
    #[serde(default)]
    pub description: String,
    /// What starts it, as in Home Assistant: `[{"trigger": "sun", "event": "sunset"}]`.
    #[serde(alias = "trigger")]
    pub triggers: Vec<Value>,
    /// What has to be so.
    #[serde(default, alias = "condition")]
    pub conditions: Vec<Value>,
    /// What it does: `[{"action": "light.turn_on", "target": {"entity_id": "light.porch"}}]`.
    #[serde(alias = "action")]
    pub actions: Vec<Value>,
    /// What a further start does while it runs: single, restart, queued or parallel.
    #[serde(default)]
    pub mode: AutomationMode,
}

/// What a further start does while the automation runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AutomationMode {
    /// It is ignored.
    #[default]
    Single,
    /// It starts the automation over.
    Restart,
    /// It waits.
    Queued,
    /// It runs beside.
    Parallel,
}

/// What the home says about an automation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AutomationCheck {
    /// The home takes it.
    Valid,
    /// The home does not take it, for these reasons.
    Invalid(Vec<String>),
}

impl AutomationConfig {
    /// The configuration as it is stored. Releases before 2024.10 know the old names only, and
    /// later ones still take them.
    pub fn stored(&self) -> Map<String, Value> {
        let mut stored = Map::new();
        stored.insert("alias".to_owned(), json!(self.alias.trim()));
        stored.insert("description".to_owned(), json!(self.description.trim()));
        let triggers: Vec<Value> =
            self.triggers.iter().cloned().map(|one| renamed(one, "trigger", "platform")).collect();
        let actions: Vec<Value> = self.actions.iter().cloned().map(|one| renamed(one, "action", "service")).collect();
        stored.insert("trigger".to_owned(), Value::Array(triggers));
        stored.insert("condition".to_owned(), Value::Array(self.conditions.clone()));
        stored.insert("action".to_owned(), Value::Array(actions));
        stored.insert("mode".to_owned(), json!(self.mode));
        stored
    }

    /// The configuration as YAML, for the user.
    pub fn yaml(&self) -> String {
        yaml(&self.stored()).unwrap_or_else(|| Value::Object(self.stored()).to_string())
    }

    /// Why the automation may not be created here; `None` if it may.
    pub(super) fn objection(&self, index: &HomeIndex, permission: &Permission) -> Option<String> {
        if self.alias.trim().is_empty() || self.triggers.is_empty() || self.actions.is_empty() {
            return Some("an automation needs a name in `alias`, a trigger and an action".to_owned());
        }
        if Value::Object(self.stored()).to_string().len() > BYTES_MAX {
            return Some(format!("the automation is longer than {BYTES_MAX} bytes: make it shorter"));
        }
        let actions = Value::Array(self.actions.clone());
        for id in entities(&actions) {
            let Some(snapshot) = index.get(&id) else {
                return Some(format!("there is no entity `{id}` in this home; `search_entities` finds them"));
            };
            if let Some(objection) = permission.objection(index, &snapshot) {
                return Some(format!("{objection}, so no automation may do it either"));
            }
        }
        let has_rules = !permission.allow.is_empty() || !permission.deny.is_empty();
        let wide = WIDE.iter().find(|field| names_field(&actions, field))?;
        has_rules.then(|| {
            format!("`{wide}` cannot be checked against `home.allow` and `home.deny`: name the entities by `entity_id`")
        })
    }

    /// The sensitive entities that its actions name.
    pub(super) fn sensitive(&self, table: &SensitiveTable) -> Vec<EntityId> {
        let named = entities(&Value::Array(self.actions.clone()));
        named.into_iter().filter(|id| table.is_entity(id.as_str(), None) || id.domain() == "cover").collect()
    }
}

/// The value with a field renamed wherever its value is a text, also in nested actions.
fn renamed(value: Value, from: &str, to: &str) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.into_iter().map(|(name, field)| {
                let is_it = name == from && field.is_string();
                (if is_it { to.to_owned() } else { name }, renamed(field, from, to))
            });
            Value::Object(fields.collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(|item| renamed(item, from, to)).collect()),
        other => other,
    }
}

/// The entities that are named as targets, as one id, ids with commas, or lists.
fn entities(value: &Value) -> BTreeSet<EntityId> {
    let mut named = BTreeSet::new();
    each_field(value, &mut |name, field| {
        if name != "entity_id" && name != "scene" {
            return;
        }
        let texts: Vec<&str> = match field {
            Value::String(text) => text.split(',').collect(),
            Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        named.extend(texts.into_iter().filter_map(|text| text.trim().parse().ok()));
    });
    named
}

fn names_field(value: &Value, wanted: &str) -> bool {
    let mut is_named = false;
    each_field(value, &mut |name, _| is_named |= name == wanted);
    is_named
}

fn each_field(value: &Value, see: &mut impl FnMut(&str, &Value)) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, field)| {
            see(name, field);
            each_field(field, see);
        }),
        Value::Array(items) => items.iter().for_each(|item| each_field(item, see)),
        _ => {}
    }
}
