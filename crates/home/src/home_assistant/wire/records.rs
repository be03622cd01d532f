//! Records and services: history, logbook, system log, runs, services, relations.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::lenient::{or_default, texts};

/// A row of an entity's history.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::home_assistant) struct HistoryRow {
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::home_assistant) s: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::home_assistant) a: Map<String, Value>,
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::home_assistant) lc: Option<f64>,
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::home_assistant) lu: Option<f64>,
}

/// A row of the logbook.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(in crate::home_assistant) struct LogbookRow {
    #[serde(deserialize_with = "or_default")]
    pub(in crate::home_assistant) when: f64,
    pub(in crate::home_assistant) entity_id: Option<String>,
    pub(in crate::home_assistant) name: Option<String>,
    pub(in crate::home_assistant) message: Option<String>,
    pub(in crate::home_assistant) state: Option<String>,
    pub(in crate::home_assistant) context_user_id: Option<String>,
    pub(in crate::home_assistant) context_entity_id: Option<String>,
    pub(in crate::home_assistant) context_entity_id_name: Option<String>,
    pub(in crate::home_assistant) context_name: Option<String>,
    pub(in crate::home_assistant) context_message: Option<String>,
    pub(in crate::home_assistant) context_domain: Option<String>,
    pub(in crate::home_assistant) context_service: Option<String>,
    pub(in crate::home_assistant) context_event_type: Option<String>,
}

/// A row of the system log.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::home_assistant) struct SystemLogRow {
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::home_assistant) name: String,
    #[serde(default, deserialize_with = "texts")]
    pub(in crate::home_assistant) message: Vec<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::home_assistant) level: String,
    #[serde(default, deserialize_with = "texts")]
    pub(in crate::home_assistant) exception: Vec<String>,
    pub(in crate::home_assistant) timestamp: f64,
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::home_assistant) first_occurred: Option<f64>,
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::home_assistant) count: Option<u32>,
}

/// A run of an automation or a script.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::home_assistant) struct RunRow {
    pub(in crate::home_assistant) run_id: String,
    pub(in crate::home_assistant) timestamp: RunTimes,
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::home_assistant) state: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::home_assistant) script_execution: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::home_assistant) trigger: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::home_assistant) error: Option<String>,
    /// What each step did; only for a single run.
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::home_assistant) trace: BTreeMap<String, Vec<RunStep>>,
}

/// The start and the end of a run.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::home_assistant) struct RunTimes {
    pub(in crate::home_assistant) start: String,
    #[serde(default)]
    pub(in crate::home_assistant) finish: Option<String>,
}

/// A step of a run.
#[derive(Debug, Clone, Default, Deserialize)]
pub(in crate::home_assistant) struct RunStep {
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::home_assistant) error: Option<String>,
}

/// A service, under its domain and its name.
#[derive(Debug, Clone, Default, Deserialize)]
pub(in crate::home_assistant) struct ServiceRow {
    #[serde(default, deserialize_with = "or_default")]
    fields: Map<String, Value>,
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::home_assistant) response: Option<ResponseSupport>,
}

/// Whether a service returns a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(in crate::home_assistant) struct ResponseSupport {
    /// Whether it can also be called without the response.
    #[serde(default)]
    pub(in crate::home_assistant) optional: bool,
}

impl ServiceRow {
    /// The names of its fields; newer versions put some of them into sections.
    pub(in crate::home_assistant) fn field_names(&self) -> Vec<String> {
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

/// The registry row of one entity, requested for its unique id.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::home_assistant) struct UniqueIdEntry {
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::home_assistant) unique_id: Option<String>,
}

/// The relations of an item.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(in crate::home_assistant) struct Relations {
    #[serde(deserialize_with = "texts")]
    pub(in crate::home_assistant) automation: Vec<String>,
    #[serde(deserialize_with = "texts")]
    pub(in crate::home_assistant) script: Vec<String>,
    #[serde(deserialize_with = "texts")]
    pub(in crate::home_assistant) scene: Vec<String>,
    #[serde(deserialize_with = "texts")]
    pub(in crate::home_assistant) group: Vec<String>,
    #[serde(deserialize_with = "texts")]
    pub(in crate::home_assistant) person: Vec<String>,
    #[serde(deserialize_with = "texts")]
    pub(in crate::home_assistant) device: Vec<String>,
    #[serde(deserialize_with = "texts")]
    pub(in crate::home_assistant) area: Vec<String>,
    #[serde(deserialize_with = "texts")]
    pub(in crate::home_assistant) config_entry: Vec<String>,
}

/// A configured integration.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::home_assistant) struct ConfigEntry {
    pub(in crate::home_assistant) entry_id: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::home_assistant) domain: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::home_assistant) state: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::home_assistant) reason: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::home_assistant) disabled_by: Option<String>,
}
