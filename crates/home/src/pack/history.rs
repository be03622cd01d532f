//! `get_history`: the states of entities over time, summarized.

use std::sync::Arc;

use async_trait::async_trait;
use ports::ToolFailure;
use protocol::Citation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools::{CallContext, Declaration, Tool};

use super::{
    answer::{CitedSources, HomeClock, UnknownEntity, count, failed, length, resolve},
    observes, period,
    series::{self, AnomalyKind},
};
use crate::{EntityId, EntitySnapshot, HomePort, Period, StateSample};

/// The number of changes listed for each entity.
const CHANGES_MAX: usize = 12;
/// The number if there are many entities.
const CHANGES_OF_MANY_MAX: usize = 5;
/// The number of anomalies listed for each entity.
const ODD_MAX: usize = 6;

/// Reads history.
pub(super) struct GetHistory {
    pub(super) home: Arc<dyn HomePort>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct HistoryInput {
    /// Ids, as `light.kitchen`.
    entity_ids: Vec<String>,
    /// As `last night`, `yesterday evening`, `last 6 hours`; 24 hours by default.
    #[serde(default)]
    period: Option<String>,
    /// Or from, as `2026-05-12 20:00` on the home's clock.
    #[serde(default)]
    from: Option<String>,
    /// Until when; now by default.
    #[serde(default)]
    until: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct HistoryOutput {
    from: String,
    until: String,
    time_zone: String,
    entities: Vec<EntityHistory>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unknown: Vec<UnknownEntity>,
    sources: Vec<Citation>,
}

#[derive(Serialize, JsonSchema)]
struct EntityHistory {
    entity_id: EntityId,
    name: String,
    source: String,
    /// How often the state changed.
    changes: usize,
    /// Of numbers: least, most, mean, and how it began and ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    numbers: Option<NumericSummary>,
    /// Of words: the time in each state.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    time_in: Vec<String>,
    /// The last changes, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    last_changes: Vec<String>,
    /// Anomalies: flicker, dips, spikes, dropouts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    odd: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct NumericSummary {
    unit: String,
    min: String,
    max: String,
    mean: f64,
    first: f64,
    last: f64,
}

#[async_trait]
impl Tool for GetHistory {
    type Input = HistoryInput;
    type Output = HistoryOutput;

    fn declaration(&self) -> Declaration {
        let about = "States of entities over time, condensed: changes, extremes, flicker, dips, dropouts.";
        observes(self.home.as_ref(), "get_history", about).about(&[
            "history",
            "yesterday",
            "night",
            "last",
            "trend",
            "temperature",
            "changed",
            "since",
        ])
    }

    async fn call(&self, input: HistoryInput, context: &CallContext) -> Result<HistoryOutput, ToolFailure> {
        let home = self.home.as_ref();
        let clock = HomeClock::of(home);
        let HistoryInput { entity_ids, period, from, until } = input;
        let (from, until) = (from.as_deref(), until.as_deref());
        let period = period::read(period.as_deref(), from, until, context.now, &clock, "last 24 hours")?;
        let (known, unknown) = resolve(home, &entity_ids)?;
        if entity_ids.is_empty() {
            return Err(ToolFailure::Invalid("name at least one of `entity_ids`".to_owned()));
        }
        context.say(format!("Reading the history of {}", count(known.len(), "entity", "entities")));
        let ids: Vec<EntityId> = known.iter().map(|snapshot| snapshot.entity.id.clone()).collect();
        let all = if ids.is_empty() { Vec::new() } else { home.history(&ids, period).await.map_err(failed)? };
        let mut sources = CitedSources::default();
        let changes_max = if known.len() > 4 { CHANGES_OF_MANY_MAX } else { CHANGES_MAX };
        let entities = known.iter().map(|snapshot| {
            let series = all.iter().find(|series| series.entity_id == snapshot.entity.id);
            let samples = series.map_or(&[][..], |series| &series.samples);
            condense(snapshot, samples, period, &clock, changes_max, sources.history(snapshot))
        });
        let entities = entities.collect();
        let (from, until) = (clock.at(period.from), clock.at(period.until));
        Ok(HistoryOutput { from, until, time_zone: clock.name, entities, unknown, sources: sources.finish() })
    }

    fn sources(&self, output: &HistoryOutput) -> Vec<Citation> {
        output.sources.clone()
    }
}

fn round(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}

fn condense(
    snapshot: &EntitySnapshot,
    samples: &[StateSample],
    period: Period,
    clock: &HomeClock,
    changes_max: usize,
    source: String,
) -> EntityHistory {
    let is_numeric = series::is_numeric(samples);
    let changes: Vec<(&StateSample, &StateSample)> = series::changes(samples).collect();
    let unit = snapshot.state.as_ref().and_then(|state| state.text("unit_of_measurement")).unwrap_or_default();
    let summary = series::numbers(samples, period).filter(|_| is_numeric).map(|numbers| NumericSummary {
        unit: unit.to_owned(),
        min: format!("{} at {}", numbers.min.0, clock.at(numbers.min.1)),
        max: format!("{} at {}", numbers.max.0, clock.at(numbers.max.1)),
        mean: round(numbers.mean),
        first: numbers.first,
        last: numbers.last,
    });
    let (mut time_in, mut last_changes) = (Vec::new(), Vec::new());
    if !is_numeric {
        let shares = series::shares(samples, period);
        time_in = shares.into_iter().take(4).map(|(state, time)| format!("{state}: {}", length(time))).collect();
        let skipped = changes.len().saturating_sub(changes_max);
        let told = |(_, after): &(&StateSample, &StateSample)| format!("{} {}", clock.at(after.at), after.state);
        last_changes = changes.iter().skip(skipped).map(told).collect();
    }
    EntityHistory {
        entity_id: snapshot.entity.id.clone(),
        name: snapshot.entity.name.clone(),
        source,
        changes: changes.len(),
        numbers: summary,
        time_in,
        last_changes,
        odd: odd(samples, unit, clock),
    }
}

/// The anomalies as text.
fn odd(samples: &[StateSample], unit: &str, clock: &HomeClock) -> Vec<String> {
    let mut told = Vec::new();
    let blinks = series::blinks(samples);
    if !series::is_numeric(samples) && blinks.len() > 1 {
        let times: Vec<String> = blinks.iter().take(ODD_MAX).map(|odd| clock.at(odd.at)).collect();
        told.push(format!("flickered {} times (another state for seconds): {}", blinks.len(), times.join(", ")));
    }
    let dims = series::dims(samples);
    if !dims.is_empty() {
        let times: Vec<String> = dims.iter().take(ODD_MAX).map(|odd| clock.at(odd.at)).collect();
        told.push(format!("was dimmer for seconds, {}: {}", count(dims.len(), "time", "times"), times.join(", ")));
    }
    let strays = series::strays(samples);
    let shown = strays.iter().take(ODD_MAX).map(|odd| match odd.kind {
        AnomalyKind::Spike(value) => {
            format!("spike to {value} {unit} at {} for {}", clock.at(odd.at), length(odd.until.since(odd.at)))
        }
        AnomalyKind::Dip(value) => {
            format!("dip to {value} {unit} at {} for {}", clock.at(odd.at), length(odd.until.since(odd.at)))
        }
        AnomalyKind::Blink | AnomalyKind::Dimmed => String::new(),
    });
    told.extend(shown);
    if strays.len() > ODD_MAX {
        told.push(format!("and {} more like these", strays.len() - ODD_MAX));
    }
    let silences = series::dropouts(samples);
    told.extend(silences.iter().take(3).map(|silence| match silence.until {
        Some(until) => format!("unavailable from {} for {}", clock.at(silence.from), length(until.since(silence.from))),
        None => format!("unavailable since {}", clock.at(silence.from)),
    }));
    told
}
