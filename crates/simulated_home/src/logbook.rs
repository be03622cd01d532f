//! The logbook of the simulated home.

use home::{EntityId, EntityState, LogbookEntry, Period, StateSample};
use protocol::Timestamp;

use super::{
    layout::{Behaviour, SimulatedEntity},
    simulation::Simulation,
};

/// The maximum number of lines; the newest are kept.
const LINES_MAX: usize = 2_000;

pub(super) fn logbook(simulation: &Simulation<'_>, entities: &[EntityId], period: Period) -> Vec<LogbookEntry> {
    let wanted = |id: &EntityId| entities.is_empty() || entities.contains(id);
    let mut lines = Vec::new();
    for entity in simulation.layout.all().filter(|entity| wanted(&entity.id)) {
        if let Behaviour::Rule(runs) = &entity.behaviour {
            for (at, why) in simulation.runs(runs, period).into_iter().filter(|(at, _)| *at <= simulation.now) {
                let cause = Some(why.to_owned());
                lines.push(LogbookEntry {
                    at,
                    entity_id: Some(entity.id.clone()),
                    name: entity.name.clone(),
                    message: "triggered".to_owned(),
                    cause,
                });
            }
        }
        if is_told(entity) {
            let samples = simulation.series(entity.id.as_str(), period);
            lines.extend(changes(&samples).map(|sample| line(simulation, entity, sample)));
        }
    }
    lines.sort_by(|one, two| one.at.cmp(&two.at).then_with(|| one.entity_id.cmp(&two.entity_id)));
    if lines.len() > LINES_MAX {
        lines.drain(..lines.len() - LINES_MAX);
    }
    lines
}

/// Changes of measured numbers are not logged.
fn is_told(entity: &SimulatedEntity) -> bool {
    let is_number =
        matches!(entity.behaviour, Behaviour::Meter(_) | Behaviour::Count(_) | Behaviour::Weather | Behaviour::Sun);
    !is_number || matches!(entity.behaviour, Behaviour::Sun)
}

/// The samples at which the state changes.
fn changes(samples: &[StateSample]) -> impl Iterator<Item = &StateSample> {
    samples.windows(2).filter_map(|pair| match pair {
        [before, after] if before.state != after.state => Some(after),
        _ => None,
    })
}

fn line(simulation: &Simulation<'_>, entity: &'static SimulatedEntity, sample: &StateSample) -> LogbookEntry {
    LogbookEntry {
        at: sample.at,
        entity_id: Some(entity.id.clone()),
        name: entity.name.clone(),
        message: message(entity, &sample.state),
        cause: cause(simulation, entity, sample.at),
    }
}

fn cause(simulation: &Simulation<'_>, entity: &'static SimulatedEntity, at: Timestamp) -> Option<String> {
    let action = simulation.actions.of(entity.id.as_str()).iter().rev().find(|action| action.at <= at);
    let told = action
        .filter(|action| action.phases.iter().any(|phase| action.at.as_millis() + phase.after_ms == at.as_millis()));
    told.map(|action| format!("service {}", action.service)).or_else(|| simulation.cause(entity, at).map(str::to_owned))
}

fn message(entity: &SimulatedEntity, state: &str) -> String {
    let on = state == "on";
    match (entity.domain(), entity.class.as_deref(), state) {
        (_, _, EntityState::UNAVAILABLE) => "became unavailable".to_owned(),
        ("person", _, "home") => "arrived home".to_owned(),
        ("person", _, _) => "left home".to_owned(),
        ("lock", ..) => format!("was {state}"),
        ("sun", _, "above_horizon") => "rose".to_owned(),
        ("sun", ..) => "set".to_owned(),
        ("scene", ..) => "activated".to_owned(),
        ("binary_sensor", Some("motion"), _) => {
            if on { "detected motion" } else { "cleared (no motion detected)" }.to_owned()
        }
        ("binary_sensor", Some("door" | "window"), _) => if on { "was opened" } else { "was closed" }.to_owned(),
        ("binary_sensor", Some("connectivity"), _) => if on { "was connected" } else { "was disconnected" }.to_owned(),
        ("cover" | "valve", ..) => format!("is {state}"),
        (_, _, "on") => "turned on".to_owned(),
        (_, _, "off") => "turned off".to_owned(),
        _ => format!("changed to {state}"),
    }
}
