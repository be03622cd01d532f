//! `get_history`: how entities stood over time, condensed to what one would say of it.

use std::sync::Arc;

use async_trait::async_trait;
use protocol::Citation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools::{Context, Declaration, Failure, Tool};

use super::{
    answer::{Clockface, Sources, Unknown, count, failed, length, resolve},
    observes, period,
    series::{self, OddKind},
};
use crate::{EntityId, House, Period, Sample, Standing};

/// How many changes are told of each entity.
const CHANGES_MAX: usize = 12;
/// How many if there are many entities.
const CHANGES_OF_MANY_MAX: usize = 5;
/// How many odd moments are told of each.
const ODD_MAX: usize = 6;

/// Reads history.
pub(super) struct GetHistory {
    pub(super) home: Arc<dyn House>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct HistoryInput {
    /// Ids, as `light.kitchen`.
    entity_ids: Vec<String>,
    /// As `last night`, `yesterday evening`, `last 6 hours`; 24 hours unless told.
    #[serde(default)]
    period: Option<String>,
    /// Or from, as `2026-05-12 20:00` on the home's clock.
    #[serde(default)]
    from: Option<String>,
    /// Until when; now unless told.
    #[serde(default)]
    until: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Histories {
    from: String,
    until: String,
    time_zone: String,
    entities: Vec<History>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unknown: Vec<Unknown>,
    sources: Vec<Citation>,
}

#[derive(Serialize, JsonSchema)]
struct History {
    entity_id: EntityId,
    name: String,
    source: String,
    /// How often the state changed.
    changes: usize,
    /// Of numbers: least, most, mean, and how it began and ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    numbers: Option<Summary>,
    /// Of words: how long it stood how.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    time_in: Vec<String>,
    /// The last changes, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    last_changes: Vec<String>,
    /// What was odd: flicker, dips, spikes, silence.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    odd: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct Summary {
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
    type Output = Histories;

    fn declaration(&self) -> Declaration {
        let about = "How entities stood over time, condensed: changes, extremes, flicker, dips, dropouts.";
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

    async fn call(&self, input: HistoryInput, context: &Context) -> Result<Histories, Failure> {
        let home = self.home.as_ref();
        let clock = Clockface::of(home);
        let HistoryInput { entity_ids, period, from, until } = input;
        let (from, until) = (from.as_deref(), until.as_deref());
        let period = period::read(period.as_deref(), from, until, context.now, &clock, "last 24 hours")?;
        let (known, unknown) = resolve(home, &entity_ids)?;
        if entity_ids.is_empty() {
            return Err(Failure::Invalid("name at least one of `entity_ids`".to_owned()));
        }
        context.say(format!("Reading the history of {}", count(known.len(), "entity", "entities")));
        let ids: Vec<EntityId> = known.iter().map(|standing| standing.entity.id.clone()).collect();
        let all = if ids.is_empty() { Vec::new() } else { home.history(&ids, period).await.map_err(failed)? };
        let mut sources = Sources::default();
        let changes_max = if known.len() > 4 { CHANGES_OF_MANY_MAX } else { CHANGES_MAX };
        let entities = known.iter().map(|standing| {
            let series = all.iter().find(|series| series.entity_id == standing.entity.id);
            let samples = series.map_or(&[][..], |series| &series.samples);
            condense(standing, samples, period, &clock, changes_max, sources.history(standing))
        });
        let entities = entities.collect();
        let (from, until) = (clock.at(period.from), clock.at(period.until));
        Ok(Histories { from, until, time_zone: clock.name, entities, unknown, sources: sources.finish() })
    }

    fn sources(&self, output: &Histories) -> Vec<Citation> {
        output.sources.clone()
    }
}

fn round(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}

fn condense(
    standing: &Standing,
    samples: &[Sample],
    period: Period,
    clock: &Clockface,
    changes_max: usize,
    source: String,
) -> History {
    let is_numeric = series::is_numeric(samples);
    let changes: Vec<(&Sample, &Sample)> = series::changes(samples).collect();
    let unit = standing.state.as_ref().and_then(|state| state.text("unit_of_measurement")).unwrap_or_default();
    let summary = series::numbers(samples, period).filter(|_| is_numeric).map(|numbers| Summary {
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
        let told = |(_, after): &(&Sample, &Sample)| format!("{} {}", clock.at(after.at), after.state);
        last_changes = changes.iter().skip(skipped).map(told).collect();
    }
    History {
        entity_id: standing.entity.id.clone(),
        name: standing.entity.name.clone(),
        source,
        changes: changes.len(),
        numbers: summary,
        time_in,
        last_changes,
        odd: odd(samples, unit, clock),
    }
}

/// What was odd, in words.
fn odd(samples: &[Sample], unit: &str, clock: &Clockface) -> Vec<String> {
    let mut told = Vec::new();
    let blinks = series::blinks(samples);
    if !series::is_numeric(samples) && blinks.len() > 1 {
        let times: Vec<String> = blinks.iter().take(ODD_MAX).map(|odd| clock.at(odd.at)).collect();
        told.push(format!("flickered {} times (stood otherwise for seconds): {}", blinks.len(), times.join(", ")));
    }
    let dims = series::dims(samples);
    if !dims.is_empty() {
        let times: Vec<String> = dims.iter().take(ODD_MAX).map(|odd| clock.at(odd.at)).collect();
        told.push(format!("was dimmer for seconds, {}: {}", count(dims.len(), "time", "times"), times.join(", ")));
    }
    let strays = series::strays(samples);
    let shown = strays.iter().take(ODD_MAX).map(|odd| match odd.kind {
        OddKind::Spike(value) => {
            format!("spike to {value} {unit} at {} for {}", clock.at(odd.at), length(odd.until.since(odd.at)))
        }
        OddKind::Dip(value) => {
            format!("dip to {value} {unit} at {} for {}", clock.at(odd.at), length(odd.until.since(odd.at)))
        }
        OddKind::Blink | OddKind::Dimmed => String::new(),
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
