//! The clock: whether it jumps or was set back, and the time zone.

use std::{
    fs,
    time::{Duration, Instant, UNIX_EPOCH},
};

use engine::{SystemWorld, World};
use jiff::tz::TimeZone;
use protocol::{ServerStats, Timestamp};

use super::{Diagnosis, ServerState};
use crate::config::Config;

const AREA: &str = "clock";
const ADVICE: &str = "set the clock, and let a time service such as systemd-timesyncd or chrony keep it";

/// A clock that goes wrong by more than this while the checks run has jumped.
const JUMP: Duration = Duration::from_secs(2);
/// Files from further in the future mean that the clock was set back.
const AHEAD: Duration = Duration::from_secs(60);

/// A moment by two clocks, of which one never jumps.
pub(super) struct ClockSample {
    wall: Timestamp,
    steady: Instant,
}

impl ClockSample {
    pub(super) fn now() -> Self {
        Self { wall: SystemWorld::default().now(), steady: Instant::now() }
    }
}

pub(super) async fn check(config: &Config, server: &ServerState, began: &ClockSample) -> Vec<Diagnosis> {
    let now = ClockSample::now();
    let mut lines = Vec::new();
    let wall = now.wall.as_millis() - began.wall.as_millis();
    let steady = i64::try_from((now.steady - began.steady).as_millis()).unwrap_or(i64::MAX);
    let off = wall.abs_diff(steady);
    if u128::from(off) > JUMP.as_millis() {
        let found = format!("it jumped by {} s while this command ran", off / 1_000);
        lines.push(Diagnosis::problem(AREA, found, ADVICE));
    }
    lines.extend(set_back(config, now.wall));
    lines.extend(doubt(server).await);
    if lines.is_empty() {
        lines.push(Diagnosis::ok(AREA, format!("{}, steady", now.wall)));
    }
    lines.push(zone(config));
    lines
}

/// The journal was written in what is now the future.
fn set_back(config: &Config, now: Timestamp) -> Option<Diagnosis> {
    let written = fs::metadata(config.data_dir().join(journal::sqlite::FILE)).and_then(|file| file.modified()).ok()?;
    let written = written.duration_since(UNIX_EPOCH).ok()?;
    let now = Duration::from_millis(u64::try_from(now.as_millis()).unwrap_or(0));
    let ahead = written.checked_sub(now).filter(|ahead| *ahead > AHEAD)?;
    let found = format!("it is {} s behind the journal, which was written before", ahead.as_secs());
    Some(Diagnosis::problem(AREA, found, ADVICE))
}

/// What the running server thinks of the clock.
async fn doubt(server: &ServerState) -> Option<Diagnosis> {
    let stats: ServerStats = server.client()?.get("/stats").await.ok()?;
    let doubt = stats.clock?;
    let advice = "set the clock right, then `dwell sweep --trust-clock`; until then nothing is deleted by age";
    Some(Diagnosis::problem(AREA, doubt.reason, advice))
}

fn zone(config: &Config) -> Diagnosis {
    let name = config.time_zone();
    if TimeZone::get(&name).is_err() {
        let advice = "set `tools.time_zone` to a name such as Europe/Berlin";
        return Diagnosis::problem("time zone", format!("`{name}` is not known"), advice);
    }
    let is_set = config.given.contains("tools.time_zone");
    if !is_set && TimeZone::system().iana_name().is_none() {
        let advice = "set the machine's time zone, or `tools.time_zone`";
        return Diagnosis::warning("time zone", "the machine's zone has no name, so UTC is used", advice);
    }
    Diagnosis::ok("time zone", name)
}
