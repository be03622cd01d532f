//! Versions: of this program, of the running server, and of the stored journal.

use journal::sqlite::{JournalFormat, journal_format};

use super::{Diagnosis, ServerState};
use crate::config::Config;

const OWN: &str = env!("CARGO_PKG_VERSION");

pub(super) async fn check(config: &Config, server: &ServerState) -> Vec<Diagnosis> {
    let mut lines = vec![program(server)];
    // The journal is in the database, which has a check of its own.
    if !matches!(config.store.database(), Ok(None)) {
        return lines;
    }
    lines.push(match journal_format(config.data_dir()) {
        Ok(JournalFormat { stored: None, current }) => {
            Diagnosis::ok("journal", format!("none yet; this program writes format {current}"))
        }
        Ok(JournalFormat { stored: Some(stored), current }) if stored > current => Diagnosis::problem(
            "journal",
            format!("it has format {stored}, and this program knows formats up to {current}"),
            "a newer Dwell has written it: use that version, or restore a backup of before",
        ),
        Ok(JournalFormat { stored: Some(stored), current }) if stored < current => {
            Diagnosis::ok("journal", format!("format {stored}; the next start migrates it to {current}"))
        }
        Ok(JournalFormat { current, .. }) => Diagnosis::ok("journal", format!("format {current}, the current one")),
        Err(error) => {
            let advice = "`dwell verify` says what is damaged; `dwell restore` brings back a backup";
            Diagnosis::problem("journal", error.to_string(), advice)
        }
    });
    lines
}

fn program(server: &ServerState) -> Diagnosis {
    let ServerState::Ready { answer, .. } = server else {
        return Diagnosis::ok("version", format!("Dwell {OWN}"));
    };
    match answer["version"].as_str() {
        Some(OWN) => Diagnosis::ok("version", format!("Dwell {OWN}, and the running server too")),
        other => Diagnosis::warning(
            "version",
            format!("this program is Dwell {OWN}, and the running server is {}", other.unwrap_or("unknown")),
            "restart the server, so that it runs the installed version",
        ),
    }
}
