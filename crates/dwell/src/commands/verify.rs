//! `dwell verify`: checks that the stored data is what was written, and that everything
//! acknowledged is there.

use anyhow::Context;
use journal::sqlite::{VerifyFault, VerifyReport, verify};

use crate::{command_error::CommandError, config::Config, output::Progress, print_json};

/// Sessions between two lines of progress.
const REMARK_EVERY: u64 = 1_000;

pub(crate) fn run(config: &Config) -> Result<(), CommandError> {
    let instead =
        "sessions are checked by the running server (`journal.verify_per_minute`), and pg_amcheck checks the database";
    config.store.refuse_database("dwell verify", instead).map_err(CommandError::Usage)?;
    let folder = config.data_dir();
    let (output, bar) = (config.output, Progress::pieces(config.output, "checking sessions", 0));
    let mut progress = |done: u64, total: u64| {
        bar.set_total(total);
        bar.set(done);
        if done.is_multiple_of(REMARK_EVERY) && !Progress::is_shown(output) {
            output.remark(&format!("{done} of {total} sessions checked"));
        }
    };
    let checked = verify(folder, &mut progress);
    drop(bar);
    let report = checked.with_context(|| format!("failed to check {}", folder.display()))?;
    if config.output.json {
        print_json(&report)?;
    } else {
        in_words(&report).iter().for_each(|line| println!("{line}"));
    }
    match problems(&report) {
        0 => Ok(()),
        1 => Err(CommandError::Failed(anyhow::anyhow!("1 problem was found; nothing was changed"))),
        many => Err(CommandError::Failed(anyhow::anyhow!("{many} problems were found; nothing was changed"))),
    }
}

fn problems(report: &VerifyReport) -> usize {
    report.faults.len() + usize::from(report.loss.is_some())
}

fn in_words(report: &VerifyReport) -> Vec<String> {
    let VerifyReport { sessions, events, snapshots, artifacts, records, values, commits, .. } = report;
    let mut lines = vec![format!(
        "checked {sessions} sessions with {events} events, {snapshots} snapshots, {artifacts} artifacts, \
         {records} memory records, {values} values, {commits} commits"
    )];
    if report.artifacts_without_sum > 0 {
        let count = report.artifacts_without_sum;
        lines.push(format!(
            "{count} artifacts have no checksums, because an older version wrote them; their bytes cannot be checked"
        ));
    }
    if !report.has_heads {
        lines.push("there is no file `journal.heads`, so missing events at the end cannot be detected".to_owned());
    }
    if let Some(loss) = &report.loss {
        lines.push(format!("lost: {} acknowledged events in {} sessions", loss.events(), loss.sessions.len()));
        lines.extend(loss.sessions.iter().map(|lost| {
            format!("lost: session {}, events {} to {}", lost.session_id, lost.found + 1, lost.acknowledged)
        }));
        if loss.acknowledged_commits > loss.found_commits {
            lines.push(format!("lost: commits {} to {}", loss.found_commits + 1, loss.acknowledged_commits));
        }
    }
    lines.extend(report.faults.iter().map(|VerifyFault { what, id, seq, detail }| {
        let id = id.as_ref().map_or_else(String::new, |id| format!(" {id}"));
        let seq = seq.map_or_else(String::new, |seq| format!(", event {seq}"));
        format!("damaged: {what}{id}{seq}: {detail}")
    }));
    if problems(report) == 0 {
        lines.push("no damage was found".to_owned());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_named() {
        let sound = VerifyReport { has_heads: true, sessions: 2, ..VerifyReport::default() };
        assert_eq!(in_words(&sound).last().unwrap(), "no damage was found");
        let fault =
            VerifyFault { what: "session", id: Some("X".to_owned()), seq: Some(3), detail: "it is missing".to_owned() };
        let damaged = VerifyReport { faults: vec![fault], ..sound };
        assert_eq!(in_words(&damaged).last().unwrap(), "damaged: session X, event 3: it is missing");
        assert_eq!(problems(&damaged), 1);
    }
}
