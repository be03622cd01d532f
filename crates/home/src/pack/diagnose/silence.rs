//! Diagnoses an unavailable entity: by what it is made of, its device, its battery, its hub, its
//! integration.

use std::collections::{BTreeMap, BTreeSet};

use ports::ToolFailure;
use protocol::Timestamp;

use super::{
    anomalies::BEFORE_SILENCE,
    finding::Cause,
    investigation::{Focus, Investigation},
};
use crate::{
    DeviceId, EntityId, EntitySnapshot, EntityState, Period,
    pack::{
        answer::{length, stale},
        series,
    },
};

/// How deep derived entities are followed.
const DEPTH_MAX: usize = 5;
/// How far back the battery level is read.
const BATTERY_MILLIS: i64 = 14 * 86_400_000;
/// The battery level at which a device fails.
const EMPTY: f64 = 10.0;

fn is_silent(snapshot: &EntitySnapshot) -> bool {
    snapshot.state.as_deref().is_some_and(|state| !state.is_known())
}

fn since(snapshot: &EntitySnapshot) -> Option<Timestamp> {
    snapshot.state.as_deref().map(|state| state.changed_at)
}

impl Investigation<'_> {
    /// Searches for the reason why the entity is unavailable.
    pub(super) async fn silence(&mut self) -> Result<Focus, ToolFailure> {
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
        Ok(Focus { snapshot: root, moments })
    }

    /// Follows an unavailable entity to the unavailable entity that it is made of.
    async fn walk(&mut self, subject: EntitySnapshot) -> Result<EntitySnapshot, ToolFailure> {
        let (mut here, mut seen) = (subject, BTreeSet::new());
        for _ in 0..DEPTH_MAX {
            seen.insert(here.entity.id.clone());
            let related = self.related(&here.entity.id).await?;
            let index = self.home.index();
            let sources: Vec<EntitySnapshot> = related.made_of.iter().filter_map(|id| index.get(id)).collect();
            self.hidden(sources.iter().filter(|source| !source.entity.exposed).count(), &here.entity.name);
            let silent: Vec<&EntitySnapshot> = sources
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

    async fn integration(&mut self, root: &EntitySnapshot) -> Result<(), ToolFailure> {
        let Some(trouble) = self.related(&root.entity.id).await?.integration_trouble else { return Ok(()) };
        let platform = root.entity.platform.clone().unwrap_or_else(|| "its".to_owned());
        let same = self.home.index().matching(|entity| entity.exposed && entity.platform == root.entity.platform);
        let silent = same.iter().filter(|snapshot| is_silent(snapshot)).count();
        let what = format!(
            "The integration {platform} is not loaded ({trouble}); {silent} of its {} entities are unavailable",
            same.len()
        );
        let evidence = vec![self.sources.related(root)];
        self.found(Cause::Integration, 0.87, Some(&root.entity.id), what, evidence);
        Ok(())
    }

    async fn device(&mut self, root: &EntitySnapshot, device: &DeviceId) -> Result<(), ToolFailure> {
        let all = self.home.index().of_device(device);
        let (seen, hidden): (Vec<EntitySnapshot>, Vec<EntitySnapshot>) =
            all.into_iter().partition(|snapshot| snapshot.entity.exposed);
        let name = root.device.as_ref().map_or_else(|| device.to_string(), |device| device.name.clone());
        self.hidden(hidden.len(), &name);
        if seen.len() > 1 && seen.iter().all(is_silent) {
            let what = format!("All {} entities of the device {name} are unavailable", seen.len());
            let evidence = seen.iter().take(3).map(|snapshot| self.sources.state(snapshot)).collect();
            self.found(Cause::Device, 0.55, Some(&root.entity.id), what, evidence);
        }
        self.battery(root, &name, &seen).await?;
        self.hub(root, device);
        Ok(())
    }

    async fn battery(
        &mut self,
        root: &EntitySnapshot,
        name: &str,
        of_device: &[EntitySnapshot],
    ) -> Result<(), ToolFailure> {
        let batteries: Vec<EntitySnapshot> =
            of_device.iter().filter(|snapshot| snapshot.entity.class.as_deref() == Some("battery")).cloned().collect();
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
                        format!("was at {last} {unit}")
                    };
                    let when = since(root)
                        .map_or_else(String::new, |at| format!("; it has not reported since {}", self.clock.at(at)));
                    let confidence = if last <= EMPTY { 0.93 } else { 0.6 };
                    let what = format!("The battery of {name} ran out: it {fell}{when}");
                    self.found(Cause::Battery, confidence, id, what, evidence);
                }
                (Some(last), _) => {
                    self.also.push(format!("the battery of {name} was at {last} % and is not the cause"))
                }
                (None, _) if is_low => {
                    self.found(Cause::Battery, 0.85, id, format!("The battery of {name} is reported as low"), evidence);
                }
                (None, _) => {}
            }
        }
        Ok(())
    }

    /// Whether other devices of the same hub are unavailable too.
    fn hub(&mut self, root: &EntitySnapshot, device: &DeviceId) {
        let Some(via) = root.device.as_ref().and_then(|device| device.via.clone()) else { return };
        let hub = self.home.index().device(&via).map_or_else(|| via.to_string(), |hub| hub.name.clone());
        let mut devices: BTreeMap<DeviceId, bool> = BTreeMap::new();
        for snapshot in self.home.index().matching(|entity| entity.exposed) {
            let Some(other) = snapshot.device.as_ref().filter(|other| other.via.as_ref() == Some(&via)) else {
                continue;
            };
            let is_down = snapshot.word() == EntityState::UNAVAILABLE;
            *devices.entry(other.id.clone()).or_insert(true) &= is_down;
        }
        devices.remove(device);
        let (down, all) = (devices.values().filter(|is_down| **is_down).count(), devices.len());
        if all >= 2 && down * 2 > all {
            let what = format!("{down} of {all} other devices connected through {hub} are unavailable too");
            let evidence = vec![self.sources.state(root)];
            self.found(Cause::Hub, 0.8, None::<&EntityId>, what, evidence);
        } else if all > 0 {
            self.also.push(format!(
                "{} of {all} other devices connected through {hub} are available, so {hub} itself is up",
                all - down
            ));
        }
    }
}
