//! `dwell doctor`: checks everything that a server depends on, and says what to do about what is
//! wrong. It works with and without a running server, and changes nothing.
//!
//! One file per area; each returns its [`Diagnosis`] lines.

mod backups;
mod clock;
mod data_folder;
mod database;
mod diagnosis;
mod disk;
mod embedding;
mod home;
mod mcp;
mod page;
mod providers;
mod running;
mod speech;
mod versions;

use serde_json::json;

use self::{
    clock::ClockSample,
    diagnosis::{Diagnosis, DiagnosisState},
    running::ServerState,
};
use crate::{
    cli::DoctorArgs,
    command_error::CommandError,
    config::Config,
    output::{OutputOptions, is_coloured},
    print_json,
};

pub(crate) async fn run(config: &Config, asked: DoctorArgs) -> Result<(), CommandError> {
    let began = ClockSample::now();
    let server = running::look(config).await;
    let mut report = DoctorReport::new(config.output);
    report.add(data_folder::check(config));
    report.add(disk::check(config));
    report.add(running::check(config, &server).await);
    report.add(page::check());
    report.while_busy("the embedding model", async { embedding::check(config) }).await;
    report.while_busy("versions", versions::check(config, &server)).await;
    report.add(backups::check(config));
    if asked.offline {
        report.add(vec![Diagnosis::ok("network", "not asked: --offline")]);
    } else {
        report.while_busy("the database", database::check(config)).await;
        report.while_busy("providers", providers::check(config)).await;
        report.while_busy("the home", home::check(config)).await;
        report.while_busy("speech services", speech::check(config)).await;
        report.while_busy("MCP servers", mcp::check(config, &server)).await;
    }
    // Last: it compares the time that all this took by two clocks.
    report.add(clock::check(config, &server, &began).await);
    report.end()
}

/// The configuration cannot be read, so nothing else can be checked.
pub(crate) fn run_without_config(output: OutputOptions, error: String) -> Result<(), CommandError> {
    let mut report = DoctorReport::new(output);
    let advice = "correct it; `dwell config` lists all settings, and --config names another file";
    report.add(vec![Diagnosis::problem("configuration", error, advice)]);
    report.end()
}

/// The lines so far. As text they are printed at once, since some checks take seconds.
struct DoctorReport {
    output: OutputOptions,
    is_coloured: bool,
    lines: Vec<Diagnosis>,
}

impl DoctorReport {
    fn new(output: OutputOptions) -> Self {
        Self { output, is_coloured: is_coloured(&std::io::stdout()), lines: Vec::new() }
    }

    fn add(&mut self, lines: Vec<Diagnosis>) {
        for line in lines {
            let is_shown = !self.output.quiet || line.state != DiagnosisState::Ok;
            if is_shown && !self.output.json {
                println!("{}", line.in_words(self.is_coloured));
            }
            self.lines.push(line);
        }
    }

    /// Adds the lines of a check that may take seconds.
    async fn while_busy(&mut self, what: &str, check: impl Future<Output = Vec<Diagnosis>>) {
        let busy = self.output.busy(format!("checking {what}"));
        let lines = check.await;
        drop(busy);
        self.add(lines);
    }

    fn end(self) -> Result<(), CommandError> {
        let count = |state| self.lines.iter().filter(|line| line.state == state).count();
        let (problems, warnings) = (count(DiagnosisState::Problem), count(DiagnosisState::Warning));
        if self.output.json {
            print_json(&json!({ "checks": self.lines, "problems": problems, "warnings": warnings }))?;
        } else if problems == 0 {
            self.output.remark(&match warnings {
                0 => "everything is fine".to_owned(),
                1 => "no problems, 1 warning".to_owned(),
                many => format!("no problems, {many} warnings"),
            });
        }
        match problems {
            0 => Ok(()),
            1 => Err(CommandError::Failed(anyhow::anyhow!("1 problem was found"))),
            many => Err(CommandError::Failed(anyhow::anyhow!("{many} problems were found"))),
        }
    }
}
