//! Reports of the simulated home: its system log, the runs of its automations, and relations of
//! entities.

use protocol::Timestamp;

use super::{
    layout::{Behaviour, ServiceAction, SimulatedEntity},
    services,
    simulation::Simulation,
};
use crate::{
    AreaId, Dependent, DependentKind, DeviceId, EntityRelations, EntityState, LogEntry, LogLevel, Period, Trace,
};

/// How far back the system log goes.
const LOG_MILLIS: i64 = 3 * 86_400_000;
/// The number of runs kept for each automation.
const TRACES_MAX: usize = 5;
/// The interval between attempts to reach the printer.
const RETRY_MILLIS: i64 = 80_000;
/// The integration that is not loaded, with its error.
const NOT_LOADED: (&str, &str) = ("ipp", "setup_retry: timeout while connecting to printer.lan:631");

fn later(moment: Timestamp, millis: i64) -> Timestamp {
    Timestamp::from_millis(moment.as_millis() + millis)
}

fn entry(level: LogLevel, logger: &str, message: &str, times: &[Timestamp]) -> Option<LogEntry> {
    Some(LogEntry {
        level,
        logger: format!("homeassistant.{logger}"),
        messages: vec![message.to_owned()],
        exception: String::new(),
        first_at: *times.first()?,
        last_at: *times.last()?,
        count: u32::try_from(times.len()).unwrap_or(u32::MAX),
    })
}

/// The system log, newest first; `own` has the entries since the start.
pub(super) fn errors(simulation: &Simulation<'_>, own: &[LogEntry]) -> Vec<LogEntry> {
    use LogLevel::{Error, Warning};
    let faults = &simulation.faults;
    let (went, came) = faults.router;
    let dips: Vec<Timestamp> = faults.dips.iter().map(|(began, ..)| later(*began, 700)).collect();
    let tries = 1 + (simulation.now.as_millis() - went.as_millis() - 45_000).max(0) / RETRY_MILLIS;
    let retries: Vec<Timestamp> =
        (0..tries.min(5_000)).map(|number| later(went, 45_000 + number * RETRY_MILLIS)).collect();
    let died = later(faults.battery_died, 0);
    let lines = [
        entry(
            Warning,
            "components.zha.light",
            "light.bedroom_ceiling: driver reports brown-out reset, output was off for a moment",
            &dips,
        ),
        entry(
            Warning,
            "components.zha.core.device",
            "Soil sensor (sensor.soil_moisture) has not checked in for 7200 seconds and is marked unavailable",
            &[died],
        ),
        entry(
            Error,
            "components.fritz.coordinator",
            "Error fetching router data: Cannot connect to host router.lan:49000",
            &[went, later(went, 60_000), later(went, 120_000)],
        ),
        entry(
            Warning,
            "components.cast.media_player",
            "Failed to connect to Kitchen speaker (media_player.kitchen_speaker): no route to host",
            &[later(went, 14_000)],
        ),
        entry(
            Warning,
            "components.androidtv.media_player",
            "Connection to Television (media_player.television) lost",
            &[later(went, 16_000)],
        ),
        entry(
            Error,
            "components.roborock.coordinator",
            "Error requesting vacuum.dusty data: cloud not reachable, name resolution failed",
            &[later(went, 31_000), later(went, 91_000)],
        ),
        entry(
            Error,
            "components.met.coordinator",
            "Error fetching weather data: timeout while contacting the service",
            &[later(went, 60_000), later(came, 20_000)],
        ),
        entry(
            Warning,
            "config_entries",
            "Config entry 'Printer' for ipp integration not ready yet: timeout while connecting to printer.lan:631; retrying in background",
            &retries,
        ),
    ];
    let mut entries: Vec<LogEntry> =
        lines.into_iter().flatten().filter(|entry| entry.first_at <= simulation.now).collect();
    entries.extend(simulation.layout.all().filter_map(|(_, entity)| failures(simulation, entity)));
    entries.extend(own.iter().cloned());
    entries.sort_by(|one, two| two.last_at.cmp(&one.last_at).then_with(|| one.logger.cmp(&two.logger)));
    entries
}

/// The log entry of an automation that fails.
fn failures(simulation: &Simulation<'_>, entity: &SimulatedEntity) -> Option<LogEntry> {
    let why = failing(simulation, entity)?;
    let Behaviour::Rule { runs } = &entity.behaviour else { return None };
    let runs =
        simulation.runs(runs, Period { from: later(simulation.now, -LOG_MILLIS), until: later(simulation.now, 1) });
    let times: Vec<Timestamp> = runs.into_iter().map(|(at, _)| at).collect();
    let (_, object) = entity.id.split_once('.')?;
    let message = format!("{}: Error executing script. {why}", entity.name);
    entry(LogLevel::Error, &format!("components.automation.{object}"), &message, &times)
}

/// The step of an automation or a script that fails.
fn failing(simulation: &Simulation<'_>, entity: &SimulatedEntity) -> Option<String> {
    let offered = services::services(simulation.layout);
    let fails =
        |act: &&ServiceAction| !offered.iter().any(|known| (known.domain.as_str(), known.name.as_str()) == act.service);
    let (number, act) = entity.acts.iter().enumerate().find(|(_, act)| fails(act))?;
    let (domain, service) = act.service;
    Some(format!("Action {domain}.{service} at position {} not found", number + 1))
}

/// The last runs of an automation or a script, newest first.
pub(super) fn traces(simulation: &Simulation<'_>, entity: &SimulatedEntity) -> Vec<Trace> {
    let period = Period { from: later(simulation.now, -6 * 86_400_000), until: later(simulation.now, 1) };
    let own = match &entity.behaviour {
        Behaviour::Rule { runs } => simulation.runs(runs, period),
        _ => Vec::new(),
    };
    let told = simulation.actions.of(entity.id).iter().filter_map(|action| Some((action.run_at()?, "")));
    let mut all: Vec<(Timestamp, &str)> = own.into_iter().chain(told.filter(|(at, _)| *at <= simulation.now)).collect();
    all.sort_unstable();
    let trace = |(at, trigger): (Timestamp, &str)| {
        // A manual start skips the conditions.
        let is_barred = |id: &&str| {
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
            entity_id: simulation.layout.id(entity.id).cloned(),
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
pub(super) fn automation(simulation: &Simulation<'_>, entity: &SimulatedEntity) -> serde_json::Value {
    let mut triggers: Vec<String> = traces(simulation, entity).into_iter().filter_map(|trace| trace.trigger).collect();
    triggers.sort();
    triggers.dedup();
    let acts_on: Vec<_> = entity.uses().filter_map(|id| simulation.layout.id(id).cloned()).collect();
    serde_json::json!({ "alias": entity.name, "started_by": triggers, "acts_on": acts_on })
}

/// The relations of an entity.
pub(super) fn related(simulation: &Simulation<'_>, entity: &SimulatedEntity) -> EntityRelations {
    let id = |id: &str| simulation.layout.id(id).cloned();
    let made_of: Vec<_> = entity
        .made_of()
        .into_iter()
        .chain(if entity.domain() == "scene" { entity.uses().collect() } else { Vec::new() })
        .filter_map(id)
        .collect();
    let used_by = simulation.layout.all().filter_map(|(user_id, user)| {
        let kind = match user.domain() {
            "automation" => DependentKind::Automation,
            "script" => DependentKind::Script,
            "scene" => DependentKind::Scene,
            _ => DependentKind::Entity,
        };
        let uses = user.made_of().contains(&entity.id) || user.uses().any(|used| used == entity.id);
        uses.then(|| Dependent { kind, entity_id: user_id.clone(), name: user.name.to_owned() })
    });
    let is_down = entity.platform == NOT_LOADED.0
        && simulation.sim_state(entity.id, simulation.now).state == EntityState::UNAVAILABLE;
    EntityRelations {
        made_of,
        used_by: used_by.collect(),
        device: entity.device.map(DeviceId::new),
        area: entity.area.map(AreaId::new),
        integration_trouble: is_down.then(|| NOT_LOADED.1.to_owned()),
    }
}
