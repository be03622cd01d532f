//! Commands to Home Assistant.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::port::EntityId;

/// A command with its id.
#[derive(Serialize)]
pub(in crate::home_assistant) struct OutgoingMessage<'a> {
    pub(in crate::home_assistant) id: u64,
    #[serde(flatten)]
    pub(in crate::home_assistant) command: &'a HassCommand,
}

/// A command, with Home Assistant's names.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type")]
pub(in crate::home_assistant) enum HassCommand {
    #[serde(rename = "ping")]
    Ping,
    #[serde(rename = "supported_features")]
    SupportedFeatures { features: Map<String, Value> },
    #[serde(rename = "get_config")]
    GetConfig,
    #[serde(rename = "get_services")]
    GetServices,
    #[serde(rename = "config/entity_registry/list")]
    Entities,
    /// Aliases and classes, which the list leaves out.
    #[serde(rename = "config/entity_registry/get_entries")]
    EntityDetails { entity_ids: Vec<EntityId> },
    #[serde(rename = "config/entity_registry/get")]
    Entity { entity_id: EntityId },
    #[serde(rename = "config/device_registry/list")]
    Devices,
    #[serde(rename = "config/area_registry/list")]
    Areas,
    #[serde(rename = "config/floor_registry/list")]
    Floors,
    #[serde(rename = "homeassistant/expose_entity/list")]
    Exposed,
    #[serde(rename = "homeassistant/expose_new_entities/get")]
    ExposesNew { assistant: &'static str },
    #[serde(rename = "subscribe_entities")]
    SubscribeEntities {
        #[serde(skip_serializing_if = "Vec::is_empty")]
        entity_ids: Vec<EntityId>,
    },
    #[serde(rename = "subscribe_events")]
    SubscribeEvents { event_type: String },
    #[serde(rename = "unsubscribe_events")]
    Unsubscribe { subscription: u64 },
    #[serde(rename = "call_service")]
    CallService {
        domain: String,
        service: String,
        service_data: Map<String, Value>,
        #[serde(skip_serializing_if = "Option::is_none")]
        target: Option<CallTarget>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        return_response: bool,
    },
    #[serde(rename = "history/history_during_period")]
    History {
        start_time: String,
        end_time: String,
        entity_ids: Vec<EntityId>,
        significant_changes_only: bool,
        minimal_response: bool,
        no_attributes: bool,
    },
    #[serde(rename = "logbook/get_events")]
    Logbook {
        start_time: String,
        end_time: String,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        entity_ids: Vec<EntityId>,
    },
    #[serde(rename = "system_log/list")]
    SystemLog,
    #[serde(rename = "trace/list")]
    Traces { domain: String, item_id: String },
    #[serde(rename = "trace/get")]
    Trace { domain: String, item_id: String, run_id: String },
    #[serde(rename = "search/related")]
    Related { item_type: &'static str, item_id: EntityId },
    #[serde(rename = "automation/config")]
    AutomationConfig { entity_id: EntityId },
    /// Checks the parts of an automation.
    #[serde(rename = "validate_config")]
    ValidateConfig {
        #[serde(flatten)]
        parts: Map<String, Value>,
    },
    #[serde(rename = "script/config")]
    ScriptConfig { entity_id: EntityId },
    #[serde(rename = "config_entries/get")]
    ConfigEntries,
}

/// The target of a service call.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(in crate::home_assistant) struct CallTarget {
    pub(in crate::home_assistant) entity_id: Vec<EntityId>,
}

impl HassCommand {
    /// Whether it changes something, so that it must never be sent twice.
    pub(in crate::home_assistant) fn acts(&self) -> bool {
        matches!(self, Self::CallService { .. })
    }

    /// A service call.
    pub(in crate::home_assistant) fn call(call: &crate::port::ServiceCall, return_response: bool) -> Self {
        Self::CallService {
            domain: call.domain.clone(),
            service: call.service.clone(),
            service_data: call.data.clone(),
            target: (!call.entities.is_empty()).then(|| CallTarget { entity_id: call.entities.clone() }),
            return_response,
        }
    }
}
