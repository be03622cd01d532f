//! The database, if the journal is in one: whether it answers, its version, its schema, and how
//! long a commit takes.

use std::time::Duration;

use journal::{
    Error, LostWrites,
    postgres::{DatabaseCheck, check as look},
};

use super::{Diagnosis, running::LOST_ADVICE};
use crate::config::Config;

const AREA: &str = "database";
/// Every message waits for a few commits.
const SLOW: Duration = Duration::from_millis(100);

pub(super) async fn check(config: &Config) -> Vec<Diagnosis> {
    let url = match config.store.database() {
        Ok(Some(url)) => url,
        Ok(None) => return Vec::new(),
        Err(error) => {
            return vec![Diagnosis::problem(AREA, error, "set it, or write the address itself into `store.url`")];
        }
    };
    match look(&url).await {
        Ok(found) => std::iter::once(described(&found)).chain(found.lost.map(lost)).collect(),
        Err(error) => {
            let advice = match &error {
                Error::Address(_) => "correct `store.url`: postgres://user:password@host/database?sslmode=verify-full",
                Error::Unfit(_) => "use PostgreSQL 15 or newer, with a database in UTF8",
                Error::Away { .. } => "start the database, and check host, port and firewall of `store.url`",
                _ => "check user, password, database and rights of `store.url`; psql takes the same address",
            };
            vec![Diagnosis::problem(AREA, error.to_string(), advice)]
        }
    }
}

fn lost(lost: LostWrites) -> Diagnosis {
    let noticed = lost.noticed_at.map_or_else(String::new, |at| format!(", noticed at {at}"));
    Diagnosis::problem(AREA, format!("it has lost {} writes that were acknowledged{noticed}", lost.count), LOST_ADVICE)
}

fn described(found: &DatabaseCheck) -> Diagnosis {
    let DatabaseCheck { shown, version, schema, known, is_known, commit, lost: _ } = found;
    let server = format!("PostgreSQL {version}, {shown}");
    match schema {
        Some((number, program)) if !is_known => Diagnosis::problem(
            AREA,
            format!(
                "{server}: it has schema {number}, written by {program}, and this program knows schemas up to {known}"
            ),
            "use that version, or restore a backup of before",
        ),
        Some((number, _)) if number < known => {
            Diagnosis::ok(AREA, format!("{server}: schema {number}; the next start migrates it to {known}"))
        }
        None => Diagnosis::ok(AREA, format!("{server}: no schema yet; the first start makes it")),
        Some((number, _)) => match commit {
            Some(took) if *took > SLOW => Diagnosis::warning(
                AREA,
                format!("{server}: schema {number}; a commit takes {} ms", took.as_millis()),
                "look at the network to the database and at its disk: every message waits for commits",
            ),
            Some(took) => {
                let ms = took.as_secs_f64() * 1_000.0;
                Diagnosis::ok(AREA, format!("{server}: schema {number}; a commit takes {ms:.1} ms"))
            }
            None => Diagnosis::ok(AREA, format!("{server}: schema {number}")),
        },
    }
}
