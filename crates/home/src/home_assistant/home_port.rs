//! Implements [`HomePort`] with Home Assistant's commands.

use std::collections::BTreeSet;

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{
    HomeAssistantClient, automations,
    command_sender::read,
    logbook, refresh, related, runs,
    wire::{EntitiesEvent, HassCommand, HistoryRow, LogbookRow, SystemLogRow, each, each_named, moment},
};
use crate::{
    automations::{AutomationCheck, AutomationConfig},
    index::HomeIndex,
    port::{
        EntityId, EntityRelations, EntityState, HomeError, HomeInfo, HomePort, LogEntry, LogLevel, LogbookEntry,
        Period, ServiceCall, ServiceDescription, StateSample, StateSeries, Trace,
    },
};

/// Attributes that describe the entity rather than its state.
const LASTING: &[&str] = &[
    "attribution",
    "device_class",
    "editable",
    "entity_picture",
    "friendly_name",
    "icon",
    "restored",
    "state_class",
    "supported_color_modes",
    "supported_features",
    "unit_of_measurement",
];

#[derive(Default, Deserialize)]
struct CallServiceReply {
    #[serde(default)]
    response: Option<Value>,
}

#[async_trait]
impl HomePort for HomeAssistantClient {
    fn about(&self) -> HomeInfo {
        self.shared.about()
    }

    fn index(&self) -> &HomeIndex {
        &self.shared.index
    }

    fn want_events(&self, types: BTreeSet<String>) {
        self.shared.want_events(types);
    }

    async fn call(&self, call: &ServiceCall) -> Result<Option<Value>, HomeError> {
        // Home Assistant refuses a call without `return_response` for a service that only returns
        // data, and a call with it for a service that returns none.
        let name = (call.domain.clone(), call.service.clone());
        let known = self.shared.services().get(&name).map(|row| row.response);
        let wants_response = match known {
            Some(None) => false,
            Some(Some(answer)) => call.wants_response || !answer.optional,
            None => call.wants_response,
        };
        let answer = self.link.ask(HassCommand::call(call, wants_response)).await?;
        // The service has run, whether or not the response can be parsed.
        Ok(read::<CallServiceReply>(answer.as_deref()).unwrap_or_default().response)
    }

    async fn read(&self, entities: &[EntityId]) -> Result<Vec<EntityState>, HomeError> {
        // An empty list would mean every entity.
        if entities.is_empty() {
            return Ok(Vec::new());
        }
        let command = HassCommand::SubscribeEntities { entity_ids: entities.to_vec() };
        let Some(event) = self.link.first_event(command).await? else { return Ok(Vec::new()) };
        let event = EntitiesEvent::read(&event)
            .map_err(|error| HomeError::Failed(format!("its answer cannot be parsed: {error}")))?;
        Ok(event.states())
    }

    async fn services(&self) -> Result<Vec<ServiceDescription>, HomeError> {
        // The services are read in the background, and again when Home Assistant reports a change.
        let is_unread = self.shared.services().is_empty();
        if is_unread {
            let table = refresh::services(&self.link).await?;
            let mut kept = self.shared.services();
            // A table read in the meantime is newer.
            if kept.is_empty() {
                *kept = table;
            }
        }
        let service = |((domain, name), row): (&(String, String), &super::wire::ServiceRow)| ServiceDescription {
            domain: domain.clone(),
            name: name.clone(),
            fields: row.field_names(),
            responds: row.response.is_some(),
        };
        let mut services: Vec<ServiceDescription> = self.shared.services().iter().map(service).collect();
        services.sort_by(|one, two| (&one.domain, &one.name).cmp(&(&two.domain, &two.name)));
        Ok(services)
    }

    async fn history(&self, entities: &[EntityId], period: Period) -> Result<Vec<StateSeries>, HomeError> {
        if entities.is_empty() {
            return Ok(Vec::new());
        }
        let command = HassCommand::History {
            start_time: period.from.to_string(),
            end_time: period.until.to_string(),
            entity_ids: entities.to_vec(),
            // A change of brightness alone counts as history too.
            significant_changes_only: false,
            minimal_response: false,
            no_attributes: false,
        };
        let Some(answer) = self.link.ask(command).await? else { return Ok(Vec::new()) };
        let mut rows = each_named::<Vec<HistoryRow>>(&answer);
        let series = |id: &EntityId| {
            let samples = rows.remove(id.as_str())?.into_iter().filter_map(sample).collect();
            Some(StateSeries { entity_id: id.clone(), samples })
        };
        Ok(entities.iter().filter_map(series).collect())
    }

    async fn logbook(&self, entities: &[EntityId], period: Period) -> Result<Vec<LogbookEntry>, HomeError> {
        let command = HassCommand::Logbook {
            start_time: period.from.to_string(),
            end_time: period.until.to_string(),
            entity_ids: entities.to_vec(),
        };
        let Some(answer) = self.link.ask(command).await? else { return Ok(Vec::new()) };
        let rows: Vec<LogbookRow> = each(&answer);
        Ok(rows.into_iter().map(|row| logbook::happening(row, &self.shared.index)).collect())
    }

    async fn errors(&self) -> Result<Vec<LogEntry>, HomeError> {
        let Some(answer) = self.link.ask(HassCommand::SystemLog).await? else { return Ok(Vec::new()) };
        let mut entries: Vec<LogEntry> = each::<SystemLogRow>(&answer).into_iter().map(log_entry).collect();
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.last_at));
        Ok(entries)
    }

    async fn traces(&self, entity_id: &EntityId) -> Result<Vec<Trace>, HomeError> {
        runs::traces(&self.link, &self.shared.index, entity_id).await
    }

    async fn related(&self, entity_id: &EntityId) -> Result<EntityRelations, HomeError> {
        related::related(&self.link, &self.shared.index, entity_id).await
    }

    async fn automation(&self, entity_id: &EntityId) -> Result<Value, HomeError> {
        automations::config(self, entity_id).await
    }

    async fn check_automation(&self, config: &AutomationConfig) -> Result<AutomationCheck, HomeError> {
        automations::check(self, config).await
    }

    async fn save_automation(&self, id: &str, config: &AutomationConfig) -> Result<(), HomeError> {
        automations::save(self, id, config).await
    }

    async fn remove_automation(&self, id: &str) -> Result<(), HomeError> {
        automations::remove(self, id).await
    }
}

fn sample(row: HistoryRow) -> Option<StateSample> {
    let mut attributes: Map<String, Value> = row.a;
    attributes.retain(|name, value| !value.is_null() && !LASTING.contains(&name.as_str()));
    Some(StateSample { at: moment(row.lu.or(row.lc)?), state: row.s, attributes })
}

fn log_entry(row: SystemLogRow) -> LogEntry {
    let level = match row.level.as_str() {
        "CRITICAL" | "FATAL" => LogLevel::Critical,
        "ERROR" => LogLevel::Error,
        _ => LogLevel::Warning,
    };
    let mut messages = row.message;
    // Home Assistant lists the oldest first.
    messages.reverse();
    LogEntry {
        level,
        logger: row.name,
        messages,
        exception: row.exception.join("\n"),
        first_at: moment(row.first_occurred.unwrap_or(row.timestamp)),
        last_at: moment(row.timestamp),
        count: row.count.unwrap_or(1),
    }
}
