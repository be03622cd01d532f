//! Reports of the simulated home: its system log, the runs of its automations, and relations of
//! entities.

use home::{Dependent, DependentKind, EntityRelations, EntityState, LogEntry, LogLevel, Period, Trace};
use protocol::Timestamp;

use super::{
    layout::{Behaviour, ServiceAction, SimulatedEntity, log_entry},
    simulation::Simulation,
};

/// How far back the system log goes.
const LOG_MILLIS: i64 = 3 * 86_400_000;
/// The number of runs kept for each automation.
const TRACES_MAX: usize = 5;

fn later(moment: Timestamp, millis: i64) -> Timestamp {
    Timestamp::from_millis(moment.as_millis() + millis)
}

/// The system log, newest first; `own` has the entries since the start.
pub(super) fn errors(simulation: &Simulation<'_>, own: &[LogEntry]) -> Vec<LogEntry> {
    let (calendar, layout, now) = (&simulation.calendar, simulation.layout, simulation.now);
    let anchor = calendar.anchor(now);
    let planted = layout.problems.iter().flat_map(|problem| problem.log(calendar, anchor, now));
    let mut entries: Vec<LogEntry> = planted.filter(|entry| entry.first_at <= now).collect();
    entries.extend(layout.all().filter_map(|entity| failures(simulation, entity)));
    entries.extend(own.iter().cloned());
    entries.sort_by(|one, two| two.last_at.cmp(&one.last_at).then_with(|| one.logger.cmp(&two.logger)));
    entries
}

/// The log entry of an automation that fails.
fn failures(simulation: &Simulation<'_>, entity: &'static SimulatedEntity) -> Option<LogEntry> {
    let why = failing(simulation, entity)?;
    let Behaviour::Rule(runs) = &entity.behaviour else { return None };
    let runs =
        simulation.runs(runs, Period { from: later(simulation.now, -LOG_MILLIS), until: later(simulation.now, 1) });
    let times: Vec<Timestamp> = runs.into_iter().map(|(at, _)| at).collect();
    let message = format!("{}: Error executing script. {why}", entity.name);
    log_entry(LogLevel::Error, &format!("components.automation.{}", entity.id.object()), &message, &times)
}

/// The step of an automation or a script that fails.
fn failing(simulation: &Simulation<'_>, entity: &SimulatedEntity) -> Option<String> {
    let offered = &simulation.layout.services;
    let fails = |act: &&ServiceAction| {
        !offered.iter().any(|known| (known.domain.as_str(), known.name.as_str()) == act.service())
    };
    let (number, act) = entity.acts.iter().enumerate().find(|(_, act)| fails(act))?;
    let (domain, service) = act.service();
    Some(format!("Action {domain}.{service} at position {} not found", number + 1))
}

/// The last runs of an automation or a script, newest first.
pub(super) fn traces(simulation: &Simulation<'_>, entity: &'static SimulatedEntity) -> Vec<Trace> {
    let period = Period { from: later(simulation.now, -6 * 86_400_000), until: later(simulation.now, 1) };
    let own = match &entity.behaviour {
        Behaviour::Rule(runs) => simulation.runs(runs, period),
        _ => Vec::new(),
    };
    let told = simulation.actions.of(entity.id.as_str()).iter().filter_map(|action| Some((action.run_at()?, "")));
    let mut all: Vec<(Timestamp, &str)> = own.into_iter().chain(told.filter(|(at, _)| *at <= simulation.now)).collect();
    all.sort_unstable();
    let trace = |(at, trigger): (Timestamp, &str)| {
        // A manual start skips the conditions.
        let is_barred = |id: &str| {
            let sim_state = simulation.sim_state(id, at);
            id.starts_with("binary_sensor.") && sim_state.state != "on"
        };
        let barred = entity.reads.iter().find(|id| !trigger.is_empty() && is_barred(id));
        let (outcome, error) = match (barred, failing(simulation, entity)) {
            (Some(_), _) => ("failed_conditions", None),
            (None, Some(why)) => ("error", Some(why)),
            (None, None) => ("finished", None),
        };
        Trace {
            entity_id: Some(entity.id.clone()),
            run_id: format!("{:x}", at.as_millis()),
            at,
            ended_at: Some(later(at, 180)),
            trigger: Some(if trigger.is_empty() { "by hand" } else { trigger }.to_owned()),
            outcome: outcome.to_owned(),
            error,
        }
    };
    all.into_iter().rev().take(TRACES_MAX).map(trace).collect()
}

/// What an automation does: what started it before, and what it acts on.
pub(super) fn automation(simulation: &Simulation<'_>, entity: &'static SimulatedEntity) -> serde_json::Value {
    let mut triggers: Vec<String> = traces(simulation, entity).into_iter().filter_map(|trace| trace.trigger).collect();
    triggers.sort();
    triggers.dedup();
    let acts_on: Vec<_> = entity.uses().filter_map(|id| Some(&simulation.layout.get(id)?.id)).collect();
    serde_json::json!({ "alias": entity.name, "started_by": triggers, "acts_on": acts_on })
}

/// The relations of an entity.
pub(super) fn related(simulation: &Simulation<'_>, entity: &SimulatedEntity) -> EntityRelations {
    let id = |id: &str| Some(simulation.layout.get(id)?.id.clone());
    let made_of: Vec<_> = entity
        .made_of()
        .into_iter()
        .chain(if entity.domain() == "scene" { entity.uses().collect() } else { Vec::new() })
        .filter_map(id)
        .collect();
    let used_by = simulation.layout.all().filter_map(|user| {
        let kind = match user.domain() {
            "automation" => DependentKind::Automation,
            "script" => DependentKind::Script,
            "scene" => DependentKind::Scene,
            _ => DependentKind::Entity,
        };
        let uses = user.made_of().into_iter().chain(user.uses()).any(|used| used == entity.id.as_str());
        uses.then(|| Dependent { kind, entity_id: user.id.clone(), name: user.name.clone() })
    });
    let trouble = simulation.layout.integration_trouble.get(&entity.platform);
    let is_down =
        |_: &&String| simulation.sim_state(entity.id.as_str(), simulation.now).state == EntityState::UNAVAILABLE;
    EntityRelations {
        made_of,
        used_by: used_by.collect(),
        device: entity.device.clone(),
        area: entity.area.clone(),
        integration_trouble: trouble.filter(is_down).cloned(),
    }
}
