//! What a sentence needs to be so, and what is so.

use std::collections::BTreeMap;

use serde_json::Value;

/// What is known of a name or of the one who asks: the domain of an entity, the area of a device.
pub type Context = BTreeMap<String, Value>;

/// What is so when a sentence is said, apart from its words.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Circumstances {
    /// By key, such as `area` for the area of the device that listens.
    pub context: Context,
}

impl Circumstances {
    /// Said to a device in this area.
    #[must_use]
    pub fn in_area(area: impl Into<String>) -> Self {
        Self { context: Context::from([("area".to_owned(), Value::String(area.into()))]) }
    }
}

/// One thing that a sentence asks of the context.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Demand {
    pub key: String,
    /// What it has to be, one of several if this is a list; anything if absent.
    pub value: Option<Value>,
    /// Which slot gets it.
    pub slot: Option<String>,
}

/// What a block of sentences asks of the context.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Demands {
    pub requires: Vec<Demand>,
    pub excludes: Vec<Demand>,
}

impl Demand {
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

impl Demands {
    /// Whether what is known there agrees, as far as it says anything.
    pub(crate) fn allow(&self, context: &Context) -> bool {
        let is_met = |demand: &Demand| context.get(&demand.key).is_none_or(|actual| demand.is_met(actual));
        let is_hit = |demand: &Demand| context.get(&demand.key).is_some_and(|actual| demand.is_hit(actual));
        self.requires.iter().all(is_met) && !self.excludes.iter().any(is_hit)
    }
}

/// A value may come as an object with the value and the text for it.
pub(crate) fn bare(value: &Value) -> &Value {
    match value {
        Value::Object(fields) => fields.get("value").unwrap_or(&Value::Null),
        value => value,
    }
}

/// Equal, or with one in common where either is a list.
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

    fn demands(requires: &Value, excludes: &Value) -> Demands {
        let all = |value: &Value| {
            value.as_object().unwrap().iter().map(|(key, value)| Demand::new(key, value)).collect::<Vec<_>>()
        };
        Demands { requires: all(requires), excludes: all(excludes) }
    }

    fn context(value: &Value) -> Context {
        value.as_object().unwrap().clone().into_iter().collect()
    }

    #[test]
    fn demands_look_only_at_what_is_known() {
        let demands = demands(&json!({"domain": ["light", "fan"], "area": {"slot": true}}), &json!({"kind": "x"}));
        assert!(demands.allow(&context(&json!({"domain": "fan"}))));
        assert!(demands.allow(&context(&json!({"domain": ["lock", "light"], "kind": "y"}))));
        assert!(demands.allow(&Context::new()));
        assert!(!demands.allow(&context(&json!({"domain": "lock"}))));
        assert!(!demands.allow(&context(&json!({"kind": {"value": "x"}}))));
    }
}
