//! Service calls as they are written in Home Assistant: entities as one id, as ids with commas
//! between them or as a list, in `target`, in `data` or beside them. Here all of them are the
//! target, so that no form bypasses the rules.

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::call::CallInput;
use crate::port::ServiceTarget;

/// The keys of a target.
const TARGET_KEYS: [&str; 4] = ["entity_id", "device_id", "area_id", "floor_id"];

/// The arguments after their targets were brought together.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenCall {
    domain: String,
    service: String,
    #[serde(default)]
    target: ServiceTarget,
    #[serde(default)]
    data: Map<String, Value>,
}

impl<'de> Deserialize<'de> for CallInput {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut written = Value::deserialize(deserializer)?;
        if let Value::Object(fields) = &mut written {
            gather(fields);
        }
        let WrittenCall { domain, service, target, data } =
            serde_json::from_value(written).map_err(serde::de::Error::custom)?;
        Ok(Self { domain, service, target, data })
    }
}

/// Moves every target of a call into `target`, as lists.
fn gather(fields: &mut Map<String, Value>) {
    let mut written: Vec<(&str, Value)> = Vec::new();
    let mut take = |from: &mut Map<String, Value>| {
        written.extend(TARGET_KEYS.iter().filter_map(|key| Some((*key, from.remove(*key)?))));
    };
    take(fields);
    if let Some(Value::Object(data)) = fields.get_mut("data") {
        take(data);
        if let Some(Value::Object(inner)) = data.get_mut("target") {
            take(inner);
            if inner.is_empty() {
                data.remove("target");
            }
        }
    }
    if let Some(Value::Object(target)) = fields.get_mut("target") {
        take(target);
    }
    if written.is_empty() {
        return;
    }
    let target = fields.entry("target").or_insert_with(|| Value::Object(Map::new()));
    if target.is_null() {
        *target = Value::Object(Map::new());
    }
    let Value::Object(target) = target else { return };
    for (key, value) in written {
        let Value::Array(list) = target.entry(key).or_insert_with(|| Value::Array(Vec::new())) else { continue };
        for item in items(value) {
            if !list.contains(&item) {
                list.push(item);
            }
        }
    }
}

/// The ids in a value; what is none stays as it is, and is refused later.
fn items(value: Value) -> Vec<Value> {
    match value {
        Value::Null => Vec::new(),
        Value::String(text) => {
            text.split(',').map(str::trim).filter(|id| !id.is_empty()).map(|id| Value::String(id.to_owned())).collect()
        }
        Value::Array(values) => values.into_iter().flat_map(items).collect(),
        other => vec![other],
    }
}
