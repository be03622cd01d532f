//! The age of the automatic backups.

use std::time::Duration;

use engine::{SystemWorld, World};

use super::Diagnosis;
use crate::{backup::schedule_status, commands::size::size, config::Config};

const AREA: &str = "backups";

pub(super) fn check(config: &Config) -> Vec<Diagnosis> {
    let Some(schedule) = config.backup_schedule() else {
        let advice = "set `backup.dir` to a folder on another disk, or run `dwell backup` from time to time";
        return vec![Diagnosis::warning(AREA, "no automatic backups are made", advice)];
    };
    let status = schedule_status(&schedule);
    let into = schedule.into.display();
    let Some(made_at) = status.made_at else {
        let found = format!("there is no automatic backup in {into} yet");
        return vec![Diagnosis::warning(AREA, found, "the server makes the first one when it runs: look again later")];
    };
    let age = SystemWorld::default().now().since(made_at);
    let found = format!("the newest is {} old ({}), {} kept in {into}", hours(age), size(status.bytes), status.kept);
    vec![if age > schedule.every.saturating_mul(2) {
        let advice = "is the server running? `dwell logs --level warn` says why a backup failed";
        Diagnosis::problem(AREA, found, advice)
    } else {
        Diagnosis::ok(AREA, found)
    }]
}

fn hours(age: Duration) -> String {
    let minutes = age.as_secs() / 60;
    match minutes {
        0..120 => format!("{minutes} min"),
        120..2_880 => format!("{} h", minutes / 60),
        _ => format!("{} days", minutes / 1_440),
    }
}
