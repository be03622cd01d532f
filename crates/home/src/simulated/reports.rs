//! What the simulated home reports of itself: its system log, the runs of its automations, what has to do with what.

use protocol::Timestamp;

use super::{
    furniture::{Act, Kind, Piece},
    services,
    world::World,
};
use crate::{AreaId, DeviceId, LogEntry, LogLevel, Period, Related, State, Trace, User, UserKind};

/// How far back the system log goes.
const LOG_MILLIS: i64 = 3 * 86_400_000;
/// How many runs are remembered of each automation.
const TRACES_MAX: usize = 5;
/// How long the printer is given until it is tried again.
const RETRY_MILLIS: i64 = 80_000;
/// The integration that is not loaded, and what it says.
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

/// The system log, newest first; `own` is what was said since the start.
pub(super) fn errors(world: &World<'_>, own: &[LogEntry]) -> Vec<LogEntry> {
    use LogLevel::{Error, Warning};
    let troubles = &world.troubles;
    let (went, came) = troubles.router;
    let dips: Vec<Timestamp> = troubles.dips.iter().map(|(began, ..)| later(*began, 700)).collect();
    let tries = 1 + (world.now.as_millis() - went.as_millis() - 45_000).max(0) / RETRY_MILLIS;
    let retries: Vec<Timestamp> =
        (0..tries.min(5_000)).map(|number| later(went, 45_000 + number * RETRY_MILLIS)).collect();
    let died = later(troubles.battery_died, 0);
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
    let mut entries: Vec<LogEntry> = lines.into_iter().flatten().filter(|entry| entry.first_at <= world.now).collect();
    entries.extend(world.furniture.all().filter_map(|(_, piece)| failures(world, piece)));
    entries.extend(own.iter().cloned());
    entries.sort_by(|one, two| two.last_at.cmp(&one.last_at).then_with(|| one.logger.cmp(&two.logger)));
    entries
}

/// What an automation that cannot do what it should has said.
fn failures(world: &World<'_>, piece: &Piece) -> Option<LogEntry> {
    let why = failing(world, piece)?;
    let Kind::Rule { runs } = &piece.kind else { return None };
    let runs = world.runs(runs, Period { from: later(world.now, -LOG_MILLIS), until: later(world.now, 1) });
    let times: Vec<Timestamp> = runs.into_iter().map(|(at, _)| at).collect();
    let (_, object) = piece.id.split_once('.')?;
    let message = format!("{}: Error executing script. {why}", piece.name);
    entry(LogLevel::Error, &format!("components.automation.{object}"), &message, &times)
}

/// What an automation or a script does that cannot be done.
fn failing(world: &World<'_>, piece: &Piece) -> Option<String> {
    let offered = services::services(world.furniture);
    let fails = |act: &&Act| !offered.iter().any(|known| (known.domain.as_str(), known.name.as_str()) == act.service);
    let (number, act) = piece.acts.iter().enumerate().find(|(_, act)| fails(act))?;
    let (domain, service) = act.service;
    Some(format!("Action {domain}.{service} at position {} not found", number + 1))
}

/// The last runs of an automation or a script, newest first.
pub(super) fn traces(world: &World<'_>, piece: &Piece) -> Vec<Trace> {
    let period = Period { from: later(world.now, -6 * 86_400_000), until: later(world.now, 1) };
    let own = match &piece.kind {
        Kind::Rule { runs } => world.runs(runs, period),
        _ => Vec::new(),
    };
    let told = world.deeds.of(piece.id).iter().filter_map(|deed| Some((deed.run_at()?, "")));
    let mut all: Vec<(Timestamp, &str)> = own.into_iter().chain(told.filter(|(at, _)| *at <= world.now)).collect();
    all.sort_unstable();
    let trace = |(at, trigger): (Timestamp, &str)| {
        // Whoever starts it by hand skips its conditions.
        let is_barred = |id: &&str| {
            let face = world.face(id, at);
            id.starts_with("binary_sensor.") && face.state != "on"
        };
        let barred = piece.reads.iter().find(|id| !trigger.is_empty() && is_barred(id));
        let (outcome, error) = match (barred, failing(world, piece)) {
            (Some(_), _) => ("failed_conditions", None),
            (None, Some(why)) => ("error", Some(why)),
            (None, None) => ("finished", None),
        };
        Trace {
            entity_id: world.furniture.id(piece.id).cloned(),
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

/// What an entity has to do with.
pub(super) fn related(world: &World<'_>, piece: &Piece) -> Related {
    let id = |id: &str| world.furniture.id(id).cloned();
    let made_of: Vec<_> = piece
        .made_of()
        .into_iter()
        .chain(if piece.domain() == "scene" { piece.uses().collect() } else { Vec::new() })
        .filter_map(id)
        .collect();
    let used_by = world.furniture.all().filter_map(|(user_id, user)| {
        let kind = match user.domain() {
            "automation" => UserKind::Automation,
            "script" => UserKind::Script,
            "scene" => UserKind::Scene,
            _ => UserKind::Entity,
        };
        let uses = user.made_of().contains(&piece.id) || user.uses().any(|used| used == piece.id);
        uses.then(|| User { kind, entity_id: user_id.clone(), name: user.name.to_owned() })
    });
    let is_down = piece.platform == NOT_LOADED.0 && world.face(piece.id, world.now).state == State::UNAVAILABLE;
    Related {
        made_of,
        used_by: used_by.collect(),
        device: piece.device.map(DeviceId::new),
        area: piece.area.map(AreaId::new),
        integration_trouble: is_down.then(|| NOT_LOADED.1.to_owned()),
    }
}
