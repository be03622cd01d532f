//! Context rules: what a sentence requires or excludes, and the context it is checked against.

use std::collections::BTreeMap;

use serde_json::Value;

/// The context of a name or of the speaker: the domain of an entity, the area of a device.
pub type ContextMap = BTreeMap<String, Value>;

/// The context in which a sentence is spoken.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct IntentContext {
    /// Values by key, such as `area` for the area of the listening device.
    pub context: ContextMap,
}

impl IntentContext {
    /// The context of a device in this area.
    #[must_use]
    pub fn in_area(area: impl Into<String>) -> Self {
        Self { context: ContextMap::from([("area".to_owned(), Value::String(area.into()))]) }
    }
}

/// One condition of a sentence on the context.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ContextRule {
    pub key: String,
    /// The required value, or a list of accepted ones; any value if absent.
    pub value: Option<Value>,
    /// The slot that gets the value.
    pub slot: Option<String>,
}

/// The conditions of a block of sentences on the context.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ContextRules {
    pub requires: Vec<ContextRule>,
    pub excludes: Vec<ContextRule>,
}

impl ContextRule {
    pub(crate) fn new(key: &str, value: &Value) -> Self {
        let (value, slot) = match value {
            Value::Object(fields) => {
                let slot = match fields.get("slot") {
                    Some(Value::String(slot)) => Some(slot.clone()),
                    Some(Value::Bool(true)) => Some(key.to_owned()),
                    _ => None,
                };
                (fields.get("value").cloned().filter(|value| !value.is_null()), slot)
            }
            Value::Null => (None, None),
            value => (Some(value.clone()), None),
        };
        Self { key: key.to_owned(), value, slot }
    }

    fn is_met(&self, actual: &Value) -> bool {
        self.value.as_ref().is_none_or(|wanted| overlap(wanted, bare(actual)))
    }

    fn is_hit(&self, actual: &Value) -> bool {
        self.value.as_ref().is_some_and(|unwanted| overlap(unwanted, bare(actual)))
    }
}

impl ContextRules {
    /// Whether the known values agree; unknown ones do not matter.
    pub(crate) fn allow(&self, context: &ContextMap) -> bool {
        let is_met = |demand: &ContextRule| context.get(&demand.key).is_none_or(|actual| demand.is_met(actual));
        let is_hit = |demand: &ContextRule| context.get(&demand.key).is_some_and(|actual| demand.is_hit(actual));
        self.requires.iter().all(is_met) && !self.excludes.iter().any(is_hit)
    }
}

/// The plain value: a value may be an object with `value` and `text`.
pub(crate) fn bare(value: &Value) -> &Value {
    match value {
        Value::Object(fields) => fields.get("value").unwrap_or(&Value::Null),
        value => value,
    }
}

/// Whether two values are equal, or have an element in common if either is a list.
fn overlap(one: &Value, other: &Value) -> bool {
    fn all(value: &Value) -> &[Value] {
        match value {
            Value::Array(values) => values,
            value => std::slice::from_ref(value),
        }
    }
    all(one).iter().any(|value| all(other).contains(value))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn demands(requires: &Value, excludes: &Value) -> ContextRules {
        let all = |value: &Value| {
            value.as_object().unwrap().iter().map(|(key, value)| ContextRule::new(key, value)).collect::<Vec<_>>()
        };
        ContextRules { requires: all(requires), excludes: all(excludes) }
    }

    fn context(value: &Value) -> ContextMap {
        value.as_object().unwrap().clone().into_iter().collect()
    }

    #[test]
    fn demands_look_only_at_what_is_known() {
        let demands = demands(&json!({"domain": ["light", "fan"], "area": {"slot": true}}), &json!({"kind": "x"}));
        assert!(demands.allow(&context(&json!({"domain": "fan"}))));
        assert!(demands.allow(&context(&json!({"domain": ["lock", "light"], "kind": "y"}))));
        assert!(demands.allow(&ContextMap::new()));
        assert!(!demands.allow(&context(&json!({"domain": "lock"}))));
        assert!(!demands.allow(&context(&json!({"kind": {"value": "x"}}))));
    }
}
