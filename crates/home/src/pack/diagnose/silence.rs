//! An entity of which nothing is heard: through what it is made of, its device, its battery, its hub, its integration.

use std::collections::{BTreeMap, BTreeSet};

use protocol::Timestamp;
use tools::Failure;

use super::{
    case::{Case, Focus},
    finding::Cause,
    oddness::BEFORE_SILENCE,
};
use crate::{
    DeviceId, EntityId, Period, Standing, State,
    pack::{
        answer::{length, stale},
        series,
    },
};

/// How deep entities are made of entities.
const DEPTH_MAX: usize = 5;
/// How far back a battery is looked at.
const BATTERY_MILLIS: i64 = 14 * 86_400_000;
/// At this charge a device falls silent.
const EMPTY: f64 = 10.0;

fn is_silent(standing: &Standing) -> bool {
    standing.state.as_deref().is_some_and(|state| !state.is_known())
}

fn since(standing: &Standing) -> Option<Timestamp> {
    standing.state.as_deref().map(|state| state.changed_at)
}

impl Case<'_> {
    /// Looks for why nothing is heard of the subject.
    pub(super) async fn silence(&mut self) -> Result<Focus, Failure> {
        let subject = self.subject.clone();
        let source = self.sources.state(&subject);
        let when = since(&subject).map_or_else(String::new, |at| {
            format!(" since {} ({})", self.clock.at(at), length(self.context.now.since(at)))
        });
        let what = format!("{} is {}{when}", subject.entity.name, subject.word());
        self.found(Cause::Symptom, 0.45, Some(&subject.entity.id), what, vec![source]);
        if let Some(note) = stale(self.home) {
            self.also.push(note);
        }
        let root = self.walk(subject).await?;
        self.integration(&root).await?;
        if let Some(device) = root.entity.device.clone() {
            self.device(&root, &device).await?;
        }
        let moments: Vec<Timestamp> = since(&root).into_iter().collect();
        if !self.findings.iter().any(|finding| finding.cause == Cause::Battery) {
            self.compare(&root, &moments, BEFORE_SILENCE).await?;
        }
        Ok(Focus { standing: root, moments })
    }

    /// Goes down to what is silent and not made of anything that is.
    async fn walk(&mut self, subject: Standing) -> Result<Standing, Failure> {
        let (mut here, mut seen) = (subject, BTreeSet::new());
        for _ in 0..DEPTH_MAX {
            seen.insert(here.entity.id.clone());
            let related = self.related(&here.entity.id).await?;
            let index = self.home.index();
            let sources: Vec<Standing> = related.made_of.iter().filter_map(|id| index.get(id)).collect();
            self.hidden(sources.iter().filter(|source| !source.entity.exposed).count(), &here.entity.name);
            let silent: Vec<&Standing> = sources
                .iter()
                .filter(|source| source.entity.exposed && is_silent(source) && !seen.contains(&source.entity.id))
                .collect();
            let Some(next) = silent.iter().min_by_key(|source| since(source)).map(|source| (*source).clone()) else {
                break;
            };
            let when = since(&next).map_or_else(String::new, |at| format!(" since {}", self.clock.at(at)));
            let what = format!(
                "{} is made of {} ({}), which is {}{when}",
                here.entity.name,
                next.entity.name,
                next.entity.id,
                next.word()
            );
            let evidence = vec![self.sources.related(&here), self.sources.state(&next)];
            self.found(Cause::Source, 0.8, Some(&next.entity.id), what, evidence);
            here = next;
        }
        Ok(here)
    }

    async fn integration(&mut self, root: &Standing) -> Result<(), Failure> {
        let Some(trouble) = self.related(&root.entity.id).await?.integration_trouble else { return Ok(()) };
        let platform = root.entity.platform.clone().unwrap_or_else(|| "its".to_owned());
        let same = self.home.index().matching(|entity| entity.exposed && entity.platform == root.entity.platform);
        let silent = same.iter().filter(|standing| is_silent(standing)).count();
        let what = format!(
            "The integration {platform} is not loaded ({trouble}); {silent} of its {} entities are silent",
            same.len()
        );
        let evidence = vec![self.sources.related(root)];
        self.found(Cause::Integration, 0.87, Some(&root.entity.id), what, evidence);
        Ok(())
    }

    async fn device(&mut self, root: &Standing, device: &DeviceId) -> Result<(), Failure> {
        let all = self.home.index().of_device(device);
        let (seen, hidden): (Vec<Standing>, Vec<Standing>) =
            all.into_iter().partition(|standing| standing.entity.exposed);
        let name = root.device.as_ref().map_or_else(|| device.to_string(), |device| device.name.clone());
        self.hidden(hidden.len(), &name);
        if seen.len() > 1 && seen.iter().all(is_silent) {
            let what = format!("All {} entities of the device {name} are silent", seen.len());
            let evidence = seen.iter().take(3).map(|standing| self.sources.state(standing)).collect();
            self.found(Cause::Device, 0.55, Some(&root.entity.id), what, evidence);
        }
        self.battery(root, &name, &seen).await?;
        self.hub(root, device);
        Ok(())
    }

    async fn battery(&mut self, root: &Standing, name: &str, of_device: &[Standing]) -> Result<(), Failure> {
        let batteries: Vec<Standing> =
            of_device.iter().filter(|standing| standing.entity.class.as_deref() == Some("battery")).cloned().collect();
        let now = self.context.now;
        let period = Period { from: Timestamp::from_millis(now.as_millis() - BATTERY_MILLIS), until: now };
        let past = self.history(&batteries, period).await?;
        for battery in &batteries {
            let samples = past.iter().find(|series| series.entity_id == battery.entity.id);
            let samples = samples.map_or(&[][..], |series| &series.samples);
            let last = series::last_number(samples);
            let is_low = battery.entity.id.domain() == "binary_sensor" && battery.word() == "on";
            let evidence = vec![self.sources.history(battery)];
            let id = Some(&battery.entity.id);
            match (last, series::numbers(samples, period)) {
                (Some(last), Some(numbers)) if last <= EMPTY * 2.0 => {
                    let (first, unit) = (numbers.first, "%");
                    let fell = if first > last {
                        format!("fell from {first} {unit} to {last} {unit}")
                    } else {
                        format!("stood at {last} {unit}")
                    };
                    let when = since(root).map_or_else(String::new, |at| {
                        format!("; nothing was heard of it after {}", self.clock.at(at))
                    });
                    let confidence = if last <= EMPTY { 0.93 } else { 0.6 };
                    let what = format!("The battery of {name} ran out: it {fell}{when}");
                    self.found(Cause::Battery, confidence, id, what, evidence);
                }
                (Some(last), _) => {
                    self.also.push(format!("the battery of {name} stood at {last} % and is not the cause"))
                }
                (None, _) if is_low => {
                    self.found(Cause::Battery, 0.85, id, format!("The battery of {name} reports to be low"), evidence);
                }
                (None, _) => {}
            }
        }
        Ok(())
    }

    /// Whether others that are reached the same way are silent too.
    fn hub(&mut self, root: &Standing, device: &DeviceId) {
        let Some(via) = root.device.as_ref().and_then(|device| device.via.clone()) else { return };
        let hub = self.home.index().device(&via).map_or_else(|| via.to_string(), |hub| hub.name.clone());
        let mut devices: BTreeMap<DeviceId, bool> = BTreeMap::new();
        for standing in self.home.index().matching(|entity| entity.exposed) {
            let Some(other) = standing.device.as_ref().filter(|other| other.via.as_ref() == Some(&via)) else {
                continue;
            };
            let is_down = standing.word() == State::UNAVAILABLE;
            *devices.entry(other.id.clone()).or_insert(true) &= is_down;
        }
        devices.remove(device);
        let (down, all) = (devices.values().filter(|is_down| **is_down).count(), devices.len());
        if all >= 2 && down * 2 > all {
            let what = format!("{down} of {all} other devices reached through {hub} are silent too");
            let evidence = vec![self.sources.state(root)];
            self.found(Cause::Hub, 0.8, None::<&EntityId>, what, evidence);
        } else if all > 0 {
            self.also.push(format!(
                "{} of {all} other devices reached through {hub} answer now, so {hub} itself is up",
                all - down
            ));
        }
    }
}
