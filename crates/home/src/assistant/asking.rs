//! What Home Assistant is asked and told, in our words.

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{
    Assistant, chores,
    link::read,
    logbook, related, runs,
    wire::{Command, EntitiesEvent, HistoryRow, LogbookRow, SystemLogRow, each, each_named, moment},
};
use crate::{
    house::{
        About, EntityId, Happening, House, HouseError, LogEntry, LogLevel, Period, Related, Sample, Series, Service,
        ServiceCall, State, Trace,
    },
    index::Index,
};

/// Attributes that tell what an entity is rather than how it stood.
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
struct Called {
    #[serde(default)]
    response: Option<Value>,
}

#[async_trait]
impl House for Assistant {
    fn about(&self) -> About {
        self.shared.about()
    }

    fn index(&self) -> &Index {
        &self.shared.index
    }

    async fn call(&self, call: &ServiceCall) -> Result<Option<Value>, HouseError> {
        // Home Assistant refuses a call that does not want an answer of a service that has nothing else to give, and one
        // that wants an answer of a service that has none.
        let name = (call.domain.clone(), call.service.clone());
        let known = self.shared.services().get(&name).map(|row| row.response);
        let wants_response = match known {
            Some(None) => false,
            Some(Some(answer)) => call.wants_response || !answer.optional,
            None => call.wants_response,
        };
        let answer = self.link.ask(Command::call(call, wants_response)).await?;
        // It is done, however the answer reads.
        Ok(read::<Called>(answer.as_deref()).unwrap_or_default().response)
    }

    async fn read(&self, entities: &[EntityId]) -> Result<Vec<State>, HouseError> {
        // No name at all would mean every entity.
        if entities.is_empty() {
            return Ok(Vec::new());
        }
        let command = Command::SubscribeEntities { entity_ids: entities.to_vec() };
        let Some(event) = self.link.first_event(command).await? else { return Ok(Vec::new()) };
        let event = EntitiesEvent::read(&event)
            .map_err(|error| HouseError::Failed(format!("it answers what is not understood here: {error}")))?;
        Ok(event.states())
    }

    async fn services(&self) -> Result<Vec<Service>, HouseError> {
        // They are read by themselves, and again whenever Home Assistant tells that they have changed.
        let is_unread = self.shared.services().is_empty();
        if is_unread {
            let table = chores::services(&self.link).await?;
            let mut kept = self.shared.services();
            // What was read by itself meanwhile is newer.
            if kept.is_empty() {
                *kept = table;
            }
        }
        let service = |((domain, name), row): (&(String, String), &super::wire::ServiceRow)| Service {
            domain: domain.clone(),
            name: name.clone(),
            fields: row.field_names(),
            responds: row.response.is_some(),
        };
        let mut services: Vec<Service> = self.shared.services().iter().map(service).collect();
        services.sort_by(|one, two| (&one.domain, &one.name).cmp(&(&two.domain, &two.name)));
        Ok(services)
    }

    async fn history(&self, entities: &[EntityId], period: Period) -> Result<Vec<Series>, HouseError> {
        if entities.is_empty() {
            return Ok(Vec::new());
        }
        let command = Command::History {
            start_time: period.from.to_string(),
            end_time: period.until.to_string(),
            entity_ids: entities.to_vec(),
            // A light that only changes its brightness has a history, too.
            significant_changes_only: false,
            minimal_response: false,
            no_attributes: false,
        };
        let Some(answer) = self.link.ask(command).await? else { return Ok(Vec::new()) };
        let mut rows = each_named::<Vec<HistoryRow>>(&answer);
        let series = |id: &EntityId| {
            let samples = rows.remove(id.as_str())?.into_iter().filter_map(sample).collect();
            Some(Series { entity_id: id.clone(), samples })
        };
        Ok(entities.iter().filter_map(series).collect())
    }

    async fn logbook(&self, entities: &[EntityId], period: Period) -> Result<Vec<Happening>, HouseError> {
        let command = Command::Logbook {
            start_time: period.from.to_string(),
            end_time: period.until.to_string(),
            entity_ids: entities.to_vec(),
        };
        let Some(answer) = self.link.ask(command).await? else { return Ok(Vec::new()) };
        let rows: Vec<LogbookRow> = each(&answer);
        Ok(rows.into_iter().map(|row| logbook::happening(row, &self.shared.index)).collect())
    }

    async fn errors(&self) -> Result<Vec<LogEntry>, HouseError> {
        let Some(answer) = self.link.ask(Command::SystemLog).await? else { return Ok(Vec::new()) };
        let mut entries: Vec<LogEntry> = each::<SystemLogRow>(&answer).into_iter().map(log_entry).collect();
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.last_at));
        Ok(entries)
    }

    async fn traces(&self, entity_id: &EntityId) -> Result<Vec<Trace>, HouseError> {
        runs::traces(&self.link, &self.shared.index, entity_id).await
    }

    async fn related(&self, entity_id: &EntityId) -> Result<Related, HouseError> {
        related::related(&self.link, &self.shared.index, entity_id).await
    }
}

fn sample(row: HistoryRow) -> Option<Sample> {
    let mut attributes: Map<String, Value> = row.a;
    attributes.retain(|name, value| !value.is_null() && !LASTING.contains(&name.as_str()));
    Some(Sample { at: moment(row.lu.or(row.lc)?), state: row.s, attributes })
}

fn log_entry(row: SystemLogRow) -> LogEntry {
    let level = match row.level.as_str() {
        "CRITICAL" | "FATAL" => LogLevel::Critical,
        "ERROR" => LogLevel::Error,
        _ => LogLevel::Warning,
    };
    let mut messages = row.message;
    // Home Assistant appends.
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
