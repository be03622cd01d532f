//! `analyze_errors`: what went wrong, grouped into incidents, with what failed first and what followed.

mod incident;

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use async_trait::async_trait;
use protocol::Citation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools::{Context, Declaration, Failure, Tool};

use super::{
    answer::{Clockface, Sources, count, cut, if_readable, length},
    errors, observes, period,
    series::{self, OddKind},
};
use crate::{EntityId, House, LogEntry, Period, Sample, Standing, State};
use incident::{Event, Incident, Kind, group};

/// How many entities' silences are looked at.
const ENTITIES_MAX: usize = 60;
/// How many incidents are told unless more are wanted.
const LIMIT: usize = 6;
const LIMIT_MAX: usize = 20;
/// Strays of a voltage within this of each other are one.
const STRAYS_APART: Duration = Duration::from_secs(900);
/// How many of what followed are told.
const FOLLOWED_MAX: usize = 6;

/// Groups errors into incidents.
pub(super) struct AnalyzeErrors {
    pub(super) home: Arc<dyn House>,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct AnalyzeInput {
    /// As `yesterday evening`, `last 2 days`; 3 days unless told.
    period: Option<String>,
    /// Or from, as `2026-05-12 20:00` on the home's clock.
    from: Option<String>,
    /// Until when; now unless told.
    until: Option<String>,
    /// At most so many incidents; 6 unless told.
    limit: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Analysis {
    period: String,
    /// In one sentence.
    summary: String,
    /// The worst first.
    incidents: Vec<IncidentTold>,
    #[serde(skip_serializing_if = "Option::is_none")]
    more: Option<usize>,
    /// What could not be looked at.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    also: Vec<String>,
    sources: Vec<Citation>,
}

#[derive(Serialize, JsonSchema)]
struct IncidentTold {
    began: String,
    /// `ongoing`, or how long it took.
    lasted: String,
    /// What failed first; the likely cause of the rest.
    first: Line,
    /// What followed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    followed: Vec<Line>,
    #[serde(skip_serializing_if = "Option::is_none")]
    followed_more: Option<usize>,
    /// How many errors and warnings.
    errors: u64,
    /// Entities that fell silent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    silent: Vec<EntityId>,
}

#[derive(Serialize, JsonSchema)]
struct Line {
    what: String,
    source: String,
}

#[async_trait]
impl Tool for AnalyzeErrors {
    type Input = AnalyzeInput;
    type Output = Analysis;

    fn declaration(&self) -> Declaration {
        let about =
            "Groups errors and dropouts of the home into incidents: what failed first, what followed, what goes on.";
        observes(self.home.as_ref(), "analyze_errors", about)
    }

    async fn call(&self, input: AnalyzeInput, context: &Context) -> Result<Analysis, Failure> {
        let home = self.home.as_ref();
        let clock = Clockface::of(home);
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
            0 => "Nothing was found, but not everything could be looked at.".to_owned(),
            number => format!("{}, {ongoing} of them going on.", count(number, "incident", "incidents")),
        };
        let more = incidents.len().checked_sub(limit).filter(|more| *more > 0);
        incidents.truncate(limit);
        let mut sources = Sources::default();
        let incidents = incidents.iter().map(|incident| tell(incident, &clock, &mut sources)).collect();
        let period = format!("{} to {} {}", clock.at(period.from), clock.at(period.until), clock.name);
        Ok(Analysis { period, summary, incidents, more, also, sources: sources.finish() })
    }

    fn sources(&self, output: &Analysis) -> Vec<Citation> {
        output.sources.clone()
    }
}

impl AnalyzeErrors {
    fn logged(&self, entries: &[LogEntry], period: Period) -> Vec<Event> {
        let is_in = |entry: &&LogEntry| entry.last_at >= period.from && entry.first_at < period.until;
        let event = |entry: &LogEntry| Event {
            at: entry.first_at,
            // What keeps being said until the end is not over.
            until: Some(entry.last_at),
            repeats: entry.count,
            kind: Kind::Logged(entry.clone()),
        };
        entries.iter().filter(is_in).map(event).collect()
    }

    /// Whose silences may belong to incidents: what is silent now, what tells of the network, what the log speaks of.
    fn suspects(&self, entries: &[LogEntry]) -> Vec<Standing> {
        let texts: Vec<String> = entries.iter().map(errors::whole).collect();
        let loggers: BTreeSet<&str> = entries.iter().flat_map(|entry| entry.logger.split('.')).collect();
        let order = |standing: &Standing| {
            let is_named = || texts.iter().any(|text| text.contains(standing.entity.id.as_str()));
            let is_spoken_of =
                || standing.entity.platform.as_deref().is_some_and(|platform| loggers.contains(platform));
            match () {
                () if matches!(standing.entity.class.as_deref(), Some("connectivity" | "voltage")) => 0,
                () if standing.word() == State::UNAVAILABLE => 1,
                () if is_named() => 2,
                () if is_spoken_of() && !standing.entity.auxiliary => 3,
                () => 9,
            }
        };
        let quiet = |domain: &str| matches!(domain, "automation" | "script" | "scene");
        let all = self.home.index().matching(|entity| entity.exposed && !quiet(entity.id.domain()));
        let mut suspects: Vec<(i32, Standing)> = all.into_iter().map(|standing| (order(&standing), standing)).collect();
        suspects.retain(|(order, _)| *order < 9);
        suspects.sort_by_key(|(order, _)| *order);
        suspects.into_iter().take(ENTITIES_MAX).map(|(_, standing)| standing).collect()
    }

    async fn silences(
        &self,
        suspects: &[Standing],
        period: Period,
        also: &mut Vec<String>,
    ) -> Result<Vec<Event>, Failure> {
        let ids: Vec<EntityId> = suspects.iter().map(|standing| standing.entity.id.clone()).collect();
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let read = self.home.history(&ids, period).await;
        let past = if_readable(read, "the history", also)?.unwrap_or_default();
        let mut events = Vec::new();
        let pairs = suspects.iter().filter_map(|standing| {
            Some((standing, past.iter().find(|series| series.entity_id == standing.entity.id)?))
        });
        for (standing, series) in pairs {
            let silences = series::dropouts(&series.samples);
            let derived = !silences.is_empty() && self.is_derived(standing, also).await?;
            for silence in silences {
                // What was silent before the period began began before.
                let began = standing.state.as_deref().map_or(silence.from, |state| state.changed_at);
                let at = if silence.from <= period.from && silence.until.is_none() { began } else { silence.from };
                let kind = Kind::Silent(Box::new(standing.clone()), derived);
                events.push(Event { at, until: silence.until, repeats: 1, kind });
            }
            match standing.entity.class.as_deref() {
                Some("connectivity") => events.extend(losses(standing, &series.samples)),
                Some("voltage") => events.extend(strays(standing, &series.samples)),
                _ => {}
            }
        }
        Ok(events)
    }

    /// Whether an entity is made of others that are silent.
    async fn is_derived(&self, standing: &Standing, also: &mut Vec<String>) -> Result<bool, Failure> {
        let read = self.home.related(&standing.entity.id).await;
        let related = if_readable(read, "what has to do with what", also)?.unwrap_or_default();
        let index = self.home.index();
        let is_silent = |id: &EntityId| index.state(id).is_some_and(|state| !state.is_known());
        Ok(related.made_of.iter().any(is_silent))
    }
}

/// Times in which a connection was lost.
fn losses(standing: &Standing, samples: &[Sample]) -> Vec<Event> {
    let changes: Vec<&Sample> = series::changes(samples).map(|(_, after)| after).collect();
    let lost = changes.iter().enumerate().filter(|(_, after)| after.state == "off");
    lost.map(|(number, lost)| Event {
        at: lost.at,
        until: changes.get(number + 1).map(|next| next.at),
        repeats: 1,
        kind: Kind::Lost(Box::new(standing.clone())),
    })
    .collect()
}

/// Times in which a voltage was not as it should be, those near each other as one.
fn strays(standing: &Standing, samples: &[Sample]) -> Vec<Event> {
    let usual = series::usual(samples).unwrap_or_default();
    let mut events: Vec<Event> = Vec::new();
    for odd in series::strays(samples) {
        let (OddKind::Dip(value) | OddKind::Spike(value)) = odd.kind else { continue };
        match events.last_mut() {
            Some(Event { until: Some(until), repeats, kind: Kind::Strayed(_, worst), .. })
                if odd.at.since(*until) <= STRAYS_APART =>
            {
                (*until, *repeats) = (odd.until, *repeats + 1);
                if (value - usual).abs() > (*worst - usual).abs() {
                    *worst = value;
                }
            }
            _ => {
                let kind = Kind::Strayed(Box::new(standing.clone()), value);
                events.push(Event { at: odd.at, until: Some(odd.until), repeats: 1, kind });
            }
        }
    }
    events
}

fn tell(incident: &Incident, clock: &Clockface, sources: &mut Sources) -> IncidentTold {
    let mut line = |event: &Event| -> Line {
        let at = clock.time(event.at);
        let (what, source) = match &event.kind {
            Kind::Lost(standing) => (format!("{at} {} was lost", standing.entity.name), sources.history(standing)),
            Kind::Strayed(standing, worst) => {
                let unit =
                    standing.state.as_ref().and_then(|state| state.text("unit_of_measurement")).unwrap_or_default();
                let what = format!("{at} {} strayed to {worst} {unit} ({} times)", standing.entity.name, event.repeats);
                (what, sources.history(standing))
            }
            Kind::Silent(standing, _) => {
                (format!("{at} {} became unavailable", standing.entity.name), sources.history(standing))
            }
            Kind::Logged(entry) => {
                let times = if entry.count > 1 { format!(" ({} times)", entry.count) } else { String::new() };
                (
                    format!("{at} {}{times}: {}", errors::level(entry.level), cut(&errors::message(entry), 150)),
                    sources.log(&entry.logger),
                )
            }
        };
        Line { what, source }
    };
    let first = line(&incident.first);
    let followed: Vec<Line> = incident.followed.iter().take(FOLLOWED_MAX).map(&mut line).collect();
    let lasted = incident.until.map_or_else(|| "ongoing".to_owned(), |until| length(until.since(incident.first.at)));
    IncidentTold {
        began: clock.at(incident.first.at),
        lasted,
        first,
        followed,
        followed_more: incident.followed.len().checked_sub(FOLLOWED_MAX).filter(|more| *more > 0),
        errors: incident.errors,
        silent: incident.silent.iter().take(8).cloned().collect(),
    }
}
