//! `analyze_errors`: groups failures into incidents, with the first failure and its consequences.

mod incident;

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use async_trait::async_trait;
use ports::ToolFailure;
use protocol::Citation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools::{CallContext, Declaration, Tool};

use super::{
    answer::{CitedSources, HomeClock, count, cut, if_readable, length},
    errors, observes, period,
    series::{self, AnomalyKind},
};
use crate::{EntityId, EntitySnapshot, EntityState, HomePort, LogEntry, Period, StateSample, reachable::check_known};
use incident::{FailureEvent, FailureKind, Incident, group};

/// The number of entities whose dropouts are examined.
const ENTITIES_MAX: usize = 60;
/// The default number of incidents.
const LIMIT: usize = 6;
const LIMIT_MAX: usize = 20;
/// Voltage deviations within this time of each other are one.
const STRAYS_APART: Duration = Duration::from_secs(900);
/// The number of consequences listed.
const FOLLOWED_MAX: usize = 6;

/// The tool `analyze_errors`.
pub(super) struct AnalyzeErrors {
    pub(super) home: Arc<dyn HomePort>,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct AnalyzeInput {
    /// As `yesterday evening`, `last 2 days`; 3 days by default.
    period: Option<String>,
    /// Or from, as `2026-05-12 20:00` on the home's clock.
    from: Option<String>,
    /// Until when; now by default.
    until: Option<String>,
    /// At most so many incidents; 6 by default.
    limit: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Analysis {
    period: String,
    /// In one sentence.
    summary: String,
    /// The worst first.
    incidents: Vec<IncidentReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    more: Option<usize>,
    /// What could not be checked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    also: Vec<String>,
    sources: Vec<Citation>,
}

#[derive(Serialize, JsonSchema)]
struct IncidentReport {
    began: String,
    /// `ongoing`, or how long it took.
    lasted: String,
    /// What failed first; the likely cause of the rest.
    first: IncidentLine,
    /// What followed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    followed: Vec<IncidentLine>,
    #[serde(skip_serializing_if = "Option::is_none")]
    followed_more: Option<usize>,
    /// How many errors and warnings.
    errors: u64,
    /// Entities that fell silent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    silent: Vec<EntityId>,
}

#[derive(Serialize, JsonSchema)]
struct IncidentLine {
    what: String,
    source: String,
}

#[async_trait]
impl Tool for AnalyzeErrors {
    type Input = AnalyzeInput;
    type Output = Analysis;

    fn declaration(&self) -> Declaration {
        let about =
            "Groups errors and dropouts of the home into incidents: what failed first, what followed, what is ongoing.";
        observes(self.home.as_ref(), "analyze_errors", about)
    }

    async fn call(&self, input: AnalyzeInput, context: &CallContext) -> Result<Analysis, ToolFailure> {
        let home = self.home.as_ref();
        check_known(home)?;
        let clock = HomeClock::of(home);
        let AnalyzeInput { period, from, until, limit } = input;
        let (from, until) = (from.as_deref(), until.as_deref());
        let period = period::read(period.as_deref(), from, until, context.now, &clock, "last 3 days")?;
        context.say("Reading the system log");
        let mut also = Vec::new();
        let entries = if_readable(home.errors().await, "the system log", &mut also)?.unwrap_or_default();
        let mut events = self.logged(&entries, period);
        let suspects = self.suspects(&entries);
        context.say(format!("Reading the history of {}", count(suspects.len(), "entity", "entities")));
        events.extend(self.silences(&suspects, period, &mut also).await?);
        let mut incidents = group(events);
        let limit = limit.unwrap_or(LIMIT).clamp(1, LIMIT_MAX);
        let ongoing = incidents.iter().filter(|incident| incident.until.is_none()).count();
        let summary = match incidents.len() {
            0 if also.is_empty() => "No errors and no dropouts.".to_owned(),
            0 => "Nothing was found, but not everything could be checked.".to_owned(),
            number => format!("{}, {ongoing} of them ongoing.", count(number, "incident", "incidents")),
        };
        let more = incidents.len().checked_sub(limit).filter(|more| *more > 0);
        incidents.truncate(limit);
        let mut sources = CitedSources::default();
        let incidents = incidents.iter().map(|incident| tell(incident, &clock, &mut sources)).collect();
        let period = format!("{} to {} {}", clock.at(period.from), clock.at(period.until), clock.name);
        Ok(Analysis { period, summary, incidents, more, also, sources: sources.finish() })
    }

    fn sources(&self, output: &Analysis) -> Vec<Citation> {
        output.sources.clone()
    }
}

impl AnalyzeErrors {
    fn logged(&self, entries: &[LogEntry], period: Period) -> Vec<FailureEvent> {
        let is_in = |entry: &&LogEntry| entry.last_at >= period.from && entry.first_at < period.until;
        let event = |entry: &LogEntry| FailureEvent {
            at: entry.first_at,
            // An entry that repeats until the end of the period is ongoing.
            until: Some(entry.last_at),
            repeats: entry.count,
            kind: FailureKind::Logged(entry.clone()),
        };
        entries.iter().filter(is_in).map(event).collect()
    }

    /// Entities whose dropouts may belong to incidents: those unavailable now, those of the
    /// network, and those named in the log.
    fn suspects(&self, entries: &[LogEntry]) -> Vec<EntitySnapshot> {
        let texts: Vec<String> = entries.iter().map(errors::whole).collect();
        let loggers: BTreeSet<&str> = entries.iter().flat_map(|entry| entry.logger.split('.')).collect();
        let order = |snapshot: &EntitySnapshot| {
            let is_named = || texts.iter().any(|text| text.contains(snapshot.entity.id.as_str()));
            let is_spoken_of =
                || snapshot.entity.platform.as_deref().is_some_and(|platform| loggers.contains(platform));
            match () {
                () if matches!(snapshot.entity.class.as_deref(), Some("connectivity" | "voltage")) => 0,
                () if snapshot.word() == EntityState::UNAVAILABLE => 1,
                () if is_named() => 2,
                () if is_spoken_of() && !snapshot.entity.auxiliary => 3,
                () => 9,
            }
        };
        let quiet = |domain: &str| matches!(domain, "automation" | "script" | "scene");
        let all = self.home.index().matching(|entity| entity.exposed && !quiet(entity.id.domain()));
        let mut suspects: Vec<(i32, EntitySnapshot)> =
            all.into_iter().map(|snapshot| (order(&snapshot), snapshot)).collect();
        suspects.retain(|(order, _)| *order < 9);
        suspects.sort_by_key(|(order, _)| *order);
        suspects.into_iter().take(ENTITIES_MAX).map(|(_, snapshot)| snapshot).collect()
    }

    async fn silences(
        &self,
        suspects: &[EntitySnapshot],
        period: Period,
        also: &mut Vec<String>,
    ) -> Result<Vec<FailureEvent>, ToolFailure> {
        let ids: Vec<EntityId> = suspects.iter().map(|snapshot| snapshot.entity.id.clone()).collect();
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let read = self.home.history(&ids, period).await;
        let past = if_readable(read, "the history", also)?.unwrap_or_default();
        let mut events = Vec::new();
        let pairs = suspects.iter().filter_map(|snapshot| {
            Some((snapshot, past.iter().find(|series| series.entity_id == snapshot.entity.id)?))
        });
        for (snapshot, series) in pairs {
            let silences = series::dropouts(&series.samples);
            let derived = !silences.is_empty() && self.is_derived(snapshot, also).await?;
            for silence in silences {
                // A dropout at the start of the period began earlier.
                let began = snapshot.state.as_deref().map_or(silence.from, |state| state.changed_at);
                let at = if silence.from <= period.from && silence.until.is_none() { began } else { silence.from };
                let kind = FailureKind::Silent(Box::new(snapshot.clone()), derived);
                events.push(FailureEvent { at, until: silence.until, repeats: 1, kind });
            }
            match snapshot.entity.class.as_deref() {
                Some("connectivity") => events.extend(losses(snapshot, &series.samples)),
                Some("voltage") => events.extend(strays(snapshot, &series.samples)),
                _ => {}
            }
        }
        Ok(events)
    }

    /// Whether an entity is made of others that are unavailable.
    async fn is_derived(&self, snapshot: &EntitySnapshot, also: &mut Vec<String>) -> Result<bool, ToolFailure> {
        let read = self.home.related(&snapshot.entity.id).await;
        let related = if_readable(read, "the relations of entities", also)?.unwrap_or_default();
        let index = self.home.index();
        let is_silent = |id: &EntityId| index.state(id).is_some_and(|state| !state.is_known());
        Ok(related.made_of.iter().any(is_silent))
    }
}

/// Times without a connection.
fn losses(snapshot: &EntitySnapshot, samples: &[StateSample]) -> Vec<FailureEvent> {
    let changes: Vec<&StateSample> = series::changes(samples).map(|(_, after)| after).collect();
    let lost = changes.iter().enumerate().filter(|(_, after)| after.state == "off");
    lost.map(|(number, lost)| FailureEvent {
        at: lost.at,
        until: changes.get(number + 1).map(|next| next.at),
        repeats: 1,
        kind: FailureKind::Lost(Box::new(snapshot.clone())),
    })
    .collect()
}

/// Times with a voltage deviation; close ones are merged.
fn strays(snapshot: &EntitySnapshot, samples: &[StateSample]) -> Vec<FailureEvent> {
    let usual = series::usual(samples).unwrap_or_default();
    let mut events: Vec<FailureEvent> = Vec::new();
    for odd in series::strays(samples) {
        let (AnomalyKind::Dip(value) | AnomalyKind::Spike(value)) = odd.kind else { continue };
        match events.last_mut() {
            Some(FailureEvent { until: Some(until), repeats, kind: FailureKind::Strayed(_, worst), .. })
                if odd.at.since(*until) <= STRAYS_APART =>
            {
                (*until, *repeats) = (odd.until, *repeats + 1);
                if (value - usual).abs() > (*worst - usual).abs() {
                    *worst = value;
                }
            }
            _ => {
                let kind = FailureKind::Strayed(Box::new(snapshot.clone()), value);
                events.push(FailureEvent { at: odd.at, until: Some(odd.until), repeats: 1, kind });
            }
        }
    }
    events
}

fn tell(incident: &Incident, clock: &HomeClock, sources: &mut CitedSources) -> IncidentReport {
    let mut line = |event: &FailureEvent| -> IncidentLine {
        let at = clock.time(event.at);
        let (what, source) = match &event.kind {
            FailureKind::Lost(snapshot) => {
                (format!("{at} {} was lost", snapshot.entity.name), sources.history(snapshot))
            }
            FailureKind::Strayed(snapshot, worst) => {
                let unit =
                    snapshot.state.as_ref().and_then(|state| state.text("unit_of_measurement")).unwrap_or_default();
                let what =
                    format!("{at} {} deviated to {worst} {unit} ({} times)", snapshot.entity.name, event.repeats);
                (what, sources.history(snapshot))
            }
            FailureKind::Silent(snapshot, _) => {
                (format!("{at} {} became unavailable", snapshot.entity.name), sources.history(snapshot))
            }
            FailureKind::Logged(entry) => {
                let times = if entry.count > 1 { format!(" ({} times)", entry.count) } else { String::new() };
                (
                    format!("{at} {}{times}: {}", errors::level(entry.level), cut(&errors::message(entry), 150)),
                    sources.log(&entry.logger),
                )
            }
        };
        IncidentLine { what, source }
    };
    let first = line(&incident.first);
    let followed: Vec<IncidentLine> = incident.followed.iter().take(FOLLOWED_MAX).map(&mut line).collect();
    let lasted = incident.until.map_or_else(|| "ongoing".to_owned(), |until| length(until.since(incident.first.at)));
    IncidentReport {
        began: clock.at(incident.first.at),
        lasted,
        first,
        followed,
        followed_more: incident.followed.len().checked_sub(FOLLOWED_MAX).filter(|more| *more > 0),
        errors: incident.errors,
        silent: incident.silent.iter().take(8).cloned().collect(),
    }
}
