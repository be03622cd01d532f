//! What Home Assistant remembers and offers: history, logbook, system log, runs, services, relations.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::lenient::{or_default, texts};

/// A moment of an entity's history.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::assistant) struct HistoryRow {
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::assistant) s: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::assistant) a: Map<String, Value>,
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::assistant) lc: Option<f64>,
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::assistant) lu: Option<f64>,
}

/// A line of the logbook.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(in crate::assistant) struct LogbookRow {
    #[serde(deserialize_with = "or_default")]
    pub(in crate::assistant) when: f64,
    pub(in crate::assistant) entity_id: Option<String>,
    pub(in crate::assistant) name: Option<String>,
    pub(in crate::assistant) message: Option<String>,
    pub(in crate::assistant) state: Option<String>,
    pub(in crate::assistant) context_user_id: Option<String>,
    pub(in crate::assistant) context_entity_id: Option<String>,
    pub(in crate::assistant) context_entity_id_name: Option<String>,
    pub(in crate::assistant) context_name: Option<String>,
    pub(in crate::assistant) context_message: Option<String>,
    pub(in crate::assistant) context_domain: Option<String>,
    pub(in crate::assistant) context_service: Option<String>,
    pub(in crate::assistant) context_event_type: Option<String>,
}

/// A line of the system log.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::assistant) struct SystemLogRow {
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::assistant) name: String,
    #[serde(default, deserialize_with = "texts")]
    pub(in crate::assistant) message: Vec<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::assistant) level: String,
    #[serde(default, deserialize_with = "texts")]
    pub(in crate::assistant) exception: Vec<String>,
    pub(in crate::assistant) timestamp: f64,
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::assistant) first_occurred: Option<f64>,
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::assistant) count: Option<u32>,
}

/// A run of an automation or a script.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::assistant) struct RunRow {
    pub(in crate::assistant) run_id: String,
    pub(in crate::assistant) timestamp: RunTimes,
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::assistant) state: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::assistant) script_execution: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::assistant) trigger: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::assistant) error: Option<String>,
    /// Only when a single run is asked for: what each step did.
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::assistant) trace: BTreeMap<String, Vec<RunStep>>,
}

/// When a run began and ended.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::assistant) struct RunTimes {
    pub(in crate::assistant) start: String,
    #[serde(default)]
    pub(in crate::assistant) finish: Option<String>,
}

/// A step of a run.
#[derive(Debug, Clone, Default, Deserialize)]
pub(in crate::assistant) struct RunStep {
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::assistant) error: Option<String>,
}

/// A service, under its domain and its name.
#[derive(Debug, Clone, Default, Deserialize)]
pub(in crate::assistant) struct ServiceRow {
    #[serde(default, deserialize_with = "or_default")]
    fields: Map<String, Value>,
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::assistant) response: Option<ServiceAnswer>,
}

/// That a service answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(in crate::assistant) struct ServiceAnswer {
    /// Whether it can also be called without wanting the answer.
    #[serde(default)]
    pub(in crate::assistant) optional: bool,
}

impl ServiceRow {
    /// The names of its fields; newer versions put some of them into sections.
    pub(in crate::assistant) fn field_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        for (name, field) in &self.fields {
            match field.get("fields").and_then(Value::as_object) {
                Some(section) => names.extend(section.keys().cloned()),
                None => names.push(name.clone()),
            }
        }
        names
    }
}

/// What the registry says of one entity that only we ask for.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::assistant) struct Registered {
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::assistant) unique_id: Option<String>,
}

/// What has to do with an item.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(in crate::assistant) struct Relations {
    #[serde(deserialize_with = "texts")]
    pub(in crate::assistant) automation: Vec<String>,
    #[serde(deserialize_with = "texts")]
    pub(in crate::assistant) script: Vec<String>,
    #[serde(deserialize_with = "texts")]
    pub(in crate::assistant) scene: Vec<String>,
    #[serde(deserialize_with = "texts")]
    pub(in crate::assistant) group: Vec<String>,
    #[serde(deserialize_with = "texts")]
    pub(in crate::assistant) person: Vec<String>,
    #[serde(deserialize_with = "texts")]
    pub(in crate::assistant) device: Vec<String>,
    #[serde(deserialize_with = "texts")]
    pub(in crate::assistant) area: Vec<String>,
    #[serde(deserialize_with = "texts")]
    pub(in crate::assistant) config_entry: Vec<String>,
}

/// An integration as it was set up.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::assistant) struct ConfigEntry {
    pub(in crate::assistant) entry_id: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::assistant) domain: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::assistant) state: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::assistant) reason: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::assistant) disabled_by: Option<String>,
}
