//! Anomalies of an available entity: flicker, dips, dropouts, a stuck value; and what happened
//! elsewhere at the same moments.

use std::time::Duration;

use ports::ToolFailure;
use protocol::Timestamp;

use super::{
    correlation::{self, Correlation, EventPattern, EventTimes},
    finding::Cause,
    investigation::{Focus, Investigation},
};
use crate::{
    EntitySnapshot, Period, StateSample,
    pack::{
        answer::{count, if_readable, length},
        series::{self, AnomalyKind},
    },
};

/// How long before an anomaly its cause may be.
const BEFORE: Duration = Duration::from_secs(10);
/// How long before a dropout its cause may be.
pub(super) const BEFORE_SILENCE: Duration = Duration::from_secs(180);
/// The delay of reports.
const AFTER: Duration = Duration::from_millis(1_500);
/// The time around the period that is read, to know the usual values.
const AROUND_MILLIS: i64 = 1_800_000;
/// The number of other entities compared.
const OTHERS_MAX: usize = 48;
/// The number of moments compared.
const MOMENTS_MAX: usize = 50;
/// The minimum score of a correlation.
const SCORE_MIN: f64 = 0.45;
/// A number without a change for this many times its usual interval is stuck.
const STUCK_TIMES: u32 = 12;
const STUCK_MIN: Duration = Duration::from_secs(6 * 3_600);

/// Device classes that may indicate a cause, with their weight.
const CAUSE_CLASSES: &[(&str, f64)] = &[
    ("voltage", 1.0),
    ("connectivity", 0.95),
    ("frequency", 0.9),
    ("problem", 0.8),
    ("current", 0.8),
    ("power", 0.75),
];

/// The moments of anomalies, and how long before them their cause may be.
struct AnomalyTimes {
    at: Vec<Timestamp>,
    before: Duration,
}

impl Investigation<'_> {
    /// Searches for anomalies.
    pub(super) async fn anomalies(&mut self) -> Result<Focus, ToolFailure> {
        let subject = self.subject.clone();
        let related = self.related(&subject.entity.id).await?;
        let mut targets = vec![subject.clone()];
        let index = self.home.index();
        let members = related.made_of.iter().filter_map(|id| index.get(id)).filter(|member| member.entity.exposed);
        targets.extend(members.take(12));
        self.context.say(format!("Reading the history of {}", count(targets.len(), "entity", "entities")));
        let past = self.history(&targets, self.period).await?;
        let mut worst: Option<(usize, EntitySnapshot, AnomalyTimes)> = None;
        for snapshot in &targets {
            let samples = past.iter().find(|series| series.entity_id == snapshot.entity.id);
            let AnomalyTimes { at: moments, before } =
                self.anomalies_of(snapshot, samples.map_or(&[][..], |series| &series.samples));
            // The anomaly of a group is that of one of its members.
            let weight =
                moments.len() * 2 + usize::from(snapshot.entity.id != subject.entity.id && !moments.is_empty());
            if weight > worst.as_ref().map_or(0, |(most, ..)| *most) {
                worst = Some((weight, snapshot.clone(), AnomalyTimes { at: moments, before }));
            }
        }
        let none = (0, subject.clone(), AnomalyTimes { at: Vec::new(), before: BEFORE });
        let (_, snapshot, AnomalyTimes { at: mut moments, before }) = worst.unwrap_or(none);
        if snapshot.entity.id != subject.entity.id {
            let what = format!("{} is made of {}, which has the problem", subject.entity.name, snapshot.entity.name);
            let evidence = vec![self.sources.related(&subject)];
            self.found(Cause::Source, 0.7, Some(&snapshot.entity.id), what, evidence);
        }
        moments.truncate(MOMENTS_MAX);
        if !matches!(subject.entity.id.domain(), "automation" | "script") {
            self.switched(&snapshot, &moments).await?;
        }
        if !moments.is_empty() {
            self.compare(&snapshot, &moments, before).await?;
        }
        if let Some(trouble) = related.integration_trouble {
            let evidence = vec![self.sources.related(&subject)];
            let what = format!("Its integration is not loaded: {trouble}");
            self.found(Cause::Integration, 0.6, Some(&subject.entity.id), what, evidence);
        }
        Ok(Focus { snapshot, moments })
    }

    /// Records the anomalies of one entity; returns their moments.
    fn anomalies_of(&mut self, snapshot: &EntitySnapshot, samples: &[StateSample]) -> AnomalyTimes {
        let name = &snapshot.entity.name;
        let is_short_by_nature = matches!(snapshot.entity.id.domain(), "binary_sensor" | "event" | "button" | "scene");
        let mut moments: Vec<Timestamp> = Vec::new();
        let mut told: Vec<String> = Vec::new();
        let blinks =
            if is_short_by_nature || series::is_numeric(samples) { Vec::new() } else { series::blinks(samples) };
        if let (true, Some(first), Some(last)) = (blinks.len() > 1, blinks.first(), blinks.last()) {
            let (from, until) = (self.clock.at(first.at), self.clock.until(first.at, last.at));
            told.push(format!("flickered {} times between {from} and {until}", blinks.len()));
            moments.extend(blinks.iter().map(|odd| odd.at));
        }
        let dims = series::dims(samples);
        if let (true, Some(first), Some(last)) = (dims.len() > 1, dims.first(), dims.last()) {
            let (from, until) = (self.clock.at(first.at), self.clock.until(first.at, last.at));
            told.push(format!("was dimmer for seconds {} times between {from} and {until}", dims.len()));
            moments.extend(dims.iter().map(|odd| odd.at));
        }
        let strays = series::strays(samples);
        if let Some(first) = strays.first() {
            let value = match first.kind {
                AnomalyKind::Dip(value) | AnomalyKind::Spike(value) => value,
                AnomalyKind::Blink | AnomalyKind::Dimmed => 0.0,
            };
            told.push(format!(
                "deviated from its usual value {}, first to {value} at {}",
                count(strays.len(), "time", "times"),
                self.clock.at(first.at)
            ));
            moments.extend(strays.iter().map(|odd| odd.at));
        }
        let silences = series::dropouts(samples);
        // A dropout is noticed late.
        let before = if moments.is_empty() { BEFORE_SILENCE } else { BEFORE };
        if let Some(first) = silences.first() {
            told.push(format!(
                "could not be reached {}, first at {}",
                count(silences.len(), "time", "times"),
                self.clock.at(first.from)
            ));
            moments.extend(silences.iter().map(|silence| silence.from).filter(|from| *from > self.period.from));
        }
        told.extend(self.stuck(samples));
        if !told.is_empty() {
            let source = self.sources.history(snapshot);
            let what = format!("{name} {}", told.join("; "));
            self.found(Cause::Symptom, 0.65, Some(&snapshot.entity.id), what, vec![source]);
        }
        moments.sort_unstable();
        moments.dedup();
        AnomalyTimes { at: moments, before }
    }

    fn stuck(&self, samples: &[StateSample]) -> Option<String> {
        if !series::is_numeric(samples) {
            return None;
        }
        let changes: Vec<Timestamp> = series::changes(samples).map(|(_, after)| after.at).collect();
        let (first, last) = (changes.first()?, changes.last()?);
        let pause = last.since(*first) / u32::try_from(changes.len()).ok()?.max(1);
        let rests = self.period.until.since(*last);
        let is_stuck = changes.len() > 5 && rests > STUCK_MIN && rests > pause * STUCK_TIMES;
        is_stuck.then(|| format!("has not moved for {}, though it usually does every {}", length(rests), length(pause)))
    }

    /// Whether a user or an automation switched it at those moments; without moments, what switched
    /// it last.
    async fn switched(&mut self, snapshot: &EntitySnapshot, moments: &[Timestamp]) -> Result<(), ToolFailure> {
        let read = self.home.logbook(std::slice::from_ref(&snapshot.entity.id), self.period).await;
        let Some(lines) = if_readable(read, "the logbook", &mut self.also)? else { return Ok(()) };
        let near = |line: &Timestamp, moment: &Timestamp| line.as_millis().abs_diff(moment.as_millis()) < 2_000;
        let named: Vec<_> = lines.iter().filter(|line| line.cause.is_some()).collect();
        let caused: Vec<_> = named.iter().filter(|line| moments.iter().any(|moment| near(&line.at, moment))).collect();
        // A moment of flicker has several lines in the logbook.
        let explained = moments.iter().filter(|moment| caused.iter().any(|line| near(&line.at, moment))).count();
        let source = self.sources.logbook(Some(&snapshot.entity.id), &snapshot.entity.name);
        let cause = |line: &crate::LogbookEntry| line.cause.clone().unwrap_or_default();
        match (moments.len(), caused.first(), named.last()) {
            (1.., Some(line), _) if explained * 2 >= moments.len() => {
                let what = format!("{explained} of {} times it was switched by {}", moments.len(), cause(line));
                self.found(Cause::Switched, 0.9, Some(&snapshot.entity.id), what, vec![source]);
            }
            (0, _, Some(line)) => {
                let what = format!("{} {} at {}, by {}", line.name, line.message, self.clock.at(line.at), cause(line));
                self.found(Cause::Switched, 0.5, Some(&snapshot.entity.id), what, vec![source]);
            }
            (1.., None, _) if !lines.is_empty() => {
                self.also.push(
                    "no user and no automation switched it at those moments, according to the logbook".to_owned(),
                );
            }
            _ => {}
        }
        Ok(())
    }

    /// Searches for correlations with other entities.
    pub(super) async fn compare(
        &mut self,
        focus: &EntitySnapshot,
        moments: &[Timestamp],
        before: Duration,
    ) -> Result<(), ToolFailure> {
        let (Some(first), Some(last)) = (moments.iter().min(), moments.iter().max()) else { return Ok(()) };
        let others = self.others(focus);
        self.context.say(format!("Comparing with {}", count(others.len(), "other entity", "other entities")));
        let period = Period {
            from: Timestamp::from_millis(first.as_millis() - AROUND_MILLIS),
            until: Timestamp::from_millis(last.as_millis() + AROUND_MILLIS).min(self.context.now),
        };
        let past = self.history(&others, period).await?;
        let mut affected: Vec<(&EntitySnapshot, Correlation)> = Vec::new();
        for other in &others {
            let Some(series) = past.iter().find(|series| series.entity_id == other.entity.id) else { continue };
            for events in correlation::events(&other.entity, &series.samples) {
                let Some(both) = correlation::compare(moments, &events.moments, before, AFTER) else { continue };
                let weight = weight(focus, other, events.what);
                let score = both.score() * weight;
                if score < SCORE_MIN || weight < 0.5 || both.lead_millis < 0 {
                    if both.score() >= SCORE_MIN
                        && !affected.iter().any(|(known, _)| known.entity.id == other.entity.id)
                    {
                        affected.push((other, both));
                    }
                    continue;
                }
                self.behind(other, &events, both, score);
            }
        }
        affected.sort_by(|one, two| two.1.score().total_cmp(&one.1.score()));
        if !affected.is_empty() {
            let names: Vec<String> = affected
                .iter()
                .take(5)
                .map(|(other, both)| format!("{} ({} of {})", other.entity.name, both.matched, both.of))
                .collect();
            let what = format!("Affected at the same moments: {}", names.join(", "));
            let evidence = affected.iter().take(3).map(|(other, _)| self.sources.history(other)).collect();
            self.found(Cause::Symptom, 0.5, None, what, evidence);
        }
        Ok(())
    }

    fn behind(&mut self, other: &EntitySnapshot, events: &EventTimes, both: Correlation, score: f64) {
        let class = other.entity.class.as_deref();
        let cause = match class {
            Some("voltage" | "frequency" | "current" | "power")
                if matches!(events.what, EventPattern::Dips | EventPattern::Spikes) =>
            {
                Cause::Supply
            }
            Some("connectivity") => Cause::Network,
            _ => Cause::Correlated,
        };
        let unit = other.state.as_ref().and_then(|state| state.text("unit_of_measurement")).unwrap_or_default();
        let values = events.values.map_or_else(String::new, |(least, most, usual)| {
            let span = if most - least < 0.05 { least.to_string() } else { format!("{least}–{most}") };
            format!(" to {span} {unit} (usually {usual} {unit})")
        });
        let did = match events.what {
            EventPattern::Dips => "dipped",
            EventPattern::Spikes => "jumped",
            EventPattern::Blinks => "flickered",
            EventPattern::Dims => "dimmed",
            EventPattern::Losses => "was lost",
            EventPattern::Silences => "fell silent",
            EventPattern::Changes => "was switched",
        };
        let lead = length(Duration::from_millis(both.lead_millis.unsigned_abs()));
        let what =
            format!("{} {did}{values} about {lead} before, {} of {} times", other.entity.name, both.matched, both.of);
        let evidence = vec![self.sources.history(other)];
        self.found(cause, 0.5 + 0.45 * score, Some(&other.entity.id), what, evidence);
    }

    /// The entities to compare with: power and network first, then entities of the same area and of
    /// the same kind.
    fn others(&mut self, focus: &EntitySnapshot) -> Vec<EntitySnapshot> {
        let cause_rank = |class: Option<&str>| CAUSE_CLASSES.iter().position(|(known, _)| Some(*known) == class);
        let area = |snapshot: &EntitySnapshot| snapshot.area.as_ref().map(|area| area.id.clone());
        let order = |other: &EntitySnapshot| {
            if let Some(place) = cause_rank(other.entity.class.as_deref()) {
                return place;
            }
            let is_same_device = other.entity.device.is_some() && other.entity.device == focus.entity.device;
            match () {
                () if is_same_device => 10,
                () if area(other).is_some() && area(other) == area(focus) => 11,
                () if other.entity.id.domain() == focus.entity.id.domain() => 12,
                () => 99,
            }
        };
        let is_quiet =
            |domain: &str| matches!(domain, "automation" | "script" | "scene" | "person" | "sun" | "weather" | "todo");
        let mut others = self
            .home
            .index()
            .matching(|entity| entity.exposed && entity.id != focus.entity.id && !is_quiet(entity.id.domain()));
        others.retain(|other| order(other) < 99);
        others.sort_by_key(order);
        others.truncate(OTHERS_MAX);
        others
    }
}

/// How likely an event of that kind is a cause.
fn weight(focus: &EntitySnapshot, other: &EntitySnapshot, what: EventPattern) -> f64 {
    let class = other.entity.class.as_deref();
    if let Some((_, weight)) = CAUSE_CLASSES.iter().find(|(known, _)| Some(*known) == class) {
        // The power that a device uses is an effect, not a cause.
        let is_own = other.entity.device.is_some() && other.entity.device == focus.entity.device;
        return if is_own && class == Some("power") { 0.2 } else { *weight };
    }
    match what {
        EventPattern::Changes => 0.6,
        _ if other.entity.id.domain() == focus.entity.id.domain() => 0.2,
        _ => 0.4,
    }
}
